#include "sim/model/input.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("input: the slowest of decoding, the node's storage and what all nodes share", "[input]") {
  const InputPipeline input{100e3, 1000, 1e9};
  CHECK(input_s(input, {"nvme", 2e9}, 1, 500) == Approx(0.5));     // 500 at 1000/s; reading takes 25 ms
  CHECK(input_s(input, {"efs", 50e6}, 1, 500) == Approx(1.0));     // 50 MB at 50 MB/s
  CHECK(input_s(input, {"lustre", 2e9}, 100, 500) == Approx(5.0)); // 5 GB at 1 GB/s for all
  CHECK(input_s({100e3, 0, 0}, {"", 0}, 100, 500) == 0);           // nothing known that limits
  CHECK(input_s({}, {"nvme", 1e9}, 4, 500) == 0);                  // synthetic data
}

} // namespace ddlsim
