#pragma once
// A plan as text for people and as JSON and CSV for programs.

#include "plan/plan.hpp"
#include "sim/formats/file_formats.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Returns at most twenty lines of eighty columns: what to take, with time, cost and the chance to keep each limit; the
/// choices beside it; what to measure first; what the choice rests on.
std::string to_screen_text(const Plan& plan);

/// The sentences of that screen; "" where one does not apply.
struct PlanScreen {
  std::string question;
  std::string unjudged; ///< that the budget cannot be judged, and what to state
  std::string choice;
  std::string would_keep;    ///< what would keep the limits where nothing keeps them; a part of `choice`
  std::string measure_first; ///< "Measure first: ..."
  std::string rests_on;      ///< "Rests on: ..."
};

PlanScreen screen_sentences(const Plan& plan);

/// "B200-SXM-180GB" -> "B200"; a name whose first word has no digit stays whole.
std::string short_gpu(const std::string& gpu);

/// Returns the first option of each candidate and number of GPUs, of which other layouts are no choice of their own.
std::vector<const PlannedOption*> choices_of(const Plan& plan);

/// Returns every sentence and the best options: what to take, the runner-up, the chance that the order is wrong, what to measure first; then the
/// best options as a table.
std::string to_terminal_text(const Plan& plan);

/// Returns the same sentences, and the options as a Markdown table.
std::string to_markdown_text(const Plan& plan);

/// JSON with the keys that `ddlsim schema plan` lists, in SI units with 9 significant digits. The same plan gives the
/// same bytes.
std::string to_json_text(const Plan& plan);
FileFormat plan_format();

/// Returns CSV with a row for each option, in SI units.
std::string to_csv_text(const Plan& plan);

/// Returns what would keep the limits where nothing keeps them, and which choices were not compared; "" if they are kept.
std::string would_keep_sentence(const Plan& plan);

/// Returns what of the smallest option that lacks memory would fit, where nothing keeps the limits; else "".
std::string would_fit_sentence(const Plan& plan);

/// Returns that no price is known by which the budget could be judged, and how to state one; "" where it is judged.
std::string unjudged_sentence(const Plan& plan);

/// Returns "Take A or B: too close to call (54 : 46)." where the runner-up may well be the better choice; else "".
std::string close_call_sentence(const Plan& plan);

/// The machine of the option's candidate.
const CandidateMachine& candidate_machine(const Plan& plan, const PlannedOption& option);

/// The candidates without a price.
std::vector<std::string> unpriced_candidates(const Plan& plan);

/// Writes how many tokens or samples as people say it: "300B".
std::string count_in_words(double count);

/// The warnings about the first choice and those about others.
std::vector<std::string> all_warnings(const Plan& plan);

/// Returns the sentences of the first screen. Each is one paragraph.
std::vector<std::string> plan_sentences(const Plan& plan);

/// Returns the cells of an option in a table for people, and their headers. Epochs are a column only if they differ.
std::vector<std::string> option_cells(const Plan& plan, const PlannedOption& option);
std::vector<std::string> option_headers(const Plan& plan);

} // namespace ddlsim
