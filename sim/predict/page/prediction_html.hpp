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

// Charts and tables of curves: of one prediction, or of all scenarios of a sweep.

/// A curve on a page.
struct DrawnCurve {
  const PageCurve* curve = nullptr;
  std::string scenario; ///< the first cell of its rows; "": none of the rows has one
  std::string key;      ///< data-k; "": always shown
  double efficiency_bound = 0.8;
};

/// Throughput and efficiency over GPUs, a line a curve. The bound is drawn where it is one for all.
std::string curve_charts(const std::vector<DrawnCurve>& curves);

/// A row a curve: preset and transport, the largest scale, the largest efficient scale, what to measure next.
std::string comparison_table(const std::vector<DrawnCurve>& curves);

/// A row for each point, "p0" on, which the marks of the charts stand for.
std::string point_table(const std::vector<DrawnCurve>& curves);

/// A row for each point: the parts of its iteration, as a bar and in figures.
std::string parts_table(const std::vector<DrawnCurve>& curves);

/// Checksummed files, each once.
std::string files_table(const std::vector<UsedFile>& files);

std::string warning_paragraphs(const std::vector<std::string>& warnings);

} // namespace ddlsim
