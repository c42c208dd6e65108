#include "validate/methods/simulator.hpp"

#include "calibrate/fit/calibrate.hpp"
#include "sim/base/error.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/interval.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

namespace ddlsim {
namespace {

/// What a split shows ddlsim about one cluster.
struct ClusterKnowledge {
  ReferenceData reference;
  std::unique_ptr<const OneGpuTimes> one_gpu_times;
  std::optional<Calibration> calibration; ///< empty for the uncalibrated method
  std::string untaken{}; ///< only for the uncalibrated method: the priors that the split does not leave out, as text

  Knowledge known_of(const std::string& cluster) const {
    return {reference.clusters.at(cluster),
            reference.gpus,
            reference.presets,
            reference.priors,
            calibration ? &*calibration : nullptr,
            [this](const ComputeQuestion& question) { return one_gpu_times->find(question); },
            reference.constants};
  }
};

class Simulator : public Method {
public:
  Simulator(ReferenceData reference, SimulatorVariant variant)
      : reference_(std::move(reference)), fitted_(variant.fitted), threads_(variant.threads),
        variant_(std::move(variant)) {}

  std::string name() const override { return variant_.name; }
  bool remembers() const override { return !fitted_; }

  void prepare(const Evidence& evidence) override {
    known_.clear();
    files_ = &evidence.files;
    series_ = &evidence.series;
    masked_priors_ = evidence.masked_priors;
    as_shipped_ = evidence.split == "as-shipped";
  }

  std::optional<Forecast> forecast(const Question& question) const override {
    if (reference_.clusters.count(question.known.cluster) == 0) return {}; // the cluster is a user's own
    try {
      return fitted_ ? ask(question) : ask_or_remember(question);
    } catch (const UserError& error) {
      return refused(error.mistakes().front().what);
    }
  }

  std::optional<Explanation> explain(const std::vector<Answered>& targets) const override;

private:
  static Forecast refused(const std::string& why) { return {0, 0, 0, why}; }

  ReferenceData reference_for(const std::string& cluster) const {
    auto reference = masked_priors_ == MaskedPriors::none ? reference_ : without_site(reference_, cluster);
    if (variant_.change) variant_.change(reference);
    return reference;
  }

  const ClusterKnowledge& knowledge_of(const std::string& cluster) const {
    auto& known = known_[cluster];
    if (known) return *known;
    known = std::make_unique<ClusterKnowledge>();
    known->reference = reference_for(cluster);
    const auto& reference = known->reference;
    known->one_gpu_times = one_gpu_times_of(reference, reference.clusters.at(cluster), *files_);
    if (!fitted_) known->untaken = cluster + '\n' + priors_json(reference.priors);
    if (fitted_)
      known->calibration = as_written(fit_cluster(reference, cluster, *series_, *files_, threads_).calibration);
    return *known;
  }

  Curve curve_of(const Question& question) const {
    const auto& knowledge = knowledge_of(question.known.cluster);
    const auto known = knowledge.known_of(question.known.cluster);
    const auto scenario = scenario_of(question, known.cluster);
    const auto model = knowledge.reference.models.find(scenario.model);
    if (model == knowledge.reference.models.end())
      throw UserError(scenario.model, "", fmt::format("model {} has no layer table", scenario.model));
    auto curve = make_curve(scenario, scenario.strategies.front(), model->second, known);
    curve.threads = threads_;
    curve.has_run = true;
    return curve;
  }

  /// Returns a key of everything that determines an answer without a fit.
  std::string key_of(const Question& question) const {
    const auto& knowledge = knowledge_of(question.known.cluster);
    const auto known = knowledge.known_of(question.known.cluster);
    const auto scenario = scenario_of(question, known.cluster);
    auto key = knowledge.untaken + scenario_json(scenario);
    const auto model = knowledge.reference.models.find(scenario.model);
    if (model == knowledge.reference.models.end()) return key;
    const auto compute = one_gpu_of(scenario, scenario.strategies.front(), model->second, known);
    return key + fmt::format("{} {} {} {} {} {}", compute.one_gpu_s, compute.prior, to_text(compute.label),
                             compute.stack_width, compute.model_width, compute.batch_width);
  }

  /// Answers from memory if possible. In most splits nothing that determines the answer has changed.
  Forecast ask_or_remember(const Question& question) const {
    const auto key = key_of(question);
    const auto answered = answered_.find(key);
    if (answered != answered_.end()) return answered->second;
    return answered_[key] = ask(question);
  }

  Forecast ask(const Question& question) const {
    const auto answer = predict_point(curve_of(question), question.gpus, Fidelity::by_default).point;
    if (!answer.error.empty()) return refused(answer.error);
    Forecast forecast{answer.iteration_s, answer.iteration_s_low, answer.iteration_s_high};
    if (fitted_ && as_shipped_)
      forecast.scenario = scenario_json(scenario_of(question, reference_.clusters.at(question.known.cluster)));
    return forecast;
  }

  ReferenceData reference_;
  bool fitted_;
  int threads_;
  SimulatorVariant variant_;
  MaskedPriors masked_priors_ = MaskedPriors::none;
  bool as_shipped_ = false;                             ///< whether the calibration is that of the shipped file
  const std::vector<MeasurementFile>* files_ = nullptr; ///< files of this split, while its questions are answered
  const std::vector<Series>* series_ = nullptr;
  mutable std::map<std::string, std::unique_ptr<ClusterKnowledge>> known_; ///< knowledge of each cluster in this split
  /// answers without a fit, which are kept over all splits
  mutable std::unordered_map<std::string, Forecast> answered_;
};

/// Returns a curve in the form that the search for one parameter needs.
SeriesData searchable(const Curve& curve, const std::string& series) {
  SeriesData data{series, to_text(curve.setup.strategy), {}, curve.setup, "", curve.priors, {}};
  return data;
}

/// Only the calibrated simulator explains its errors. Those of the uncalibrated one come from missing data.
std::optional<Explanation> Simulator::explain(const std::vector<Answered>& targets) const {
  if (!fitted_ || targets.empty()) return {};
  try {
    const auto& known = targets.front().question.known;
    std::vector<ExplainedPoint> points;
    for (const auto& [question, measured_s] : targets) {
      const auto curve = curve_of(question);
      const DataPoint point{question.gpus, question.nodes, question.gpus_per_node, question.strategy, measured_s, 0,
                            false};
      points.push_back({point, estimated(curve, curve.median, question.gpus)});
    }
    return explain_points(searchable(curve_of(targets.front().question), known.id), points, threads_);
  } catch (const UserError&) {
    return {}; // this target could not be predicted
  }
}

} // namespace

ReferenceData without_site(ReferenceData reference, const std::string& cluster) {
  reference.priors = without_site(std::move(reference.priors), reference.clusters.at(cluster).site);
  return reference;
}

std::unique_ptr<Method> make_simulator(const DataFolder& data, int threads) {
  return make_simulator(read_reference_data(data), {.threads = threads});
}

std::unique_ptr<Method> make_simulator(const ReferenceData& reference, SimulatorVariant variant) {
  return std::make_unique<Simulator>(reference, std::move(variant));
}

std::unique_ptr<Method> make_uncalibrated(const DataFolder& data, int threads) {
  return make_simulator(read_reference_data(data), {.name = "uncalibrated", .fitted = false, .threads = threads});
}

} // namespace ddlsim
