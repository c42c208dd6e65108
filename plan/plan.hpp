#pragma once
// `ddlsim plan`: a buyer's request in; what to take, how sure that is, and what to measure first, out.

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
  double value = 0;  ///< with the likeliest parameters, as `predict` prints it
  double median = 0; ///< of the samples: half of them have less
  double low = 0;
  double high = 0;
};

/// One way to train: a candidate, a strategy, a number of GPUs.
struct PlannedOption {
  std::string candidate;
  std::string cluster;
  Strategy strategy;
  int gpus = 0;
  int nodes = 0;       ///< that are paid for, those of servers and the spares included
  int spare_nodes = 0; ///< of them
  double batch_per_gpu = 0;
  double global_batch = 0; ///< samples of an iteration
  double epochs = 0;
  double iterations = 0;
  Estimate time_s;             ///< of the whole training
  std::optional<Estimate> usd; ///< nothing where no price is known
  Estimate kwh;                ///< 0 where no power is known
  double room_power_w = 0;
  double checkpoint_interval_s = 0; ///< 0 where nothing fails
  double goodput = 1;    ///< share of the time that is training: the rest is checkpoints, failures, the start
  double efficiency = 0; ///< throughput a GPU over that of one GPU alone
  std::string bottleneck;
  EvidenceLabel evidence = EvidenceLabel::assumed;
  bool extrapolated = false;
  double chance = 0;      ///< that deadline and budget are met
  bool on_front = false;  ///< no other option is better in time, cost and energy together
  bool simulated = false; ///< with all samples; else by its likeliest alone, without interval and chance
};

/// An option that is impossible, or breaks a limit whatever the parameters are.
struct RefusedOption {
  std::string candidate;
  std::string strategy;
  int gpus = 0;
  std::string why;
};

/// The measurement that would best separate first choice and runner-up.
struct DiscriminatingMeasurement {
  std::string candidate; ///< where it is run
  int gpus = 0;
  std::string parameter; ///< as in priors.json; "" where none stands out
  std::string what;
  double interval_now = 0;  ///< half-width of the logarithm of how many times as good the first choice is
  double interval_then = 0; ///< with that parameter known
};

struct Plan {
  PlanRequest request;
  PlanGoal ranked_by = PlanGoal::cost;  ///< the goal, or another where its figure is not known
  std::string why_other_goal;           ///< "" where ranked_by is the goal
  std::vector<PlannedOption> options;   ///< the best first: those that meet the limits by what they are ranked by
  bool limits_met = false;              ///< by the first option, with the chance asked for
  std::optional<std::size_t> runner_up; ///< of another candidate or strategy where there is one
  double runner_up_better = 0;          ///< chance that the runner-up is the better choice
  DiscriminatingMeasurement discriminating;
  std::vector<RefusedOption> refused;
  std::vector<std::string> prices; ///< a line a candidate: price and power, and where they are from
  std::vector<std::string> warnings;
};

/// Options that are simulated with all samples.
inline constexpr std::size_t most_simulated = 50;

/// 1. Every option is timed with the likeliest parameters, by closed formulas.
/// 2. Those that keep the limits by that are simulated with all samples, most_simulated of them: first the best of each
///    candidate and strategy, then what none beats in time, cost and energy together, then the best by the goal.
/// 3. Those that meet the limits with the chance asked for come first; the first choice has the least median of the
///    goal over its samples: where an interval is skewed the likeliest is not what to expect.
/// `run_tasks` simulates options beside each other; answers are the same to the bit.
/// Throws UserError when a name is unknown, or no option can be; std::runtime_error when a task fails.
Plan make_plan(const PlanRequest& request, const DataFolder& data, const RunTasks& run_tasks = in_this_process());

} // namespace ddlsim
