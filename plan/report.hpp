#pragma once
// A plan for a person and for a machine.

#include "plan/plan.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// One screen: what to take, the runner-up, the chance that the order is wrong, what to measure first; then the best
/// options as a table.
std::string to_terminal_text(const Plan& plan);

/// The same sentences, and the options as a Markdown table.
std::string to_markdown_text(const Plan& plan);

/// The fields of docs/planning.md, SI units, 9 significant digits; same plan, same bytes.
std::string to_json_text(const Plan& plan);

/// A row for each option, SI units.
std::string to_csv_text(const Plan& plan);

/// The sentences of the first screen, each one paragraph.
std::vector<std::string> plan_sentences(const Plan& plan);

/// The cells of an option in a table for people; their headers. Epochs are among them where they differ.
std::vector<std::string> option_cells(const Plan& plan, const PlannedOption& option);
std::vector<std::string> option_headers(const Plan& plan);

} // namespace ddlsim
