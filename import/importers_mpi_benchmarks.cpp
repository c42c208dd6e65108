// Reads tables of the OSU micro-benchmarks and of Intel MPI Benchmarks. A table has a title line that names the
// operation, a header with units, and rows of size and times. A file may have several tables.
#include "import/importers.hpp"
#include "import/mpi_title.hpp"
#include "import/plain_text.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

namespace ddlsim {
namespace {

constexpr double us_a_second = 1e6;

/// A table: the operation that it times, and the columns that are read.
struct MpiTable {
  MpiTitle title;
  int line = 0;      ///< line of the title, or of a second header below it
  int processes = 0; ///< number of processes; 0: not stated
  std::size_t time_column = 0;
  std::size_t repeats_column = 0; ///< column of the repeats; 0: there is none
};

/// A reason why rows became no records.
struct SkippedTable {
  std::string name; ///< name of the table
  std::string why;
  auto operator<=>(const SkippedTable&) const = default;
};

double printed_number_or(std::string_view text, double fallback) {
  const auto number = parse_number(text);
  return number ? number->value : fallback;
}

/// Returns the text of a comment line; nothing for a row.
std::optional<std::string> comment_of(std::string_view line) {
  const auto text = trim(line);
  if (!text.starts_with('#')) return {};
  return std::string(trim(text.substr(std::min(text.size(), text.find_first_not_of('#')))));
}

/// Returns the columns of an OSU header. Two blanks or a tab separate them, so "Avg Latency(us)" is one.
std::vector<std::string> header_columns(const std::string& header) {
  std::vector<std::string> columns{""};
  for (std::size_t i = 0; i < header.size(); ++i) {
    const bool blank = header[i] == ' ' || header[i] == '\t';
    const bool single =
        header[i] == ' ' && i > 0 && i + 1 < header.size() && header[i - 1] != ' ' && header[i + 1] != ' ';
    if (blank && !single) {
      if (!columns.back().empty()) columns.emplace_back();
    } else {
      columns.back() += header[i];
    }
  }
  if (columns.back().empty()) columns.pop_back();
  return columns;
}

/// Reads a header such as "Size  Avg Latency(us)" or "bytes #repetitions  t_min[usec] ...". Returns whether the line is
/// one.
bool read_columns(const std::string& text, MpiTable& table) {
  const auto lower = lower_case(text);
  const auto words = lower.starts_with("bytes") ? split_words(lower) : header_columns(lower);
  if (words.empty() || (words.front() != "size" && words.front() != "bytes")) return false;
  table.time_column = table.repeats_column = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (is_in({"avg latency(us)", "latency (us)", "latency(us)", "t_avg[usec]", "t[usec]"}, words[i]))
      table.time_column = i;
    if (words[i] == "iterations" || words[i] == "#repetitions") table.repeats_column = i;
  }
  return true;
}

/// Returns the whole number after `key`; 0 if there is none in range.
int count_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return 0;
  const auto words = split_words(text.substr(at + key.size()));
  const auto number =
      words.empty() ? std::nullopt : parse_number(words.front().substr(0, words.front().find_first_of(".;,")));
  return number && number->value >= 1 && number->value <= most_ranks ? static_cast<int>(number->value) : 0;
}

class MpiReader {
public:
  MpiReader(const std::filesystem::path& file, const ImportContext& stated, std::vector<Mistake>& mistakes,
            Imported& out)
      : file_(file), stated_(stated), mistakes_(mistakes), out_(out) {
    processes_ = given_count("ranks");
    nodes_ = given_count("nodes");
    for (const auto& [name, value] : stated_.given)
      if (!is_in({"ranks", "nodes", "transport", "library"}, name))
        mistakes_.push_back({"--set", name, "found an unknown name, expected one of ranks, nodes, transport, library"});
    const auto& transports = transport_names();
    if (!given("transport").empty() && !is_in(transports, given("transport")))
      mistakes_.push_back(
          {"--set", "transport", unknown_name_text("transport", given("transport"), transports, transports)});
  }

