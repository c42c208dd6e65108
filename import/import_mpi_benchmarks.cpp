// Tables of the OSU micro-benchmarks and of Intel MPI Benchmarks: a title line that names the operation, a header with
// units, rows of size and times. Several tables may stand in one file.
#include "import/importers.hpp"
#include "import/plain_text.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace ddlsim {
namespace {

constexpr double us_a_second = 1e6;
constexpr const char* one_way = "one_way"; ///< of two processes, no collective

/// One table: what it times, and which of its columns are read.
struct MpiTable {
  std::string operation; ///< of a collective record; one_way
  std::string title;     ///< as the log calls it
  int line = 0;
  int processes = 0; ///< 0: not stated
  std::size_t time_column = 0;
  std::size_t repeats_column = 0; ///< 0: none
  bool has_header = false;
};

/// The operation that records have, of "OSU MPI Allreduce Latency Test v7.3" or "Allreduce"; "" for any other.
std::string operation_named(const std::string& title) {
  static const std::vector<std::pair<std::string, std::string>> names{{"reduce_scatter", "reduce_scatter"},
                                                                      {"allreduce", "all_reduce"},
                                                                      {"allgather", "all_gather"},
                                                                      {"alltoall", "all_to_all"},
                                                                      {"broadcast", "broadcast"},
                                                                      {"bcast", "broadcast"},
                                                                      {"pingpong", one_way},
                                                                      {"reduce", "reduce"}};
  const auto words = split_words(lower_case(title));
  const bool osu = words.size() > 2 && words[0] == "osu";
  if (osu && words[2] == "latency") return one_way;
  const auto& word = osu ? words[2] : words.front();
  for (const auto& [name, operation] : names)
    if (word == name || (name == "reduce_scatter" && word == "reduce_scatter_block")) return operation;
  return "";
}

double printed_number_or(std::string_view text, double fallback) {
  const auto number = parse_number(text);
  return number ? number->value : fallback;
}

/// The text of a line that is a comment; nothing for a row.
std::optional<std::string> comment_of(const std::string& line) {
  const auto text = trim(line);
  if (!text.starts_with('#')) return {};
  return std::string(trim(text.substr(std::min(text.size(), text.find_first_not_of('#')))));
}

/// Columns of an OSU header are two blanks apart, or a tab: "Avg Latency(us)" is one.
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

/// Reads a header, if the line is one: "Size  Avg Latency(us)", "bytes #repetitions  t_min[usec] ...".
void read_columns(const std::string& text, MpiTable& table) {
  const auto lower = lower_case(text);
  const auto words = lower.starts_with("bytes") ? split_words(lower) : header_columns(lower);
  if (words.empty() || (words.front() != "size" && words.front() != "bytes")) return;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (is_in({"avg latency(us)", "latency (us)", "latency(us)", "t_avg[usec]", "t[usec]"}, words[i]))
      table.time_column = i;
    if (words[i] == "iterations" || words[i] == "#repetitions") table.repeats_column = i;
  }
  table.has_header = table.time_column > 0;
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

  void read(const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      line_ = static_cast<int>(i + 1);
      const auto comment = comment_of(lines[i]);
      if (comment) read_comment(*comment);
      if (!comment) read_row(lines[i]);
    }
    note_passed_over();
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
    const auto words = split_words(text);
    const bool osu = text.find("OSU MPI") != std::string::npos;
    const bool imb = words.size() >= 2 && words[0] == "Benchmarking";
    if (osu || imb) {
      table_ = {};
      table_.title = osu ? text.substr(text.find("OSU MPI")) : words[1];
      const bool times = !osu || text.find("Latency") != std::string::npos;
      table_.operation = times ? operation_named(table_.title) : "";
      table_.line = line_;
      return;
    }
    if (words.size() >= 2 && words[words.size() - 2] == "=" && text.find("processes") != std::string::npos) {
      const auto count = parse_number(words.back());
      if (count && count->value >= 1 && count->value <= most_ranks) table_.processes = static_cast<int>(count->value);
      return;
    }
    if (table_.line > 0) read_columns(text, table_);
  }

  void read_row(const std::string& line) {
    const auto words = split_words(line);
    if (words.empty() || !is_digit(words.front().front())) return;
    if (table_.operation.empty() || !table_.has_header) {
      if (table_.line > 0) ++passed_over_[table_.title];
      return;
    }
    const double size_bytes = printed_number_or(words.front(), -1);
    const double time_us = table_.time_column < words.size() ? printed_number_or(words[table_.time_column], -1) : -1;
    if (size_bytes < 0 || time_us < 0) {
      mistakes_.push_back({at_line(file_, line_), "",
                           fmt::format("{} found, a row of {} numbers or more expected; mend or remove it",
                                       in_quotes(line), table_.time_column + 1)});
      return;
    }
    if (size_bytes == 0) return;
    if (time_us == 0) {
      mistakes_.push_back(
          {at_line(file_, line_), "", "a time of 0 found, microseconds expected; mend or remove the row"});
      return;
    }
    add(size_bytes, time_us / us_a_second, repeats_of(words));
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
    head.series = fmt::format("{}-line{}", table_.operation, table_.line);
    head.origin = "run";
    head.transport = given("transport").empty() ? "unknown" : given("transport");
    head.library = given("library").empty() ? "unknown" : given("library");
    head.statistic = "mean";
    head.repeats = repeats;
    return head;
  }

  void add(double size_bytes, double time_s, int repeats) {
    if (table_.operation == one_way) {
      PointToPointRecord record;
      record.head = head(repeats);
      record.size_bytes = size_bytes;
      record.time_s = time_s;
      record.nodes = std::min(nodes_, 2);
      out_.measurements.records.emplace_back(record);
      return;
    }
    CollectiveRecord record;
    record.head = head(repeats);
    record.operation = table_.operation;
    record.algorithm = "unknown";
    record.ranks = processes_ > 0 ? processes_ : table_.processes;
    record.nodes = nodes_;
    const bool a_part = table_.operation == "all_gather" || table_.operation == "all_to_all";
    record.size_bytes = a_part ? size_bytes * record.ranks : size_bytes; // MPI's size is what one rank gives another
    record.time_s = time_s;
    if (record.ranks == 0 || record.nodes == 0 || record.nodes > record.ranks) return refuse_scale(record);
    out_.measurements.records.emplace_back(record);
  }

  /// Once a table.
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

  void note_passed_over() {
    for (const auto& [title, rows] : passed_over_)
      out_.notes.push_back(
          fmt::format("{} rows of {} were left out: records have no such times", rows, in_quotes(title)));
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
  std::map<std::string, int> passed_over_;
};

} // namespace

Resemblance resembles_mpi_benchmarks(std::string_view text) {
  return has_any(text, {"OSU MPI", "# Benchmarking "}) ? Resemblance::own_words : Resemblance::none;
}

/// Latency tables: collective records, and one-way times of two processes. `stated.given` may have ranks, nodes,
/// transport and library; an OSU table says neither ranks nor nodes.
Imported import_mpi_benchmarks(LogSource source, const ImportContext& stated) {
  const auto file = source.name();
  std::vector<Mistake> mistakes;
  Imported out;
  out.measurements.file = file;
  MpiReader reader(file, stated, mistakes, out);
  reader.read(split_lines(source.text()));
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
