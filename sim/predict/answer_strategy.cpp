#include "sim/predict/answer_strategy.hpp"

#include "sim/base/text_file.hpp"
#include "sim/formats/stand_in_preset.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/at_hand.hpp"
#include "sim/predict/batch_at_scale.hpp"
#include "sim/predict/input.hpp"
#include "sim/predict/known_files.hpp"
#include "sim/predict/largest_efficient_scale.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

namespace ddlsim {
namespace {

/// The settings that the strategy leaves to the preset. A strategy that searches for the best servers leaves none,
/// because it reports its own choice.
std::vector<std::string> left_open_by(const Strategy& strategy, const Preset& preset) {
  std::vector<std::string> open;
  if (!is_parameter_server(strategy.name)) return open;
  const bool searched = seeks_best_servers(strategy);
  if (strategy.servers.rule == ServerCount::Rule::unknown) open.emplace_back("servers");
  if (strategy.placement == Placement::unknown && !searched) open.emplace_back("placement");
  if (strategy.sharding == Sharding::unknown && !(searched && !preset.sharding_choices.empty()))
    open.emplace_back("sharding");
  return open;
}

/// Sets how the benchmark must run: in the same manner as the largest all-reduce at its scale.
void name_deciding_all_reduce(const StrategyAnswer& answer, MeasureNext& next) {
  if (next.parameter.empty() || is_input_factor(next.parameter)) return;
  if (!parameter_field(next.parameter).seen_by.all_reduce) return;
  for (const auto& point : answer.points) {
    if (point.gpus != next.at_gpus || point.protocol.empty()) continue;
    next.algorithm = point.algorithm;
    next.protocol = point.protocol;
    next.all_reduce_bytes = point.largest_collective_bytes;
  }
}

/// Adds to each point its iteration time without the other jobs on the fabric.
void add_alone(std::vector<PredictedPoint>& points, const Curve& curve, const PredictOptions& options) {
  if (!curve.setup.fabrics || curve.setup.fabrics->co_location().neighbours.empty()) return;
  Curve alone = curve;
  alone.setup.fabrics = curve.setup.fabrics->without_neighbours();
  std::vector<int> scales;
  for (const auto& point : points) scales.push_back(point.gpus);
  const auto answers = predict_points(alone, scales, options.fidelity, [](int) {});
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& one = answers[i].point;
    if (one.error.empty()) points[i].alone = {one.iteration_s, one.iteration_s_low, one.iteration_s_high};
  }
}

OneGpuRate one_gpu_rate(const Scenario& scenario, const Model& model, const Knowledge& known) {
  const auto compute = one_gpu_of(scenario, scenario.strategies.front(), model, known);
  return {scenario.batch_per_gpu / compute.one_gpu_s, compute.label, compute.text};
}

/// Adds a warning when the strategy's stack has no preset.
void warn_of_stand_in(const Curve& curve, std::vector<std::string>& warnings) {
  const auto& name = curve.setup.preset.name;
  if (!curve.stand_in && name != unnamed_framework) return;
  const auto warning = stand_in_text(name);
  if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
}

bool is_known(const Curve& curve, std::string_view parameter) {
  const auto fields = parameter_fields();
  const auto at =
      std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.name == parameter; });
  const auto place = static_cast<std::size_t>(at - fields.begin());
  return place < curve.calibration.identified.size() && curve.calibration.identified[place];
}

/// Adds a warning when traffic between nodes uses a NIC whose rate is assumed. No warning is needed once a run across
/// nodes or a measured all-reduce shows the rate that software reaches.
void warn_of_assumed_rate(const Curve& curve, const StrategyAnswer& answer, std::vector<std::string>& warnings) {
  const bool crosses = std::any_of(answer.points.begin(), answer.points.end(),
                                   [](const PredictedPoint& point) { return point.error.empty() && point.nodes > 1; });
  const auto& setup = curve.setup;
  const bool measured = curve.calibration.largest_nodes > 1 || is_known(curve, "nic_efficiency");
  if (!crosses || measured || setup.transport.nic.empty()) return;
  const auto& nic = find_nic(setup.cluster, setup.transport.nic);
  if (!nic.bandwidth_assumed) return;
  const auto warning =
      fmt::format("no source states the rate of NIC \"{}\" of {}: {} are assumed, and the intervals "
                  "are wider for it; a run on two nodes settles it",
                  nic.name, setup.cluster.name, print_quantity(nic.bandwidth_Bps, Dimension::bandwidth));
  if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
}

