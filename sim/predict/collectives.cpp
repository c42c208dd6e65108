#include "sim/predict/collectives.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/known_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace ddlsim {
namespace {

/// Ratio of bus bandwidth to algorithm bandwidth.
double bus_factor(int ranks) {
  return 2.0 * (ranks - 1) / ranks;
}

/// The scales of the measured tables, ascending.
std::vector<Scale> scales_of(const std::vector<MeasuredAllReduce>& all_reduces) {
  std::set<std::pair<int, int>> scales;
  for (const auto& all_reduce : all_reduces) scales.emplace(all_reduce.at.gpus, all_reduce.at.nodes);
  std::vector<Scale> all;
  for (const auto& [gpus, nodes] : scales) all.push_back({gpus, nodes});
  return all;
}

CollectiveAnswer answer_curve(const Curve& curve, const Scenario& scenario, const std::vector<double>& sizes_bytes) {
  CollectiveAnswer answer;
  answer.strategy = curve.setup.strategy;
  answer.preset = curve.setup.preset.name;
  answer.transport = curve.setup.transport.name;
  answer.library = to_text(library_of(curve.setup, curve.median));
  answer.library_stated = curve.setup.strategy.library.has_value();
  answer.measured = scales_of(curve.calibration.all_reduces);
  for (const int gpus : scenario.gpus) {
    if (gpus == 1) continue;
    auto setup = at_scale(curve, gpus);
    if (const auto why = network_complaint(setup.transport, gpus, setup.gpus_per_node); !why.empty()) {
      answer.errors.push_back(fmt::format("{} GPUs cannot be: {}", gpus, why));
      continue;
    }
    if (gpus > curve.growth_gpus) {
      answer.errors.push_back(why_impossible(curve, gpus));
      continue;
    }
    if (auto why = forced_complaint(library_rules_of(setup, curve.median), gpus); !why.empty()) {
      answer.errors.push_back(std::move(why));
      continue;
    }
    for (const double size_bytes : sizes_bytes) answer.points.push_back(predict_collective(curve, gpus, size_bytes));
  }
  return answer;
}

bool all_reduces(const Strategy& strategy) {
  return family_of(strategy.name) == StrategyFamily::all_reduce;
}

void check_question(const Scenario& scenario) {
  if (std::none_of(scenario.strategies.begin(), scenario.strategies.end(), all_reduces))
    throw UserError(scenario.name, "/strategies",
                    "only parameter servers and sharded strategies found, which do not all-reduce; add a strategy like "
                    "{\"name\": \"auto\"}");
  if (scenario.gpus.back() < 2)
    throw UserError(scenario.name, "/gpus", "one GPU alone has nothing to all-reduce; give --gpus 2 or more");
}

} // namespace

std::vector<double> usual_collective_sizes() {
  constexpr double first_bytes = 1 << 10;
  constexpr double last_bytes = 1 << 30;
  std::vector<double> sizes_bytes;
  for (double size_bytes = first_bytes; size_bytes <= last_bytes; size_bytes *= 4) sizes_bytes.push_back(size_bytes);
  return sizes_bytes;
}

IterationTime collective_interval(double likeliest_s, const std::vector<double>& ln_times, double spread) {
  return {likeliest_s, std::min(likeliest_s, std::exp(quantile_of_normals(ln_times, spread, low_tail))),
          std::max(likeliest_s, std::exp(quantile_of_normals(ln_times, spread, high_tail)))};
}

AllReduceCorrection all_reduce_correction_of(const Curve& curve, int gpus, double size_bytes) {
  const auto setup = at_scale(curve, gpus);
  return correction_at(all_reduce_process(ModelConstants{}, library_rules_of(setup, curve.median)),
                       curve.calibration.all_reduces, setup, curve.median, size_bytes);
}

PredictedAllReduce predict_collective(const Curve& curve, int gpus, double size_bytes) {
  const auto setup = at_scale(curve, gpus);
  const auto correction = all_reduce_correction_of(curve, gpus, size_bytes);
  const auto ln_time = [&](const Parameters& sample) {
    return std::log(lone_all_reduce_s(setup, sample, size_bytes)) +
           ln_correction(correction, all_reduce_model_of(setup, sample));
  };
  std::vector<double> ln_times;
  for (const auto& sample : curve.samples.values) ln_times.push_back(ln_time(sample));
  const double spread = std::hypot(correction.of.spread, curve.calibration.measurement_noise);
  PredictedAllReduce point;
  point.gpus = gpus;
  point.nodes = (gpus + curve.gpus_per_full_node - 1) / curve.gpus_per_full_node;
  point.size_bytes = size_bytes;
  point.time = collective_interval(std::exp(ln_time(curve.median)), ln_times, spread);
  const double bus_bytes = size_bytes * bus_factor(gpus);
  point.bus_Bps = bus_bytes / point.time.s;
  point.bus_Bps_low = bus_bytes / point.time.s_high;
  point.bus_Bps_high = bus_bytes / point.time.s_low;
  const auto chosen = choose_algorithm(library_rules_of(setup, curve.median), gpus, size_bytes);
  point.algorithm = to_text(chosen.algorithm);
  point.protocol = chosen.protocol == Protocol::none ? "" : to_text(chosen.protocol);
  return point;
}

CollectivePrediction predict_collectives(const Scenario& scenario, const std::vector<double>& sizes_bytes,
                                         const DataFolder& data) {
  check_question(scenario);
  const KnownFiles files(scenario, data);
  CollectivePrediction prediction;
  prediction.scenario = scenario;
  auto asked = scenario; // the batch does not matter to collectives alone
  if (asked.batch_per_gpu == 0) asked.batch_per_gpu = 1;
  for (const auto& strategy : scenario.strategies) {
    if (!all_reduces(strategy)) continue;
    const auto curve = make_curve(asked, strategy, files.model(), files.knowledge());
    prediction.answers.push_back(answer_curve(curve, scenario, sizes_bytes));
  }
  prediction.warnings = files.warnings();
  return prediction;
}

} // namespace ddlsim
