#include "calibrate/fit/collective_fit.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;

namespace {

CollectiveFit sample_fit() {
  CollectiveFit fit;
  fit.curve.key = {"iris", "nccl-ib", "nccl", "all_reduce", "ring", "ring-16", 16, 2};
  fit.curve.latency_s = {100e-6, 0.1, true};
  fit.curve.rate_Bps = {1e9, 0.05, true};
  fit.curve.pipelining = {0.5, 0.6, false};
  fit.curve.points = {{1024, 0}, {1048576, 0}, {67108864, 0}};
  for (const auto& point : fit.curve.points)
    fit.samples.push_back({point.size_bytes, collective_time_s(fit.curve, point.size_bytes)});
  fit.curve.mean_leave_one_out_error = 0.031;
  fit.curve.worst_leave_one_out_error = 0.19;
  fit.curve.leave_one_out_points = 3;
  fit.curve.jumps = {{1024, 1048576, 1.57}};
  fit.curve.sources = {"a.jsonl:2-4"};
  fit.excluded = {{"a.jsonl:5", "its source doubts it"}};
  fit.measure_next_bytes = {16384, 268435456};
  return fit;
}

} // namespace

TEST_CASE("sizes are written in powers of 1024 where they are exact") {
  CHECK(size_text(4) == "4 B");
  CHECK(size_text(1024) == "1 KiB");
  CHECK(size_text(262144) == "256 KiB");
  CHECK(size_text(8388608) == "8 MiB");
  CHECK(size_text(1000) == "1000 B");
  CHECK(size_text(12390400) == "12.39 MB");
  CHECK(size_text(1073741824) == "1 GiB");
}

TEST_CASE("one curve for a person") {
  CHECK(collective_text(sample_fit()) == R"(iris/ring-16: all_reduce (ring) of 16 ranks on 2 nodes, nccl over nccl-ib
  from a.jsonl:2-4 (3 sizes, 1 KiB to 64 MiB)
  latency 100 us +-10.0 %; rate 1 GB/s +-5.0 %; pipelining 0.50 within x1.8, unidentified: the prior's
  each size predicted from the others: 3.1 % off in the mean, 19.0 % at worst (3 sizes)
  jump from 1 KiB to 1 MiB: 1.57 times what the law says; a switch of protocol or algorithm there
  ln time over size, from 105.3 us (0 %) to 273.7 ms (100 %); o measured, - curve, * both
 100 % |                                  -
  90 % |
  80 % |                           *
  70 % |
  60 % |
  50 % |
  40 % |
  30 % |                    *
  20 % |
  10 % |
   0 % |      -      *
           256B   1KiB   1MiB  64MiB 256MiB
  excluded or doubtful: a.jsonl:5: its source doubts it
  measure next: 16 KiB, 256 MiB (all_reduce of 16 ranks)
)");
}

TEST_CASE("a curve of one size has no chart and no left-out error") {
  auto fit = sample_fit();
  fit.samples.resize(1);
  fit.curve.points.resize(1);
  fit.curve.leave_one_out_points = 0;
  const auto text = collective_text(fit);
  CHECK_THAT(text, Catch::Contains("1 KiB only"));
  CHECK_THAT(text, Catch::Contains("how good the curve is, is not known"));
  CHECK_THAT(text, !Catch::Contains("100 %"));
}

TEST_CASE("all curves, a line each") {
  CollectiveFits fits;
  fits.fits = {sample_fit()};
  fits.excluded = {{"b.jsonl:2-9", "8 records of 2 to 4 jobs that shared their links: their times are not one job's"}};
  CHECK(
      collectives_table(fits) ==
      R"(curve                                                   measured                  left out: mean   worst  jumps
iris/ring-16: all_reduce (ring) of 16 ranks on 2 nodes  3 sizes, 1 KiB to 64 MiB           3.1 %  19.0 %      1
  excluded or doubtful: b.jsonl:2-9: 8 records of 2 to 4 jobs that shared their links: their times are not one job's
)");
}
