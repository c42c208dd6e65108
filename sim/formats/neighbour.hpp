#pragma once
// Where jobs stand on a fabric, and what else runs there: "node_placement", "neighbours" and "background_traffic" of a
// scenario.

#include "sim/formats/names.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// packed     one node after another, from the first that no job before it has
/// scattered  dealt out: one node of every leaf, then a second of every leaf; of a torus or dragonfly every k-th node
/// listed     as `nodes` says, in the order of ranks
struct NodePlacement {
  NodeOrder order = NodeOrder::packed;
  std::vector<int> nodes{}; ///< listed only; numbers of the fabric's nodes, from 0

  bool operator==(const NodePlacement&) const = default;
};

/// Another job on the same fabric: it computes, sums over all its nodes, and begins again.
struct Neighbour {
  std::string name;
  int nodes = 0;
  NodePlacement placement{};
  double compute_s = 0;                  ///< of an iteration, without the all-reduce
  double all_reduce_bytes = 0;           ///< of an iteration, in one operation after compute
  Algorithm algorithm = Algorithm::ring; ///< ring, tree, halving-doubling or recursive-doubling

  bool operator==(const Neighbour&) const = default;
};

/// What a job shares its fabric with.
struct CoLocation {
  NodePlacement placement{}; ///< of the job itself
  std::vector<Neighbour> neighbours{};
  double background_traffic = 0; ///< share of every link between switches that other traffic takes

  bool operator==(const CoLocation&) const = default;
};

} // namespace ddlsim
