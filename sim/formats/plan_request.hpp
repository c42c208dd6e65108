#pragma once
// A request for a plan: scenarios/plans/NAME.json. It has a training, its limits, and machines that could be bought or
// rented.

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

/// The training that the plan is for.
struct Workload {
  std::string model;
  std::string convergence{}; ///< data that give the epochs by global batch; "": epochs are given
  double tokens = 0;         ///< tokens of the whole training, for models of sequences; 0: samples and epochs are given
  double samples = 0;        ///< samples of the data set, which are one epoch
  double epochs = 0;         ///< number of epochs; 0: from the convergence data
  double start_up_s = 0;     ///< time from the start of the job to the first iteration, which is paid for
  double batch_per_gpu = 0;  ///< batch of one GPU; 0: the global batch is given
  double micro_batch = 0;    ///< samples of a replica at the same time; 0: the strategies' micro-batches decide it
  TrainedPart train{};       ///< what of the model is trained
  std::optional<Optimizer> optimizer{}; ///< nothing: what the measured times have
  double global_batch = 0;       ///< batch of all GPUs together, for any number of GPUs; 0: the batch of a GPU is given
  double evaluation_samples = 0; ///< samples that one evaluation reads; 0: no evaluations
  double epochs_per_evaluation = 1; ///< epochs between two evaluations
  Precision precision = Precision::fp32;
  WirePrecision wire_precision = WirePrecision::fp32;
  std::optional<CrossEntropy> cross_entropy{}; ///< nothing: the preset's
  InputPipeline input{}; ///< input pipeline, with the keys of a scenario's; without it, reading the data takes no time
  InputNames input_names{};
};

/// Failures of nodes, and the measures against them.
struct FailureRules {
  double node_mtbf_s = 0;          ///< mean time between failures of one node; 0: no failures
  double checkpoint_s = 0;         ///< time to write one checkpoint while training waits; 0: from storage_Bps
  double storage_Bps = 0;          ///< rate at which a checkpoint is written; 0: its time is given
  double bytes_per_parameter = 12; ///< size of a checkpoint: Adam's fp32 weights and two moments
  double restart_s = 0;            ///< time from a failure until training continues from the last checkpoint
  double repair_s = 0;             ///< repair time of a failed node; 0: a replacement is there at once
  int spare_nodes = 0;             ///< idle nodes, paid for, that replace failed ones

  bool operator==(const FailureRules&) const = default;
};

/// Mean time between failures of a node if a request states none: 419 unexpected interruptions of 16,384 GPUs in nodes
/// of 8 during 54 days. A. Dubey et al., "The Llama 3 Herd of Models", 2024, section 3.3.4.
inline constexpr double usual_node_mtbf_s = 54 * 86'400.0 * (16'384 / 8.0) / 419;

/// Limits on what is spent. 0: not limited.
struct PlanLimits {
  double deadline_s = 0;
  double budget_usd = 0;
  double power_w = 0; ///< power of all nodes together, including cooling
  int nodes = 0;
  double chance = 0.9; ///< probability with which deadline and budget must be met

  bool operator==(const PlanLimits&) const = default;
};

/// The price of a kilowatt-hour, and the overhead of the room.
struct EnergyRules {
  double usd_per_kwh = 0; ///< price of a kilowatt-hour; 0: energy is not counted
  /// Power usage effectiveness: energy of the room over that of its nodes. Default: the average that sites reported,
  /// Uptime Institute, Global Data Center Survey 2023.
  double pue = 1.58;

  bool operator==(const EnergyRules&) const = default;
};

/// The price of one node of a candidate, which replaces the price in the cluster's file.
struct CandidatePrice {
  PriceKind kind = PriceKind::on_demand;
  double usd = 0;       ///< price of a node: per hour if rented, once if bought, 0 if owned
  double years = 0;     ///< depreciation period of a purchase
  std::string source{}; ///< source of the price with its date; "" if not stated

  bool operator==(const CandidatePrice&) const = default;
};

/// One machine that could be used, and how.
struct PlanCandidate {
  std::string name;
  std::string cluster;
  std::string preset;
  std::string transport{};
  std::vector<Strategy> strategies;
  /// numbers of GPUs, ascending; empty: one GPU, then doubling up to what growth and limits allow
  std::vector<int> gpus{};
  double batch_per_gpu = 0; ///< batch of one GPU in place of the workload's; 0: the workload's
  int cores_per_node = 0;   ///< number of decoding cores in place of the input's; 0: the input's
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
  SlowNode slow_node; ///< a slow node, which every job on several nodes includes
  std::vector<PlanCandidate> candidates;
  std::uint64_t seed = 1;
  int samples = 200; ///< draws of the parameters behind every probability and interval
};

/// Throws UserError with every mistake of the file. Names of models, clusters and presets are looked up later.
PlanRequest read_plan_request(const std::filesystem::path& file, const std::vector<JsonChange>& changes = {},
                              const std::function<void(nlohmann::json&)>& edit = {});

// The number of epochs that a training needs to reach its target, as a function of the samples in an iteration:
// scenarios/convergence/NAME.json.

/// Runs to the target with the same number of samples in an iteration.
struct ConvergencePoint {
  double global_batch = 0; ///< samples in an iteration, all GPUs together
  double epochs = 0;       ///< epochs to the target, mean of the runs
  double deviation = 0;    ///< standard deviation of one run, epochs; 0: all runs agree
  int runs = 0;
};

struct Convergence {
  std::string name;
  std::vector<std::string> models; ///< models that the runs trained
  std::string target;              ///< target that was reached, and the optimizer
  std::string source;
  double samples = 0;                   ///< samples of an epoch
  std::vector<ConvergencePoint> points; ///< three or more points by ascending batch
};

/// Throws UserError with every mistake of the file.
Convergence read_convergence(const std::filesystem::path& file);

} // namespace ddlsim
