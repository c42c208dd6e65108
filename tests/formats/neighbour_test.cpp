#include "sim/formats/scenario.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("what is wrong with a scenario's surroundings is reported") {
  auto json = ddlsim_test::sample_scenario();
  json["node_placement"] = "packed";
  json["neighbours"] = {{{"name", "a"}, {"nodes", 4}, {"compute", "120 ms"}, {"all_reduce", "100 MB"}}};
  ddlsim_test::check_spoilt(
      json,
      {{"/node_placement", "\"scatterd\"",
        "/node_placement: \"scatterd\" found, one of packed, scattered expected; did you mean \"scattered\"?"},
       {"/node_placement", "[2, 2]", "/node_placement/1: 2 is there twice; keep one"},
       {"/node_placement", "[-1]", "/node_placement/0: -1 is out of range; give 0 to 9999999"},
       {"/node_placement", "[]", "/node_placement: none found; give one or more"},
       {"/background_traffic", "1", "/background_traffic: 1 is out of range; give 0 to 0.99"},
       {"/neighbours/0/nodes", "1", "/neighbours/0/nodes: 1 is out of range; give 2 to 10000000"},
       {"/neighbours/0/node_placement", "[1, 2]",
        "/neighbours/0/node_placement: 2 nodes are listed, and the job has 4; give as many"},
       {"/neighbours/0/algorithm", "\"collnet\"",
        "/neighbours/0/algorithm: \"collnet\" found; give one of ring, tree, halving-doubling, recursive-doubling"},
       {"/neighbours/0/all_reduces", "\"1 GB\"",
        "/neighbours/0/all_reduces: unknown key; did you mean \"all_reduce\"?"},
       {"/neighbours/1", R"({"name": "a", "nodes": 2, "compute": "1 s", "all_reduce": "1 MB"})",
        "/neighbours/1/name: a is there twice; give each job a name of its own"}},
      [](const auto& file) { read_scenario(file); });
}

TEST_CASE("a node has one job: lists that name it twice are refused, with the place of both") {
  auto json = ddlsim_test::sample_scenario();
  json["node_placement"] = {0, 5, 9};
  json["neighbours"] = {
      {{"name", "a"}, {"nodes", 2}, {"node_placement", {1, 2}}, {"compute", "1 s"}, {"all_reduce", "1 MB"}},
      {{"name", "b"}, {"nodes", 2}, {"node_placement", {3, 4}}, {"compute", "1 s"}, {"all_reduce", "1 MB"}}};
  ddlsim_test::check_spoilt(
      json,
      {{"/neighbours/0/node_placement", "[9, 2]",
        "/neighbours/0/node_placement/0: node 9 is taken by /node_placement/2 already; a node has one job"},
       {"/neighbours/1/node_placement", "[3, 1]",
        "/neighbours/1/node_placement/1: node 1 is taken by /neighbours/0/node_placement/0 already; a node has one "
        "job"},
       {"/node_placement", "[4, 0]",
        "/neighbours/1/node_placement/1: node 4 is taken by /node_placement/0 already; a node has one job"}},
      [](const auto& file) { read_scenario(file); });
}

} // namespace ddlsim
