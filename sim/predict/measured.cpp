#include "sim/predict/measured.hpp"

#include "sim/base/statistics.hpp"
#include "sim/compute/layer_times.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

bool is_open(const std::string& text) {
  return text.empty() || text == "unknown";
}

/// Whether a record's servers match. Settings that the record leaves open match any.
bool fits_servers(const Strategy& measured, const Strategy& requested, int gpus, int nodes) {
  const int count = server_count(measured.servers, gpus, nodes);
  const int wanted = server_count(requested.servers, gpus, nodes);
  const bool same_count = count == 0 || wanted == 0 || count == wanted;
  const bool same_place = measured.placement == Placement::unknown || requested.placement == Placement::unknown ||
                          measured.placement == requested.placement;
  return same_count && same_place;
}

/// Whether a record fits the strategy. A single GPU runs no strategy, and is predicted without synchronisation.
bool fits_strategy(const StepRecord& record, const StepSetup& setup, const PredictedPoint& point) {
  const auto& requested = setup.strategy;
  if (point.gpus == 1) return !record.synchronised || record.strategy.name == StrategyName::none;
  if (is_parameter_server(requested.name))
    return record.strategy.name == requested.name && fits_servers(record.strategy, requested, point.gpus, point.nodes);
  if (is_model_parallel(requested.name))
    return record.strategy.name == requested.name && record.strategy.parallel == requested.parallel;
  if (is_sharded(requested.name))
    return record.strategy.name == requested.name && record.strategy.sharded == requested.sharded;
  if (family_of(record.strategy.name) != StrategyFamily::all_reduce) return false;
  const bool is_named = requested.name != StrategyName::automatic && requested.name != StrategyName::all_reduce;
  return !is_named || is_open(record.algorithm) || record.algorithm == point.algorithm;
}

bool fits_software(const StepRecord& record, const Scenario& scenario) {
  const auto& head = record.head;
  return (scenario.series.empty() || head.series == scenario.series) &&
         (scenario.software.empty() || head.software.find(scenario.software) != std::string::npos);
}

bool fits_workload(const StepRecord& record, const StepSetup& setup) {
  constexpr double same_batch = 1e-9;
  const bool same_stack =
      record.preset == setup.preset.name || (setup.gpus == 1 && record.preset == one_gpu_preset(setup.preset));
  const double wire_bytes = record.wire_precision == WirePrecision::unknown
                                ? setup.wire_bytes_per_parameter
                                : bytes_per_parameter(record.wire_precision);
  return record.mode == RunMode::train && record.model == setup.model.name &&
         training_text(record.train, record.document_tokens) == setup.model.training &&
         record.precision == setup.precision && wire_bytes == setup.wire_bytes_per_parameter && same_stack &&
         std::abs(record.batch_per_gpu / setup.batch_per_gpu - 1) < same_batch;
}

bool fits_machine(const StepRecord& record, const StepSetup& setup, const PredictedPoint& point) {
  const auto& transport = record.head.transport;
  const bool crosses = point.gpus > 1;
  return record.gpus == point.gpus && record.nodes == point.nodes &&
         (record.head.gpu.empty() || record.head.gpu == setup.gpu.name) &&
         !is_of_processor_beside(record.head, setup.cluster.gpu) &&
         (!crosses || is_open(transport) || transport == setup.transport.name);
}

using Fitting = std::vector<const StepRecord*>;

/// Removes the records for which `is_worse` is true, if others remain. Returns whether others remain.
template <class Predicate> bool drop_worse(Fitting& records, const Predicate& is_worse) {
  const bool all_worse = std::all_of(records.begin(), records.end(), is_worse);
  if (!all_worse) std::erase_if(records, is_worse);
  return !all_worse;
}

MeasuredHere median_of(Fitting records, bool reads_data) {
  const bool all_suspect = !drop_worse(records, [](const StepRecord* one) { return one->head.suspect; });
  drop_worse(records, [&](const StepRecord* one) { return (one->data == "real") != reads_data; });
  std::vector<double> times_s;
  for (const auto* record : records) times_s.push_back(record->iteration_s);
  const double middle_s = median(times_s);
  const auto distance = [&](const StepRecord* one) { return std::abs(std::log(one->iteration_s / middle_s)); };
  const auto nearest = std::min_element(records.begin(), records.end(),
                                        [&](const auto* a, const auto* b) { return distance(a) < distance(b); });
  return {middle_s, static_cast<int>(records.size()), (*nearest)->head.series, all_suspect};
}

} // namespace

PositionInInterval position_in(const IterationTime& interval, double time_s) {
  if (time_s < interval.s_low) return PositionInInterval::faster;
  return time_s > interval.s_high ? PositionInInterval::slower : PositionInInterval::inside;
}

std::string to_text(PositionInInterval held) {
  return held == PositionInInterval::inside ? "inside" : held == PositionInInterval::faster ? "faster" : "slower";
}

PositionInInterval position_in(const PredictedPoint& point, const MeasuredHere& measured) {
  return position_in({point.iteration_s, point.iteration_s_low, point.iteration_s_high}, measured.iteration_s);
}

void add_measured(std::vector<PredictedPoint>& points, const Scenario& scenario, const Curve& curve,
                  const std::vector<StepRecord>& records) {
  const bool reads_data = scenario.input.bytes_per_sample > 0 || scenario.input.loader_samples_per_s > 0 ||
                          scenario.input_names != InputNames{};
  for (auto& point : points) {
    if (!point.error.empty()) continue;
    const auto setup = at_scale(curve, point.gpus);
    Fitting fitting;
    for (const auto& record : records) {
      if (fits_workload(record, setup) && fits_machine(record, setup, point) && fits_strategy(record, setup, point) &&
          fits_software(record, scenario))
        fitting.push_back(&record);
    }
    if (!fitting.empty()) point.measured = median_of(std::move(fitting), reads_data);
  }
}

} // namespace ddlsim
