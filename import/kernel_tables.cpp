#include "import/kernel_tables.hpp"

#include "import/plain_text.hpp"
#include "sim/base/error.hpp"

#include <algorithm>
#include <optional>

namespace ddlsim {
namespace {

/// The characters of a column in a line, from `begin` to the one before `end`.
struct ColumnSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Returns the columns that a line of dashes marks, such as "-----  --------  ----".
std::vector<ColumnSpan> spans_of_dashes(std::string_view line) {
  std::vector<ColumnSpan> spans;
  if (line.find("---") == std::string_view::npos || line.find_first_not_of("- \t") != std::string_view::npos)
    return spans;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '-') continue;
    const auto end = std::min(line.find_first_not_of('-', at), line.size());
    spans.push_back({at, end});
    at = end;
  }
  return spans;
}

/// Returns the cells at these columns. The last one extends to the end of the line.
std::vector<std::string> cells_in(std::string_view line, const std::vector<ColumnSpan>& spans) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const auto begin = std::min(spans[i].begin, line.size());
    const auto end = i + 1 == spans.size() ? line.size() : std::min(spans[i].end, line.size());
    cells.emplace_back(trim(line.substr(begin, end - begin)));
  }
  return cells;
}

/// Returns cells that two blanks or more separate.
std::vector<std::string> cells_by_blanks(std::string_view line) {
  std::vector<std::string> cells;
  for (auto rest = trim(line); !rest.empty();) {
    const auto end = std::min(rest.find("  "), rest.size());
    cells.emplace_back(rest.substr(0, end));
    rest = trim(rest.substr(end));
  }
  return cells;
}

/// Returns the cells of one line of CSV. Quoted cells may contain commas.
std::vector<std::string> cells_of_csv(std::string_view line) {
  std::vector<std::string> cells{""};
  bool is_quoted = false;
  for (const char letter : line) {
    if (letter == '"') is_quoted = !is_quoted;
    if (letter == ',' && !is_quoted) cells.emplace_back();
    if (letter != '"' && (letter != ',' || is_quoted)) cells.back() += letter;
  }
  return cells;
}

struct TimeUnitName {
  std::string_view name;
  double seconds;
};

constexpr TimeUnitName kernel_time_units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};

double seconds_of_unit(std::string_view name) {
  for (const auto& unit : kernel_time_units)
    if (name == unit.name) return unit.seconds;
  return 0;
}

/// Reads a number as nsys prints it: "1,234,567".
std::optional<double> number_in(std::string text) {
  std::erase(text, ',');
  const auto number = parse_number(text);
  return number && number->value >= 0 ? std::optional(number->value) : std::nullopt;
}

/// Reads a time as PyTorch prints it: "12.345ms".
std::optional<double> seconds_in(std::string_view text) {
  const auto unit_at = std::min(text.find_first_of("num s"), text.size());
  const auto number = number_in(std::string(trim(text.substr(0, unit_at))));
  const double unit_s = seconds_of_unit(trim(text.substr(unit_at)));
  return number && unit_s > 0 ? std::optional(*number * unit_s) : std::nullopt;
}

/// The positions of the columns that are read.
struct KernelColumns {
  bool is_pytorch = false;
  bool is_csv = false;
  std::size_t name = 0;
  std::size_t time = 0;
  std::size_t self_cpu = 0; ///< column of a PyTorch table
  double unit_s = 0;        ///< seconds of the unit that an nsys table states
};

std::optional<KernelColumns> nsys_columns(const std::vector<std::string>& cells) {
  constexpr std::string_view total = "Total Time (";
  KernelColumns columns;
  bool has_instances = false;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].starts_with(total)) {
      columns.time = i;
      columns.unit_s =
          seconds_of_unit(std::string_view(cells[i]).substr(total.size(), cells[i].size() - total.size() - 1));
    }
    has_instances = has_instances || cells[i] == "Instances";
    if (cells[i] == "Name") columns.name = i;
  }
  if (columns.unit_s == 0 || !has_instances || columns.name + 1 != cells.size()) return std::nullopt;
  return columns;
}

std::optional<KernelColumns> pytorch_columns(const std::vector<std::string>& cells) {
  KernelColumns columns;
  columns.is_pytorch = true;
  if (cells.empty() || cells.front() != "Name") return std::nullopt;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (cells[i] == "Self CPU") columns.self_cpu = i;
    for (const char* device : {"Self CUDA", "Self XPU", "Self HIP", "Self device"})
      if (cells[i] == device) columns.time = i;
  }
  return columns.time > 0 && columns.self_cpu > 0 ? std::optional(columns) : std::nullopt;
}

