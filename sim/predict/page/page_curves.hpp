#pragma once
// The contents of a prediction's page, as text and figures that the process that computed them can send to another.

#include "sim/predict/prediction.hpp"

#include <array>
#include <string>
#include <vector>

namespace ddlsim {

/// A figure with its 90 % interval.
struct PageInterval {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// One strategy at one scale.
struct PagePoint {
  int gpus = 0;
  std::string error; ///< not empty: the point is impossible, and only the cells of GPUs and nodes have text
  PageInterval samples_per_s;
  PageInterval efficiency;
  std::vector<std::string> cells; ///< in the order of point_headers()
  std::vector<double> parts_s;    ///< parts of the iteration, in the order of part_names()
  double measured_ratio = 0;      ///< predicted over measured iteration; 0: not measured
  std::string alone;              ///< the iteration without neighbours, if there are some
};

/// One strategy of one scenario.
struct PageCurve {
  std::string name;               ///< "ring with horovod over nccl-ib"
  std::vector<std::string> facts; ///< in the order of fact_headers(): properties in which curves of a sweep may differ
  std::vector<std::string> cells; ///< in the order of comparison_headers()
  std::vector<PagePoint> points;
};

struct PageScenario {
  std::string name;
  double efficiency_bound = 0.8;
  std::vector<PageCurve> curves;
  std::vector<std::string> warnings;
  std::vector<UsedFile> files;
  std::string produced_by; ///< versions, seed and samples
  std::string text;        ///< the report for the terminal
};

const std::vector<std::string>& point_headers();      ///< GPUs, nodes, iteration, ...
const std::vector<std::string>& part_names();         ///< compute, communication, ...
const std::vector<std::string>& fact_headers();       ///< model, cluster, ..., strategy
const std::vector<std::string>& comparison_headers(); ///< strategy, preset, transport, ..., measure next

PageScenario page_scenario(const Prediction& prediction);

/// page_part() writes the scenario as JSON, to pass it from one process to another. read_page_part() reads it back and
/// throws UserError for any other text.
std::string page_part(const PageScenario& scenario);
PageScenario read_page_part(const std::string& text);

} // namespace ddlsim
