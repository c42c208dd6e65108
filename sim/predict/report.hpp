#pragma once
// Reports of a prediction, and of a sweep of many, for people and for programs. A sweep is joined from parts, because
// each scenario is computed in a process of its own.

#include "sim/formats/file_formats.hpp"
#include "sim/predict/prediction.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Writes at most twenty lines of eighty columns. They have the question, what the GPUs at hand do, how far growing pays,
/// and some scales of the strategy to take. Then come where the time goes, the other strategies, how sure that is, and
/// what to measure next.
std::string to_screen_text(const Prediction& prediction);

/// The sentences of the screen. Of a scenario that is not possible at any scale only the question and the verdict are
/// there.
struct PredictionScreen {
  std::string question;
  std::string verdict;
  std::string time_goes;     ///< "Where the time goes at 96 GPUs: ..."
  std::string table_assumes; ///< "The table assumes ..."
  std::string other_ways;    ///< "Other ways at 96 GPUs: ..."; "" where there is one strategy
  std::string how_sure;      ///< "How sure: ..."
  std::string measure_next;  ///< "Measure next: ..."
};

PredictionScreen screen_sentences(const Prediction& prediction);

/// Writes a request for an allocation, in Markdown: what is asked for, how it scales with GPU-hours, how sure that is, and
/// the sources.
std::string to_allocation_text(const Prediction& prediction);

/// Writes for each strategy two tables with a row for each scale: the prediction, and where the time goes. Two
/// sentences follow, on the largest efficient scale and on what to measure next. Last comes a small chart of efficiency
/// with a letter for each strategy.
std::string to_terminal_text(const Prediction& prediction);

/// Returns the strategy, with the settings that were used where it leaves some open.
const Strategy& shown_strategy(const StrategyAnswer& answer);

/// Returns the label of the point's evidence, with "extrapolated" added when the label does not say so.
std::string evidence_text(const PredictedPoint& point);

/// largest_scale_text() says up to which scale efficiency reaches the bound and what costs most there;
/// measure_next_text() says what to measure next, if anything.
std::string largest_scale_text(const StrategyAnswer& answer, double bound);
std::string measure_next_text(const MeasureNext& next);

/// Returns the measurement at the point, as in "412 ms, inside"; "" without one.
std::string measured_here_text(const PredictedPoint& point);

/// Writes text for a proposal: the sentences of the page, then a Markdown table for each strategy.
std::string to_markdown_text(const Prediction& prediction);

/// Writes the fields of docs/formats.md, "Prediction", with 9 significant digits; the same prediction gives the same
/// bytes.
std::string to_json_text(const Prediction& prediction);
FileFormat prediction_format();

/// Writes one row for each point in SI units; the columns have the names of the JSON fields.
std::string to_csv_text(const Prediction& prediction);

/// csv_rows() writes the rows without the header line, csv_header() that line.
std::string csv_rows(const Prediction& prediction);
std::string csv_header();

/// Writes one line for each strategy of a scenario, with the largest possible and the largest efficient scale; tabs
/// separate the cells.
std::string sweep_rows(const Prediction& prediction);
std::string sweep_error_row(const std::string& scenario, const std::string& error);

/// Aligns the lines of all scenarios as one table: of eighty columns, or with every figure in `details`.
std::string sweep_table(const std::string& rows, bool details);

/// Joins texts that are predictions or errors: {"format": "ddlsim-predictions", "predictions": [...]}.
std::string to_json_list(const std::vector<std::string>& predictions);
std::string to_json_error(const std::string& scenario, const std::string& error);
FileFormat predictions_format();

/// Returns a row of to_csv_text() that has only the scenario and the error.
std::string csv_error_row(const std::string& scenario, const std::string& error);

} // namespace ddlsim
