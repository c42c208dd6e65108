// Text logs of nccl-tests. The columns are read from the header row, so that every layout since 2016 is one case:
//   NCCL 1 era:  bytes N type op time algbw busbw res, twice; times in milliseconds
//   2018..2021:  size count type [redop] [root] time algbw busbw error, twice
//   since 2022:  size count type redop root time algbw busbw #wrong [i_min i_max i_p99 i_cv%], twice, [timestamp]
// Layouts: NVIDIA/nccl-tests src/common.cu and src/util.cu.
#include "import/imported.hpp"
#include "import/nccl_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double us_per_ms = 1000;

/// Without what mpirun (--tag-output: "[1,0]<stdout>:"), MPICH ("[0] ") and srun -l ("0: ") put before a line.
std::string_view without_launcher(std::string_view line) {
  line = trim(line);
  for (const std::string_view stream : {"<stdout>:", "<stderr>:"}) {
    const auto at = line.find(stream);
    if (!line.empty() && line.front() == '[' && at != std::string_view::npos && line.find(']') == at - 1)
      return trim(line.substr(at + stream.size()));
  }
  std::size_t digits = line.substr(0, 1) == "[" ? 1 : 0;
  const char close = digits == 1 ? ']' : ':';
  const std::size_t begin = digits;
  while (digits < line.size() && is_digit(line[digits])) ++digits;
  if (digits > begin && digits + 1 < line.size() && line[digits] == close && line[digits + 1] == ' ')
    return trim(line.substr(digits + 1));
  return line;
}

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The word after `key`: "iters:" gives "20".
std::string word_after(const std::vector<std::string>& words, const std::string& key) {
  const auto at = std::find(words.begin(), words.end(), key);
  return at == words.end() || at + 1 == words.end() ? "" : *(at + 1);
}

/// "Rank 0 Group 0 Pid 71 on host device 0 [0000:06:00] Tesla P100-SXM2-16GB"; group and pid may be missing.
std::optional<NcclDevice> parse_device(std::string_view text) {
  const auto words = split_words(text);
  if (words.size() < 6 || words[0] != "Rank") return std::nullopt;
  const auto on = std::find(words.begin(), words.end(), "on");
  const auto device = std::find(on, words.end(), "device");
  const auto rank = whole(words[1]);
  if (!rank || words.end() - on < 4 || device == words.end()) return std::nullopt;
  NcclDevice found{*rank, whole(word_after(words, "Group")).value_or(0), *(on + 1), "", ""};
  const auto open = text.find('[');
  const auto close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  found.bus = text.substr(open + 1, close - open - 1);
  found.name = trim(text.substr(close + 1));
  return found;
}

/// Names of the columns as the newest layout has them.
std::vector<std::string> parse_columns(std::string_view text) {
  auto columns = split_words(text);
  for (auto& column : columns) {
    if (column == "bytes") column = "size";
    if (column == "N") column = "count";
    if (column == "op") column = "redop";
    if (column == "error" || column == "res") column = "#wrong";
  }
  return columns;
}

bool is_header(const std::vector<std::string>& columns) {
  const auto has = [&](const char* name) { return std::find(columns.begin(), columns.end(), name) != columns.end(); };
  return !columns.empty() && columns[0] == "size" && has("type") && (has("time") || has("cputime")) && has("algbw") &&
         has("busbw");
}

/// A row begins with a size.
bool is_row(std::string_view text) {
  const auto end = text.find_first_of(" \t");
  const auto first = text.substr(0, end);
  return std::all_of(first.begin(), first.end(), is_digit);
}

class LogParser {
public:
  LogParser(const std::filesystem::path& file, std::vector<Mistake>& mistakes, std::vector<std::string>& notes)
      : file_(file), mistakes_(mistakes), notes_(notes) {}

  std::vector<NcclTable> parse(const std::string& text) {
    const auto lines = split_lines(text);
    last_ = lines.size();
    while (last_ > 0 && trim(lines[last_ - 1]).empty()) --last_;
    for (std::size_t i = 0; i < last_; ++i) read_line(static_cast<int>(i + 1), without_launcher(lines[i]));
    return std::move(tables_);
  }

private:
  void read_line(int line, std::string_view text) {
    if (text.empty()) return;
    if (open_ && is_row(text)) return read_row(line, text);
    if (text.find("NCCL INFO") != std::string_view::npos) return read_nccl_info(text);
    if (text.front() == '#') text = trim(text.substr(1));
    if (const auto device = parse_device(text)) return add_device(*device);
    const auto columns = parse_columns(text);
    if (is_header(columns)) return start_table(line, columns, split_words(text).front() == "bytes");
    read_remark(text);
  }

