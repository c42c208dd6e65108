#pragma once
// Parses a CSV file into cells by RFC 4180 and the variants that spreadsheets write.

#include "sim/base/error.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

struct CsvRow {
  int line = 0;                   ///< line where the row begins; a quoted cell may run over several lines
  std::vector<std::string> cells; ///< cells without quotes and outer blanks
};

/// A "# key: value" line above the header.
struct CsvComment {
  int line = 0;
  std::string key; ///< the key in lower case; "" for a line that is not "# key: value"
  std::string value;
};

struct CsvTable {
  std::vector<CsvComment> comments; ///< the comments above the header; those below it are skipped
  CsvRow header;
  std::vector<CsvRow> rows; ///< rows; those without any content are left out
  char separator = ',';     ///< comma, semicolon or tab: the one that occurs most in the header
};

/// Parses TEXT. Adds the mistakes of FILE: no header, a quote that is not closed or has text after it, more or fewer
/// cells than the header has. A row with a mistake is left out.
CsvTable parse_csv(const std::string& text, const std::filesystem::path& file, std::vector<Mistake>& mistakes);

} // namespace ddlsim
