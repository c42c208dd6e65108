#pragma once
// The parameters that determine an iteration (one sample), and many samples drawn from their priors.

#include "sim/formats/cluster.hpp"
#include "sim/formats/library_version.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/preset.hpp"
#include "sim/formats/prior.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// Factors that a sample applies to the medians of the rates and times of a scenario's named input.
struct InputFactors {
  double read = 1;
  double shared_read = 1;
  double open = 1; ///< applies to the time to open a file
  double core = 1;
  double gpu = 1;
  bool operator==(const InputFactors&) const = default;
};

/// Median of Parameters::expert_skew, and by which factor a standard deviation of ln moves it. An expert of a
/// pre-training run with a balancing loss has 1.08 times the mean, 1.22 at worst (shawntan/scattermoe issue 10, 8 experts
/// in 16 layers). Ranks of servers have 1.07 to 1.2 (vllm pull request 50647). A fine-tuning without such a loss had 2.6
/// to 5 on 16 ranks (DeepSpeed issue 8213). Such an imbalance has to be stated.
inline constexpr double likeliest_expert_skew = 0.1;
inline constexpr double expert_skew_factor = 2;

/// One sample. Names are those of platforms/priors.json, with the unit added.
struct Parameters {
  // The ratio of true to estimated one-GPU time is the product of three factors (compute_factor_of).
  double compute_stack = 1;  ///< common to everything that this stack runs on this GPU
  double compute_model = 1;  ///< further factor, common to all batches of one model
  double compute_factor = 1; ///< further factor of one model and batch; the whole ratio if that very time was measured
  double forward_share = 0;  ///< share of forward in compute
  double interference = 0;   ///< compute is slower by the factor 1 + interference while communication runs
  double nic_efficiency = 0; ///< reached rate over line rate
  /// rate at which a node's CPUs copy data for the network, and sum it over MPI; huge for GPUs' RDMA
  double socket_Bps = 0;
  double net_latency_s = 0; ///< latency of one transfer from node to node, including software
  double link_spread = 0;   ///< standard deviation of nodes' NIC rates, as a share; a collective waits for the slowest
  double intra_efficiency = 0;     ///< reached rate over the path rate in the cluster file
  double intra_latency_factor = 0; ///< factor on the path latency in the cluster file
  double operation_cost_s = 0;     ///< cost of one collective operation
  double tensor_cost_s = 0;        ///< cost of one tensor inside a collective operation (negotiation, copies)
  double tensor_cost_slope_s = 0;  ///< added cost for each doubling of the communicating ranks (negotiation_hops)
  double sync_on_s = 0;            ///< cost of synchronisation in each iteration
  double sync_share = 0;         ///< synchronisation cost in proportion to compute: GPUs of a node slow each other down
  double second_node_jump = 0;   ///< share of compute that is lost on two nodes or more
  double step_spread = 0;        ///< standard deviation of a node's compute time, as a share
  double server_process_Bps = 0; ///< rate of one server process, each direction
  double server_connection_Bps = 0;        ///< rate of one connection of a server
  double server_duplex = 0;                ///< share of a NIC's rate that each direction reaches while both are busy
  double server_message_cost_s = 0;        ///< cost of one message at a server
  double model_discrepancy = 1;            ///< factor on the iteration for the deviation that no parameter explains
  std::optional<LibraryVersion> library{}; ///< library of the all-reduces; nothing: the preset's likeliest library
  /// placement rule, among those of the preset's servers; nothing: the likeliest rule
  std::optional<Sharding> sharding{};
  /// order in which tensors are placed by hash (place_tensors); nothing: a typical order
  std::optional<std::uint64_t> key_order{};
  InputFactors input{}; ///< drawn from a separate random stream (draw_input())
  /// share of tokens by which the busiest rank's experts exceed the mean, where nobody states it; drawn from a separate
  /// random stream (draw_expert_skew())
  double expert_skew = likeliest_expert_skew;

  bool operator==(const Parameters&) const = default;
};

