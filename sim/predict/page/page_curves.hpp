#pragma once
// What a prediction's page shows, as texts and figures that one process can send to another.

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
  /// reason why the point is impossible, whose cells are then empty but for GPUs and nodes; "": it is possible
  std::string error;
  PageInterval samples_per_s;
  PageInterval efficiency;
  std::vector<std::string> cells; ///< texts in the order of point_headers()
  std::vector<double> parts_s;    ///< parts of the iteration, in the order of part_names()
  double measured_ratio = 0;      ///< predicted over measured iteration; 0: not measured
  std::string alone;              ///< time of the iteration without neighbours, where there are some
};

/// One strategy of one scenario.
struct PageCurve {
  std::string name;               ///< "ring with horovod over nccl-ib"
  std::vector<std::string> facts; ///< properties in which curves of a sweep may differ, in the order of fact_headers()
  std::vector<std::string> cells; ///< texts in the order of comparison_headers()
  std::vector<PagePoint> points;
};

struct PageScenario {
  std::string name;
  double efficiency_bound = 0.8;
  std::vector<PageCurve> curves;
  std::vector<std::string> warnings;
  std::vector<UsedFile> files;
  std::string produced_by; ///< names the versions, seed and number of samples
  std::string text;        ///< the report for the terminal
};

const std::vector<std::string>& point_headers(); ///< GPUs, nodes, iteration and further columns
const std::vector<std::string>& part_names();    ///< compute, communication and further parts
const std::vector<std::string>& fact_headers();  ///< model, cluster and further facts, with the strategy last
/// strategy, preset, transport and further columns, with "measure next" last
const std::vector<std::string>& comparison_headers();

PageScenario page_scenario(const Prediction& prediction);

/// page_part() writes the scenario as JSON, which one process passes to another. read_page_part() reads it, and throws
/// UserError for any other text.
std::string page_part(const PageScenario& scenario);
PageScenario read_page_part(const std::string& text);

} // namespace ddlsim
