#pragma once
// A prediction for a person and for a machine.

#include "sim/predict/prediction.hpp"

#include <string>

namespace ddlsim {

/// A table for each strategy, a row for each scale, then two sentences: the largest efficient scale and what to measure
/// next; last a small curve of efficiency, a letter a strategy.
std::string to_terminal_text(const Prediction& prediction);

/// The fields of docs/formats.md, "Prediction", 9 significant digits; same prediction, same bytes.
std::string to_json_text(const Prediction& prediction);

/// A row for each point, SI units, the columns named as in the JSON.
std::string to_csv_text(const Prediction& prediction);

/// The rows alone, without the line of names: `csv_header` is that line.
std::string csv_rows(const Prediction& prediction);
std::string csv_header();

} // namespace ddlsim
