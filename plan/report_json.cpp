#include "plan/choice_reason.hpp"
#include "plan/relief.hpp"
#include "plan/report.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/answer_types.hpp"

#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

constexpr int plan_version = 1;

/// A figure of an option. Only an option that was simulated has an interval.
struct ShownEstimate {
  Estimate figure{};
  bool has_interval = false;
};

FieldTable<ShownEstimate> estimate_fields() {
  using One = ShownEstimate;
  const auto of = [](auto member) { return [member](const One& one) { return one.figure.*member; }; };
  const auto type = rounded_type();
  return {{answered<One>("value", of(&Estimate::value), type, "by the likeliest parameters"),
           answered_where<One>(&One::has_interval, "median", of(&Estimate::median), type,
                               "over the samples, of an option that was simulated"),
           answered_where<One>(&One::has_interval, "low", of(&Estimate::low), type, "5 % of the samples are below"),
           answered_where<One>(&One::has_interval, "high", of(&Estimate::high), type, "5 % of the samples are above")}};
}

ShownEstimate time_of(const PlannedOption& option) {
  return {option.time_s, option.simulated};
}

std::optional<ShownEstimate> cost_of(const PlannedOption& option) {
  if (!option.usd) return {};
  return ShownEstimate{*option.usd, option.simulated};
}

std::optional<ShownEstimate> energy_of(const PlannedOption& option) {
  if (option.kwh.value <= 0) return {};
  return ShownEstimate{option.kwh, option.simulated};
}

std::vector<std::string> names_of_reasons(const PlannedOption& option) {
  std::vector<std::string> names;
  for (const auto reason : option.reasons) names.push_back(to_text(reason));
  return names;
}

/// What is trained where, and whether it was simulated.
std::vector<Field<PlannedOption>> option_rows() {
  using One = PlannedOption;
  const auto strategy = [](const One& option) { return label_of(option.strategy); };
  const auto positive = rounded_positive_type();
  return {
      answered<One>("candidate", &One::candidate, text_type(), "of the request"),
      answered<One>("cluster", &One::cluster, text_type(), "of the candidate"),
      answered<One>("strategy", strategy, text_type(), "with its own preset and transport, if it has them"),
      answered<One>("gpus", &One::gpus, number_of_things(1), "that train"),
      answered<One>("nodes", &One::nodes, number_of_things(1), "paid for, with those of servers and the spares"),
      answered<One>("spare_nodes", &One::spare_nodes, number_of_things(), "of these"),
      answered<One>("batch_per_gpu", &One::batch_per_gpu, positive, "samples of an iteration"),
      answered<One>("global_batch", &One::global_batch, positive, "the same on all GPUs"),
      answered<One>("epochs", &One::epochs, positive, "of the whole training"),
      answered<One>("iterations", &One::iterations, positive, "of the whole training"),
      answered<One>("simulated", &One::simulated, boolean_type(),
                    "with all samples; false: by formulas, with the likeliest parameters"),
      answered<One>("on_front", &One::on_front, boolean_type(),
                    "no other option is better in time, cost and energy together, by the medians; a figure that "
                    "one of two does not have is left out between them"),
      answered<One>("reasons", names_of_reasons, list_type(word_type(choice_reasons())),
                    "why it is worth a row, the strongest first; the first five are among the options that keep the "
                    "limits, or among all simulated ones if none does")};
}

/// US dollars for a million tokens of the whole training; nothing where tokens or a price are not known.
std::optional<ShownEstimate> usd_of_million_tokens(const PlannedOption& option) {
  if (!option.usd || option.tokens <= 0) return {};
  const double scale = 1e6 / option.tokens;
  const auto& usd = *option.usd;
  return ShownEstimate{{usd.value * scale, usd.median * scale, usd.low * scale, usd.high * scale}, option.simulated};
}

std::optional<double> power_of(const PlannedOption& option) {
  if (option.room_power_w <= 0) return {};
  return option.room_power_w;
}

