#pragma once
// A double tree of which one node of each height is run.

#include "sim/collective/class_schedule.hpp"

#include <optional>
#include <string>

namespace ddlsim {

/// Why one node of a height cannot stand for all of them, one sentence; nothing where it can: without a slow node, where
/// no leaf's uplink carries more of the trees than a NIC does for its rate. The last node may be short.
std::optional<std::string> why_no_tree_classes(const Machine& machine);

/// One node of each height 1 to H = ceil(log2 N), for 4 nodes and more. Every node is inside one tree and a leaf of the
/// other, and the two trees are alike, so that one tree stands for both:
///
///        inside                         leaves
///   H      root                         Leaf h is the other role of node h: both share its NIC and its ports. Node 1
///          |      one child             waits for leaf 1 and leaf 2, which half and a quarter of all nodes are.
///   h      o                            The leaves 3 to H send to and take from a node like node 1, which does not
///         / \     two alike             wait for them.
///   h-1  o   o    of which one is run
///
/// What this leaves out: which heights meet below a node differs from node to node. Full is up to 15 % faster to 11 % slower
/// for messages of few chunks, up to 2 % faster and 1 % slower for many: tests/simgrid/tree_classes_test.cpp.
ClassSchedule tree_class_schedule(const Machine& machine, double size_bytes);

} // namespace ddlsim
