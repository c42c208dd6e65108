#include "sim/predict/ask.hpp"

#include "sim/base/error.hpp"
#include "sim/compute/compute_priors.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/compute/partial_training.hpp"
#include "sim/formats/stand_in_preset.hpp"
#include "sim/predict/calibration_info.hpp"
#include "sim/predict/expert_skew.hpp"
#include "sim/predict/input.hpp"
#include "sim/predict/posterior.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// The algorithm that the library chooses for the model's grouped gradients on the setup's GPUs.
std::optional<Algorithm> usual_algorithm(const StepSetup& setup, const Parameters& sample) {
  if (family_of(setup.strategy.name) != StrategyFamily::all_reduce) return std::nullopt;
  StepSetup all = setup;
  all.strategy.name = StrategyName::automatic;
  all.gpus_per_node = std::max(1, setup.cluster.gpus_per_node);
  all.gpus = std::max(2, setup.cluster.available_nodes * all.gpus_per_node);
  const double gradient_bytes = setup.model.parameters * setup.wire_bytes_per_parameter;
  const double cap_bytes = setup.preset.bucket_bytes > 0 ? setup.preset.bucket_bytes : gradient_bytes;
  return choose_algorithm(library_rules_of(all, sample), all.gpus, std::min(cap_bytes, gradient_bytes)).algorithm;
}

/// One-GPU time to which fitted factors belong. If records contradict each other and no series is named, no fitted
/// factor belongs to the middle of their times.
double base_of(const OneGpuEstimate& compute) {
  return compute.disagreement > 0 && !compute.own_series ? 0 : compute.one_gpu_s;
}

/// The GPU of the nodes; unnamed_device() when none is named.
const Gpu& gpu_of(const Scenario& scenario, const Knowledge& known) {
  return find_device(known.gpus, scenario.gpu.empty() ? known.cluster.gpu : scenario.gpu);
}

/// Number of GPUs that ranks use on every node.
int gpus_per_node_of(const Scenario& scenario, const Cluster& cluster) {
  if (scenario.gpus_per_node <= cluster.gpus_per_node)
    return scenario.gpus_per_node > 0 ? scenario.gpus_per_node : cluster.gpus_per_node;
  throw UserError(scenario.name, "/gpus_per_node",
                  fmt::format("{} GPUs a node are more than {} has ({}); give fewer, or leave it out",
                              scenario.gpus_per_node, cluster.name, cluster.gpus_per_node));
}

/// The priors from which a fit of the cluster would start today. They leave out the cluster's own site, so that it does
/// not count twice.
std::vector<Prior> fit_priors_of(const Knowledge& known, const OneGpuEstimate& compute, const StepSetup& setup) {
  const auto& cluster = known.cluster;
  const auto priors = with_compute_priors(
      priors_on(cluster, priors_for(known.priors, cluster.site), setup.gpu.compute_capability), compute);
  return priors_of_stack(priors, compute.prior, setup.transport.name, setup.preset);
}

StepSetup setup_of(const Scenario& scenario, const Strategy& strategy, const Model& model, const Knowledge& known,
                   const Preset& preset, double one_gpu_s, const InputPipeline& input) {
  const auto& cluster = known.cluster;
  StepSetup setup{model,   gpu_of(scenario, known), cluster, preset, choose_transport(scenario, cluster, preset),
                  strategy};
  setup.precision = scenario.precision;
  setup.wire_bytes_per_parameter = bytes_per_parameter(scenario.wire_precision);
  setup.cross_entropy = scenario.cross_entropy;
  setup.optimizer = scenario.optimizer;
  setup.batch_per_gpu = scenario.batch_per_gpu;
  setup.one_gpu_s = one_gpu_s;
  setup.slow_node = scenario.slow_node;
  setup.input = input;
  setup.fabrics = std::make_shared<PlacedFabrics>(cluster, setup.transport, scenario.co_location);
  return setup;
}

/// Finds the parts that the scenario's input names.
ResolvedInput input_of(const Scenario& scenario, const Knowledge& known) {
  if (scenario.input_names == InputNames{}) return {scenario.input, {}};
  static const InputCatalogue none;
  return resolve_input(scenario, known.inputs != nullptr ? *known.inputs : none);
}

} // namespace

std::shared_ptr<const Model> model_in_question(const Scenario& scenario, const Model& model) {
  if (training_text(scenario.train, scenario.document_tokens).empty() || !model.training.empty()) return nullptr;
  return std::make_shared<const Model>(partly_trained(model, scenario.train, scenario.document_tokens, scenario.name));
}

OneGpuEstimate one_gpu_of(const Scenario& scenario, const Strategy& strategy, const Model& table,
                          const Knowledge& known) {
  const auto changed = model_in_question(scenario, table);
  const auto& model = changed ? *changed : table;
  std::shared_ptr<const Preset> stand_in;
  const auto& preset = preset_or_stand_in(known.presets, scenario.preset, stand_in);
  ComputeQuestion question{
      model,           gpu_of(scenario, known), scenario.precision, scenario.batch_per_gpu, one_gpu_preset(preset),
      scenario.series, scenario.software,       scenario.one_gpu};
  question.has_update = !shares_update(strategy.name);
  question.split = split_of(model, strategy);
  question.matmul_tf32 = scenario.matmul_tf32;
  question.conv_tf32 = scenario.conv_tf32;
  return known.one_gpu_time(question);
}