MeasuredReach reach_of(const CalibrationInfo& info) {
  return {info.largest_gpus, info.largest_nodes, info.largest_donor_nodes};
}

/// What a strategy's answer says beside its points.
void describe_strategy(const Strategy& strategy, const Curve& curve, const OneGpuRate& one_gpu,
                       StrategyAnswer& answer) {
  answer.strategy = strategy;
  answer.one_gpu = one_gpu;
  answer.preset = curve.setup.preset.name;
  answer.left_open = left_open_by(strategy, curve.setup.preset);
  answer.taken = strategy;
  if (!answer.left_open.empty()) answer.taken = strategy_taken(curve.setup, curve.median);
  answer.transport = curve.setup.transport.name;
  answer.measured = reach_of(curve.calibration);
  if (is_parameter_server(strategy.name)) return;
  answer.library = to_text(library_of(curve.setup, curve.median));
  answer.library_stated = strategy.library.has_value();
}

/// The largest of the asked scales up to which every point reaches the bound, of a batch that the scale divides.
LargestEfficientScale largest_asked(const std::vector<PredictedPoint>& points, double bound) {
  LargestEfficientScale largest;
  const auto last_above = [&](double PredictedPoint::*efficiency) {
    int gpus = 0;
    for (const auto& point : points) {
      if (!point.error.empty()) continue;
      if (point.*efficiency < bound) break;
      gpus = point.gpus;
    }
    return gpus;
  };
  largest.gpus = last_above(&PredictedPoint::efficiency);
  largest.gpus_low = last_above(&PredictedPoint::efficiency_low);
  largest.gpus_high = last_above(&PredictedPoint::efficiency_high);
  for (const auto& point : points)
    if (point.gpus == largest.gpus) largest.bottleneck = point.bottleneck;
  return largest;
}

/// Reports the stages of a strategy: a scale each, and the searches beyond them.
class Stages {
public:
  Stages(const Scenario& scenario, const Strategy& strategy, std::size_t before, const PredictOptions& options)
      : label_(label_of(strategy)), done_(before * (scenario.gpus.size() + 1)),
        all_(scenario.strategies.size() * (scenario.gpus.size() + 1)), options_(options) {}

  void begin(const std::string& what) {
    if (options_.progress) options_.progress({label_ + what, done_, all_});
    ++done_;
  }

private:
  std::string label_;
  std::size_t done_;
  std::size_t all_;
  const PredictOptions& options_;
};

/// A possible point with its samples and its curve.
struct PossiblePoint {
  PointAndSamples found;
  std::shared_ptr<const Curve> curve;
};

/// Answers one strategy. A question whose batch follows from the scale has a curve for each batch.
class StrategyAnswerer {
public:
  StrategyAnswerer(const AskedStrategy& asked, std::vector<std::string>& warnings)
      : asked_(asked), warnings_(warnings), stages_(asked.scenario, asked.strategy, asked.before, asked.options) {}

  AnsweredStrategy answer() {
    AnsweredStrategy answered;
    auto& answer = answered.answer;
    answer.strategy = answer.taken = asked_.strategy;
    answer.preset = scenario_with_preset_of(asked_.scenario, asked_.strategy).preset;
    const auto questions = questions_of(asked_.scenario, asked_.strategy, asked_.files.model());
    for (const auto& question : questions)
      if (question.error.empty())
        add(question, answer);
      else
        answer.points.push_back(impossible(question));
    if (possible_.empty()) {
      const auto curve = curve_of(questions.front());
      describe_strategy(asked_.strategy, *curve, rate_of(questions.front()), answer);
      answered.machine = machine_of(*curve);
      if (asked_.options.answered) asked_.options.answered(*curve, answer);
      return answered;
    }
    const auto& largest = possible_.rbegin()->second;
    answered.machine = machine_of(*largest.curve);
    add_searches(answer);
    answered.at_hand_s = possible_.at(answer.at_hand.gpus).found.sample_times_s;
    if (asked_.options.why) answer.why = why_sentences(*largest.curve, answer.one_gpu, largest.found);
    if (asked_.options.answered) asked_.options.answered(*largest.curve, answer);
    return answered;
  }

private:
  static PredictedPoint impossible(const QuestionAtScales& question) {
    PredictedPoint point;
    point.gpus = question.scenario.gpus.front();
    point.error = question.error;
    return point;
  }