/// What an iteration does.
std::vector<Field<PlannedOption>> iteration_rows() {
  using One = PlannedOption;
  const auto positive = rounded_positive_type();
  return {answered<One>(
              "iteration_s",
              [](const One& one) {
                return ShownEstimate{one.iteration_s, one.simulated};
              },
              answer_object(estimate_fields()), "of one iteration"),
          optional("tokens_per_s", &One::tokens_per_s, positive,
                   "of an iteration, by the median of its time, if a sample is a sequence"),
          optional("flop_utilisation", &One::flop_utilisation, positive, "MFU of an iteration, as of a prediction"),
          optional("peak_memory_bytes", &One::peak_memory_bytes, positive, "of the GPU that needs most"),
          optional("layouts_tried", &One::layouts_tried, number_of_things(1),
                   "among which its own was searched, with \"layout\": \"best\"")};
}

/// What the training takes.
std::vector<Field<PlannedOption>> outcome_rows() {
  using One = PlannedOption;
  const auto estimate = answer_object(estimate_fields());
  return {
      answered<One>("time_s", time_of, estimate, "of the whole training"),
      answered<One>("cost_usd", cost_of, or_null(estimate), "US dollars; null: no price is known"),
      answered<One>("energy_kwh", energy_of, or_null(estimate), "null: no power is known"),
      answered<One>("usd_per_million_tokens", usd_of_million_tokens, or_null(estimate),
                    "null: the training states no tokens, or no price is known"),
      answered<One>("power_w", power_of, or_null(rounded_positive_type()),
                    "of the nodes with what cools them; null: not known"),
      answered<One>("goodput", &One::goodput, rounded_type(0, 1),
                    "share of the time spent training, not on checkpoints, failures and the start"),
      answered<One>("checkpoint_interval_s", &One::checkpoint_interval_s, rounded_type(), "0: nothing fails"),
      answered<One>("efficiency", &One::efficiency, rounded_type(), "throughput per GPU over that of a single GPU")};
}

std::optional<double> chance_of(const PlannedOption& option) {
  if (!option.chance_is_known) return {};
  return option.chance;
}

std::optional<double> budget_chance_of(const PlannedOption& option) {
  if (!option.budget_is_judged) return {};
  return option.budget_chance;
}

/// What only the samples of a simulated option say.
std::vector<Field<PlannedOption>> simulated_rows() {
  using One = PlannedOption;
  const auto is_simulated = &One::simulated;
  return {answered_where<One>(is_simulated, "chance", chance_of, or_null(rounded_type(0, 1)),
                              "that it keeps the limits; null: the budget of other options alone can be judged"),
          answered_where<One>(is_simulated, "deadline_chance", &One::deadline_chance, rounded_type(0, 1),
                              "that it keeps the deadline; 1 without one"),
          answered_where<One>(is_simulated, "budget_chance", budget_chance_of, or_null(rounded_type(0, 1)),
                              "that it keeps the budget; 1 without one; null: no price is known"),
          answered_where<One>(is_simulated, "bottleneck", &One::bottleneck, text_type(),
                              "the largest part of an iteration beside compute"),
          answered_where<One>(is_simulated, "evidence", &One::evidence, name_of_type<EvidenceLabel>(),
                              "the weakest among what decides the time"),
          answered_where<One>(is_simulated, "extrapolated", &One::extrapolated, boolean_type(),
                              "it has more nodes than the measurements behind it")};
}

FieldTable<PlannedOption> option_fields() {
  FieldTable<PlannedOption> table{option_rows()};
  add_to(table.fields, iteration_rows());
  add_to(table.fields, outcome_rows());
  add_to(table.fields, simulated_rows());
  return table;
}

FieldTable<RefusedOption> refused_fields() {
  return {{answered<RefusedOption>("candidate", &RefusedOption::candidate, text_type(), "of the request"),
           answered<RefusedOption>("strategy", &RefusedOption::strategy, any_text_type(), "of the candidate"),
           answered<RefusedOption>("gpus", &RefusedOption::gpus, number_of_things(), "0: at any scale"),
           answered<RefusedOption>("why", &RefusedOption::why, text_type(),
                                   "the limit that it breaks, or why it is impossible"),
           answered<RefusedOption>(
               "kind", [](const RefusedOption& one) { return to_text(one.kind); },
               word_type({"impossible", "memory", "nodes", "power"}), "of the reason")}};
}

