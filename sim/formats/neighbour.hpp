#pragma once
// The placement of jobs on a fabric, and the other traffic on it: "node_placement", "neighbours" and
// "background_traffic" of a scenario.

#include "sim/formats/names.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// packed     one node after another, from the first that no earlier job uses
/// scattered  one node of every leaf, then a second of every leaf; on a torus or dragonfly, every k-th node
/// listed     the nodes in `nodes`, in the order of ranks
struct NodePlacement {
  NodeOrder order = NodeOrder::packed;
  std::vector<int> nodes{}; ///< node numbers of the fabric, from 0; used for listed only

  bool operator==(const NodePlacement&) const = default;
};

/// Another job on the same fabric. It computes, runs an all-reduce over all its nodes, and starts again.
struct Neighbour {
  std::string name;
  int nodes = 0;
  NodePlacement placement{};
  double compute_s = 0;                  ///< compute time of one iteration, without the all-reduce
  double all_reduce_bytes = 0;           ///< bytes of one iteration, summed in one operation after compute
  Algorithm algorithm = Algorithm::ring; ///< ring, tree, halving-doubling or recursive-doubling

  bool operator==(const Neighbour&) const = default;
};

/// The placement of the job and the other traffic on its fabric.
struct CoLocation {
  NodePlacement placement{}; ///< placement of the job itself
  std::vector<Neighbour> neighbours{};
  double background_traffic = 0; ///< share of every link between switches that other traffic uses

  bool operator==(const CoLocation&) const = default;
};

} // namespace ddlsim
