#pragma once
// The page that `ddlsim predict --html` writes, for one scenario or for a sweep.

#include "sim/predict/page/page_curves.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Returns one file that loads nothing and is well-formed XML; the same prediction gives the same bytes.
std::string prediction_html(const Prediction& prediction);

/// One scenario of a sweep: the values that the command line varied, and the answer or the reason why there is none.
struct SweepPart {
  std::string name;
  std::vector<std::string> values; ///< values in the order of the names that sweep_html() takes
  PageScenario scenario;
  std::string error; ///< reason why there is no answer; "": there is one
};

/// `names` are the properties that the command line varies. The page's controls select the curves by these, and by
/// model, cluster, GPU, batch, precision, preset, transport and strategy where these differ.
std::string sweep_html(const std::vector<std::string>& names, const std::vector<SweepPart>& parts);

// The charts and tables of the curves of one prediction, or of all scenarios of a sweep.

/// A curve on a page.
struct DrawnCurve {
  const PageCurve* curve = nullptr;
  std::string scenario; ///< first cell of its rows; "": its rows have no such cell
  std::string key;      ///< the data-k attribute; "": the curve is always shown
  double efficiency_bound = 0.8;
};

/// Returns charts of throughput and of efficiency over GPUs, with one line for each curve. The bound is drawn if all
/// curves have the same.
std::string curve_charts(const std::vector<DrawnCurve>& curves);

/// Returns a table with one row for each curve: preset and transport, the largest scale, the largest efficient scale,
/// what to measure next.
std::string comparison_table(const std::vector<DrawnCurve>& curves);

/// Returns a table with one row for each point, from "p0" on. The marks of the charts refer to these rows.
std::string point_table(const std::vector<DrawnCurve>& curves);

/// Returns a table with one row for each point, which has the parts of its iteration as a bar and as figures.
std::string parts_table(const std::vector<DrawnCurve>& curves);

/// Returns a table of the files and their checksums, each file once.
std::string files_table(const std::vector<UsedFile>& files);

std::string warning_paragraphs(const std::vector<std::string>& warnings);

} // namespace ddlsim
