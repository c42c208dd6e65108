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
  std::vector<std::string> values; ///< in the order of the names that sweep_html() takes
  PageScenario scenario;
  std::string error; ///< not empty: there is no answer
};

/// `names` are the properties that the command line varies. The page's controls select the curves by these, and by
/// model, cluster, GPU, batch, precision, preset, transport and strategy where these differ.
std::string sweep_html(const std::vector<std::string>& names, const std::vector<SweepPart>& parts);

// Charts and tables of the curves of one prediction, or of all scenarios of a sweep.

/// A curve on a page.
struct DrawnCurve {
  const PageCurve* curve = nullptr;
  std::string scenario; ///< first cell of its rows; "": rows have no such cell
  std::string key;      ///< data-k; "": always shown
  double efficiency_bound = 0.8;
};

/// Charts of throughput and efficiency over GPUs, one line for each curve. The bound is drawn if all curves have the
/// same.
std::string curve_charts(const std::vector<DrawnCurve>& curves);

/// A table with one row for each curve: preset and transport, the largest scale, the largest efficient scale, what to
/// measure next.
std::string comparison_table(const std::vector<DrawnCurve>& curves);

/// A table with one row for each point, from "p0" on, to which the marks of the charts refer.
std::string point_table(const std::vector<DrawnCurve>& curves);

/// A table with one row for each point: the parts of its iteration, as a bar and as figures.
std::string parts_table(const std::vector<DrawnCurve>& curves);

/// A table of the files and their checksums, each file once.
std::string files_table(const std::vector<UsedFile>& files);

std::string warning_paragraphs(const std::vector<std::string>& warnings);

} // namespace ddlsim
