#pragma once
// Small pieces of HTML that are well-formed XML too.

#include "sim/base/table.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Text for a place between tags or in a quoted attribute: & < > " ' written as entities, control characters that XML
/// does not know left out, bytes that are no UTF-8 written as the character for that (U+FFFD).
std::string html_escaped(const std::string& text);

/// 12.3 for a ratio of 0.123.
std::string html_percent(double ratio);

/// +12.3 for ln(predicted / measured) = 0.123.
std::string html_off(double predicted_s, double measured_s);

/// <p>, of text.
std::string html_paragraph(const std::string& text);

/// Preformatted text behind a line that opens it.
std::string html_raw_text(const std::string& summary, const std::string& text);

/// A table that scrolls inside its own box, also by keyboard: `caption` and the columns' headers are text, rows are
/// whole <tr> elements.
std::string html_table(const std::string& caption, const std::vector<Column>& columns,
                       const std::vector<std::string>& rows);

/// <th scope="row"> and <td>; `classes` may be empty.
std::string html_row_head(const std::string& text);
std::string html_cell(const std::string& text, const std::string& classes = "");

/// A cell of whole sentences.
std::string html_long_cell(const std::string& text);

} // namespace ddlsim
