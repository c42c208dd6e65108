#pragma once
// Answers a buyer's request with the option to take, its uncertainty, and what to measure first, for `ddlsim plan`.

#include "plan/whole_training.hpp"
#include "sim/base/child_process.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/plan_request.hpp"
#include "sim/predict/prediction.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// A figure with its 90 % interval.
struct Estimate {
  double value = 0;  ///< figure with the likeliest parameters, as `predict` shows it
  double median = 0; ///< median over the samples
  double low = 0;
  double high = 0;
};

/// Why an option is worth a row. It has the least time, cost, energy or number of GPUs, or the highest chance to keep the
/// limits. Else it is the runner-up, or no option beats it in time, cost and energy together.
enum class ChoiceReason { fastest, cheapest, least_energy, fewest_gpus, most_certain, runner_up, front };

/// One possible training: a candidate, a strategy and a number of GPUs.
struct PlannedOption {
  std::string candidate;
  std::string cluster;
  Strategy strategy;
  int gpus = 0;
  int nodes = 0;       ///< number of nodes that are paid for, with those of servers and the spares
  int spare_nodes = 0; ///< number of spares included in `nodes`
  double batch_per_gpu = 0;
  double global_batch = 0; ///< number of samples of an iteration on all GPUs
  double epochs = 0;
  double iterations = 0;
  Estimate time_s;             ///< time of the whole training
  std::optional<Estimate> usd; ///< cost in dollars; empty if no price is known
  Estimate kwh;                ///< energy; 0 if no power is known
  Estimate iteration_s;
  double tokens = 0;           ///< tokens of the whole training; 0 if samples are given
  double tokens_per_s = 0;     ///< of an iteration, not of the whole training; 0 if a sample is not a sequence
  double flop_utilisation = 0; ///< of an iteration; 0 if the GPU's peak is not known
  double peak_memory_bytes = 0;
  int layouts_tried = 0; ///< layouts among which its own was searched; 0: it was stated
  double room_power_w = 0;
  double checkpoint_interval_s = 0; ///< 0 if nothing fails
  /// share of the time in which the job trains, and does not start, write checkpoints or repeat work after failures
  double goodput = 1;
  double efficiency = 0; ///< throughput of a GPU over that of a single GPU that trains alone
  std::string bottleneck;
  std::string tight_memory; ///< "77 of 80 GiB" where a GPU's peak is within the count's error of its memory; else ""
  EvidenceLabel evidence = EvidenceLabel::assumed;
  bool extrapolated = false;
  double chance = 0; ///< probability that deadline and budget are met
  double deadline_chance = 0;
  double budget_chance = 0;
  bool budget_is_judged = true;        ///< false where there is a budget and no price is known
  bool chance_is_known = true;         ///< false where only the budget of other options can be judged
  std::vector<ChoiceReason> reasons{}; ///< why it is worth a row, the strongest first; empty: nothing special
  bool on_front = false;               ///< whether no other option is better in time, cost and energy together
  /// whether the option was simulated with all samples; if not, it has no interval and no chance
  bool simulated = false;
};

/// Why an option is refused: it cannot run, a GPU's memory is too small, a limit on nodes, or one on power.
enum class Refusal { impossible, memory, nodes, power };
/// returns "impossible", "memory", "nodes" or "power"
std::string to_text(Refusal refusal);

/// An option that is impossible, or that breaks a limit for any parameters.
struct RefusedOption {
  std::string candidate;
  std::string strategy;
  int gpus = 0;
  std::string why;
  Refusal kind = Refusal::impossible;
  int nodes = 0;                    ///< nodes that it would take; this and what follows: of `nodes` and `power` only
  double power_w = 0;               ///< with cooling; 0: not known
  std::optional<Outcome> outcome{}; ///< with the likeliest parameters
};

