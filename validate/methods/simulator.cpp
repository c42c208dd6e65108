#include "validate/methods/simulator.hpp"

#include "sim/answer/quantile.hpp"
#include "sim/answer/step.hpp"
#include "sim/files/error.hpp"
#include "sim/model/compute.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ddlsim {
namespace {

constexpr int worlds = 100; ///< behind an interval: its 5 % end is then the mean of the 5th and 6th world
constexpr std::uint64_t seed = 1;
constexpr const char* shape_stand_in = "V100-SXM2-16GB";

/// Everything the shipped files say, read once.
struct Shelf {
  DataFolder data;
  std::vector<Gpu> gpus;
  std::vector<Preset> presets;
  std::vector<Prior> priors;
  std::map<std::string, Model> models;
  std::map<std::string, Cluster> clusters;
};

Shelf read_shelf(const DataFolder& data) {
  Shelf shelf{data, load_gpus(data), load_presets(data), load_priors(data), {}, {}};
  for (const auto& name : list_models(data)) shelf.models.emplace(name, load_model(data, name));
  for (const auto& name : list_clusters(data)) shelf.clusters.emplace(name, load_cluster(data, name));
  return shelf;
}

const Preset& preset_of(const Shelf& shelf, const std::string& name, const Strategy& strategy) {
  const auto found = std::find_if(shelf.presets.begin(), shelf.presets.end(),
                                  [&](const Preset& preset) { return preset.name == name; });
  return found != shelf.presets.end() ? *found : find_preset(shelf.presets, stand_in_preset(strategy));
}

/// The record's transport, else the preset's first that the cluster has, else the cluster's first; one without a NIC
/// for one box.
Transport transport_of(const Cluster& cluster, const Preset& preset, const std::string& said) {
  const auto has = [&](const std::string& name) {
    return std::find_if(cluster.transports.begin(), cluster.transports.end(),
                        [&](const Transport& one) { return one.name == name; });
  };
  if (has(said) != cluster.transports.end()) return *has(said);
  for (const auto& name : preset.transports)
    if (has(name) != cluster.transports.end()) return *has(name);
  return cluster.transports.empty() ? Transport{"shm", ""} : cluster.transports.front();
}

class Simulator : public Method {
public:
  explicit Simulator(const DataFolder& data) : shelf_(read_shelf(data)) {}

  std::string name() const override { return "simulator"; }

  /// Nothing is learnt: the method is the same in every split, but for the one-GPU time that a split may hide.
  void prepare(const Evidence&) override {}

  std::optional<Forecast> forecast(const Question& question) const override {
    const auto model = shelf_.models.find(question.known.model);
    const auto cluster = shelf_.clusters.find(question.known.cluster);
    if (model == shelf_.models.end() || cluster == shelf_.clusters.end() || !can_simulate(question.strategy)) return {};
    if (question.nodes > 1 && cluster->second.nics.empty()) return {};
    const auto key = std::tuple(question.known.id, question.gpus, question.nodes, base_time(question.known));
    const auto known = answered_.find(key);
    if (known != answered_.end()) return known->second;
    return answered_.emplace(key, simulate(question, model->second, cluster->second)).first->second;
  }

private:
  /// What of the visible series decides the answer: its one-GPU time, or (negative) the smallest scale's.
  static double base_time(const Series& known) {
    return one_gpu_time(known).value_or(known.points.empty() ? 0 : -known.points.front().iteration_s);
  }

  std::optional<Forecast> simulate(const Question& question, const Model& model, const Cluster& cluster) const {
    try {
      return simulate_with(question, model, cluster, gpu_of(question, cluster));
    } catch (const UserError&) {
      return {}; // a GPU or a precision the catalogue does not have
    }
  }

  /// A series that does not name its GPU but has a one-GPU time needs a device only for the shape of backward; any
  /// CNN-era card gives it.
  const Gpu& gpu_of(const Question& question, const Cluster& cluster) const {
    const std::string& said = question.known.gpu.empty() ? cluster.gpu : question.known.gpu;
    if (said.empty() && one_gpu_time(question.known)) return find_gpu(shelf_.gpus, shape_stand_in);
    return find_gpu(shelf_.gpus, said);
  }

  /// No one-GPU time: the one that makes the median world pass through the smallest visible scale, by bisection in the
  /// logarithm; the roofline where nothing is visible.
  static double one_gpu_behind(StepSetup setup, const Parameters& median, const Series& known) {
    if (known.points.empty()) return roofline_iteration_s(setup.model, setup.gpu, setup.precision, setup.batch_per_gpu);
    const auto& base = known.points.front();
    setup.gpus = base.gpus;
    setup.gpus_per_node = base.gpus_per_node;
    double low_s = 1e-3 * base.iteration_s;
    double high_s = base.iteration_s;
    constexpr int halvings = 40;
    for (int i = 0; i < halvings; ++i) {
      setup.one_gpu_s = std::sqrt(low_s * high_s);
      const double reached_s = time_step(setup, median, Fidelity::quick).iteration_s;
      (reached_s < base.iteration_s ? low_s : high_s) = setup.one_gpu_s;
    }
    return high_s;
  }

  Forecast simulate_with(const Question& question, const Model& model, const Cluster& cluster, const Gpu& gpu) const {
    const auto& known = question.known;
    const auto& preset = preset_of(shelf_, known.preset, question.strategy);
    StepSetup setup{model, gpu, cluster, preset, transport_of(cluster, preset, known.transport), question.strategy};
    setup.precision = known.precision;
    setup.wire_bytes_per_parameter = bytes_per_parameter(known.wire_precision);
    setup.batch_per_gpu = known.batch_per_gpu;
    setup.gpus = question.gpus;
    setup.gpus_per_node = question.gpus_per_node;
    const auto measured = one_gpu_time(known);

    const auto priors = priors_without(shelf_.priors, cluster.name);
    const std::string compute = measured               ? "compute_measured"
                                : known.points.empty() ? "compute_roofline"
                                                       : "compute_transferred";
    const auto& transport = setup.transport.name;
    const auto median = median_parameters(priors, compute, transport, preset.name);
    setup.one_gpu_s = measured ? *measured : one_gpu_behind(setup, median, known);
    std::vector<double> times_s;
    for (const auto& world : draw_parameters(priors, compute, transport, preset.name, worlds, seed).values)
      times_s.push_back(time_step(setup, world, Fidelity::quick).iteration_s);
    const double predicted_s = time_step(setup, median, Fidelity::quick).iteration_s;
    return {predicted_s, std::min(predicted_s, quantile(times_s, low_tail)),
            std::max(predicted_s, quantile(times_s, high_tail))};
  }

  Shelf shelf_;
  mutable std::map<std::tuple<std::string, int, int, double>, std::optional<Forecast>>
      answered_; ///< splits ask the same again
};

} // namespace

std::string stand_in_preset(const Strategy& strategy) {
  return strategy.name == "ps" ? "byteps" : "pytorch-ddp";
}

std::unique_ptr<Method> make_simulator(const DataFolder& data) {
  return std::make_unique<Simulator>(data);
}

} // namespace ddlsim
