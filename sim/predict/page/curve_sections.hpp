#pragma once
// Charts and tables of curves: of one prediction, or of all scenarios of a sweep.

#include "sim/predict/page/page_curves.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// A curve on a page.
struct ShownCurve {
  const PageCurve* curve = nullptr;
  std::string scenario; ///< the first cell of its rows; "": none of the rows has one
  std::string key;      ///< data-k; "": always shown
  double efficiency_bound = 0.8;
};

/// Throughput and efficiency over GPUs, a line a curve. The bound is drawn where it is one for all.
std::string curve_charts(const std::vector<ShownCurve>& curves);

/// A row a curve: preset and transport, the largest scale, the largest efficient scale, what to measure next.
std::string comparison_table(const std::vector<ShownCurve>& curves);

/// A row for each point, "p0" on, which the marks of the charts stand for.
std::string point_table(const std::vector<ShownCurve>& curves);

/// A row for each point: the parts of its iteration, as a bar and in figures.
std::string parts_table(const std::vector<ShownCurve>& curves);

/// Checksummed files, each once.
std::string files_table(const std::vector<UsedFile>& files);

std::string warning_paragraphs(const std::vector<std::string>& warnings);

} // namespace ddlsim
