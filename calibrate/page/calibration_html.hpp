#pragma once
// The page of `ddlsim calibrate --html`.

#include "calibrate/fit/calibrate.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// The first screen: the evidence and its fit, the identified parameters, what was borrowed, what to measure.
std::vector<std::string> calibration_sentences(const Calibrated& calibrated);

/// One file that loads nothing, well-formed as XML; same calibration, same bytes.
std::string calibration_html(const Calibrated& calibrated);

/// Series with how far the fit is off, files, what was excluded and why.
std::string evidence_tables(const Calibration& calibration);

} // namespace ddlsim