  void read(LogSource& source) {
    while (const auto line = source.next_line()) {
      line_ = line->number;
      if (const auto comment = comment_of(line->text))
        read_comment(*comment);
      else
        read_row(line->text);
    }
    note_the_rest();
  }

private:
  std::string given(const std::string& name) const {
    const auto found = stated_.given.find(name);
    return found == stated_.given.end() ? "" : found->second;
  }

  int given_count(const std::string& name) {
    const auto text = given(name);
    if (text.empty()) return 0;
    const auto number = parse_number(text);
    if (number && number->value >= 1 && number->value <= most_ranks && number->value == std::floor(number->value))
      return static_cast<int>(number->value);
    mistakes_.push_back({"--set", name, fmt::format("{} found, a whole number above 0 expected", in_quotes(text))});
    return 0;
  }

  void read_comment(const std::string& text) {
    constexpr std::string_view imb_mark = "Benchmarking ";
    constexpr std::string_view imb_version = "MPI Benchmarks ";
    if (text.starts_with("OSU ")) return start_table(read_osu_title(text));
    if (text.starts_with(imb_mark)) return start_table(read_imb_title(trim(text.substr(imb_mark.size())), imb_year_));
    if (text.find(imb_version) != std::string::npos) imb_year_ = count_after(text, imb_version);
    if (const int count = count_after(text, "#processes ="); count > 0) table_.processes = count;
    if (table_.line == 0 || !read_columns(text, table_)) return;
    if (has_rows_) table_.line = line_; // this header begins the same table for another data type
    has_rows_ = false;
  }

  void start_table(MpiTitle title) {
    table_ = {};
    table_.title = std::move(title);
    table_.line = line_;
    has_rows_ = false;
  }

  void read_row(std::string_view line) {
    const auto text = trim(line);
    if (text.empty() || !is_digit(text.front()) || table_.line == 0) return;
    if (table_.title.operation.empty() || table_.time_column == 0) return pass_over(table_.title.why_left_out);
    const auto words = split_words(text);
    const double size_bytes = printed_number_or(words.front(), -1);
    const double time_us = table_.time_column < words.size() ? printed_number_or(words[table_.time_column], -1) : -1;
    if (size_bytes < 0 || time_us < 0) {
      mistakes_.push_back({at_line(file_, line_), "",
                           fmt::format("{} found, a row of {} numbers or more expected; mend or remove it",
                                       in_quotes(std::string(line)), table_.time_column + 1)});
      return;
    }
    has_rows_ = true;
    if (size_bytes == 0) return;
    if (time_us == 0) {
      mistakes_.push_back(
          {at_line(file_, line_), "", "a time of 0 found, microseconds expected; mend or remove the row"});
      return;
    }
    add(size_bytes, time_us / us_a_second, repeats_of(words));
  }

  void pass_over(const std::string& why) {
    ++skipped_[{table_.title.name, why.empty() ? "no column of a latency is known" : why}];
  }

  int repeats_of(const std::vector<std::string>& words) const {
    if (table_.repeats_column == 0 || table_.repeats_column >= words.size()) return 0;
    const auto number = parse_number(words[table_.repeats_column]);
    return number && number->value >= 1 && number->value <= most_ranks ? static_cast<int>(number->value) : 0;
  }

  RecordHead head(int repeats) const {
    RecordHead head;
    head.file = file_.string();
    head.line = line_;
    head.series = fmt::format("{}-line{}", table_.title.operation, table_.line);
    head.origin = "run";
    head.transport = given("transport").empty() ? "unknown" : given("transport");
    head.library = !given("library").empty()      ? given("library")
                   : table_.title.library.empty() ? "unknown"
                                                  : table_.title.library;
    head.statistic = "mean";
    head.repeats = repeats;
    return head;
  }

  void add(double size_bytes, double time_s, int repeats) {
    if (table_.title.operation != one_way_message) return add_collective(size_bytes, time_s, repeats);
    PointToPointRecord record;
    record.head = head(repeats);
    record.size_bytes = size_bytes;
    record.time_s = time_s;
    record.nodes = std::min(nodes_, 2);
    out_.measurements.records.emplace_back(record);
  }

