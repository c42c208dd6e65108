#pragma once
// The parameters that decide an iteration (one sample), and many samples drawn from their priors.

#include "sim/formats/cluster.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/prior.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ddlsim {

/// One sample. Names are those of platforms/priors.json, with the unit added.
struct Parameters {
  double compute_factor = 1; ///< true one-GPU time over the measured (or computed) one
  double forward_share = 0;  ///< of compute
  double interference = 0;   ///< compute runs 1/(1 + interference) as fast while communication runs
  double nic_efficiency = 0; ///< reached over line rate
  double socket_Bps = 0;     ///< what the sockets of one node carry whatever the wire: copies by the CPU; huge for RDMA
  double net_latency_s = 0;  ///< one crossing from node to node, software included
  double link_spread = 0;    ///< standard deviation of nodes' NIC rates, as a share: a collective waits for the slowest
  double intra_efficiency = 0;           ///< reached over the cluster file's path rate
  double intra_latency_factor = 0;       ///< on the cluster file's path latency
  double operation_cost_s = 0;           ///< one collective operation
  double tensor_cost_s = 0;              ///< one tensor inside a collective operation (negotiation, copies)
  double tensor_cost_slope_s = 0;        ///< the same for each doubling of the ranks that talk (negotiation_hops)
  double sync_on_s = 0;                  ///< switching synchronisation on, an iteration
  double second_node_jump = 0;           ///< share of compute lost once there are two nodes
  double step_spread = 0;                ///< standard deviation of a node's compute, as a share
  double server_process_Bps = 0;         ///< one server process, each direction
  double server_connection_Bps = 0;      ///< one connection of a server
  double server_duplex = 0;              ///< rate left when both directions are busy
  double server_message_cost_s = 0;      ///< one message at a server
  double model_discrepancy = 1;          ///< what no parameter explains: a factor on the iteration
  std::optional<Algorithm> all_reduce{}; ///< of those the preset's library may run; nothing: the likeliest
  std::optional<Sharding> sharding{};    ///< of those the preset's servers may have; nothing: the likeliest
};

/// Name in priors.json and place in the struct; the order is the order of draws.
struct ParameterField {
  const char* name;
  double Parameters::*value;
};
std::span<const ParameterField> parameter_fields();

/// Samples: values[i] with the z-scores it came from, z_scores[i][k] for parameter_fields()[k].
struct Draws {
  std::vector<Parameters> values;
  std::vector<std::vector<double>> z_scores;
  std::vector<double> algorithm_quantiles; ///< 0 to 1: find_posterior() makes it the sample's algorithm, by weights
};

/// The prior of each of parameter_fields(). `compute_prior` names that of compute_factor (compute_measured,
/// compute_transferred, compute_roofline). Throws UserError when a parameter has none.
std::vector<Prior> priors_of_fields(const std::vector<Prior>& priors, const std::string& compute_prior,
                                    const std::string& transport, const std::string& preset);

/// Every parameter at its prior's median. Throws UserError when a parameter has no prior.
Parameters median_parameters(const std::vector<Prior>& priors, const std::string& compute_prior,
                             const std::string& transport, const std::string& preset);

/// `count` samples by Latin hypercube over all priors (McKay, Beckman and Conover, Technometrics 21, 1979). Same seed,
/// same samples.
Draws draw_parameters(const std::vector<Prior>& priors, const std::string& compute_prior, const std::string& transport,
                      const std::string& preset, int count, std::uint64_t seed);

/// Priors without those learnt from `cluster`: the ones to use when that cluster is under test.
std::vector<Prior> priors_without(const std::vector<Prior>& priors, const std::string& cluster);

/// Priors that hold on a cluster: those of another path than its transports' NICs have are dropped, those of their path
/// go first.
std::vector<Prior> priors_on(const Cluster& cluster, const std::vector<Prior>& priors);

} // namespace ddlsim
