#pragma once
// One law of all-reduces over size, ranks and nodes, pooled over the rank counts one program was measured at.

#include "calibrate/collective_fit.hpp"
#include "sim/files/collective_curve.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// Hops on the path and bytes through the narrowest places, a byte of the all-reduce.
struct RankShape {
  double intra_hops = 0;
  double network_hops = 0;
  double intra_bytes = 0;
  double nic_bytes = 0; ///< 0 on one node
};
RankShape rank_shape(bool tree, int ranks, int nodes);

/// The six constants of a RankLaw, in the order of its array.
enum RankConstant : std::size_t { launch_s, intra_hop_s, network_hop_s, intra_rate_Bps, nic_rate_Bps, rank_pipelining };
inline constexpr std::size_t rank_constants = 6;

/// t(S, n, N) = a + S/B + 2 kappa sqrt(a S/B). Ring: a = launch + (2(n-1)-X) h_intra + X h_net with the
/// X = ceil(2(n-1)N/n) crossings of the network its dependency path has, 1/B = max(2(n-1)/n / B_intra, 2(n-1)/n /
/// B_nic). Double tree: a = launch + 2((n/N-1) h_intra + log2 N h_net), and 1 byte a byte through the NICs on two
/// nodes, 2 from three on. On one node no network.
struct RankLaw {
  std::string cluster;
  std::string program; ///< the series' name without digits: what its rank counts have in common
  std::string transport;
  std::string library;
  bool tree = false;
  std::array<LawConstant, rank_constants> constants{};
  double spread = 0;              ///< root mean square of ln(measured / law)
  double mean_left_out_error = 0; ///< |ln(predicted / measured)| of rank counts predicted from the others
  double worst_left_out_error = 0;
  std::vector<std::array<int, 2>> scales; ///< ranks and nodes it was fitted to, ascending
};

double rank_law_time_s(const RankLaw& law, double size_bytes, int ranks, int nodes);

/// A law for every program whose all-reduces were measured at two rank counts or more. Records that name a tree have a
/// tree's form, a ring's a ring's; where the library chose, the form that fits better.
std::vector<RankLaw> fit_rank_laws(const CollectiveFits& fits, const CollectiveFitOptions& options = {});

/// Lines for a person: constants, how well a rank count is predicted from the others.
std::string rank_law_text(const RankLaw& law);

} // namespace ddlsim
