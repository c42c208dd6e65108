#include "validate/blind/blind.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/base/text_file.hpp"
#include "validate/methods/baselines.hpp"
#include "validate/methods/simulator.hpp"
#include "validate/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr const char* ours = "ddlsim";

bool is_visible(const Record& record, BlindKnowledge known) {
  const auto* step = std::get_if<StepRecord>(&record);
  if (step == nullptr || known == BlindKnowledge::nothing) return false;
  return known == BlindKnowledge::one_gpu ? step->gpus == 1 : step->nodes <= 1;
}

/// Marks the shipped records as visible, and those records of the file that the user is assumed to know.
std::vector<bool> visible_records(const BlindQuestion& question, BlindKnowledge known) {
  std::vector<bool> visible;
  for (const auto& file : question.shipped) visible.insert(visible.end(), file.records.size(), true);
  for (const auto& record : question.file.records) visible.push_back(is_visible(record, known));
  return visible;
}

/// A split with every series of the file that has a point to predict: with `layouts` those of model parallelism, else
/// all others.
Split split_of(const BlindQuestion& question, const std::vector<Series>& series, BlindKnowledge known, bool layouts) {
  Split split{"blind", to_text(known), visible_records(question, known), {}, MaskedPriors::none};
  const auto first_own = split.visible_records.size() - question.file.records.size();
  for (std::size_t s = 0; s < series.size(); ++s) {
    if (is_model_parallel(series[s].strategy_name) != layouts) continue;
    SplitPart part{s, {}, {}};
    for (std::size_t p = 0; p < series[s].points.size(); ++p) {
      const auto& records = series[s].points[p].records;
      if (records.front() < first_own) continue;
      const bool seen = std::all_of(records.begin(), records.end(), [&](auto i) { return split.visible_records[i]; });
      (seen ? part.visible : part.targets).push_back(p);
    }
    if (!part.targets.empty()) split.parts.push_back(std::move(part));
  }
  return split;
}

/// Whether the cluster is calibrated. If nothing is known of it, the priors alone predict it, as `predict` does for a
/// cluster that was never calibrated.
bool is_calibrated(const BlindQuestion& question, BlindKnowledge known) {
  const auto& cluster = question.file.context.cluster;
  const auto& records = question.file.records;
  return std::any_of(records.begin(), records.end(), [&](const auto& one) { return is_visible(one, known); }) ||
         std::any_of(question.shipped.begin(), question.shipped.end(),
                     [&](const MeasurementFile& file) { return file.context.cluster == cluster; });
}

std::vector<std::unique_ptr<Method>> blind_methods(const ReferenceData& reference, bool calibrated, int threads) {
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(make_simulator(reference, {.name = ours, .fitted = calibrated, .threads = threads}));
  methods.push_back(make_straight_line());
  methods.push_back(make_linear());
  methods.push_back(make_amdahl());
  methods.push_back(make_mfu_rule(reference));
  return methods;
}

/// The simulator's points. Each one was answered or refused, because its cluster is known.
std::vector<BlindPoint> points_of(const ValidationResult& result) {
  std::vector<BlindPoint> points;
  for (const auto& point : result.points) {
    BlindPoint one{point.series, point.measured_s, {}};
    if (const auto found = point.forecasts.find(ours); found != point.forecasts.end()) one.predicted = found->second;
    points.push_back(std::move(one));
  }
  return points;
}

/// The mean error of each other method that answered every point.
std::map<std::string, double> baselines_of(const ValidationResult& result) {
  std::map<std::string, double> errors;
  for (const auto& score : result.scores)
    if (score.method != ours && score.overall.points == static_cast<int>(result.points.size()))
      errors[score.method] = score.overall.mean_error;
  return errors;
}

