#pragma once
// What a buyer asks: scenarios/plans/NAME.json. A training, what is given for it, and what could be bought or rented.

#include "sim/base/json.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/scenario.hpp"
#include "sim/formats/strategy.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// The training whose time is asked for.
struct Workload {
  std::string model;
  std::string convergence{};        ///< runs that tell the epochs by the global batch; "": samples and epochs are given
  double tokens = 0;                ///< of the whole training, of a model of sequences; 0: samples and epochs are given
  double samples = 0;               ///< of the data set: an epoch
  double epochs = 0;                ///< 0: by the convergence
  double start_up_s = 0;            ///< from the start of the job until the first iteration; paid, and trains nothing
  double batch_per_gpu = 0;         ///< 0: the global batch is given
  double global_batch = 0;          ///< of all GPUs together, whatever their number; 0: the batch of a GPU is given
  double evaluation_samples = 0;    ///< that an evaluation reads; 0: there is none
  double epochs_per_evaluation = 1; ///< epochs from one evaluation to the next
  Precision precision = Precision::fp32;
  WirePrecision wire_precision = WirePrecision::fp32;
  InputPipeline input{}; ///< as a scenario has it: without it, reading the data is not in the time
  InputNames input_names{};
};

/// Failures of nodes, and what guards against them.
struct FailureRules {
  double node_mtbf_s = 0;          ///< mean time between failures of one node; 0: nothing fails
  double checkpoint_s = 0;         ///< to write one checkpoint, while training waits; 0: by the storage
  double storage_Bps = 0;          ///< at which a checkpoint is written; 0: its time is given
  double bytes_per_parameter = 12; ///< of a checkpoint: Adam's fp32 weights and two moments
  double restart_s = 0;            ///< from a failure until training goes on from the last checkpoint
  double repair_s = 0;             ///< of a failed node; 0: another is there at once
  int spare_nodes = 0;             ///< that wait, paid for, to take the place of failed ones

  bool operator==(const FailureRules&) const = default;
};

/// Mean time between failures of a node where a request does not say: 419 unexpected interruptions of 16,384 GPUs in
/// nodes of 8 during 54 days. A. Dubey et al., "The Llama 3 Herd of Models", 2024, section 3.3.4.
inline constexpr double usual_node_mtbf_s = 54 * 86'400.0 * (16'384 / 8.0) / 419;

/// What may be spent. 0: not limited.
struct PlanLimits {
  double deadline_s = 0;
  double budget_usd = 0;
  double power_w = 0; ///< of all nodes, cooling included
  int nodes = 0;
  double chance = 0.9; ///< with which deadline and budget must be met

  bool operator==(const PlanLimits&) const = default;
};

/// What a kilowatt-hour costs, and what the room adds.
struct EnergyRules {
  double usd_per_kwh = 0; ///< 0: not counted
  /// Power usage effectiveness: energy of the room over that of its nodes. Not stated: what sites reported on average,
  /// Uptime Institute, Global Data Center Survey 2023.
  double pue = 1.58;

  bool operator==(const EnergyRules&) const = default;
};

/// What one node of a candidate costs, in place of what its cluster's file says.
struct CandidatePrice {
  PriceKind kind = PriceKind::on_demand;
  double usd = 0;       ///< of a node: for an hour where it is rented, once where it is bought, 0 where one owns it
  double years = 0;     ///< over which a purchase is written off
  std::string source{}; ///< where the price stands, with its date; "" where nobody says

  bool operator==(const CandidatePrice&) const = default;
};

/// One machine that could be had, and how it would be used.
struct PlanCandidate {
  std::string name;
  std::string cluster;
  std::string preset;
  std::string transport{};
  std::vector<Strategy> strategies;
  std::vector<int> gpus{};  ///< ascending; none: one GPU, then doubling up to what growth and limits allow
  double batch_per_gpu = 0; ///< in place of the workload's; 0: the workload's
  int cores_per_node = 0;   ///< that decode, in place of the input's; 0: the input's
  double network_Bps = 0;   ///< line rate of each NIC in place of the cluster's; 0: the cluster's
  std::optional<CandidatePrice> price{};
};

struct PlanRequest {
  std::string name;
  Workload workload;
  PlanGoal goal = PlanGoal::cost;
  PlanLimits limits;
  FailureRules failures;
  EnergyRules energy;
  SlowNode slow_node; ///< that a job on several nodes has among them
  std::vector<PlanCandidate> candidates;
  std::uint64_t seed = 1;
  int samples = 200; ///< draws of the parameters behind every chance and interval
};

/// Throws UserError with every mistake of the file. Names of models, clusters and presets are looked up later.
PlanRequest read_plan_request(const std::filesystem::path& file, const std::vector<JsonChange>& changes = {},
                              const std::function<void(nlohmann::json&)>& edit = {});

// How many epochs a training needs to reach its target, by the samples of an iteration:
// scenarios/convergence/NAME.json.

/// Runs to the target that took the same number of samples in an iteration.
struct ConvergencePoint {
  double global_batch = 0; ///< samples of an iteration, of all GPUs together
  double epochs = 0;       ///< to the target, mean of the runs
  double deviation = 0;    ///< of one run from that mean, epochs; 0 where all runs agree
  int runs = 0;
};

struct Convergence {
  std::string name;
  std::vector<std::string> models; ///< that the runs trained
  std::string target;              ///< what was reached, and by which optimizer
  std::string source;
  double samples = 0;                   ///< of an epoch
  std::vector<ConvergencePoint> points; ///< by ascending batch, three or more
};

/// Throws UserError with every mistake of the file.
Convergence read_convergence(const std::filesystem::path& file);

} // namespace ddlsim