/// The properties that measurements must share for a parameter to have one value for them: transport, stack, precision,
/// model, batch. If all are false, the whole cluster shares the value.
struct ParameterScope {
  bool transport = false;
  bool preset = false;
  bool servers = false; ///< stacks with the same servers (`servers_as` of presets.json) count as one
  bool precision = false;
  bool evidence = false; ///< origin of the one-GPU times, because estimates of different kinds have different errors
  bool model = false;
  bool batch = false; ///< batch, and the one-GPU time itself
};

/// The kinds of measurements whose times depend on a parameter.
struct SeenBy {
  bool all_reduce_step = false; ///< time of a training step with all-reduces
  bool server_step = false;     ///< time of a training step with parameter servers
  bool all_reduce = false;      ///< time of an all-reduce without training
  bool message = false;         ///< time of a message without training
  bool server = false;          ///< time of pushes and pulls of one server without training
};

/// The part inside a node to which a parameter belongs; none for a parameter of the traffic between nodes.
enum class NodePart { none, gpu, paths };

/// Whether measurements can determine a parameter, or whether it stays at the median of its class.
enum class ParameterUse { fitted, constant };

/// The properties of one parameter.
struct ParameterField {
  const char* name; ///< name in priors.json; the evidence of the one-GPU time decides the priors of the compute factors
  double Parameters::*value;
  const char* unit; ///< unit in priors.json
  ParameterScope scope;
  SeenBy seen_by;
  const char* measured_by; ///< the command or benchmark that measures it
  NodePart part = NodePart::none;
  ParameterUse use = ParameterUse::fitted; ///< a constant is neither fitted nor drawn
};

/// Returns the ratio of true to estimated one-GPU time.
double compute_factor_of(const Parameters& sample);

/// Whether it is one of the three factors of compute_factor_of().
bool is_compute_factor(const ParameterField& field);

/// Returns one row for each parameter, in the order in which they are drawn.
std::span<const ParameterField> parameter_fields();

/// Returns the row of that name; throws std::out_of_range when there is none.
const ParameterField& parameter_field(std::string_view name);

/// Samples: values[i] belongs to the z-scores z_scores[i][k] of parameter_fields()[k].
struct Draws {
  std::vector<Parameters> values;
  std::vector<std::vector<double>> z_scores;
};

/// Returns the prior of each of parameter_fields(). `compute_prior` names the prior of compute_factor
/// (compute_measured, compute_estimated). Throws UserError when a parameter has none.
std::vector<Prior> priors_of_fields(const std::vector<Prior>& priors, const std::string& compute_prior,
                                    const std::string& transport, const std::string& preset);

/// Returns the priors for a stack: server parameters have the priors of the preset whose servers the stack runs.
std::vector<Prior> priors_of_stack(const std::vector<Prior>& priors, const std::string& compute_prior,
                                   const std::string& transport, const Preset& preset);

/// Returns every parameter at the median of its prior. Here and below `of_fields` has the priors of parameter_fields().
Parameters median_parameters(const std::vector<Prior>& of_fields);

/// Draws `count` rows of `dimensions` standard normal numbers by Latin hypercube (McKay, Beckman and Conover,
/// Technometrics 21, 1979): in each dimension, one number from each of `count` equally likely strata. The same seed
/// gives the same numbers.
std::vector<std::vector<double>> stratified_normals(int count, std::size_t dimensions, std::uint64_t seed);

/// Returns `count` samples of the priors by stratified_normals(); constants stay at their medians.
Draws draw_parameters(const std::vector<Prior>& of_fields, int count, std::uint64_t seed);

/// Whether the prior belongs to the share of a NIC's rate that no source states (`nic_efficiency` over a transport
/// whose NIC says `bandwidth_assumed`). With another assumed rate it would be another share.
bool is_share_of_assumed_rate(const Cluster& cluster, const Prior& prior);

/// Returns the priors that apply on a cluster. Priors for other NIC paths than those of its transports, for other links
/// inside a node, and for later GPUs than that of `compute_capability`, are dropped, and those for its own come first.
/// If the rate of a transport's NIC is assumed, the prior of `nic_efficiency` is widened, because the true rate may be
/// the next line rate, 0.46 in ln away; its value may then exceed 1.
std::vector<Prior> priors_on(const Cluster& cluster, const std::vector<Prior>& priors, int compute_capability = 0);

} // namespace ddlsim