  /// Lines before, between and after tables, told apart by their first words.
  void read_remark(std::string_view text) {
    const auto words = split_words(text);
    if (text.rfind("Out of bounds values", 0) == 0) return finish_table(text);
    if (text.rfind("Collective test starting:", 0) == 0) {
      run_used_ = true;
      start_run_after_table();
      run_.program = nccl_program(words.back());
    } else if (starts_with_word(text, "nThread")) {
      start_run_after_table();
      run_.iterations = whole(iterations_word(words)).value_or(0);
    } else if (text.rfind("NCCL version ", 0) == 0) {
      version_ = words[2].substr(0, words[2].find('+'));
    } else if (text.rfind("nccl-tests version", 0) == 0) {
      read_library_version(words);
    } else {
      read_command(words);
    }
  }

  /// "warmup iters: 5 iters: 20": the second.
  static std::string iterations_word(const std::vector<std::string>& words) {
    for (std::size_t i = 1; i + 1 < words.size(); ++i)
      if (words[i] == "iters:" && words[i - 1] != "warmup" && words[i - 1] != "agg") return words[i + 1];
    return "";
  }

  void read_library_version(const std::vector<std::string>& words) {
    const std::string key = "nccl-library=";
    for (const auto& word : words) {
      if (word.rfind(key, 0) == 0)
        if (const auto code = whole(std::string_view(word).substr(key.size()))) version_ = nccl_version_text(*code);
    }
  }

