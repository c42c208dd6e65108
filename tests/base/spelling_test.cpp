#include "sim/base/spelling.hpp"

#include <catch2/catch.hpp>

using ddlsim::folded;
using ddlsim::spelt_like;

TEST_CASE("letters and digits are what a name is") {
  CHECK(folded("ResNet-50 v1.5") == "resnet50v15");
  CHECK(folded("\x1b[31m\xff--") == "31m");
  CHECK(folded("").empty());
}

TEST_CASE("a name is found in any spelling, unless two are spelt alike") {
  const std::vector<std::string> names{"iris", "dgx1-v100", "resnet50_v1.5", "a-b", "a_b", "GB/s", "--"};
  CHECK(spelt_like("iris", names) == "iris");
  CHECK(spelt_like("IRIS", names) == "iris");
  CHECK(spelt_like("DGX-1 V100", names) == "dgx1-v100");
  CHECK(spelt_like("ResNet50 v1.5", names) == "resnet50_v1.5");
  CHECK(spelt_like("a_b", names) == "a_b"); // itself, though another folds alike
  CHECK(spelt_like("A B", names).empty());
  CHECK(spelt_like("Gb/s", names).empty()); // a unit
  CHECK(spelt_like("", names).empty());
  CHECK(spelt_like("__", names).empty()); // folds to nothing, as "--" does
  CHECK(spelt_like("irises", names).empty());
}