FieldTable<Relief> relief_fields() {
  using One = Relief;
  const auto positive = rounded_positive_type();
  return {{answered<One>(
               "remedy", [](const One& one) { return to_text(one.remedy); }, word_type(remedies()),
               "what there would have to be more of; memory: what the run would have to need less of"),
           answered<One>("candidate", &One::candidate, text_type(), "of the option that would keep the limits"),
           answered<One>("strategy", &One::strategy, any_text_type(), "the same"),
           answered<One>("gpus", &One::gpus, number_of_things(1), "the same; of gpus: the most that were asked about"),
           optional("deadline_s", &One::deadline_s, positive, "limit with which it would"),
           optional("budget_usd", &One::budget_usd, positive, "limit with which it would"),
           optional("chance", &One::chance, rounded_type(0, 1), "that it keeps these two"),
           optional("nodes", &One::nodes, number_of_things(1), "that it takes, where nodes or power are the limit"),
           optional("power_w", &One::power_w, positive, "that it takes, where nodes or power are the limit"),
           optional("would_fit", &One::would_fit, text_type(), "of memory: what of its run would fit")}};
}

FieldTable<DiscriminatingMeasurement> measurement_fields() {
  using One = DiscriminatingMeasurement;
  return {
      {answered<One>("candidate", &One::candidate, text_type(), "the machine to run it on"),
       answered<One>("gpus", &One::gpus, number_of_things(1), "to run it on"),
       answered<One>("parameter", &One::parameter, text_type(), "as in the priors"),
       answered<One>("what", &One::what, text_type(), "to run, in words"),
       answered<One>("interval_now", &One::interval_now, rounded_type(),
                     "half-width of ln of the ratio of the two options' figures"),
       answered<One>("interval_then", &One::interval_then, rounded_type(), "the same if that parameter were known")}};
}

std::optional<int> runner_up_of(const Plan& plan) {
  if (!plan.runner_up) return {};
  return static_cast<int>(*plan.runner_up);
}

std::optional<double> chance_of_runner_up(const Plan& plan) {
  if (!plan.runner_up) return {};
  return plan.runner_up_better;
}

std::optional<DiscriminatingMeasurement> measurement_of(const Plan& plan) {
  if (plan.discriminating.parameter.empty()) return {};
  return plan.discriminating;
}

FieldTable<CandidateMachine> machine_fields() {
  using One = CandidateMachine;
  const auto positive = rounded_positive_type();
  return {{answered<One>("candidate", &One::candidate, text_type(), "of the request"),
           answered<One>("cluster", &One::cluster, text_type(), "of the candidate"),
           answered<One>("gpu", &One::gpu, any_text_type(), "of its nodes"),
           answered<One>("gpus_per_node", &One::gpus_per_node, number_of_things(), "of the cluster"),
           optional("gpu_memory_bytes", &One::gpu_memory_bytes, positive, "that a GPU has, where it is known"),
           answered<One>("usd_per_node_hour", &One::usd_per_node_hour, or_null(rounded_type()),
                         "with a purchase written off; null: no price is known"),
           optional("price_date", &One::price_date, text_type(), "of a price in the cluster's file"),
           answered<One>("power_w", &One::power_w, or_null(positive), "of a busy node; null: not known")}};
}

std::optional<double> if_limited(double limit) {
  if (limit <= 0) return {};
  return limit;
}

