#pragma once
// The HTML page that `ddlsim calibrate --html` writes.

#include "calibrate/fit/calibrate.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Returns the sentences of the first screen: the evidence and its fit, the identified parameters, what was borrowed,
/// what to measure.
std::vector<std::string> calibration_sentences(const Calibrated& calibrated);

/// Returns one HTML file, which loads nothing else and is well-formed XML. The same calibration gives the same bytes.
std::string calibration_html(const Calibrated& calibrated);

/// Returns tables of the series with the errors of their fit, of the files, and of the excluded records with the
/// reasons.
std::string evidence_tables(const Calibration& calibration);

} // namespace ddlsim
