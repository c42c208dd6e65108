#include "validate/methods/simulator.hpp"

#include "calibrate/data/fit_data.hpp"
#include "calibrate/fit/step_fit.hpp"
#include "calibrate/fit/step_problem.hpp"
#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/iteration/server_step.hpp"
#include "sim/predict/posterior.hpp"
#include "validate/methods/single_parameter.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <map>
#include <string>
#include <tuple>

namespace ddlsim {
namespace {

constexpr int worlds = 100; ///< behind an interval: its 5 % end is then the mean of the 5th and 6th world
constexpr std::uint64_t seed = 1;
constexpr std::size_t threads = 2;

class Simulator : public Method {
public:
  Simulator(const DataFolder& data, bool fitted) : shelf_(read_shelf(data)), fitted_(fitted) {}

  std::string name() const override { return fitted_ ? "ddlsim" : "uncalibrated"; }

  void prepare(const Evidence& evidence) override {
    fits_.clear();
    files_ = &evidence.files;
    series_ = &evidence.series;
  }

  std::optional<Forecast> forecast(const Question& question) const override {
    const auto& cluster = question.known.cluster;
    if (!can_simulate(question.strategy) || shelf_.clusters.count(cluster) == 0) return {}; // a person's own cluster
    const auto priors = priors_of(cluster);
    const auto evidence = series_evidence(shelf_, priors, question.known);
    if (!evidence || (question.nodes > 1 && evidence->setup.cluster.nics.empty())) return {};
    const EvidencePoint point{question.gpus, question.nodes, question.gpus_per_node, question.strategy, 1, 0, false};
    try {
      if (fitted_) return ask(*evidence, point, fit_of(cluster), priors);
      const auto key = std::tuple(question.known.id, question.gpus, question.nodes, evidence->setup.one_gpu_s);
      const auto known = answered_.find(key);
      if (known != answered_.end()) return known->second;
      return answered_.emplace(key, ask(*evidence, point, {}, priors)).first->second;
    } catch (const UserError&) {
      return {}; // no prior, no link
    }
  }

  std::optional<Explanation> explain(const std::vector<Answered>& targets) const override;

private:
  std::vector<Prior> priors_of(const std::string& cluster) const {
    return priors_on(shelf_.clusters.at(cluster), priors_without(shelf_.priors, cluster));
  }

  const Calibration& fit_of(const std::string& cluster) const {
    const auto known = fits_.find(cluster);
    if (known != fits_.end()) return known->second;
    return fits_.emplace(cluster, fit_steps(gather(shelf_, cluster, *series_, *files_).evidence, {})).first->second;
  }

  static Carried carried_to(const Calibration& calibration, const std::string& id, const EvidencePoint& point) {
    CarryLaw law;
    std::vector<KnownResidual> known;
    for (const auto& series : calibration.series) {
      if (series.id != id) continue;
      law.spread = series.spread;
      for (const auto& one : series.points) known.push_back({{one.gpus, one.nodes}, one.residual, one.noise});
    }
    return carry(law, known, {point.gpus, point.nodes});
  }

  static Forecast ask(const SeriesEvidence& evidence, const EvidencePoint& point, const Calibration& calibration,
                      const std::vector<Prior>& priors) {
    const BeliefQuestion question{evidence.compute_prior, evidence.setup.preset, is_parameter_server(point.strategy),
                                  evidence.scope};
    const auto belief = believe(priors, &calibration, question, worlds, seed);
    const auto carried = carried_to(calibration, evidence.id, point);
    std::size_t form = 0;
    while (parameter_fields()[form].value != &Parameters::form_residual) ++form;
    std::vector<double> times_s(belief.worlds.values.size());
    const auto run = [&](std::size_t first) {
      ScaleModel model(evidence, point);
      for (std::size_t w = first; w < times_s.size(); w += threads) {
        Parameters world = belief.worlds.values[w];
        world.form_residual = std::exp(carried.mean + carried.spread * belief.worlds.coordinates[w][form]);
        times_s[w] = model.time_s(world);
      }
    };
    auto other = std::async(std::launch::async, [&] { run(1); });
    run(0);
    other.get();
    Parameters median = belief.median;
    median.form_residual = std::exp(carried.mean);
    const double predicted_s = model_time_s(evidence, point, median);
    return {predicted_s, std::min(predicted_s, quantile(times_s, low_tail)),
            std::max(predicted_s, quantile(times_s, high_tail))};
  }

  Shelf shelf_;
  bool fitted_;
  const std::vector<MeasurementFile>* files_ = nullptr; ///< of this split, as long as its questions are asked
  const std::vector<Series>* series_ = nullptr;
  mutable std::map<std::string, Calibration> fits_;                                ///< of this split
  mutable std::map<std::tuple<std::string, int, int, double>, Forecast> answered_; ///< without a fit: splits ask again
};

/// Of the calibrated simulator only: how far priors are off is no news.
std::optional<Explanation> Simulator::explain(const std::vector<Answered>& targets) const {
  if (!fitted_ || targets.empty()) return {};
  const auto& known = targets.front().question.known;
  const auto priors = priors_of(known.cluster);
  const auto evidence = series_evidence(shelf_, priors, known);
  if (!evidence) return {};
  const auto& calibration = fit_of(known.cluster);
  std::vector<ExplainedPoint> points;
  try {
    for (const auto& [asked, measured_s] : targets) {
      const EvidencePoint point{asked.gpus, asked.nodes, asked.gpus_per_node, asked.strategy, measured_s, 0, false};
      const BeliefQuestion question{evidence->compute_prior, evidence->setup.preset,
                                    is_parameter_server(asked.strategy), evidence->scope};
      auto world = believe(priors, &calibration, question, 1, seed).median;
      world.form_residual = std::exp(carried_to(calibration, evidence->id, point).mean);
      points.push_back({point, world});
    }
    return explain_points(*evidence, points);
  } catch (const UserError&) {
    return {}; // a target that could not be answered either
  }
}

} // namespace

std::unique_ptr<Method> make_simulator(const DataFolder& data) {
  return std::make_unique<Simulator>(data, true);
}

std::unique_ptr<Method> make_uncalibrated(const DataFolder& data) {
  return std::make_unique<Simulator>(data, false);
}

} // namespace ddlsim
