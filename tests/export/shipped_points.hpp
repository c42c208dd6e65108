#pragma once
// Points of shipped scenarios, answered and run as `predict` does.

#include "sim/export/tracks.hpp"
#include "sim/predict/known_files.hpp"
#include "tests/calibrate/shipped_data.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ddlsim {

/// A shipped scenario with what a test varies of it; few samples, because intervals are not looked at.
inline Scenario shipped_scenario(const std::string& name, const std::vector<JsonChange>& changes = {}) {
  auto scenario = read_scenario(DataFolder{DDLSIM_SOURCE_DIR}.scenarios() / (name + ".json"), changes);
  scenario.samples = 40;
  return scenario;
}

/// Calls `use` with the scenario's name and strategy, and the point and run at each scale that can be.
inline void for_each_point(const Scenario& scenario, Fidelity fidelity,
                           const std::function<void(const std::string& what, const PointRun& run)>& use) {
  const KnownFiles files(scenario, ddlsim_test::shipped_data());
  for (const Strategy& strategy : scenario.strategies) {
    const auto curve = make_curve(scenario, strategy, files.model(), files.knowledge());
    for (const int gpus : scenario.gpus) {
      const auto point = predict_point(curve, gpus, fidelity).point;
      if (!point.error.empty()) continue;
      const auto setup = at_scale(curve, gpus);
      const auto run = likeliest_run(curve, gpus, fidelity);
      use(scenario.name + ", " + to_text(strategy) + ", " + std::to_string(gpus) + " GPUs", {setup, point, run});
    }
  }
}

} // namespace ddlsim
