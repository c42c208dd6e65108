#include "trainer/timing/layer_measurement.hpp"

#include "trainer/records/disturbance.hpp"
#include "trainer/records/statistics.hpp"
#include "trainer/records/surroundings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace ddltrain {
namespace {

std::vector<double> column(const std::vector<StepTimes>& steps, const std::function<double(const StepTimes&)>& get) {
  std::vector<double> values;
  values.reserve(steps.size());
  for (const StepTimes& step : steps) values.push_back(get(step));
  return values;
}

double passes_s(const StepTimes& step) {
  return step.forward_s + step.backward_s;
}

double total_s(const StepTimes& step) {
  return step.total_s();
}

/// Returns one layer's times over the repetitions; empty when its pass did not run.
std::vector<double> layer_column(const LayerMeasurement& measured, std::size_t layer, double LayerStepTimes::*field) {
  std::vector<double> values;
  for (const auto& repetition : measured.observed) {
    if (repetition[layer].*field > 0) values.push_back(repetition[layer].*field);
  }
  return values;
}

double median_or_zero(const std::vector<double>& values) {
  return values.empty() ? 0 : summarise(values).median;
}

double share_within_step(const LayerMeasurement& measured) {
  std::vector<double> shares;
  for (std::size_t step = 0; step < measured.observed.size(); ++step) {
    double sum_s = 0;
    for (const LayerStepTimes& layer : measured.observed[step]) {
      sum_s += std::max(layer.forward_s, 0.0) + std::max(layer.backward_s, 0.0);
    }
    shares.push_back(sum_s / passes_s(measured.observed_steps[step]));
  }
  return median_or_zero(shares);
}

std::string balance_text(const LayerBalance& balance) {
  return fmt::format(
      "observers cost {:+.1f} % of the step and are in the times; the layers' medians sum to {:.1f} % of "
      "the unobserved passes",
      100 * balance.overhead(), 100 * balance.sum_share());
}

RecordHead head_of(const LayerMeasurement& measured, const MeasureOptions& options, const std::string& what) {
  RecordHead head =
      own_head(fmt::format("{}{}-{}-{}", options.series, what, measured.model, ddlsim::to_text(measured.precision)));
  head.library = "libtorch";
  return head;
}

StepRecord step_record(const LayerMeasurement& measured, const MeasureOptions& options) {
  StepRecord step = plain_step(head_of(measured, options, "step"));
  step.model = measured.model;
  step.precision = measured.precision;
  step.batch_per_gpu = static_cast<double>(measured.batch);
  step.preset = "ddltrain";
  step.host_paced = host_was_the_pace(measured.queue);
  const auto median = [&](double (*get)(const StepTimes&)) {
    return summarise(column(measured.plain_steps, get)).median;
  };
  step.head.note = join_parts({fmt::format("forward {:.4g} ms, backward {:.4g} ms, update {:.4g} ms",
                                           1e3 * median([](const StepTimes& one) { return one.forward_s; }),
                                           1e3 * median([](const StepTimes& one) { return one.backward_s; }),
                                           1e3 * median([](const StepTimes& one) { return one.update_s; })),
                               measured.math, queue_text(measured.queue)});
  step.iteration_s = put_samples(step.head, column(measured.plain_steps, total_s), options);
  mark_disturbance(step.head, measured.others);
  return step;
}

void add_times(const LayerMeasurement& measured, std::size_t index, ddlsim::LayerPass pass,
               ddlsim::LayerTiming& timing) {
  const bool forward = pass == ddlsim::LayerPass::forward;
  const auto samples =
      layer_column(measured, index, forward ? &LayerStepTimes::forward_s : &LayerStepTimes::backward_s);
  if (samples.empty()) return;
  const Summary summary = summarise(samples);
  timing.passes[pass].push_back({index, summary.median, summary.standard_deviation / summary.median});
}

LayersRecord layers_record(const LayerMeasurement& measured, const MeasureOptions& options) {
  LayersRecord record;
  record.head = head_of(measured, options, "layers");
  record.model = measured.model;
  RecordHead disturbed;
  mark_disturbance(disturbed, measured.others);
  const auto batch = static_cast<double>(measured.batch);
  ddlsim::LayerTiming timing{
      "", measured.precision, batch, static_cast<int>(measured.observed.size()), disturbed.suspect, {}};
  for (std::size_t i = 0; i < measured.layers.size(); ++i) {
    const TimedLayer& layer = measured.layers[i];
    record.layers.push_back({layer.name, layer.kind, layer.forward_flop / batch, layer.parameter_bytes});
    for (const auto pass : {ddlsim::LayerPass::forward, ddlsim::LayerPass::backward})
      add_times(measured, i, pass, timing);
  }
  record.timings.push_back(std::move(timing));
  return record;
}

/// The order of the two kinds of step alternates: the state of the allocator after a step can favour every second step.
void add_alone(LayerTimer& timer, LayerMeasurement& measured) {
  std::vector<LayerStepTimes> layers;
  const bool plain_first = measured.plain_steps.size() % 2 == 0;
  if (plain_first) measured.plain_steps.push_back(timer.plain_step());
  measured.observed_steps.push_back(timer.observed_step(layers));
  measured.observed.push_back(layers);
  if (!plain_first) measured.plain_steps.push_back(timer.plain_step());
}

void add_queue(LayerTimer& timer, LayerMeasurement& measured) {
  std::vector<LayerStepTimes> layers;
  const LayerTimer::Queue queue = timer.queued_steps(measured.queue.queued, layers);
  measured.plain_steps.insert(measured.plain_steps.end(), queue.plain.begin(), queue.plain.end());
  measured.observed_steps.push_back(queue.observed);
  measured.observed.push_back(layers);
  ++measured.queue.waits;
  measured.queue.host_paced += queue.host_paced ? 1 : 0;
}

} // namespace

LayerMeasurement measure_layers(LayerTimer& timer, const RepeatLimits& limits, std::size_t queued) {
  LayerMeasurement measured;
  measured.queue.queued = queued;
  std::vector<LayerStepTimes> layers;
  for (int i = 0; i < limits.warm_up; ++i) {
    timer.plain_step();
    timer.observed_step(layers);
  }
  const CpuUse before = cpu_use();
  const double start_s = now_s();
  do {
    queued > 1 ? add_queue(timer, measured) : add_alone(timer, measured);
  } while (!enough(column(measured.plain_steps, total_s), now_s() - start_s, limits));
  measured.others = other_cpu_use(before, cpu_use());
  measured.layers = timer.layers();
  return measured;
}

LayerBalance balance_of(const LayerMeasurement& measured) {
  LayerBalance balance;
  for (std::size_t i = 0; i < measured.layers.size(); ++i) {
    balance.layers_s += median_or_zero(layer_column(measured, i, &LayerStepTimes::forward_s));
    balance.layers_s += median_or_zero(layer_column(measured, i, &LayerStepTimes::backward_s));
  }
  balance.within_step = share_within_step(measured);
  balance.observed_s = summarise(column(measured.observed_steps, passes_s)).median;
  balance.plain_s = summarise(column(measured.plain_steps, passes_s)).median;
  return balance;
}

LayerRecords records_of(const LayerMeasurement& measured, const MeasureOptions& options) {
  LayerRecords records{step_record(measured, options), layers_record(measured, options)};
  records.step.head.note += "; " + balance_text(balance_of(measured));
  return records;
}

} // namespace ddltrain
