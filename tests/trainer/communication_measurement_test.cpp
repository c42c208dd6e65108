#include "sim/base/error.hpp"
#include "trainer/timing/communication_measurement.hpp"
#include "trainer/timing/measure_options.hpp"

#include <catch2/catch.hpp>

TEST_CASE("Sizes are read as people write them") {
  CHECK(ddltrain::byte_size("64") == 64);
  CHECK(ddltrain::byte_size("1KiB") == 1024);
  CHECK(ddltrain::byte_size("3 MiB") == 3 << 20);
  CHECK(ddltrain::byte_sizes("1KiB..8KiB") == std::vector<std::int64_t>{1024, 2048, 4096, 8192});
  CHECK(ddltrain::byte_sizes("1KiB..3KiB") == std::vector<std::int64_t>{1024, 2048});
  CHECK(ddltrain::byte_sizes("4,1MiB") == std::vector<std::int64_t>{4, 1 << 20});
  for (const char* bad : {"", "0", "3", "-4", "1Kb", "1MiB..1KiB", "4,,8", "many"}) {
    INFO(bad);
    CHECK_THROWS_AS(ddltrain::byte_sizes(bad), ddlsim::UserError);
  }
  CHECK(ddltrain::size_text(4) == "4 B");
  CHECK(ddltrain::size_text(1536) == "1.5 KiB");
  CHECK(ddltrain::size_text(std::int64_t{1} << 30) == "1 GiB");
}

TEST_CASE("Bandwidths are those of nccl-tests") {
  // 8 ranks, 1 GB in 10 ms: 100 GB/s, and 2 x 7/8 of that on the bus.
  const auto bandwidths = ddltrain::all_reduce_bandwidths(1e9, 0.01, 8);
  CHECK(bandwidths.algorithm_Bps == Approx(100e9));
  CHECK(bandwidths.bus_Bps == Approx(175e9));
}
