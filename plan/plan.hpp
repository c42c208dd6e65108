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
struct Likely {
  double value = 0;  ///< of the likeliest sample, as predict has it
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
  Likely time_s;             ///< of the whole training
  std::optional<Likely> usd; ///< nothing where no price is known
  Likely kwh;                ///< 0 where no power is known
  double room_power_w = 0;
  double checkpoint_interval_s = 0; ///< 0 where nothing fails
  double goodput = 1;    ///< share of the time that is training: the rest is checkpoints, failures, the start
  double efficiency = 0; ///< as predict tells it
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

/// The measurement that would tell first choice and runner-up apart.
struct SettlingMeasurement {
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
  SettlingMeasurement settle;
  std::vector<RefusedOption> refused;
  std::vector<std::string> prices; ///< a line a candidate: price and power, and where they are from
  std::vector<std::string> warnings;
};

/// Options that are simulated with all samples.
inline constexpr std::size_t most_simulated = 50;

/// 1. Every option is timed by its likeliest sample and by formulas.
/// 2. Those that keep the limits so are simulated with all samples, most_simulated of them: first the best of each
///    candidate and strategy, then what none beats in time, cost and energy together, then the best by the goal.
/// 3. Those that meet the limits with the chance asked for come first; the first choice has the least median of the
///    goal over its samples: where an interval is skewed the likeliest is not what to expect.
/// `run_tasks` simulates options beside each other; answers are the same to the bit.
/// Throws UserError when a name is unknown, or no option can be; std::runtime_error when a task fails.
Plan make_plan(const PlanRequest& request, const DataFolder& data, const RunTasks& run_tasks = in_this_process());

// A plan for a person and for a machine.

/// One screen: what to take, the runner-up, the chance that the order is wrong, what to measure first; then the best
/// options as a table.
std::string to_terminal_text(const Plan& plan);

/// The same sentences, and the options as a Markdown table.
std::string to_markdown_text(const Plan& plan);

/// The fields of docs/planning.md, SI units, 9 significant digits; same plan, same bytes.
std::string to_json_text(const Plan& plan);

/// A row for each option, SI units.
std::string to_csv_text(const Plan& plan);

/// The sentences of the first screen, each one paragraph.
std::vector<std::string> plan_sentences(const Plan& plan);

/// The cells of an option in a table for people; their headers. Epochs are among them where they differ.
std::vector<std::string> option_cells(const Plan& plan, const PlannedOption& option);
std::vector<std::string> option_headers(const Plan& plan);

} // namespace ddlsim
