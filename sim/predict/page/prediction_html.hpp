#pragma once
// The page of `ddlsim predict --html`: of one scenario, or of a sweep.

#include "sim/predict/page/page_curves.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// One file that loads nothing, well-formed as XML; same prediction, same bytes.
std::string prediction_html(const Prediction& prediction);

/// One scenario of a sweep: what differs from the others by the command line, and the answer or why there is none.
struct SweepPart {
  std::string name;
  std::vector<std::string> values; ///< below the names that sweep_html() is given
  PageScenario scenario;
  std::string error; ///< not empty: there is no scenario
};

/// `names`: what the command line varies. The page's controls choose which curves are shown by these, and by whatever
/// else of model, cluster, GPU, batch, precision, preset, transport and strategy differs.
std::string sweep_html(const std::vector<std::string>& names, const std::vector<SweepPart>& parts);

} // namespace ddlsim
