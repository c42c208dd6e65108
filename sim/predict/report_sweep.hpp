#pragma once
// Many predictions in one report. A report is put together from parts, because each scenario is computed in a process
// of its own.

#include "sim/predict/prediction.hpp"

#include <string>
#include <vector>

namespace ddlsim {

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
