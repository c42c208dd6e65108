// Reads text logs of nccl-tests and rccl-tests line by line: device list, header, rows, closing lines. NCCL's debug
// text may stand anywhere, even inside a row, whose parts are then joined.
#include "import/imported.hpp"
#include "import/nccl_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double us_per_ms = 1000;
constexpr std::size_t most_lines_named = 5; ///< largest number of lines that a note names

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Returns the word after `key`: "20" for "iters:" in "iters: 20".
std::string word_after(const std::vector<std::string>& words, const std::string& key) {
  const auto at = std::find(words.begin(), words.end(), key);
  return at == words.end() || at + 1 == words.end() ? "" : *(at + 1);
}

/// Returns the second number of "warmup iters: 5 iters: 20".
std::string iterations_word(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i)
    if (words[i] == "iters:" && words[i - 1] != "warmup" && words[i - 1] != "agg") return words[i + 1];
  return "";
}

/// Reads "Rank 0 Group 0 Pid 71 on host device 0 [0000:06:00] Tesla P100-SXM2-16GB"; group and pid may be missing.
std::optional<NcclDevice> parse_device(std::string_view text) {
  if (!starts_with_word(text, "Rank")) return std::nullopt;
  const auto words = split_words(text);
  if (words.size() < 6) return std::nullopt;
  const auto on = std::find(words.begin(), words.end(), "on");
  const auto device = std::find(on, words.end(), "device");
  const auto rank = whole(words[1]);
  if (!rank || words.end() - on < 4 || device == words.end()) return std::nullopt;
  const auto open = text.find('[');
  const auto close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  NcclDevice found;
  found.rank = *rank;
  found.group = whole(word_after(words, "Group")).value_or(0);
  found.host = *(on + 1);
  found.number = whole(word_after(words, "device")).value_or(0);
  found.bus = text.substr(open + 1, close - open - 1);
  found.name = trim(text.substr(close + 1));
  return found;
}

class LogParser {
public:
  LogParser(LogSource& source, std::vector<Mistake>& mistakes, std::vector<std::string>& notes)
      : source_(source), mistakes_(mistakes), notes_(notes) {}

  std::vector<NcclTable> parse() {
    while (const auto line = source_.next_line()) {
      const auto parts = without_nccl_debug(line->text, hosts_);
      if (!parts.debug.empty()) read_debug(parts.debug);
      if (const auto text = trim(parts.before); !text.empty()) read_line(line->number, text);
    }
    if (!row_words_.empty()) note_cut_end();
    note_broken_rows();
    return std::move(tables_);
  }

private:
  void read_debug(std::string_view text) {
    if (!open_) start_run_after_table();
    read_nccl_debug(text, run_.debug);
    if (open_) tables_.back().debug = run_.debug;
  }

  void read_line(int line, std::string_view text) {
    if (open_ && text.front() != '#' && read_row_part(line, text)) return;
    if (text.front() == '#') text = trim(text.substr(1));
    if (auto device = parse_device(text)) return add_device(std::move(*device));
    if (text.starts_with("size ") || text.starts_with("bytes ")) {
      const auto columns = nccl_columns(text);
      if (is_nccl_header(columns)) return start_table(line, columns, text.starts_with("bytes"));
    }
    read_remark(text);
  }

  /// Reads a line before, between or after tables, which its first words identify.
  void read_remark(std::string_view text) {
    if (text.starts_with("Out of bounds values")) return finish_table(text);
    if (text.starts_with("Avg bus bandwidth")) return read_average(text);
    if (text.starts_with("out-of-place") || text.starts_with("in-place")) {
      in_place_only_ = text.starts_with("in-place");
      return;
    }
    if (text.starts_with("Collective test starting:")) {
      start_run_after_table();
      run_.program = nccl_program(split_words(text).back());
      run_.devices.clear();
    } else if (starts_with_word(text, "nThread")) {
      start_run_after_table();
      run_.iterations = whole(iterations_word(split_words(text))).value_or(0);
    } else if (text.starts_with("NCCL version ") || text.starts_with("RCCL version ")) {
      read_version(split_words(text));
    } else if (text.starts_with("rccl-tests:")) {
      library_ = "RCCL";
    } else if (text.starts_with("nccl-tests version")) {
      read_library_version(split_words(text));
    } else if (text.find("_perf") != std::string_view::npos || text.find("NCCL_ALGO=") != std::string_view::npos) {
      read_command(split_words(text));
    }
  }

  /// Reads "NCCL version 2.28.3+cuda12.9" or "RCCL version : 2.22.3-develop:7c0d2b1".
  void read_version(const std::vector<std::string>& words) {
    const auto& number = words.size() > 3 && words[2] == ":" ? words[3] : words[2];
    library_ = words[0];
    version_ = number.substr(0, number.find_first_of("+-"));
  }

  void read_library_version(const std::vector<std::string>& words) {
    const std::string key = "nccl-library=";
    for (const auto& word : words) {
      if (word.rfind(key, 0) == 0)
        if (const auto code = whole(std::string_view(word).substr(key.size()))) version_ = nccl_version_text(*code);
    }
  }

  /// Reads a command line, which may be split over several lines: a program with its options, and NCCL_ALGO among the
  /// variables.
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

  void start_run_after_table() {
    drop_row();
    open_ = false;
    if (!run_used_) return;
    run_ = {};
    run_used_ = false;
  }

  void add_device(NcclDevice device) {
    start_run_after_table();
    hosts_.insert(device.host);
    run_.devices.push_back(std::move(device));
  }