FieldTable<PlanLimits> limit_fields() {
  using One = PlanLimits;
  const auto limit = or_null(rounded_positive_type());
  const auto of = [](auto member) {
    return [member](const One& one) { return if_limited(static_cast<double>(one.*member)); };
  };
  return {{answered<One>("deadline_s", of(&One::deadline_s), limit, "null: none"),
           answered<One>("budget_usd", of(&One::budget_usd), limit, "null: none"),
           answered<One>("power_w", of(&One::power_w), limit, "null: none"),
           answered<One>("nodes", of(&One::nodes), limit, "null: none"),
           answered<One>("chance", &One::chance, rounded_type(0, 1), "with which deadline and budget must be kept")}};
}

/// What is asked.
std::vector<Field<Plan>> asked_rows() {
  const auto work = [](auto member) { return [member](const Plan& plan) { return plan.request.workload.*member; }; };
  const auto tokens = [](const Plan& plan) { return if_limited(plan.request.workload.tokens); };
  const auto limits = [](const Plan& plan) { return plan.request.limits; };
  return {answered<Plan>("model", work(&Workload::model), text_type(), "of the request"),
          answered<Plan>("tokens", tokens, or_null(rounded_positive_type()), "of the whole training; null: not stated"),
          answered<Plan>("precision", work(&Workload::precision), name_of_type<Precision>(), "of the request"),
          answered<Plan>("limits", limits, answer_object(limit_fields()), "of the request")};
}

std::vector<Field<Plan>> choice_rows() {
  const auto request = [](const Plan& plan) { return plan.request.name; };
  return {answered<Plan>("request", request, text_type(), "its name"),
          answered<Plan>(
              "ddlsim", [](const Plan&) { return version(); }, text_type(), "version of the program"),
          answered<Plan>(
              "simgrid", [](const Plan&) { return simgrid_version(); }, text_type(), "version of the library"),
          answered<Plan>("ranked_by", &Plan::ranked_by, name_of_type<PlanGoal>(), "what the first option has least of"),
          answered<Plan>("limits_met", &Plan::limits_met, boolean_type(),
                         "the first option meets them with the chance that the request asks for; a budget that can be "
                         "judged for no option is left out"),
          optional("why_other_goal", &Plan::why_other_goal, text_type(),
                   "why options are not ranked by the goal of the request"),
          answered<Plan>("runner_up", runner_up_of, or_null(number_of_things()),
                         "its place among the options, from 0; of another candidate or strategy, if there is one"),
          answered<Plan>("chance_runner_up_is_better", chance_of_runner_up, or_null(rounded_type(0, 1)),
                         "over the samples"),
          answered<Plan>("measure_first", measurement_of, or_null(answer_object(measurement_fields())),
                         "what would best decide between the first option and the runner-up")};
}

const FieldTable<Plan>& plan_fields() {
  static const auto table = [] {
    auto rows = choice_rows();
    add_to(rows, asked_rows());
    add_to(rows, {answered<Plan>("options", &Plan::options, answer_list(answer_object(option_fields())),
                                 "candidates with a strategy at a scale, the best first"),
                  answered<Plan>("refused", &Plan::refused, answer_list(answer_object(refused_fields())),
                                 "options that break a limit for any parameters, or are impossible"),
                  answered<Plan>("would_keep_limits", &Plan::reliefs, answer_list(answer_object(relief_fields())),
                                 "what would, where nothing keeps the limits"),
                  answered<Plan>("machines", &Plan::machines, answer_list(answer_object(machine_fields())),
                                 "of the candidates, with their prices and power"),
                  answered<Plan>("prices", &Plan::prices, list_type(text_type()),
                                 "a sentence for each candidate: price and power with their sources"),
                  answered<Plan>("warnings", all_warnings, list_type(text_type()), "sentences for the reader")});
    return document<Plan>("ddlsim-plan", plan_version, rows);
  }();
  return table;
}

} // namespace

FileFormat plan_format() {
  return {"plan", "Plan of a training",
          "What `ddlsim plan --json` prints, in SI units, US dollars and kWh with nine significant digits",
          plan_fields().shape(), true};
}

std::string to_json_text(const Plan& plan) {
  return json_text(write_fields(plan_fields(), plan), 1) + "\n";
}

} // namespace ddlsim
