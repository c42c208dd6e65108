// Every number of the logs is typed or computed here, none is measured.
#include "import/nccl_debug.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace {

using ddlsim::CollectiveRecord;
using ddlsim::NcclDebug;
using ddlsim::test::collectives_of;
using ddlsim::test::import_text;
using ddlsim::test::LogStyle;
using ddlsim::test::make_log;
using ddlsim::test::on_iris;

NcclDebug said(std::initializer_list<const char*> lines) {
  NcclDebug debug;
  for (const char* line : lines) ddlsim::read_nccl_debug(line, debug);
  return debug;
}

std::string before(const std::string& line, ddlsim::HostNames hosts = {"node-0"}) {
  return std::string(ddlsim::without_nccl_debug(line, hosts).before);
}

std::vector<CollectiveRecord> rows_of(const std::string& text) {
  return collectives_of(import_text("nccl-tests", text, on_iris()));
}

/// Debug text of two ranks after the root and after the first half of every row, as a shared output has it.
std::string with_debug_in_rows(const std::string& log, const std::string& debug) {
  std::string text;
  for (std::size_t begin = 0; begin < log.size();) {
    const auto end = log.find('\n', begin);
    auto line = log.substr(begin, end - begin);
    const auto root = line.front() == '#' ? std::string::npos : line.find("-1");
    if (root != std::string::npos) {
      const auto half = line.size() - 32; // a half has 32 letters
      line = line.substr(0, root + 2) + debug + "\n" + line.substr(root + 2, half - root - 2) + debug + "\n" +
             line.substr(half);
    }
    text += line + "\n";
    begin = end + 1;
  }
  return text;
}

} // namespace

TEST_CASE("NCCL's own text is separated from the half line that it follows") {
  CHECK(before("  4096  1024  float  sum  -1node-0:71:90 [0] NCCL INFO x") == "  4096  1024  float  sum  -1");
  CHECK(before("  4096  1024  float  sum  -1node-7:71:90 [0] NCCL INFO x") == "  4096  1024  float  sum  -1");
  CHECK(before("  9.1  8.2  7.3      037c0ffee:71:90 [0] NCCL INFO x", {"37c0ffee"}) == "  9.1  8.2  7.3      0");
  CHECK(before("  9.1  8.2  7.3    N/Anode-7:71:90 [0] NCCL INFO x") == "  9.1  8.2  7.3    N/A");
  CHECK(before("  sum  -1[2026-01-31 10:00:00] node-0:71:90 [0] misc/socket.cc:8 NCCL WARN x") == "  sum  -1");
  CHECK(before("node-0:71:90 [0] NCCL INFO x").empty());
  CHECK(before("[2026-01-31 10:00:00] node-0:71:90 [0] NCCL INFO x").empty());
  CHECK(before("# nothing of NCCL INFOrmation") == "# nothing of ");
  CHECK(before("  4096  1024  float") == "  4096  1024  float");
  ddlsim::HostNames hosts;
  ddlsim::without_nccl_debug("c0ffee:71:90 [0] NCCL INFO x", hosts);
  CHECK(hosts == ddlsim::HostNames{"c0ffee"});
}

TEST_CASE("NCCL says its ranks, nodes and networks in the words of any version") {
  const auto debug = said({"NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB ib0:10.0.0.1<0>",
                           "NCCL INFO comm 0x5 rank 3 nRanks 16 nNodes 2 localRanks 8 localRank 3 MNNVL 0",
                           "NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM"});
  CHECK(debug.ranks == 16);
  CHECK(debug.nodes == 2);
  CHECK(debug.transport == "nccl-ib");
  CHECK(debug.inside == "P2P");
  CHECK(said({"NCCL INFO comm 0x5 rank 0 nranks 4 cudaDev 0 busId 1000 - Init COMPLETE"}).ranks == 4);
  CHECK(said({"NCCL INFO NET/IB : No device found.", "NCCL INFO NET/Socket : Using [0]eth0:10.0.0.3<0>"}).transport ==
        "nccl-tcp");
  CHECK(said({"NCCL INFO NET/IB : Using [0]mlx5_0:1/IB", "NCCL INFO Using network Socket"}).transport == "nccl-tcp");
  CHECK(
      said({"NCCL INFO Using network IB", "NCCL INFO Channel 00 : 0[1] -> 8[1] [send] via NET/AWS Libfabric/0/GDRDMA"})
          .transport == "unknown");
  CHECK(said({"NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/Socket/0"}).transport == "nccl-tcp");
}

