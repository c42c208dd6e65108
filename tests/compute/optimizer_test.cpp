// What an update reads, keeps and computes.

#include "sim/compute/optimizer.hpp"
#include "sim/formats/data_folder.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

/// An embedding of 100 x 8, a matrix of 16 x 8 and a norm of 8.
Model three_tensors() {
  Model model;
  model.layers = {{"words.embedding", "embedding", 0, 0, {{"words.weight", {100, 8}, 4 * 800.0}}},
                  {"block0.up", "linear", 0, 0, {{"block0.up.weight", {16, 8}, 4 * 128.0}}},
                  {"block0.norm", "norm", 0, 0, {{"block0.norm.weight", {8}, 4 * 8.0}}}};
  model.parameters = 936;
  return model;
}

} // namespace

TEST_CASE("five Newton-Schulz iterations multiply by the smaller side", "[optimizer]") {
  CHECK(muon_flop(2, 3) == 5 * (4 * 3 * 4 + 2 * 8));
  CHECK(muon_flop(3, 2) == muon_flop(2, 3));
}

TEST_CASE("moments by optimizer", "[optimizer]") {
  const auto model = three_tensors();
  CHECK(moment_bytes(Optimizer::sgd, model) == 4 * 936);
  CHECK(moment_bytes(Optimizer::adamw, model) == 8 * 936);
  CHECK(moment_bytes(Optimizer::adamw_8bit, model) == 2 * (1 + 4 / 256.0) * 936);
  CHECK(moment_bytes(Optimizer::muon, model) == 4 * 128 + 8 * (800 + 8));
  CHECK(moment_bytes(Optimizer::adafactor, model) == 4 * (100 + 8 + 16 + 8 + 8));
}

TEST_CASE("Muon takes the matrices of blocks, each expert's by itself", "[optimizer]") {
  auto model = three_tensors();
  CHECK(muon_work(model).parameters == 128);
  CHECK(muon_work(model).flop == muon_flop(16, 8));
  model.layers[1].tensors[0] = {"block0.experts.up.weight", {4, 16, 8}, 4 * 512.0};
  CHECK(muon_work(model).flop == 4 * muon_flop(16, 8));
  CHECK(muon_work(model).largest_parameters == 128);
}

} // namespace ddlsim