/// Whether the name is a range of the program. PyTorch lists such ranges on the device too, and they contain kernels.
bool is_annotation(std::string_view name) {
  return name.starts_with("ProfilerStep") || name.starts_with("Optimizer.") || name.starts_with("nccl:") ||
         name.starts_with("gloo:") || name.starts_with("enumerate(DataLoader)") || name.starts_with("## ") ||
         name.find("autograd::") != std::string_view::npos;
}

class TableReader {
public:
  void read(const LogLine& line) {
    if (read_total(line.text)) return;
    auto spans = spans_of_dashes(line.text);
    if (!spans.empty()) return take_dashes(std::move(spans));
    if (start_table(line)) return;
    if (columns_) read_row(line.text);
    before_ = line.text;
  }

  KernelTables finish() {
    auto& chosen = kernels_.empty() ? operators_ : kernels_;
    tables_.kernels.insert(tables_.kernels.end(), chosen.begin(), chosen.end());
    return std::move(tables_);
  }

private:
  bool read_total(std::string_view text) {
    for (const std::string_view mark :
         {"Self CUDA time total: ", "Self XPU time total: ", "Self device time total: "}) {
      if (!trim(text).starts_with(mark)) continue;
      tables_.stated_total_s += seconds_in(trim(trim(text).substr(mark.size()))).value_or(0);
      columns_.reset();
      return true;
    }
    return false;
  }

  /// Handles a line of dashes. nsys prints one below the header. PyTorch prints one above and one below the header, and
  /// one at the end of the table.
  void take_dashes(std::vector<ColumnSpan> spans) {
    if (columns_ && columns_->is_pytorch && has_rows_) columns_.reset();
    if (!columns_) {
      const auto found = nsys_columns(cells_in(before_, spans));
      if (found) open(*found, number_before_);
    }
    spans_ = std::move(spans);
  }

  bool start_table(const LogLine& line) {
    const auto header = trim(line.text);
    number_before_ = line.number;
    auto found = std::optional<KernelColumns>();
    if (header.starts_with("Name ") && !spans_.empty()) found = pytorch_columns(cells_in(line.text, spans_));
    if (header.starts_with("Time") || header.starts_with("\"Time")) {
      columns_.reset();
      found = nsys_columns(cells_of_csv(header));
      if (found) found->is_csv = true;
    }
    if (found) open(*found, line.number);
    return found.has_value();
  }

  void open(const KernelColumns& columns, int line) {
    columns_ = columns;
    has_rows_ = false;
    ++tables_.tables;
    if (tables_.first_line == 0) tables_.first_line = line;
  }

  void read_row(std::string_view text) {
    if (trim(text).empty()) {
      if (!columns_->is_pytorch) columns_.reset();
      return;
    }
    has_rows_ = true;
    const auto cells = columns_->is_csv       ? cells_of_csv(text)
                       : columns_->is_pytorch ? cells_by_blanks(text)
                                              : cells_in(text, spans_);
    const bool is_whole = std::max({columns_->name, columns_->time, columns_->self_cpu}) < cells.size() &&
                          (!columns_->is_pytorch || cells.size() == spans_.size());
    const auto time_s = !is_whole              ? std::nullopt
                        : columns_->is_pytorch ? seconds_in(cells[columns_->time])
                                               : number_in(cells[columns_->time]);
    if (!time_s) {
      ++tables_.rows_not_read;
      return;
    }
    const auto& name = cells[columns_->name];
    if (!columns_->is_pytorch) return tables_.kernels.push_back({name, *time_s * columns_->unit_s});
    if (*time_s == 0 || is_annotation(name)) return;
    (seconds_in(cells[columns_->self_cpu]).value_or(0) > 0 ? operators_ : kernels_).push_back({name, *time_s});
  }

  KernelTables tables_;
  std::optional<KernelColumns> columns_; ///< columns of the current table
  bool has_rows_ = false;
  std::vector<ColumnSpan> spans_; ///< columns that the last line of dashes marks
  std::string before_;            ///< the last line of text, before the current one
  int number_before_ = 0;
  std::vector<KernelTime> kernels_;   ///< kernels of PyTorch's tables
  std::vector<KernelTime> operators_; ///< the kernel times, summed by the operator that launched the kernels
};

} // namespace

KernelTables read_kernel_tables(LogSource& source) {
  TableReader reader;
  while (const auto line = source.next_line()) reader.read(*line);
  return reader.finish();
}

} // namespace ddlsim
