#pragma once
// The double binary tree as these tests have it, written without ours.

#include <cstddef>
#include <vector>

namespace ddlsim_test {

inline std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

/// Who a rank talks to in one tree.
struct Relatives {
  int parent = -1;
  std::vector<int> children;
};

/// Node v of a tree of `ranks` has the height of its lowest bit, and children half as far away on both sides, the right
/// one nearer where there is no rank that far. Rank 0 is the root, above the largest power of two.
inline std::vector<Relatives> first_tree(int ranks) {
  std::vector<Relatives> tree(at(ranks));
  const auto join = [&tree](int parent, int child) {
    tree[at(parent)].children.push_back(child);
    tree[at(child)].parent = parent;
  };
  int top = 1;
  while (2 * top < ranks) top *= 2;
  join(0, top);
  for (int node = 1; node < ranks; ++node) {
    int away = (node & -node) / 2;
    if (away > 0) join(node, node - away);
    while (away > 0 && node + away >= ranks) away /= 2;
    if (away > 0) join(node, node + away);
  }
  return tree;
}

/// In the second tree a rank has the place of another: the order turned round, or for an odd number moved by one.
inline Relatives relatives(int rank, int ranks, int tree) {
  if (tree == 0) return first_tree(ranks)[at(rank)];
  const auto rank_in_place = [ranks](int place) {
    if (place < 0) return -1;
    return ranks % 2 == 0 ? ranks - 1 - place : (place + 1) % ranks;
  };
  const int place = ranks % 2 == 0 ? ranks - 1 - rank : (rank + ranks - 1) % ranks;
  const Relatives there = first_tree(ranks)[at(place)];
  Relatives here{rank_in_place(there.parent), {}};
  for (const int child : there.children) here.children.push_back(rank_in_place(child));
  return here;
}

} // namespace ddlsim_test
