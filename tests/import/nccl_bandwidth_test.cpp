#include "import/nccl_run.hpp"
#include "import/plain_text.hpp"
#include "tests/import/import_support.hpp"

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
  return {rank, group, host, 0, bus, "Tesla V100-SXM2-16GB"};
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
  CHECK(ddlsim::bandwidth_conflict(timing("100.0", "10.00", "17.50"), 1e6, all_reduce, 8).empty());
  CHECK(ddlsim::bandwidth_conflict(timing("100.0", "10.01", "17.51"), 1e6, all_reduce, 8).empty());
  CHECK_THAT(ddlsim::bandwidth_conflict(timing("100.0", "10.02", "17.53"), 1e6, all_reduce, 8),
             Catch::Contains("algbw 10.02"));
  CHECK_THAT(ddlsim::bandwidth_conflict(timing("100.0", "10.00", "17.52"), 1e6, all_reduce, 8),
             Catch::Contains("2 x (8-1)/8"));
  CHECK_THAT(ddlsim::bandwidth_conflict(timing("100.0", "10.00", "17.50"), 1e6, all_reduce, 4),
             Catch::Contains("on 4 ranks"));
  CHECK(ddlsim::bandwidth_conflict(timing("28.93", "0.00", "0.00"), 8, all_reduce, 8).empty());
}

TEST_CASE("nodes are host names, or more when an address stands twice") {
  ddlsim::NcclTable table;
  table.devices = {device(0, 0, "a", "06:00"), device(1, 0, "a", "07:00"), device(2, 0, "b", "06:00"),
                   device(3, 0, "b", "07:00")};
  CHECK(ddlsim::scale_of(table).nodes == 2);
  for (auto& one : table.devices) {
    one.host = "localhost";
    one.bus.insert(0, "0000:");
  }
  CHECK(ddlsim::scale_of(table).nodes == 2);
  CHECK(ddlsim::scale_of(table).ranks == 4);
  CHECK(ddlsim::scale_of(table).mistake.empty());
}

TEST_CASE("addresses that are all alike say no nodes: host names do, or nothing") {
  ddlsim::NcclTable table;
  for (int rank = 0; rank < 4; ++rank) table.devices.push_back(device(rank, 0, "localhost", "0x01"));
  CHECK(ddlsim::scale_of(table).ranks == 4);
  CHECK_THAT(ddlsim::scale_of(table).question, Catch::Contains("4 ranks on host \"localhost\""));
  for (int rank = 0; rank < 4; ++rank) table.devices.at(static_cast<std::size_t>(rank)).number = rank;
  CHECK(ddlsim::scale_of(table).nodes == 1); // each process sees all four, and bus 1 of four domains
  CHECK(ddlsim::scale_of(table).question.empty());
  table.devices.clear();
  for (int rank = 0; rank < 12; ++rank)
    table.devices.push_back(device(rank, 0, rank < 4 ? "a" : rank < 8 ? "b" : "c", "0x00"));
  CHECK(ddlsim::scale_of(table).nodes == 3);
  CHECK(ddlsim::scale_of(table).question.empty());
  for (auto& one : table.devices) one.bus = "0009:01:00"; // one GPU cannot be in a communicator twice
  CHECK_FALSE(ddlsim::scale_of(table).question.empty());
}

TEST_CASE("what NCCL says of its communicator comes before the device list, and must have as many ranks") {
  ddlsim::NcclTable table;
  for (int rank = 0; rank < 4; ++rank) table.devices.push_back(device(rank, 0, "localhost", "0x01"));
  table.debug.ranks = 4;
  table.debug.nodes = 2;
  CHECK(ddlsim::scale_of(table).nodes == 2);
  CHECK(ddlsim::scale_of(table).question.empty());
  table.debug.ranks = 8;
  CHECK_THAT(ddlsim::scale_of(table).mistake, Catch::Contains("4 ranks, but NCCL's debug text says nranks 8"));
  table.devices.clear();
  CHECK(ddlsim::scale_of(table).ranks == 8);
}

TEST_CASE("a closing line must be the average of the rows") {
  ddlsim::NcclTable table;
  table.rows.resize(2);
  table.rows[0].out_of_place = timing("100.0", "10.00", "10.00");
  table.rows[1].out_of_place = timing("100.0", "20.00", "20.00");
  CHECK(ddlsim::average_conflict(table).empty());
  table.bus_GBps = 15.6;
  CHECK(ddlsim::average_conflict(table).empty());
  table.bus_GBps = 16;
  CHECK_THAT(ddlsim::average_conflict(table), Catch::Contains("16 GB/s, but the rows make 15 GB/s"));
  table.rows_left_out = 1;
  CHECK(ddlsim::average_conflict(table).empty());
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

using ddlsim::parse_number;
using ddlsim::test::mistakes_of;
using ddlsim::test::ScratchFile;

TEST_CASE("a printed number carries half a step of its last digit") {
  CHECK(parse_number("5.45")->value == 5.45);
  CHECK(parse_number("5.45")->half_step == Approx(0.005));
  CHECK(parse_number("271.3")->half_step == Approx(0.05));
  CHECK(parse_number("20006")->half_step == Approx(0.5));
  CHECK(parse_number("1.5e+06")->value == 1.5e6);
  CHECK(parse_number("1.5e+06")->half_step == Approx(0.5e5));
  CHECK(parse_number("5e-07")->half_step == Approx(0.5e-7));
}

TEST_CASE("what is no number alone is none") {
  for (const char* text : {"", "nan", "inf", "1,5", "12 ms", "0x10", "1e999", "--3", "N/A"}) {
    INFO(text);
    CHECK_FALSE(parse_number(text).has_value());
  }
}

TEST_CASE("lines end in any of the three ways") {
  CHECK(ddlsim::split_lines("a\nb\r\nc\rd") == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(ddlsim::split_lines("a\r\n\r\nb\n") == std::vector<std::string>{"a", "", "b"});
}

TEST_CASE("text is UTF-8 or refused with what it is") {
  const auto read = [](const std::string& content) {
    const ScratchFile file("a.csv", content);
    return mistakes_of([&] { ddlsim::LogSource(file.path()).text(); });
  };
  CHECK(read("\xEF\xBB\xBFmodel").empty());
  CHECK(read("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80").empty());
  CHECK_THAT(read("\xFF\xFEm\x01"), Catch::Contains("UTF-16"));
  CHECK_THAT(read(std::string("PK\0\x03", 4)), Catch::Contains("zero bytes"));
  CHECK_THAT(read(" \r\n\n"), Catch::Contains("empty file"));
  for (const char* bad : {"caf\xE9", "\xC0\xAF", "\xED\xA0\x80", "\xE0\x80\x80", "\xF4\x90\x80\x80", "\xE2\x82"})
    CHECK_THAT(read(bad), Catch::Contains("not UTF-8"));
}

TEST_CASE("a byte order mark is no text") {
  const ScratchFile file("a.csv", "\xEF\xBB\xBFmodel");
  CHECK(ddlsim::LogSource(file.path()).text() == "model");
}
