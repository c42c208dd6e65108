#include "trainer/layers/detection.hpp"
#include "trainer/layers/unit.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>
#include <ATen/record_function.h>
#include <catch2/catch.hpp>

#include <optional>

using namespace ddltrain;

namespace {

thread_local std::optional<at::Tensor> weight_of_last_norm;

std::unique_ptr<at::ObserverContext> note_weight(const at::RecordFunction& call) {
  if (std::string(call.name()) != "aten::batch_norm") return nullptr;
  const c10::IValue& weight = call.inputs()[1];
  weight_of_last_norm = weight.isTensor() ? weight.toTensor() : at::Tensor();
  return nullptr;
}

/// What LibTorch's batch normalisation is given as its weight, whether or not it can compute on the input's device.
at::Tensor weight_given(const UnitPtr& norm, const at::Tensor& input) {
  weight_of_last_norm.reset();
  const auto callback = at::addThreadLocalCallback(
      at::RecordFunctionCallback(note_weight).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  try {
    norm->forward(input);
  } catch (const c10::Error&) { // this LibTorch has no such kernel
  }
  at::removeCallback(callback);
  return weight_of_last_norm.value();
}

} // namespace

TEST_CASE("Batch normalisation without a scale has a weight of ones, which moves with it and is nobody's to change") {
  const UnitPtr norm = batch_norm(3, {.scale = false});
  CHECK(norm->parameters().size() == 1);
  CHECK(norm->buffers().size() == 2);
  const at::Tensor weight = weight_given(norm, at::rand({2, 3, 4, 4}));
  REQUIRE(weight.defined());
  CHECK(weight.eq(1).all().item<bool>());
  CHECK_FALSE(weight.requires_grad());

  // A network's `to` asks its units. There is no GPU here, so to the device of tensors without values.
  const UnitPtr network = chain({{"norm", norm}});
  try {
    network->to(at::kMeta);
  } catch (const c10::Error&) { // this LibTorch moves no parameters there
  }
  CHECK(weight_given(norm, at::rand({2, 3, 4, 4})).is_meta());
}

TEST_CASE("Regions are cut from maps in half precision by boxes in fp32, in fp32") {
  const at::Tensor boxes = at::rand({2, 6, 4});
  const at::Tensor fine = at::rand({2, 5, 16, 16}).to(at::kBFloat16).requires_grad_();
  const at::Tensor coarse = at::rand({2, 5, 8, 8}).to(at::kBFloat16);
  const UnitPtr align = region_align(7);
  const at::Tensor regions = call_layer(align, {boxes, fine, coarse});
  CHECK(regions.scalar_type() == at::kFloat);
  CHECK(regions.equal(call_layer(align, {boxes, fine.to(at::kFloat), coarse.to(at::kFloat)})));
  regions.sum().backward();
  CHECK(fine.grad().scalar_type() == at::kBFloat16);
}