void score_steps(const ReferenceData& reference, const BlindQuestion& question, BlindKnowledge known, int threads,
                 std::vector<BlindScore>& scores) {
  auto files = question.shipped;
  files.push_back(question.file);
  const auto series = group_series(files);
  for (const bool layouts : {false, true}) {
    const auto split = split_of(question, series, known, layouts);
    if (split.parts.empty()) continue;
    const auto methods = blind_methods(reference, is_calibrated(question, known), threads);
    const auto result = validate_splits(files, series, {split}, methods, {});
    scores.push_back(blind_score(layouts ? "layouts" : "training steps", known, points_of(result)));
    scores.back().baselines = baselines_of(result);
  }
}

} // namespace

std::string to_text(BlindKnowledge known) {
  switch (known) {
  case BlindKnowledge::nothing:
    return "nothing";
  case BlindKnowledge::one_gpu:
    return "one GPU";
  case BlindKnowledge::one_node:
    return "one node";
  }
  return "";
}

namespace {

/// Sums and lists over the points so far.
struct BlindTally {
  std::map<std::string, std::vector<double>> errors_of_series;
  std::vector<double> errors;
  std::vector<double> biases;      ///< ln(predicted / measured) of answered points
  std::vector<double> half_widths; ///< half-widths of the intervals of answered points
  std::vector<double> held;        ///< 1 where the interval holds the measured time, else 0
  Fnv1a answers;
};

void add_refused(const BlindPoint& point, BlindTally& tally) {
  constexpr double error_of_refusal = 0.5;
  tally.errors.push_back(error_of_refusal);
  tally.errors_of_series[point.series].push_back(error_of_refusal);
  tally.held.push_back(0);
  tally.answers.take("refused\n");
}

void add_answered(const BlindPoint& point, const Forecast& predicted, BlindTally& tally) {
  const double bias = std::log(predicted.predicted_s / point.measured_s);
  tally.biases.push_back(bias);
  tally.errors.push_back(std::abs(bias));
  tally.errors_of_series[point.series].push_back(std::abs(bias));
  tally.held.push_back(predicted.low_s <= point.measured_s && point.measured_s <= predicted.high_s ? 1 : 0);
  tally.half_widths.push_back(0.5 * std::log(predicted.high_s / predicted.low_s));
  tally.answers.take(fmt::format("{:.9g} {:.9g} {:.9g}\n", predicted.predicted_s, predicted.low_s, predicted.high_s));
}

double mean_of_series(const BlindTally& tally) {
  std::vector<double> means;
  for (const auto& [series, errors] : tally.errors_of_series) means.push_back(mean(errors));
  return mean(means);
}

} // namespace

BlindScore blind_score(const std::string& kind, BlindKnowledge known, const std::vector<BlindPoint>& points) {
  BlindTally tally;
  for (const auto& point : points) {
    if (point.predicted) {
      add_answered(point, *point.predicted, tally);
    } else {
      add_refused(point, tally);
    }
  }
  BlindScore score{kind, known};
  score.points = static_cast<int>(points.size());
  score.refused = score.points - static_cast<int>(tally.biases.size());
  score.mean_error = mean_of_series(tally);
  score.median_error = median(tally.errors);
  score.bias = mean(tally.biases);
  score.held = mean(tally.held);
  score.half_width = mean(tally.half_widths);
  score.answers = tally.answers.text();
  return score;
}

std::vector<BlindScore> score_blind(const DataFolder& data, const BlindQuestion& question,
                                    const std::vector<BlindKnowledge>& known, int threads) {
  const auto reference = read_reference_data(data);
  const auto& file = question.file;
  if (reference.clusters.count(file.context.cluster) == 0) {
    std::vector<std::string> names;
    for (const auto& [name, one] : reference.clusters) names.push_back(name);
    throw UserError(file.file.string(), "", unknown_name_text("cluster", file.context.cluster, names, names));
  }
  std::vector<BlindScore> scores;
  for (const auto mode : known) {
    score_steps(reference, question, mode, threads, scores);
    if (mode == BlindKnowledge::nothing) score_collectives(reference, file, scores);
  }
  if (scores.empty())
    throw UserError(file.file.string(), "",
                    "no record of it is left to predict; give training steps on several GPUs, or all-reduces, and what "
                    "is known of them (--nothing-known, --one-gpu-known, --one-node-known)");
  return scores;
}

} // namespace ddlsim