/// What may be given so that a plan keeps its limits: more time, more money, both, more nodes, more power, more GPUs
/// than were asked about, or a run that needs less memory.
enum class Remedy { time, money, time_and_money, nodes, power, gpus, memory };

/// One way to keep the limits where nothing keeps them, and the option that would.
struct Relief {
  Remedy remedy = Remedy::time;
  std::string candidate;
  std::string strategy;
  int gpus = 0;
  double deadline_s = 0;   ///< limits with which the option keeps them; of time and money only; 0: none
  double budget_usd = 0;   ///< the same
  double chance = 0;       ///< with these limits
  int nodes = 0;           ///< of nodes and power only
  double power_w = 0;      ///< of nodes and power only
  std::string would_fit{}; ///< of memory: what of its run would fit, in words
};

/// The machine of a candidate, with its price and power.
struct CandidateMachine {
  std::string candidate;
  std::string cluster;
  std::string gpu;
  int gpus_per_node = 0;
  std::optional<double> usd_per_node_hour; ///< with a purchase written off; empty if no price is known
  std::string price_date;                  ///< "" if none is stated
  std::optional<double> power_w;           ///< power of a node; empty if it is not known
  double gpu_memory_bytes = 0;             ///< 0 if it is not known
};

/// Returns the figure of an option by which options are compared: the median of its samples, or the figure with the
/// likeliest parameters if it was not simulated.
double shown_figure(const Estimate& figure);

/// The measurement that would best decide between the first choice and the runner-up.
struct DiscriminatingMeasurement {
  std::string candidate; ///< the candidate whose machine it should run on
  int gpus = 0;
  std::string parameter; ///< name as in priors.json; "" if no single parameter dominates
  std::string what;
  double interval_now = 0;  ///< half-width of the 90 % interval of ln of the ratio of the two figures
  double interval_then = 0; ///< this half-width if the parameter were known
};

struct Plan {
  PlanRequest request;
  PlanGoal ranked_by = PlanGoal::cost; ///< the goal, or another one if the figure of the goal is not known
  std::string why_other_goal;          ///< why it is another goal; "" if it is the goal
  std::vector<PlannedOption> options;  ///< options that meet the limits, the best by ranked_by first
  bool limits_met = false;             ///< whether the first option meets the limits with the requested probability
  /// index of the runner-up, which has another candidate or strategy if there is one
  std::optional<std::size_t> runner_up;
  /// false where there is a budget and no option has a price; then the other limits alone decide
  bool budget_is_judged = true;
  double runner_up_better = 0; ///< probability that the runner-up is the better choice
  DiscriminatingMeasurement discriminating;
  std::vector<RefusedOption> refused;
  std::vector<Relief> reliefs; ///< what would let the plan keep its limits; empty if it does
  std::vector<CandidateMachine> machines;
  std::vector<std::string> prices; ///< a line for each candidate: price and power with their sources
  std::vector<std::string> warnings;
  std::vector<std::string> further_warnings; ///< about options beside the first choice
};

/// Returns the limits that decide: those of the request, without a budget that no option can be judged by.
PlanLimits judged_limits(const Plan& plan);

/// The largest number of options that are simulated with all samples.
inline constexpr std::size_t most_simulated = 50;

/// 1. Every option is timed with the likeliest parameters, by closed formulas.
/// 2. Those that keep the limits by that are simulated with all samples, most_simulated of them: first the best of each
///    candidate and strategy, then what none beats in time, cost and energy together, then the best by the goal.
/// 3. Those that meet the limits with the chance asked for come first; the first choice has the least median of the
///    goal over its samples: where an interval is skewed the likeliest is not what to expect.
/// `threads` threads time the options, and `run_tasks` simulates them beside each other; answers are the same to the bit.
/// Throws UserError when a name is unknown, or no option can be; std::runtime_error when a task fails.
Plan make_plan(const PlanRequest& request, const DataFolder& data, const RunTasks& run_tasks = in_this_process(),
               int threads = 1);

} // namespace ddlsim
