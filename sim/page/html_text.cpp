#include "sim/page/html_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ddlsim {
std::string html_percent(double ratio) {
  return fmt::format("{:.1f}", 100 * ratio);
}

std::string html_off(double predicted_s, double measured_s) {
  return fmt::format("{:+.1f}", 100 * std::log(predicted_s / measured_s));
}

std::string html_paragraph(const std::string& text) {
  return "<p>" + html_escaped(text) + "</p>\n";
}

std::string html_raw_text(const std::string& summary, const std::string& text) {
  return fmt::format("<details class=\"raw\"><summary>{}</summary>\n<pre>{}</pre></details>\n", html_escaped(summary),
                     html_escaped(text));
}

std::string html_table(const std::string& caption, const std::vector<Column>& columns,
                       const std::vector<std::string>& rows) {
  auto table = fmt::format("<div class=\"box\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table>\n"
                           "<caption>{0}</caption>\n<thead><tr>",
                           html_escaped(caption));
  for (const auto& [header, align] : columns) {
    table +=
        fmt::format("<th scope=\"col\"{}>{}</th>", align == Align::left ? " class=\"t\"" : "", html_escaped(header));
  }
  table += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) table += row + "\n";
  return table + "</tbody></table></div>\n";
}

std::string html_row_head(const std::string& text) {
  return fmt::format("<th scope=\"row\">{}</th>", html_escaped(text));
}

std::string html_cell(const std::string& text, const std::string& classes) {
  if (classes.empty()) return fmt::format("<td>{}</td>", html_escaped(text));
  return fmt::format("<td class=\"{}\">{}</td>", classes, html_escaped(text));
}

std::string html_long_cell(const std::string& text) {
  return fmt::format("<td class=\"t\"><div class=\"long\">{}</div></td>", html_escaped(text));
}

} // namespace ddlsim