  void start_table(int line, const std::vector<std::string>& columns, bool milliseconds) {
    columns_ = columns;
    time_unit_us_ = milliseconds ? us_per_ms : 1;
    if (open_ && tables_.back().rows.empty() && row_words_.empty()) {
      tables_.pop_back(); // the header was printed twice
    } else {
      start_run_after_table();
    }
    auto table = run_;
    table.where = at_line(source_.name(), line);
    table.library = library_;
    table.nccl_version = version_;
    table.algorithm = next_algorithm_ != "unknown" ? next_algorithm_ : exported_algorithm_;
    next_algorithm_ = "unknown";
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
    drop_row();
    tables_.back().complete = true;
    tables_.back().failed = text.find("FAILED") != std::string_view::npos;
    open_ = false;
  }

  void read_average(std::string_view text) {
    const auto words = split_words(text.substr(std::min(text.size(), text.find(':') + 1)));
    const auto number = words.empty() ? std::nullopt : parse_number(words.front());
    if (number && !tables_.empty()) tables_.back().bus_GBps = number->value;
  }

  bool has_column(const char* name) const {
    return std::find(columns_.begin(), columns_.end(), name) != columns_.end();
  }

  /// Reads a row, its beginning, or the missing rest of the last one. Returns false for other text.
  bool read_row_part(int line, std::string_view text) {
    auto words = split_words(text);
    if (!row_words_.empty() && fit_row(columns_, row_words_.size(), words)) {
      row_words_.insert(row_words_.end(), words.begin(), words.end());
    } else {
      if (!is_digit(words.front().front()) || words.front().find_first_not_of("0123456789") != std::string::npos)
        return false;
      drop_row();
      add_missing_redop(words);
      row_line_ = line;
      row_words_ = std::move(words);
    }
    if (row_words_.size() == words_of_row(columns_)) {
      finish_row();
    } else if (!fit_row(columns_, 0, row_words_)) {
      drop_row();
    }
    return true;
  }

  /// Inserts a missing redop. For some years programs that do not reduce left the column empty.
  void add_missing_redop(std::vector<std::string>& words) const {
    const auto redop = std::find(columns_.begin(), columns_.end(), "redop") - columns_.begin();
    const auto at = static_cast<std::size_t>(redop);
    if (at < columns_.size() && at < words.size() && parse_number(words[at]))
      words.insert(words.begin() + redop, "none");
  }

  void finish_row() {
    std::string bad;
    auto row = read_nccl_row(columns_, row_words_, time_unit_us_, in_place_only_, bad);
    row.where = at_line(source_.name(), row_line_);
    row.line = row_line_;
    take_algorithm_and_protocol(row);
    if (bad.empty()) {
      tables_.back().rows.push_back(row);
    } else {
      mistakes_.push_back({row.where, "", fmt::format("found {}; is the line whole?", bad)});
    }
    row_words_.clear();
  }

  /// Takes algorithm and protocol if NCCL's last debug line has the size of the row. For some operations that is the
  /// size of one rank's part.
  void take_algorithm_and_protocol(NcclRow& row) {
    const auto ranks = static_cast<double>(std::max<std::size_t>(1, run_.devices.size()));
    auto& debug = run_.debug;
    if (debug.bytes_by_algorithm == row.size_bytes || debug.bytes_by_algorithm * ranks == row.size_bytes) {
      row.algorithm = debug.algorithm;
      row.protocol = debug.protocol;
    }
    debug.algorithm.clear();
  }

  /// Removes an incomplete row.
  void drop_row() {
    if (row_words_.empty()) return;
    broken_rows_.push_back(row_line_);
    ++tables_.back().rows_left_out;
    row_words_.clear();
  }

  void note_cut_end() {
    notes_.push_back(fmt::format("line {}: the last row has {} of {} columns; the log ends there, and the row was left "
                                 "out",
                                 row_line_, row_words_.size(), columns_.size()));
    ++tables_.back().rows_left_out;
  }

  void note_broken_rows() {
    if (broken_rows_.empty()) return;
    std::string lines;
    for (std::size_t i = 0; i < std::min(broken_rows_.size(), most_lines_named); ++i)
      lines += fmt::format("{}{}", i == 0 ? "" : ", ", broken_rows_[i]);
    notes_.push_back(
        fmt::format("{} rows are not whole, since other output ran into them, and were left out: line {}{}",
                    broken_rows_.size(), lines, broken_rows_.size() > most_lines_named ? ", ..." : ""));
  }

  LogSource& source_;
  std::vector<Mistake>& mistakes_;
  std::vector<std::string>& notes_;
  std::vector<NcclTable> tables_;
  std::vector<std::string> columns_;
  NcclTable run_;              ///< the run to which the next table belongs
  bool run_used_ = false;      ///< whether a table of this run has begun
  bool open_ = false;          ///< whether rows may follow
  bool in_place_only_ = false; ///< whether the table has only one half
  double time_unit_us_ = 1;
  std::vector<std::string> row_words_; ///< words of a row that is still incomplete
  int row_line_ = 0;
  std::vector<int> broken_rows_; ///< line numbers of these rows
  HostNames hosts_;
  std::string library_ = "NCCL";
  std::string version_;
  std::string exported_algorithm_ = "unknown"; ///< algorithm for every run that follows
  std::string next_algorithm_ = "unknown";     ///< algorithm for the next run
};

} // namespace

std::vector<NcclTable> parse_nccl_log(LogSource& source, std::vector<Mistake>& mistakes,
                                      std::vector<std::string>& notes) {
  return LogParser(source, mistakes, notes).parse();
}

} // namespace ddlsim