  OneGpuRate rate_of(const QuestionAtScales& question) const {
    return one_gpu_rate(scenario_with_preset_of(question.scenario, question.strategy), asked_.files.model(),
                        asked_.files.knowledge());
  }

  std::shared_ptr<const Curve> curve_of(const QuestionAtScales& question) const {
    auto curve = std::make_shared<Curve>(
        make_curve(question.scenario, question.strategy, asked_.files.model(), asked_.files.knowledge()));
    curve->threads = asked_.options.threads;
    return curve;
  }

  AskedMachine machine_of(const Curve& curve) const {
    return asked_machine(asked_.scenario, asked_.files.model(), asked_.files.knowledge().cluster, curve.setup.gpu,
                         curve.setup.transport);
  }

  void add(const QuestionAtScales& question, StrategyAnswer& answer) {
    const auto curve = curve_of(question);
    auto points = points_of(question, curve);
    add_measured(points, scenario_with_preset_of(question.scenario, question.strategy), *curve,
                 asked_.files.measured_steps());
    if (batch_follows_scale(asked_.scenario))
      for (auto& point : points) {
        point.batch_per_gpu = question.scenario.batch_per_gpu;
        point.strategy = question.strategy;
      }
    answer.points.insert(answer.points.end(), points.begin(), points.end());
    const bool any = std::any_of(points.begin(), points.end(), [](const auto& point) { return point.error.empty(); });
    if (!any && !answer.transport.empty()) return; // another scale has described the strategy
    describe_strategy(question.strategy, *curve, rate_of(question), answer);
    warn_of_stand_in(*curve, warnings_);
    warn_of_assumed_rate(*curve, answer, warnings_);
  }

  std::vector<PredictedPoint> points_of(const QuestionAtScales& question, const std::shared_ptr<const Curve>& curve) {
    const auto narrate = [&](int gpus) { stages_.begin(fmt::format(" at {} GPUs", gpus)); };
    std::vector<PredictedPoint> points;
    for (auto& one : predict_points(*curve, question.scenario.gpus, asked_.options.fidelity, narrate)) {
      points.push_back(one.point);
      if (!one.point.error.empty()) continue;
      const int gpus = one.point.gpus;
      possible_.emplace(gpus, PossiblePoint{std::move(one), curve});
    }
    add_alone(points, *curve, asked_.options);
    return points;
  }

  /// Sets what is asked beyond the points: how far growing pays, and what to measure for the largest scale and for the
  /// one at hand.
  void add_searches(StrategyAnswer& answer) {
    stages_.begin(": how far growing pays");
    answer.at_hand.gpus = gpus_at_hand(answer.points, asked_.available_gpus);
    const auto& [gpus, largest] = *possible_.rbegin();
    const auto& at_hand = possible_.at(answer.at_hand.gpus);
    answer.efficient_against_gpus = fits_on_one_gpu(*largest.curve) ? 1 : answer.at_hand.gpus;
    answer.largest_scale = largest_scale(answer, *largest.curve);
    answer.measure_next = find_measure_next(*largest.curve, gpus, largest.found.sample_times_s);
    answer.at_hand.measure_next = find_measure_next(*at_hand.curve, answer.at_hand.gpus, at_hand.found.sample_times_s);
    name_deciding_all_reduce(answer, answer.measure_next);
    name_deciding_all_reduce(answer, answer.at_hand.measure_next);
  }

  LargestEfficientScale largest_scale(const StrategyAnswer& answer, const Curve& curve) const {
    const auto& scenario = asked_.scenario;
    if (scenario.batch_per_gpu == 0) return largest_asked(answer.points, scenario.efficiency_bound);
    std::map<int, double> efficiencies;
    for (const auto& [gpus, possible] : possible_) efficiencies[gpus] = possible.found.point.efficiency;
    return find_largest_efficient_scale(curve, scenario.efficiency_bound, asked_.options.fidelity, efficiencies,
                                        answer.efficient_against_gpus);
  }

  const AskedStrategy& asked_;
  std::vector<std::string>& warnings_;
  Stages stages_;
  std::map<int, PossiblePoint> possible_; ///< by GPUs
};

} // namespace

OneGpuRate rate_of_one_gpu(const Scenario& scenario, const KnownFiles& files) {
  return one_gpu_rate(scenario, files.model(), files.knowledge());
}

AnsweredStrategy answer_strategy(const AskedStrategy& asked, std::vector<std::string>& warnings) {
  return StrategyAnswerer(asked, warnings).answer();
}

} // namespace ddlsim
