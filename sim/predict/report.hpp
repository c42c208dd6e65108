#pragma once
// A prediction, and a sweep of many, for a person and for a machine. A sweep is put together from parts, because each
// scenario is computed in a process of its own.

#include "sim/predict/prediction.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Two tables for each strategy, a row for each scale: what is predicted, and where the time goes. Then two sentences:
/// the largest efficient scale and what to measure next; last a small curve of efficiency, a letter a strategy.
std::string to_terminal_text(const Prediction& prediction);

/// The strategy's short text, with what was taken where it leaves something open.
const Strategy& shown_strategy(const StrategyAnswer& answer);

/// What a point rests on: the label of its evidence, and "extrapolated" beside a label that does not say it.
std::string evidence_text(const PredictedPoint& point);

/// The two sentences: how far efficiency stays at or above the bound and what costs most there; what to measure next,
/// where there is something.
std::string largest_scale_text(const StrategyAnswer& answer, double bound);
std::string measure_next_text(const MeasureNext& next);

/// "412 ms, inside", of what was measured at the point; "" where nothing was.
std::string measured_here_text(const PredictedPoint& point);

/// For a proposal: the sentences of the page, then a Markdown table for each strategy.
std::string to_markdown_text(const Prediction& prediction);

/// The fields of docs/formats.md, "Prediction", 9 significant digits; same prediction, same bytes.
std::string to_json_text(const Prediction& prediction);

/// A row for each point, SI units, the columns named as in the JSON.
std::string to_csv_text(const Prediction& prediction);

/// The rows alone, without the line of names: `csv_header` is that line.
std::string csv_rows(const Prediction& prediction);
std::string csv_header();

/// A line for each strategy of one scenario: the largest possible scale, and the knee; cells parted by tabs.
std::string sweep_rows(const Prediction& prediction);
std::string sweep_error_row(const std::string& scenario, const std::string& error);

/// The lines of all scenarios as one aligned table.
std::string sweep_table(const std::string& rows);

/// {"format": "ddlsim-predictions", "predictions": [...]} of texts that are predictions or errors.
std::string to_json_list(const std::vector<std::string>& predictions);
std::string to_json_error(const std::string& scenario, const std::string& error);

/// A row of to_csv_text with nothing but the scenario and the error.
std::string csv_error_row(const std::string& scenario, const std::string& error);

} // namespace ddlsim