  /// A command line, perhaps over several lines: a program followed by options, NCCL_ALGO among the variables.
  void read_command(const std::vector<std::string>& words) {
    const std::string key = "NCCL_ALGO=";
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto at = words[i].find(key);
      if (at != std::string::npos) {
        (words[0] == "export" ? exported_algorithm_ : next_algorithm_) =
            nccl_algorithm(words[i].substr(at + key.size()));
      }
      const auto program = i + 1 < words.size() && words[i + 1].front() == '-' ? nccl_program(words[i]) : "";
      if (program.empty()) continue;
      start_run_after_table();
      run_.program = program;
    }
  }

  void read_nccl_info(std::string_view text) {
    const std::string_view key = "Using network ";
    const auto at = text.find(key);
    if (at == std::string_view::npos) return;
    const auto name = trim(text.substr(at + key.size()));
    transport_ = name == "IB" ? "nccl-ib" : name == "Socket" ? "nccl-tcp" : "unknown";
  }

  void start_run_after_table() {
    open_ = false;
    if (!run_used_) return;
    run_ = {};
    run_used_ = false;
  }

  void add_device(const NcclDevice& device) {
    start_run_after_table();
    run_.devices.push_back(device);
  }

  void start_table(int line, const std::vector<std::string>& columns, bool milliseconds) {
    columns_ = columns;
    time_unit_us_ = milliseconds ? us_per_ms : 1;
    if (open_ && tables_.back().rows.empty()) {
      tables_.pop_back(); // the header came twice
    } else {
      start_run_after_table();
    }
    auto table = run_;
    table.where = at_line(file_, line);
    table.nccl_version = version_;
    table.algorithm = next_algorithm_ != "unknown" ? next_algorithm_ : exported_algorithm_;
    next_algorithm_ = "unknown";
    table.transport = transport_;
    table.has_redop = has_column("redop");
    table.has_root = has_column("root");
    tables_.push_back(table);
    open_ = run_used_ = true;
    if (has_column("cputime")) {
      open_ = false;
      mistakes_.push_back({table.where, "",
                           "found a column cputime (option -C), which times the CPU; expected time: run "
                           "without -C"});
    }
  }

  void finish_table(std::string_view text) {
    if (tables_.empty()) return;
    tables_.back().complete = true;
    tables_.back().failed = text.find("FAILED") != std::string_view::npos;
    open_ = false;
  }

  bool has_column(const char* name) const {
    return std::find(columns_.begin(), columns_.end(), name) != columns_.end();
  }

  void read_row(int line, std::string_view text) {
    auto words = split_words(text);
    const auto redop =
        static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), "redop") - columns_.begin());
    // Programs that do not reduce left the column empty for some years.
    if (redop < columns_.size() && redop < words.size() && parse_number(words[redop]))
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(redop), "none");
    const bool stamped = columns_.back() == "timestamp";
    if (words.size() != columns_.size() + (stamped ? 1 : 0)) return refuse_row(line, words.size());
    NcclRow row;
    row.where = at_line(file_, line);
    row.line = line;
    std::string bad;
    read_words(words, row, bad);
    if (bad.empty()) {
      tables_.back().rows.push_back(row);
    } else {
      mistakes_.push_back({row.where, "", fmt::format("found {}; is the line whole?", bad)});
    }
  }

  void refuse_row(int line, std::size_t words) {
    const auto found = fmt::format("{} of {} columns", words, columns_.size());
    if (static_cast<std::size_t>(line) == last_) {
      notes_.push_back(
          fmt::format("line {}: the last row has {}; the log ends there, and the row was left out", line, found));
    } else {
      mistakes_.push_back(
          {at_line(file_, line), "",
           fmt::format("found a row of {}, expected all as in the table's header; other output may have "
                       "run into it: mend or remove the line",
                       found)});
    }
  }

  /// Cells by column; the second `time` begins the in-place half.
  void read_words(const std::vector<std::string>& words, NcclRow& row, std::string& bad) const {
    NcclTiming* half = nullptr;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto& column = columns_[i];
      if (column == "type") row.type = words[i];
      if (column == "redop") row.redop = words[i];
      if (column == "time") half = &(row.out_of_place ? row.in_place : row.out_of_place).emplace();
      if (column == "#wrong" && half != nullptr) half->wrong = is_wrong(words[i]);
      if (column == "size" || column == "root" || column == "time" || column == "algbw" || column == "busbw" ||
          column == "i_cv%")
        read_number(column, words[i], row, half, bad);
    }
  }

  void read_number(const std::string& column, const std::string& word, NcclRow& row, NcclTiming* half,
                   std::string& bad) const {
    const auto number = parse_number(word);
    const bool fits = number && (column == "root" || number->value >= 0);
    if (!fits) {
      bad = fmt::format("'{}' in column {}, expected a number", word, column);
      return;
    }
    if (column == "i_cv%" && number->value > most_relative_spread * percent) {
      bad = fmt::format("'{}' in column {}, expected at most {}", word, column, most_relative_spread * percent);
      return;
    }
    if (column == "size") row.size_bytes = number->value;
    if (column == "root") row.root = static_cast<int>(number->value);
    if (half == nullptr) return;
    if (column == "time") half->time_us = {number->value * time_unit_us_, number->half_step * time_unit_us_};
    if (column == "algbw") half->algbw_GBps = *number;
    if (column == "busbw") half->busbw_GBps = *number;
    if (column == "i_cv%") half->relative_spread = number->value / percent;
  }

  /// A count of wrong elements since 2022, before that the largest deviation, marked * when it is too large.
  bool is_wrong(const std::string& word) const {
    const auto number = parse_number(word);
    return word.back() == '*' || (number && number->value >= 1 && number->value == std::floor(number->value));
  }

  const std::filesystem::path& file_;
  std::vector<Mistake>& mistakes_;
  std::vector<std::string>& notes_;
  std::vector<NcclTable> tables_;
  std::vector<std::string> columns_;
  NcclTable run_;         ///< what the next table belongs to
  bool run_used_ = false; ///< a table of this run has begun
  bool open_ = false;     ///< rows may follow
  double time_unit_us_ = 1;
  std::size_t last_ = 0; ///< last line with text
  std::string version_;
  std::string exported_algorithm_ = "unknown"; ///< for every run that follows
  std::string next_algorithm_ = "unknown";     ///< for the next run
  std::string transport_ = "unknown";
};

} // namespace

std::vector<NcclTable> parse_nccl_log(const std::string& text, const std::filesystem::path& file,
                                      std::vector<Mistake>& mistakes, std::vector<std::string>& notes) {
  return LogParser(file, mistakes, notes).parse(text);
}

} // namespace ddlsim
