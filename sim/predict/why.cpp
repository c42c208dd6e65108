#include "sim/predict/why.hpp"

#include "sim/base/error.hpp"
#include "sim/base/linear_algebra.hpp"
#include "sim/base/statistics.hpp"
#include "sim/base/table.hpp"
#include "sim/formats/parameter_words.hpp"
#include "sim/predict/input.hpp"
#include "sim/predict/interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ddlsim {
namespace {

std::vector<double> ln_of(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

std::string in_words(EvidenceLabel label) {
  switch (label) {
  case EvidenceLabel::calibrated:
    return "was measured here";
  case EvidenceLabel::extrapolated:
    return "is extrapolated from what was measured here";
  case EvidenceLabel::transferred:
    return "is carried over from other measurements";
  case EvidenceLabel::assumed:
    return "is assumed";
  }
  return "";
}

std::string one_gpu_sentence(const Curve& curve, const OneGpuRate& one_gpu) {
  return fmt::format("One GPU's time, {} of compute an iteration, {}: {}.", seconds_text(curve.setup.one_gpu_s),
                     in_words(one_gpu.evidence), one_gpu.text.substr(0, one_gpu.text.find("; ")));
}

/// Positions in parameter_fields() of the parameters that decide the communication of this kind of strategy.
std::vector<std::size_t> of_communication(const Curve& curve) {
  const bool servers = is_parameter_server(curve.setup.strategy.name);
  const auto fields = parameter_fields();
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const auto& seen_by = fields[k].seen_by;
    if (fields[k].use == ParameterUse::fitted && fields[k].part != NodePart::gpu &&
        (servers ? seen_by.server_step : seen_by.all_reduce_step))
      found.push_back(k);
  }
  return found;
}

/// Returns the parameters with the most points, as in "network rate reached (287 points)". It names at most four, then
/// the number of others.
std::string narrowed_text(const Curve& curve, std::vector<std::size_t> narrowed) {
  constexpr std::size_t most_named = 4;
  const auto& points = curve.calibration.points;
  std::stable_sort(narrowed.begin(), narrowed.end(), [&](auto a, auto b) { return points[a] > points[b]; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most_named, narrowed.size()); ++i)
    names.push_back(fmt::format("{} ({} points{})", parameter_words(parameter_fields()[narrowed[i]].name),
                                points[narrowed[i]],
                                curve.calibration.borrowed[narrowed[i]] ? " of other clusters" : ""));
  if (narrowed.size() > most_named) names.push_back(fmt::format("{} more", narrowed.size() - most_named));
  return join_names(names);
}

std::string communication_sentence(const Curve& curve, int gpus) {
  if (gpus == 1) return "One GPU alone communicates with none.";
  const auto all = of_communication(curve);
  std::vector<std::size_t> narrowed;
  for (const std::size_t k : all)
    if (k < curve.calibration.identified.size() && curve.calibration.identified[k]) narrowed.push_back(k);
  const auto& cluster = curve.setup.cluster.name;
  const auto begin =
      fmt::format("Communication over {} rests on {} parameters", curve.setup.transport.name, all.size());
  if (narrowed.empty())
    return fmt::format("{}, of which no measurement on {} narrowed one: all are what other sites suggest.", begin,
                       cluster);
  return fmt::format("{}: measurements narrowed {}; the other {} are what other sites suggest.", begin,
                     narrowed_text(curve, narrowed), all.size() - narrowed.size());
}

std::string beyond_text(int gpus, int measured_gpus) {
  if (gpus <= measured_gpus) return "this answer lies within that";
  return fmt::format("this answer is for {:.3g} times as many", static_cast<double>(gpus) / measured_gpus);
}

std::string distance_sentence(const Curve& curve, const PredictedPoint& point) {
  const auto& info = curve.calibration;
  if (point.gpus == 1) return "One GPU is no extrapolation over scale.";
  if (was_measured(curve, point)) return "This very scale was measured with this stack, model and batch.";
  if (!info.own.empty())
    return fmt::format("This stack and model were measured here{} on up to {} GPUs; {}.",
                       info.of_other_batches ? " with other batches" : "", info.largest_gpus,
                       beyond_text(point.gpus, info.largest_gpus));
  const int nodes = std::max(info.largest_nodes, info.largest_donor_nodes);
  if (nodes == 0)
    return fmt::format("No run of this kind over {} was measured on {} or on a cluster that it borrows from: nothing "
                       "here says how its times grow to {} GPUs.",
                       curve.setup.transport.name, curve.setup.cluster.name, point.gpus);
  return fmt::format("This stack and model were not measured; other runs of this kind{} reach {} node{}, and this "
                     "answer is for {}.",
                     info.largest_nodes > 0 ? " here" : " on other clusters", nodes, nodes == 1 ? "" : "s",
                     point.nodes);
}

std::string run_by(const PredictedPoint& point) {
  if (point.fidelity == to_text(Engine::formula)) return "by formulas";
  return point.fidelity == to_text(Engine::full) ? "on SimGrid, message by message" : "on SimGrid";
}

std::string number_sentence(const Curve& curve, const PointAndSamples& answer) {
  const auto& point = answer.point;
  const auto there = model_error_at(curve, point.gpus);
  const auto moved = point.gpus > 1 && std::abs(there.mean) >= 0.001
                         ? fmt::format(", moved by {:+.1f} % because what was measured near it is off as much",
                                       100 * std::expm1(there.mean))
                         : "";
  const auto time = seconds_interval(point.iteration_s, point.iteration_s_low, point.iteration_s_high);
  const auto spread =
      point.gpus > 1 ? fmt::format(" what no parameter explains ({:.1f} %) and by", 100 * there.spread) : "";
  return fmt::format("The number, {}, is the iteration of the likeliest parameters with communication run {}{}; its "
                     "interval {} holds 90 % of {} draws of the parameters, each spread by{} the noise of one "
                     "measurement ({:.1f} %).",
                     time.value, run_by(point), moved, time.bounds, answer.sample_times_s.size(), spread,
                     100 * there.noise);
}

double variance_of(const std::vector<double>& values) {
  const double deviation = standard_deviation(values);
  return deviation * deviation;
}

std::string interval_sentence(const Curve& curve, const PointAndSamples& answer) {
  constexpr std::size_t most_named = 3;
  constexpr double least_share =
      0.04; // (2 / sqrt(100))^2: less than this is noise, which a hundred draws of independent quantities show
  const double noise = model_error_at(curve, answer.point.gpus).noise;
  const double of_samples = variance_of(ln_of(answer.sample_times_s));
  auto shares = interval_shares(curve, answer.sample_times_s);
  std::erase_if(shares, [&](const IntervalShare& one) { return one.share < least_share; });
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  if (shares.size() > most_named) shares.resize(most_named);
  if (shares.empty()) return "No parameter alone makes 4 % of the interval's variance.";
  std::string text;
  for (const auto& one : shares)
    text += fmt::format("{}{} ({}), {:.0f} %: {}", text.empty() ? "" : "; ", parameter_words(one.parameter),
                        one.parameter, 100 * one.share * of_samples / (of_samples + noise * noise), one.measured_by);
  return fmt::format("The interval's variance is mostly that of {}, here with what narrows {}: {}.",
                     shares.size() == 1 ? "one parameter" : fmt::format("{} parameters", shares.size()),
                     shares.size() == 1 ? "it" : "each", text);
}

/// The values shifted and scaled to mean 0 and mean square 1; nothing when they are all the same.
std::optional<Eigen::VectorXd> standardised(const std::vector<double>& values) {
  Eigen::VectorXd all = Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  if (all.size() == 0 || all.minCoeff() == all.maxCoeff()) return {};
  all.array() -= all.mean();
  return all / std::sqrt(all.squaredNorm() / static_cast<double>(all.size()));
}

/// Sets the shares. `figures` has a standardised column for each of `shares`.
void set_shares(std::vector<IntervalShare>& shares, const std::vector<Eigen::VectorXd>& figures,
                const Eigen::VectorXd& ln_times) {
  constexpr double ridge = 1e-6; // keeps the regression solvable where parameters are fully correlated over the samples
  const auto count = static_cast<Eigen::Index>(figures.size());
  Eigen::MatrixXd among(count, count);
  Eigen::VectorXd with_times(count);
  const auto samples = static_cast<double>(ln_times.size());
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& one = figures[static_cast<std::size_t>(i)];
    with_times(i) = one.dot(ln_times) / samples;
    for (Eigen::Index j = 0; j < count; ++j) among(i, j) = one.dot(figures[static_cast<std::size_t>(j)]) / samples;
    among(i, i) += ridge;
  }
  const Eigen::VectorXd coefficients = solve_symmetric(among, with_times);
  for (Eigen::Index i = 0; i < count; ++i)
    shares[static_cast<std::size_t>(i)].share = std::max(0.0, coefficients(i) * with_times(i));
}

} // namespace

