#pragma once
// Small pieces of HTML that are also well-formed XML.

#include "sim/base/table.hpp"
#include "viewer/html_text.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Returns "12.3" for a ratio of 0.123.
std::string html_percent(double ratio);

/// Returns "+12.3" for ln(predicted / measured) = 0.123.
std::string html_off(double predicted_s, double measured_s);

/// Returns a paragraph (<p>) with this text.
std::string html_paragraph(const std::string& text);

/// Returns preformatted text that opens with a click on its `summary`.
std::string html_raw_text(const std::string& summary, const std::string& text);

/// Returns a table that scrolls inside its own box, also by keyboard. `caption` and the columns' headers are plain
/// text; each of `rows` is a whole <tr> element.
std::string html_table(const std::string& caption, const std::vector<Column>& columns,
                       const std::vector<std::string>& rows);

/// html_row_head() returns a <th scope="row">, and html_cell() a <td>. `classes` may be empty.
std::string html_row_head(const std::string& text);
std::string html_cell(const std::string& text, const std::string& classes = "");

/// Returns a cell that holds whole sentences.
std::string html_long_cell(const std::string& text);

} // namespace ddlsim
