#include "calibrate/nccl_bandwidth.hpp"
#include "calibrate/nccl_scale.hpp"

#include <catch2/catch.hpp>

namespace {

const ddlsim::NcclOperation& operation(const std::string& program) {
  for (const auto& one : ddlsim::nccl_operations())
    if (one.program == program) return one;
  throw std::out_of_range(program);
}

ddlsim::NcclTiming timing(const char* time_us, const char* algbw, const char* busbw) {
  ddlsim::NcclTiming one;
  one.time_us = *ddlsim::parse_number(time_us);
  one.algbw_GBps = *ddlsim::parse_number(algbw);
  one.busbw_GBps = *ddlsim::parse_number(busbw);
  return one;
}

ddlsim::NcclDevice device(int rank, int group, const std::string& host, const std::string& bus) {
  return {rank, group, host, bus, "Tesla V100-SXM2-16GB"};
}

} // namespace

TEST_CASE("bus factors are those of the definition") {
  CHECK(ddlsim::bus_factor(operation("all_reduce"), 8) == 1.75);
  CHECK(ddlsim::bus_factor(operation("all_gather"), 8) == 0.875);
  CHECK(ddlsim::bus_factor(operation("reduce_scatter"), 2) == 0.5);
  CHECK(ddlsim::bus_factor(operation("alltoall"), 4) == 0.75);
  CHECK(ddlsim::bus_factor(operation("broadcast"), 8) == 1);
  CHECK(ddlsim::bus_factor(operation("reduce"), 8) == 1);
  CHECK(ddlsim::bus_factor(operation("all_reduce"), 1) == 0);
}

TEST_CASE("bandwidths hold within the printed digits and no further") {
  const auto& all_reduce = operation("all_reduce");
  // 1 MB in 100 us is 10 GB/s; on 8 ranks busbw is 17.5 GB/s
  CHECK(ddlsim::bandwidth_contradiction(timing("100.0", "10.00", "17.50"), 1e6, all_reduce, 8).empty());
  CHECK(ddlsim::bandwidth_contradiction(timing("100.0", "10.01", "17.51"), 1e6, all_reduce, 8).empty());
  CHECK_THAT(ddlsim::bandwidth_contradiction(timing("100.0", "10.02", "17.53"), 1e6, all_reduce, 8),
             Catch::Contains("algbw 10.02"));
  CHECK_THAT(ddlsim::bandwidth_contradiction(timing("100.0", "10.00", "17.52"), 1e6, all_reduce, 8),
             Catch::Contains("2 x (8-1)/8"));
  CHECK_THAT(ddlsim::bandwidth_contradiction(timing("100.0", "10.00", "17.50"), 1e6, all_reduce, 4),
             Catch::Contains("on 4 ranks"));
  CHECK(ddlsim::bandwidth_contradiction(timing("28.93", "0.00", "0.00"), 8, all_reduce, 8).empty());
}

TEST_CASE("nodes are host names, or more when an address stands twice") {
  ddlsim::NcclTable table;
  table.devices = {device(0, 0, "a", "06:00"), device(1, 0, "a", "07:00"), device(2, 0, "b", "06:00"),
                   device(3, 0, "b", "07:00")};
  CHECK(ddlsim::scale_of(table).nodes == 2);
  for (auto& one : table.devices) one.host = "localhost";
  CHECK(ddlsim::scale_of(table).nodes == 2);
  for (auto& one : table.devices) one.bus = "0x00"; // what containers without addresses print
  CHECK(ddlsim::scale_of(table).nodes == 1);
  CHECK(ddlsim::scale_of(table).ranks == 4);
  CHECK(ddlsim::scale_of(table).mistake.empty());
}

TEST_CASE("communicators side by side are counted, each with its own ranks") {
  ddlsim::NcclTable table;
  table.devices = {device(0, 0, "a", "06:00"), device(1, 1, "a", "07:00"), device(2, 0, "b", "06:00"),
                   device(3, 1, "b", "07:00")};
  CHECK(ddlsim::scale_of(table).communicators == 2);
  CHECK(ddlsim::scale_of(table).ranks == 2);
  CHECK(ddlsim::scale_of(table).nodes == 2);
  table.devices[3].group = 0;
  CHECK_THAT(ddlsim::scale_of(table).mistake, Catch::Contains("expected equal ones"));
}

TEST_CASE("version numbers of both schemes") {
  CHECK(ddlsim::nccl_version_text(22803) == "2.28.3");
  CHECK(ddlsim::nccl_version_text(2804) == "2.8.4");
  CHECK(ddlsim::nccl_program("/opt/nccl-tests/build/all_gather_perf_mpi") == "all_gather");
  CHECK(ddlsim::nccl_program("ib_write_perf").empty());
}