  /// Adds a row of a collective, if the scale of the table agrees with the command line.
  void add_collective(double size_bytes, double time_s, int repeats) {
    const int ranks = table_.processes > 0 ? table_.processes : processes_;
    if (ranks == 1) return pass_over("one process communicates with nobody");
    if (processes_ > 0 && ranks != processes_)
      return pass_over(fmt::format("it is of {} processes, and --set ranks={} was given", ranks, processes_));
    if (table_.processes > 0 && nodes_ > ranks)
      return pass_over(fmt::format("{} processes cannot be on {} nodes", ranks, nodes_));
    CollectiveRecord record;
    record.head = head(repeats);
    record.operation = table_.title.operation;
    record.algorithm = "unknown";
    record.ranks = ranks;
    record.nodes = nodes_;
    record.size_bytes = table_.title.is_part ? size_bytes * ranks : size_bytes;
    record.time_s = time_s;
    if (record.ranks == 0 || record.nodes == 0 || record.nodes > record.ranks) return refuse_scale(record);
    if (table_.processes > 0) process_counts_.insert(ranks);
    out_.measurements.records.emplace_back(record);
  }

  /// Adds the reason why a scale is refused, once for each table.
  void refuse_scale(const CollectiveRecord& record) {
    if (refused_line_ == table_.line) return;
    refused_line_ = table_.line;
    mistakes_.push_back({at_line(file_, table_.line), "",
                         record.nodes > record.ranks && record.ranks > 0
                             ? fmt::format("{} nodes found for {} ranks; give fewer nodes", record.nodes, record.ranks)
                             : fmt::format("the log does not say on how many {} it ran: give --set ranks=N and --set "
                                           "nodes=N",
                                           record.ranks == 0 ? "ranks" : "nodes")});
  }

  void note_the_rest() {
    for (const auto& [table, rows] : skipped_)
      out_.notes.push_back(fmt::format("{} rows of {} were left out: {}", rows, in_quotes(table.name), table.why));
    if (nodes_ < 2 || process_counts_.size() < 2) return;
    process_counts_.erase(std::prev(process_counts_.end()));
    std::vector<std::string> fewer;
    for (const int count : process_counts_) fewer.push_back(std::to_string(count));
    out_.notes.push_back(
        fmt::format("tables of {} processes were taken to be on {} nodes, too, which holds where ranks go "
                    "round the nodes; leave them out with --set ranks=N",
                    join_names(fewer, " and "), nodes_));
  }

  const std::filesystem::path& file_;
  const ImportContext& stated_;
  std::vector<Mistake>& mistakes_;
  Imported& out_;
  MpiTable table_;
  int line_ = 0;
  int processes_ = 0;
  int nodes_ = 0;
  int refused_line_ = 0;
  int imb_year_ = 0;      ///< year of the benchmarks; 0: not stated
  bool has_rows_ = false; ///< whether there were rows below the last header
  std::map<SkippedTable, int> skipped_;
  std::set<int> process_counts_; ///< numbers of processes that the tables state which were read
};

} // namespace

Resemblance resembles_mpi_benchmarks(std::string_view text) {
  return has_any(text, {"# OSU ", "# Benchmarking "}) ? Resemblance::own_words : Resemblance::none;
}

/// Reads latency tables into records of collectives, and of messages between two processes. `stated.given` may have
/// ranks, nodes, transport and library. An OSU table states neither ranks nor nodes.
Imported import_mpi_benchmarks(LogSource source, const ImportContext& stated) {
  const auto file = source.name();
  std::vector<Mistake> mistakes;
  Imported out;
  out.measurements.file = file;
  MpiReader reader(file, stated, mistakes, out);
  reader.read(source);
  auto context = stated;
  fill_from_cluster(context);
  out.measurements.context = context_record(context, file, mistakes);
  for (auto& record : out.measurements.records)
    std::visit([&](auto& one) { one.head.gpu = out.measurements.context.gpu; }, record);
  if (out.measurements.records.empty() && mistakes.empty())
    mistakes.push_back(
        {file.string(), "",
         fmt::format("found no table of a latency, expected one below '# OSU MPI ... Latency Test' or '# "
                     "Benchmarking ...'{}",
                     out.notes.empty() ? "" : "; " + join_names(out.notes, "; "))});
  throw_mistakes(mistakes);
  return out;
}

} // namespace ddlsim
