#pragma once
// The parameters that decide an iteration (one sample), and many samples drawn from their priors.

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

/// What a sample makes of the rates and times of a scenario's named input, as factors on their medians.
struct InputFactors {
  double read = 1;
  double shared_read = 1;
  double open = 1; ///< on the time to open a file
  double core = 1;
  double gpu = 1;
  bool operator==(const InputFactors&) const = default;
};

/// One sample. Names are those of platforms/priors.json, with the unit added.
struct Parameters {
  // True one-GPU time over the estimated one is the product of three factors (compute_factor_of).
  double compute_stack = 1;  ///< of all that this stack runs on this GPU
  double compute_model = 1;  ///< beyond it, of all batches of one model
  double compute_factor = 1; ///< beyond both, of one model and batch; all of it where that very time was measured
  double forward_share = 0;  ///< of compute
  double interference = 0;   ///< compute runs 1/(1 + interference) as fast while communication runs
  double nic_efficiency = 0; ///< reached over line rate
  double socket_Bps = 0;     ///< what a node's processors copy whatever the wire, and add over MPI; huge for GPUs' RDMA
  double net_latency_s = 0;  ///< one crossing from node to node, software included
  double link_spread = 0;    ///< standard deviation of nodes' NIC rates, as a share: a collective waits for the slowest
  double intra_efficiency = 0;              ///< reached over the cluster file's path rate
  double intra_latency_factor = 0;          ///< on the cluster file's path latency
  double operation_cost_s = 0;              ///< one collective operation
  double tensor_cost_s = 0;                 ///< one tensor inside a collective operation (negotiation, copies)
  double tensor_cost_slope_s = 0;           ///< the same for each doubling of the ranks that talk (negotiation_hops)
  double sync_on_s = 0;                     ///< switching synchronisation on, an iteration
  double sync_share = 0;                    ///< the same in proportion to compute: GPUs of a node slow each other down
  double second_node_jump = 0;              ///< share of compute lost once there are two nodes
  double step_spread = 0;                   ///< standard deviation of a node's compute, as a share
  double server_process_Bps = 0;            ///< one server process, each direction
  double server_connection_Bps = 0;         ///< one connection of a server
  double server_duplex = 0;                 ///< of a NIC's rate, left each way while both are busy
  double server_message_cost_s = 0;         ///< one message at a server
  double model_discrepancy = 1;             ///< what no parameter explains: a factor on the iteration
  std::optional<LibraryVersion> library{};  ///< that sums, of those the preset may use; nothing: the likeliest
  std::optional<Sharding> sharding{};       ///< of those the preset's servers may have; nothing: the likeliest
  std::optional<std::uint64_t> key_order{}; ///< of tensors that a hash places (place_tensors); nothing: a typical one
  InputFactors input{};                     ///< drawn from a stream of its own (draw_input())

  bool operator==(const Parameters&) const = default;
};

/// What shares one value of a parameter: all that was measured over one transport, of one stack, in one precision, with
/// one model and batch. With all false the whole cluster does.
struct ParameterScope {
  bool transport = false;
  bool preset = false;
  bool servers = false; ///< stacks with the same servers (`servers_as` of presets.json) count as one
  bool precision = false;
  bool evidence = false; ///< what the one-GPU times come from: estimates of another kind are off in another way
  bool model = false;
  bool batch = false; ///< and the one-GPU time itself
};

/// The measurements whose times depend on a parameter.
struct SeenBy {
  bool all_reduce_step = false; ///< training with all-reduces
  bool server_step = false;     ///< training with parameter servers
  bool all_reduce = false;      ///< an all-reduce alone
  bool message = false;         ///< a message alone
  bool server = false;          ///< pushes and pulls of one server alone
};

/// The part of a node, beside what moves bytes between nodes, that a parameter is a property of.
enum class NodePart { none, gpu, paths };

/// Whether measurements can tell a parameter, or whether it stays at its class' median.
enum class ParameterUse { fitted, constant };

/// Everything that the program knows of one parameter.
struct ParameterField {
  const char* name; ///< in priors.json; priors of the compute factors follow from the one-GPU time's evidence
  double Parameters::*value;
  const char* unit; ///< in priors.json
  ParameterScope scope;
  SeenBy seen_by;
  const char* measured_by; ///< what a person runs to learn it
  NodePart part = NodePart::none;
  ParameterUse use = ParameterUse::fitted; ///< a constant is neither fitted nor drawn
};

/// True one-GPU time over the estimated one.
double compute_factor_of(const Parameters& sample);

/// Whether it is one of the three factors of that product.
bool is_compute_factor(const ParameterField& field);

/// One row a parameter; the order is the order of draws.
std::span<const ParameterField> parameter_fields();

/// The row of that name; throws std::out_of_range when there is none.
const ParameterField& parameter_field(std::string_view name);

/// Samples: values[i] with the z-scores it came from, z_scores[i][k] of parameter_fields()[k].
struct Draws {
  std::vector<Parameters> values;
  std::vector<std::vector<double>> z_scores;
};

/// The prior of each of parameter_fields(). `compute_prior` names that of compute_factor (compute_measured,
/// compute_transferred, compute_roofline). Throws UserError when a parameter has none.
std::vector<Prior> priors_of_fields(const std::vector<Prior>& priors, const std::string& compute_prior,
                                    const std::string& transport, const std::string& preset);

/// The same for a stack: what servers cost has the prior of the preset whose servers it runs.
std::vector<Prior> priors_of_stack(const std::vector<Prior>& priors, const std::string& compute_prior,
                                   const std::string& transport, const Preset& preset);

/// Every parameter at its prior's median; `of_fields` are the priors of parameter_fields(), here and below.
Parameters median_parameters(const std::vector<Prior>& of_fields);

/// `count` rows of `dimensions` standard normal numbers by Latin hypercube (McKay, Beckman and Conover, Technometrics 21,
/// 1979): in each dimension one number of each of `count` equally likely strata. Same seed, same numbers.
std::vector<std::vector<double>> stratified_normals(int count, std::size_t dimensions, std::uint64_t seed);

/// `count` samples of the priors by stratified_normals(); constants stay at their medians.
Draws draw_parameters(const std::vector<Prior>& of_fields, int count, std::uint64_t seed);

/// Whether the prior is of a share of a NIC's rate that no source states (`nic_efficiency` over a transport whose NIC
/// says `bandwidth_assumed`): with another assumption it would be another share.
bool is_share_of_assumed_rate(const Cluster& cluster, const Prior& prior);

/// Priors that hold on a cluster: those of another path than its transports' NICs have are dropped, those of their path
/// go first. Where the rate of a transport's NIC is assumed, the share that software gets of it (`nic_efficiency`) is
/// as much more doubtful: the true rate may be the next line rate, 0.46 in ln away. It may be above 1, too.
std::vector<Prior> priors_on(const Cluster& cluster, const std::vector<Prior>& priors);

} // namespace ddlsim