TEST_CASE("NCCL says the algorithm and the protocol by name or by number") {
  auto debug = said({"NCCL INFO AllReduce: 4096 Bytes -> Algo NVLS_TREE proto SIMPLE channel{Lo..Hi}={0..15}"});
  CHECK(debug.algorithm == "NVLS_TREE");
  CHECK(debug.protocol == "SIMPLE");
  debug = said({"NCCL INFO AllReduce: 4096 Bytes -> Algo 1 proto 0 time 31.5"});
  CHECK(debug.algorithm == "RING");
  CHECK(debug.protocol == "LL");
  CHECK(said({"NCCL INFO AllReduce: 4096 Bytes -> Algo 9 proto 7 time 31.5"}).algorithm.empty());
}

TEST_CASE("rows that debug text cut into parts are whole again") {
  LogStyle style;
  style.sizes = {1048576};
  const auto plain = rows_of(make_log(style));
  const std::string choice = " [0] NCCL INFO AllReduce: 1048576 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..7}";
  const auto cut = rows_of(with_debug_in_rows(make_log(style), "node-0:71:71" + choice + "\nnode-1:80:80" + choice +
                                                                   "\n\nnode-0:71:71 [0] NCCL WARN nothing"));
  REQUIRE(cut.size() == plain.size());
  for (std::size_t i = 0; i < cut.size(); ++i) {
    CHECK(cut[i].time_s == plain[i].time_s);
    CHECK(cut[i].size_bytes == plain[i].size_bytes);
    CHECK(cut[i].algorithm == "ring");
    CHECK_THAT(cut[i].head.note, Catch::Contains("NCCL took RING with LL"));
  }
}

TEST_CASE("every rank may print into the rows under srun, and rows of different algorithms have none") {
  auto log =
      with_debug_in_rows(make_log({}), "node-0:71:71 [0] NCCL INFO Reduce: 1048576 Bytes -> Algo TREE proto LL x");
  const auto last = log.rfind("1048576 Bytes -> Algo TREE");
  log.replace(last, 26, "2097152 Bytes -> Algo RING"); // a part of 16777216 on 8 ranks
  std::string labelled;
  int rank = 0;
  for (std::size_t begin = 0; begin < log.size();) {
    const auto end = log.find('\n', begin);
    labelled += "0: " + log.substr(begin, end - begin) + "\n";
    labelled += fmt::format("{}: node-1:{}:9 [1] NCCL INFO bootstrap\n", 1 + rank % 7, 80 + rank);
    ++rank;
    begin = end + 1;
  }
  const auto records = rows_of(labelled);
  REQUIRE(records.size() == 6);
  CHECK(records[0].algorithm == "unknown");
  CHECK_THAT(records[0].head.note, Catch::Contains("TREE"));
  CHECK(records[1].head.note.empty()); // what was said is of another size
  CHECK_THAT(records[2].head.note, Catch::Contains("RING"));
}

TEST_CASE("nodes and network of a log are NCCL's where it says them") {
  LogStyle style;
  style.hosts = 1;
  style.gpus_per_host = 8;
  const std::string debug = "node-0:71:90 [0] NCCL INFO comm 0x5 rank 0 nRanks 8 nNodes 4 localRanks 2\n"
                            "node-0:71:90 [0] NCCL INFO Channel 00/0 : 1[1] -> 2[0] [send] via NET/IB/0/GDRDMA\n";
  auto text = make_log(style);
  text.insert(text.find("#       size"), debug);
  CHECK(rows_of(text)[0].nodes == 4);
  CHECK(rows_of(text)[0].head.transport == "nccl-ib");
  text.erase(text.find("#  Rank  0"), text.find("node-0:71:90") - text.find("#  Rank  0"));
  CHECK(rows_of(text)[0].ranks == 8);
  CHECK(rows_of(text)[0].nodes == 4);
}

TEST_CASE("rccl-tests are read: title, version, one half alone") {
  const std::string device = "#   Rank  {} Pid {} on   mi-04 device  {} [0000:{}5:00] AMD Instinct MI300X\n";
  std::string text =
      "# Collective test starting: all_reduce_perf\nrccl-tests: Version develop:b0a3841\n# Using devices\n";
  for (int rank = 0; rank < 2; ++rank) text += fmt::format(fmt::runtime(device), rank, 70 + rank, rank, rank);
  text += "RCCL version : 2.22.3-develop:7c0d2b1\nHIP version  : 6.4.43482\n#\n"
          "#                                                       in-place          \n"
          "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
          "     1000000        250000  fp8_e4m3     sum      -1   100.00   10.00   10.00    N/A\n"
          "# Errors with asterisks indicate errors that have exceeded the maximum threshold.\n"
          "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 10 \n";
  const auto imported = import_text("nccl-tests", text, on_iris());
  const auto records = collectives_of(imported);
  REQUIRE(records.size() == 1);
  CHECK(records[0].time_s == Approx(100e-6));
  CHECK(records[0].head.series == "all_reduce-fp8_e4m3-in-place");
  CHECK(records[0].ranks == 2);
  CHECK(records[0].nodes == 1);
  CHECK(imported.measurements.context.software == "RCCL 2.22.3, rccl-tests");
}
