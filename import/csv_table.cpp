#include "import/csv_table.hpp"

#include "import/imported.hpp"
#include "import/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// Reads one row after the other and counts lines.
class RowReader {
public:
  RowReader(const std::string& text, const std::filesystem::path& file, std::vector<Mistake>& mistakes)
      : text_(text), file_(file), mistakes_(mistakes) {}

  bool at_end() const { return at_ >= text_.size(); }
  int line() const { return line_; }

  /// Returns the current line without consuming it.
  std::string_view peek_line() const {
    const auto end = std::min(text_.find_first_of("\r\n", at_), text_.size());
    return std::string_view(text_).substr(at_, end - at_);
  }

  void skip_line() {
    at_ += peek_line().size();
    take_line_end();
  }

  /// Reads a row. Returns false if it has a mistake.
  bool read(char separator, CsvRow& row) {
    row = {line_, {}};
    bool good = true;
    while (true) {
      std::string cell;
      skip_blanks(separator);
      good = (peek() == '"' ? read_quoted(separator, cell) : read_plain(separator, cell)) && good;
      row.cells.push_back(cell);
      if (peek() != separator) break;
      ++at_;
    }
    take_line_end();
    return good;
  }

private:
  char peek() const { return at_end() ? '\n' : text_[at_]; }
  bool at_line_end() const { return peek() == '\n' || peek() == '\r'; }

  void skip_blanks(char separator) {
    while (!at_end() && (peek() == ' ' || peek() == '\t') && peek() != separator) ++at_;
  }

  void take_line_end() {
    if (at_end()) return;
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    ++at_;
    ++line_;
  }

  bool read_plain(char separator, std::string& cell) {
    const std::size_t begin = at_;
    while (!at_line_end() && peek() != separator) ++at_;
    cell = trim(std::string_view(text_).substr(begin, at_ - begin));
    return true;
  }

  bool read_quoted(char separator, std::string& cell) {
    const int opened = line_;
    for (++at_; !at_end(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') return finish_quoted(separator, cell);
        ++at_;
      } else if (text_[at_] == '\n') {
        ++line_;
      }
      cell += text_[at_];
    }
    mistakes_.push_back(
        {at_line(file_, opened), "", "found a quote that is never closed, expected a second \" after the text"});
    return false;
  }

  bool finish_quoted(char separator, std::string& cell) {
    ++at_;
    cell = trim(cell);
    skip_blanks(separator);
    if (at_line_end() || peek() == separator) return true;
    mistakes_.push_back(
        {at_line(file_, line_), "",
         fmt::format("found text after the closing quote of \"{}\", expected a separator; write a quote "
                     "inside a quoted cell twice",
                     cell)});
    std::string rest;
    read_plain(separator, rest);
    return false;
  }

  const std::string& text_;
  const std::filesystem::path& file_;
  std::vector<Mistake>& mistakes_;
  std::size_t at_ = 0;
  int line_ = 1;
};

/// Returns the line without the quotes or separators that a spreadsheet may have added.
std::string_view without_padding(std::string_view line) {
  line = trim(line);
  while (!line.empty() && (line.back() == ',' || line.back() == ';' || line.back() == '\t')) line.remove_suffix(1);
  if (line.size() >= 2 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
  return trim(line);
}

CsvComment parse_comment(std::string_view line, int number) {
  line.remove_prefix(1);
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return {number, "", ""};
  const auto key = lower_case(trim(line.substr(0, colon)));
  const bool word = !key.empty() && key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos;
  return {number, word ? key : "", std::string(trim(line.substr(colon + 1)))};
}

char guess_separator(std::string_view header) {
  char best = ',';
  for (const char candidate : {';', '\t'}) {
    if (std::count(header.begin(), header.end(), candidate) > std::count(header.begin(), header.end(), best))
      best = candidate;
  }
  return best;
}

/// Reads comments and blank lines up to the header.
void read_preamble(RowReader& reader, CsvTable& table) {
  for (; !reader.at_end(); reader.skip_line()) {
    const auto line = without_padding(reader.peek_line());
    if (line.empty()) continue;
    if (line.front() != '#') return;
    table.comments.push_back(parse_comment(line, reader.line()));
  }
}

bool has_content(const CsvRow& row) {
  return std::any_of(row.cells.begin(), row.cells.end(), [](const std::string& cell) { return !cell.empty(); });
}

/// Whether the row has as many cells as the header. Surplus empty cells at its end are removed.
bool has_cells(CsvRow& row, const CsvTable& table, const std::filesystem::path& file, std::vector<Mistake>& mistakes) {
  const auto expected = table.header.cells.size();
  while (row.cells.size() > expected && row.cells.back().empty()) row.cells.pop_back();
  if (row.cells.size() == expected) return true;
  const bool comma = row.cells.size() > expected && table.separator == ',';
  mistakes.push_back({at_line(file, row.line), "",
                      fmt::format("found {} cells, expected {} as in the header{}", row.cells.size(), expected,
                                  comma ? "; a cell with a comma in it needs quotes, a number must have none" : "")});
  return false;
}

} // namespace

CsvTable parse_csv(const std::string& text, const std::filesystem::path& file, std::vector<Mistake>& mistakes) {
  CsvTable table;
  RowReader reader(text, file, mistakes);
  read_preamble(reader, table);
  if (reader.at_end()) {
    mistakes.push_back(
        {file.string(), "", "found no header row, expected one such as 'model,batch_per_gpu,gpus,rate'"});
    return table;
  }
  table.separator = guess_separator(reader.peek_line());
  reader.read(table.separator, table.header);
  while (!table.header.cells.empty() && table.header.cells.back().empty()) table.header.cells.pop_back();
  while (!reader.at_end()) {
    if (without_padding(reader.peek_line()).substr(0, 1) == "#") {
      reader.skip_line();
      continue;
    }
    CsvRow row;
    if (!reader.read(table.separator, row) || !has_content(row)) continue;
    if (has_cells(row, table, file, mistakes)) table.rows.push_back(row);
  }
  return table;
}

} // namespace ddlsim
