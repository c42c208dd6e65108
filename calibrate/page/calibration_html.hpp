#pragma once
// The page of `ddlsim calibrate --html`.

#include "calibrate/fit/calibrate.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// What the first screen says: what it was fitted to and how well, what was learnt, what was borrowed, what to measure.
std::vector<std::string> calibration_sentences(const Calibrated& calibrated);

/// One file that loads nothing, well-formed as XML; same calibration, same bytes.
std::string calibration_html(const Calibrated& calibrated);

/// Series with how far the fit is off, files, what was excluded and why.
std::string evidence_tables(const Calibration& calibration);

} // namespace ddlsim
