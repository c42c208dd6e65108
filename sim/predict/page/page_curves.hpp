#pragma once
// What a page shows of a prediction, as text and figures that can be sent from the process that computed it.

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
  std::string error; ///< not empty: the point cannot be, and nothing but nodes stands in the cells
  PageInterval samples_per_s;
  PageInterval efficiency;
  std::vector<std::string> cells; ///< below point_headers()
  std::vector<double> parts_s;    ///< of the iteration, as part_names() names them
  double measured_ratio = 0;      ///< predicted over measured iteration; 0: nothing was measured there
  std::string alone;              ///< the iteration without neighbours, where there are some
};

/// One strategy of one scenario.
struct PageCurve {
  std::string name;               ///< "ring with horovod over nccl-ib"
  std::vector<std::string> facts; ///< below fact_headers(): in what curves of a sweep may differ
  std::vector<std::string> cells; ///< below comparison_headers()
  std::vector<PagePoint> points;
};

struct PageScenario {
  std::string name;
  double efficiency_bound = 0.8;
  std::vector<PageCurve> curves;
  std::vector<std::string> warnings;
  std::vector<UsedFile> files;
  std::string produced_by; ///< versions, seed and samples
  std::string text;        ///< the terminal's report
};

const std::vector<std::string>& point_headers();      ///< GPUs, nodes, iteration, ...
const std::vector<std::string>& part_names();         ///< compute, communication, ...
const std::vector<std::string>& fact_headers();       ///< model, cluster, ..., strategy
const std::vector<std::string>& comparison_headers(); ///< strategy, preset, transport, ..., measure next

PageScenario page_scenario(const Prediction& prediction);

/// The scenario as JSON, to pass it from one process to another. read_page_part() gives back what was written; it
/// throws UserError for another text.
std::string page_part(const PageScenario& scenario);
PageScenario read_page_part(const std::string& text);

} // namespace ddlsim
