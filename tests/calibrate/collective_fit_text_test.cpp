#include "calibrate/fit/collective_fit.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;

namespace {

CollectiveFit sample_fit() {
  CollectiveFit fit;
  fit.curve.key = {"iris", "nccl-ib", "nccl", "all_reduce", "ring", "ring-16", 16, 2};
  fit.curve.points = {{1024, 0}, {1048576, 0}, {67108864, 0}};
  fit.samples = {{1024, 1e-4}, {1048576, 2e-3}, {67108864, 0.1}};
  fit.curve.mean_leave_one_out_error = 0.031;
  fit.curve.worst_leave_one_out_error = 0.19;
  fit.curve.leave_one_out_points = 3;
  fit.curve.jumps = {{1024, 1048576, 1.57}};
  fit.curve.sources = {"a.jsonl:2-4"};
  fit.excluded = {{"a.jsonl:5", "its source doubts it"}};
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

TEST_CASE("all curves, a line each") {
  CollectiveFits fits;
  fits.fits = {sample_fit()};
  fits.excluded = {{"b.jsonl:2-9", "8 records of 2 to 4 jobs that shared their links: their times are not one job's"}};
  CHECK(
      collectives_table(fits) ==
      R"(curve                                                   measured                  left out: mean   worst  jumps
iris/ring-16: all_reduce (ring) of 16 ranks on 2 nodes  3 sizes, 1 KiB to 64 MiB           3.1 %  19.0 %      1
  excluded or unreliable: b.jsonl:2-9: 8 records of 2 to 4 jobs that shared their links: their times are not one job's
)");
}