/// The JSON pointer at which the scenario names that strategy's library.
std::string library_path(const Scenario& scenario, const Strategy& strategy) {
  const auto& all = scenario.strategies;
  const auto same = std::find_if(all.begin(), all.end(), [&](const Strategy& one) {
    return one.name == strategy.name && one.library == strategy.library;
  });
  return fmt::format("/strategies/{}/library", same - all.begin());
}

/// Throws UserError when the library that a strategy names cannot run over the transport.
void check_library(const Scenario& scenario, const StepSetup& setup) {
  if (!setup.strategy.library) return;
  const auto usual = likeliest_library(setup.preset, setup.transport.name);
  if (carrier_of(setup.strategy.library->library) == carrier_of(usual.library)) return;
  throw UserError(
      scenario.name, library_path(scenario, setup.strategy),
      fmt::format("{} has no all-reduce over {}, where preset \"{}\" has {}; give a version of that, or another "
                  "transport",
                  to_text(*setup.strategy.library), setup.transport.name, setup.preset.name, to_text(usual)));
}

Curve make_curve(const Scenario& requested, const Strategy& strategy, const Model& table, const Knowledge& known) {
  const auto changed = model_in_question(requested, table);
  const auto& model = changed ? *changed : table;
  const auto scenario = scenario_with_preset_of(requested, strategy);
  const auto& cluster = known.cluster;
  const auto compute = one_gpu_of(scenario, strategy, model, known);
  const auto input = input_of(scenario, known);
  std::shared_ptr<const Preset> stand_in;
  const auto& preset = preset_or_stand_in(known.presets, scenario.preset, stand_in);
  const auto setup = setup_of(scenario, strategy, model, known, preset, compute.one_gpu_s, input.pipeline);
  check_library(requested, setup);
  const auto& transport = setup.transport.name;
  const CalibrationScope scope{transport,      scenario.preset,        scenario.precision,
                               scenario.model, scenario.batch_per_gpu, base_of(compute),
                               compute.prior};
  const auto priors =
      with_compute_priors(priors_on(cluster, priors_for(known.priors), setup.gpu.compute_capability), compute);
  std::vector<Prior> fit_priors;
  if (known.calibration != nullptr) fit_priors = fit_priors_of(known, compute, setup);
  const PosteriorQuestion question{compute.prior, setup.preset, is_parameter_server(strategy.name),
                                   scope,         fit_priors,   scenario.series};
  auto posterior = find_posterior(priors, known.calibration, question, scenario.samples, scenario.seed);
  draw_input(posterior.samples, input.uncertainty, scenario.samples, scenario.seed);
  draw_expert_skew(posterior.samples, strategy, scenario.seed);
  const double discrepancy_width = find_prior(priors, "model_discrepancy", transport, scenario.preset).width;
  CalibrationInfo info;
  info.residual_process = residual_process_of(known.constants);
  info.measurement_noise = known.constants.unstated_noise;
  if (!is_model_parallel(strategy.name)) info.least_across_nodes = known.constants.model_form_across_nodes;
  if (known.calibration != nullptr)
    info = calibration_info_of(*known.calibration, question, {strategy, usual_algorithm(setup, posterior.mode)},
                               known.constants, discrepancy_width);
  if (known.calibration != nullptr)
    info.all_reduces = measured_all_reduces(known.calibration->collectives, setup.transport,
                                            library_of(setup, posterior.mode).library);
  if (!info.any) info.residual_process.spread = discrepancy_width;
  const int gpus_per_node = gpus_per_node_of(scenario, cluster);
  std::shared_ptr<const BestServers> best_servers;
  if (seeks_best_servers(strategy))
    best_servers = std::make_shared<const BestServers>(setup, posterior.mode, gpus_per_node);
  std::shared_ptr<const BestLayout> best_layout;
  if (seeks_best_layout(strategy))
    best_layout = std::make_shared<const BestLayout>(setup, posterior.mode, gpus_per_node);
  return {setup,
          posterior.mode,
          std::move(posterior.samples),
          gpus_per_node,
          std::min(std::max(cluster.available_nodes, cluster.growth_max_nodes), setup.fabrics->most_job_nodes()) *
              gpus_per_node,
          compute.label,
          discrepancy_width,
          std::move(info),
          priors_of_stack(priors, compute.prior, transport, setup.preset),
          best_servers,
          best_layout,
          input.uncertainty,
          changed,
          stand_in};
}

Transport choose_transport(const Scenario& scenario, const Cluster& cluster, const Preset& preset) {
  if (!scenario.transport.empty()) return find_transport(cluster, scenario.transport);
  if (const auto* transport = transport_for(cluster, preset)) return *transport;
  std::vector<std::string> has;
  for (const auto& transport : cluster.transports) has.push_back(transport.name);
  throw UserError(scenario.name, "/preset",
                  fmt::format("preset \"{}\" can use {}, and cluster \"{}\" has {}; give another preset, or /transport",
                              preset.name, join_names(preset.transports), cluster.name, join_names(has)));
}

} // namespace ddlsim