std::vector<IntervalShare> interval_shares(const Curve& curve, const std::vector<double>& times_s) {
  const auto ln_times = ln_of(times_s);
  const auto& samples = curve.samples;
  std::vector<IntervalShare> all;
  std::vector<Eigen::VectorXd> all_figures;
  const auto add = [&](const auto& field, const auto& figure_of) {
    std::vector<double> figures;
    for (std::size_t i = 0; i < ln_times.size(); ++i) figures.push_back(figure_of(i));
    const double r = std::abs(correlation(figures, ln_times));
    const auto plain = standardised(figures);
    if (!(r > 0) || !plain) return;
    all.push_back({field.name, field.measured_by, r});
    all_figures.push_back(*plain);
  };
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k) add(fields[k], [&](std::size_t i) { return samples.z_scores[i][k]; });
  if (curve.input_uncertainty != InputUncertainty{})
    for (const auto& field : input_factor_fields())
      add(field, [&](std::size_t i) { return std::log(samples.values[i].input.*field.value); });
  if (const auto plain = standardised(ln_times)) set_shares(all, all_figures, *plain);
  std::stable_sort(all.begin(), all.end(),
                   [](const IntervalShare& a, const IntervalShare& b) { return a.correlation > b.correlation; });
  return all;
}

MeasureNext find_measure_next(const Curve& curve, int gpus, const std::vector<double>& times_s) {
  const auto ln_times = ln_of(times_s);
  MeasureNext next;
  next.at_gpus = gpus;
  next.interval_now = 0.5 * (quantile(ln_times, high_tail) - quantile(ln_times, low_tail));
  const auto shares = interval_shares(curve, times_s);
  if (shares.empty()) return next;
  next.parameter = shares.front().parameter;
  next.what = shares.front().measured_by;
  next.interval_then = next.interval_now * width_left(shares.front().correlation);
  return next;
}

std::vector<std::string> why_sentences(const Curve& curve, const OneGpuRate& one_gpu, const PointAndSamples& answer) {
  return {one_gpu_sentence(curve, one_gpu), communication_sentence(curve, answer.point.gpus),
          distance_sentence(curve, answer.point), number_sentence(curve, answer), interval_sentence(curve, answer)};
}

} // namespace ddlsim
