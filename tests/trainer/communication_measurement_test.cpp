#include "sim/base/error.hpp"
#include "trainer/timing/collective_measurement.hpp"
#include "trainer/timing/communication_measurement.hpp"
#include "trainer/timing/measure_options.hpp"

#include <catch2/catch.hpp>

using ddltrain::Collective;

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
  // 8 ranks, 1 GB in 10 ms: 100 GB/s; on the bus an all-reduce has 2 x 7/8 of that, a scatter or gather 7/8.
  const auto bus_Bps = [](Collective collective) {
    const auto bandwidths = ddltrain::bandwidths_of(collective, 1e9, 0.01, 8);
    CHECK(bandwidths.algorithm_Bps == Approx(100e9));
    return bandwidths.bus_Bps;
  };
  CHECK(bus_Bps(Collective::all_reduce) == Approx(175e9));
  CHECK(bus_Bps(Collective::reduce_scatter) == Approx(87.5e9));
  CHECK(bus_Bps(Collective::all_gather) == Approx(87.5e9));
  CHECK(bus_Bps(Collective::broadcast) == Approx(100e9));
}

TEST_CASE("Shares are whole, and every rank has one") {
  CHECK(ddltrain::elements_of(Collective::all_reduce, 40, 4) == 10);
  CHECK(ddltrain::elements_of(Collective::reduce_scatter, 40, 4) == 8);
  CHECK(ddltrain::elements_of(Collective::all_gather, 4, 4) == 4);
  CHECK(ddltrain::elements_of(Collective::broadcast, 40, 4) == 10);
}

TEST_CASE("Collectives have the names of the command line and of records") {
  CHECK(ddltrain::text_of(ddltrain::collective_named("reduce-scatter")) == "reduce_scatter");
  CHECK_THROWS_WITH(ddltrain::collective_named("reduce"),
                    Catch::Contains("unknown --operation \"reduce\"") && Catch::Contains("all-gather"));
}

TEST_CASE("A wrong result names operation, size, way, rank and element") {
  // Two ranks, four elements: rank r gives i + r, so the sum is 2 i + 1.
  CHECK_NOTHROW(ddltrain::check_result(Collective::all_reduce, "ring", 1, 2, 4, {1, 3, 5, 7}));
  CHECK_NOTHROW(ddltrain::check_result(Collective::reduce_scatter, "mpi", 1, 2, 4, {5, 7}));
  CHECK_NOTHROW(ddltrain::check_result(Collective::all_gather, "mpi", 0, 2, 4, {0, 1, 3, 4}));
  CHECK_NOTHROW(ddltrain::check_result(Collective::broadcast, "mpi", 1, 2, 4, {0, 1, 2, 3}));
  CHECK_THROWS_WITH(ddltrain::check_result(Collective::all_reduce, "ring", 1, 2, 4, {1, 3, 6, 7}),
                    Catch::Contains("all_reduce of 16 B by ring went wrong on rank 1: element 2 is 6, 5 was expected"));
}

TEST_CASE("The first ranks exchange messages with the last ones") {
  CHECK(ddltrain::partner_of(0, 4, 1) == 3);
  CHECK(ddltrain::partner_of(3, 4, 1) == 0);
  CHECK_FALSE(ddltrain::partner_of(1, 4, 1).has_value());
  CHECK(ddltrain::partner_of(0, 4, 2) == 2); // two ranks on each of two nodes: both pairs cross
  CHECK(ddltrain::partner_of(3, 4, 2) == 1);
}
