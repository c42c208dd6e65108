#include "validate/methods/simulator.hpp"

#include "calibrate/data/fit_data.hpp"
#include "calibrate/fit/step_fit.hpp"
#include "calibrate/fit/step_problem.hpp"
#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/iteration/server_step.hpp"
#include "sim/predict/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <map>
#include <string>
#include <tuple>

namespace ddlsim {
namespace {

constexpr int samples = 100; ///< behind an interval: its 5 % end is then the mean of the 5th and 6th sample
constexpr std::uint64_t seed = 1;

class Simulator : public Method {
public:
  Simulator(const DataFolder& data, bool fitted) : reference_(read_reference_data(data)), fitted_(fitted) {}

  std::string name() const override { return fitted_ ? "ddlsim" : "uncalibrated"; }

  void prepare(const Evidence& evidence) override {
    fits_.clear();
    files_ = &evidence.files;
    series_ = &evidence.series;
  }

  std::optional<Forecast> forecast(const Question& question) const override {
    const auto& cluster = question.known.cluster;
    if (reference_.clusters.count(cluster) == 0) return {}; // a user's own cluster
    const auto priors = priors_of(cluster);
    const auto fit_data = series_data(reference_, priors, question.known);
    if (!fit_data || (question.nodes > 1 && fit_data->setup.cluster.nics.empty())) return {};
    const DataPoint point{question.gpus, question.nodes, question.gpus_per_node, question.strategy, 1, 0, false};
    try {
      if (fitted_) return ask(*fit_data, point, fit_of(cluster), priors);
      const auto key = std::tuple(question.known.id, question.gpus, question.nodes, fit_data->setup.one_gpu_s);
      const auto known = answered_.find(key);
      if (known != answered_.end()) return known->second;
      return answered_.emplace(key, ask(*fit_data, point, {}, priors)).first->second;
    } catch (const UserError&) {
      return {}; // no prior, no link
    }
  }

  std::optional<Explanation> explain(const std::vector<Answered>& targets) const override;

private:
  std::vector<Prior> priors_of(const std::string& cluster) const {
    return priors_on(reference_.clusters.at(cluster), priors_without(reference_.priors, cluster));
  }

  const Calibration& fit_of(const std::string& cluster) const {
    const auto known = fits_.find(cluster);
    if (known != fits_.end()) return known->second;
    return fits_.emplace(cluster, fit_steps(select_fit_data(reference_, cluster, *series_, *files_).fit_data, {}))
        .first->second;
  }

  static ResidualEstimate residual_at(const Calibration& calibration, const std::string& id, const DataPoint& point) {
    ResidualProcess process;
    std::vector<KnownResidual> known;
    for (const auto& series : calibration.series) {
      if (series.id != id) continue;
      process.spread = series.spread;
      for (const auto& one : series.points) known.push_back({{one.gpus, one.nodes}, one.residual, one.noise});
    }
    return estimate_residual(process, known, {point.gpus, point.nodes});
  }

  static Forecast ask(const SeriesData& fit_data, const DataPoint& point, const Calibration& calibration,
                      const std::vector<Prior>& priors) {
    const PosteriorQuestion question{fit_data.compute_prior, fit_data.setup.preset,
                                     is_parameter_server(point.strategy.name), fit_data.scope};
    const auto posterior = find_posterior(priors, &calibration, question, samples, seed);
    const auto estimated = residual_at(calibration, fit_data.id, point);
    std::size_t discrepancy = 0;
    while (parameter_fields()[discrepancy].value != &Parameters::model_discrepancy) ++discrepancy;
    std::vector<double> times_s(posterior.samples.values.size());
    const auto run = [&](std::size_t first) {
      CachedStep model(fit_data, point);
      for (std::size_t w = first; w < times_s.size(); w += method_threads) {
        Parameters sample = posterior.samples.values[w];
        sample.model_discrepancy =
            std::exp(estimated.mean + estimated.spread * posterior.samples.z_scores[w][discrepancy]);
        times_s[w] = model.time_s(sample);
      }
    };
    auto other = std::async(std::launch::async, [&] { run(1); });
    run(0);
    other.get();
    Parameters median = posterior.median;
    median.model_discrepancy = std::exp(estimated.mean);
    const double predicted_s = model_time_s(fit_data, point, median);
    return {predicted_s, std::min(predicted_s, quantile(times_s, low_tail)),
            std::max(predicted_s, quantile(times_s, high_tail))};
  }

  ReferenceData reference_;
  bool fitted_;
  const std::vector<MeasurementFile>* files_ = nullptr; ///< of this split, as long as its questions are asked
  const std::vector<Series>* series_ = nullptr;
  mutable std::map<std::string, Calibration> fits_;                                ///< of this split
  mutable std::map<std::tuple<std::string, int, int, double>, Forecast> answered_; ///< without a fit: splits ask again
};

/// Of the calibrated simulator only: the uncalibrated one is off because it saw no data.
std::optional<Explanation> Simulator::explain(const std::vector<Answered>& targets) const {
  if (!fitted_ || targets.empty()) return {};
  const auto& known = targets.front().question.known;
  const auto priors = priors_of(known.cluster);
  const auto fit_data = series_data(reference_, priors, known);
  if (!fit_data) return {};
  const auto& calibration = fit_of(known.cluster);
  std::vector<ExplainedPoint> points;
  try {
    for (const auto& [asked, measured_s] : targets) {
      const DataPoint point{asked.gpus, asked.nodes, asked.gpus_per_node, asked.strategy, measured_s, 0, false};
      const PosteriorQuestion question{fit_data->compute_prior, fit_data->setup.preset,
                                       is_parameter_server(asked.strategy.name), fit_data->scope};
      auto sample = find_posterior(priors, &calibration, question, 1, seed).median;
      sample.model_discrepancy = std::exp(residual_at(calibration, fit_data->id, point).mean);
      points.push_back({point, sample});
    }
    return explain_points(*fit_data, points);
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
