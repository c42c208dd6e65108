#include "sim/predict/measured_all_reduces.hpp"

#include "sim/formats/names.hpp"
#include "sim/library/library_rules.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ddlsim {
namespace {

bool is_table_of(const CollectiveKey& key, const Transport& transport, CollectiveLibrary library) {
  if (key.operation != "all_reduce" || key.ranks < 2 || key.nodes < 1) return false;
  if (value_named<CollectiveLibrary>(key.library) != library) return false;
  const bool inside_a_node = key.transport == "unknown" && key.nodes == 1 && library == CollectiveLibrary::nccl;
  return key.transport == transport.name || inside_a_node;
}

int gpus_per_node(const Scale& scale) {
  return (scale.gpus + scale.nodes - 1) / scale.nodes;
}

StepSetup setup_of(const StepSetup& setup, const MeasuredAllReduce& known) {
  auto there = setup;
  there.gpus = known.at.gpus;
  there.gpus_per_node = gpus_per_node(known.at);
  if (known.algorithm) there.strategy.name = *known.algorithm;
  return there;
}

Algorithm algorithm_of(const StepSetup& setup, const Parameters& sample, double size_bytes) {
  return choose_algorithm(library_rules_of(setup, sample), setup.gpus, size_bytes).algorithm;
}

/// The measured sizes of one table that are just below and just above a requested size.
struct NextSizes {
  const MeasuredAllReduce* below = nullptr; ///< the largest size that is not above the requested one
  const MeasuredAllReduce* above = nullptr;
};

void look_at(const MeasuredAllReduce& one, double size_bytes, NextSizes& next) {
  const double its_bytes = one.at.size_bytes;
  if (its_bytes <= size_bytes && (next.below == nullptr || its_bytes > next.below->at.size_bytes)) next.below = &one;
  if (its_bytes > size_bytes && (next.above == nullptr || its_bytes < next.above->at.size_bytes)) next.above = &one;
}

} // namespace

std::vector<MeasuredAllReduce> measured_all_reduces(const std::vector<CollectiveCurve>& curves,
                                                    const Transport& transport, CollectiveLibrary library) {
  std::vector<MeasuredAllReduce> known;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const auto& curve = curves[i];
    if (!is_table_of(curve.key, transport, library)) continue;
    const auto algorithm = value_named<StrategyName>(curve.key.algorithm);
    for (const auto& [size_bytes, residual] : curve.points)
      known.push_back({{curve.key.ranks, curve.key.nodes, size_bytes},
                       alpha_beta_s(curve, size_bytes) * std::exp(residual),
                       curve.noise,
                       algorithm,
                       i});
  }
  return known;
}

AllReduceCorrection correction_at(const ResidualProcess& process, const std::vector<MeasuredAllReduce>& known,
                                  const Scale& requested) {
  std::map<std::size_t, NextSizes> tables;
  for (const auto& one : known) look_at(one, requested.size_bytes, tables[one.table]);
  AllReduceCorrection correction;
  for (const auto& [table, next] : tables)
    for (const auto* one : {next.below, next.above})
      if (one != nullptr) correction.neighbours.push_back(*one);
  std::vector<KnownResidual> residuals;
  for (const auto& one : correction.neighbours) residuals.push_back({one.at, 0, one.noise});
  correction.of = residual_weights(process, residuals, requested);
  return correction;
}

AllReduceCorrection correction_at(const ResidualProcess& process, const std::vector<MeasuredAllReduce>& known,
                                  const StepSetup& setup, const Parameters& likeliest, double size_bytes) {
  std::vector<MeasuredAllReduce> alike;
  const auto requested = algorithm_of(setup, likeliest, size_bytes);
  const auto name = setup.strategy.name;
  const bool library_chooses = name == StrategyName::automatic || name == StrategyName::all_reduce;
  const auto chosen = [](const MeasuredAllReduce& one) { return !one.algorithm; };
  const bool has_chosen = library_chooses && std::any_of(known.begin(), known.end(), chosen);
  std::copy_if(known.begin(), known.end(), std::back_inserter(alike), [&](const MeasuredAllReduce& one) {
    if (has_chosen) return chosen(one);
    return algorithm_of(setup_of(setup, one), likeliest, one.at.size_bytes) == requested;
  });
  for (auto& one : alike) one.at.balance = latency_bandwidth_mix(setup_of(setup, one), likeliest, one.at.size_bytes);
  const int nodes = (setup.gpus + setup.gpus_per_node - 1) / setup.gpus_per_node;
  return correction_at(process, alike,
                       {setup.gpus, nodes, size_bytes, latency_bandwidth_mix(setup, likeliest, size_bytes)});
}

double ln_correction(const AllReduceCorrection& correction, const AllReduceModel& model_s) {
  double sum = 0;
  for (std::size_t i = 0; i < correction.neighbours.size(); ++i) {
    const auto& one = correction.neighbours[i];
    sum += correction.of.weights[i] * std::log(one.time_s / model_s(one));
  }
  return sum;
}

AllReduceModel all_reduce_model_of(const StepSetup& setup, const Parameters& sample) {
  return [&](const MeasuredAllReduce& known) {
    return lone_all_reduce_s(setup_of(setup, known), sample, known.at.size_bytes);
  };
}

} // namespace ddlsim
