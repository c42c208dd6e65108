#include "import/importers.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace {

using ddlsim::CollectiveRecord;
using ddlsim::ImportContext;
using ddlsim::Imported;
using ddlsim::test::log_time_us;
using ddlsim::test::LogStyle;
using ddlsim::test::make_log;
using ddlsim::test::on_iris;
using ddlsim::test::read_back;
using ddlsim::test::ScratchFile;
using Layout = LogStyle::Layout;

Imported import_log(const std::string& text, const ImportContext& stated = on_iris()) {
  const ScratchFile file("run.log", text);
  return ddlsim::import_nccl_tests(ddlsim::LogSource(file.path()), stated);
}

std::vector<CollectiveRecord> collectives(const Imported& imported) {
  return ddlsim::records_of<CollectiveRecord>({imported.measurements});
}

/// Times come back as printed: 4 digits or more.
void check_times(const std::vector<CollectiveRecord>& records, const LogStyle& style, double printed_share) {
  REQUIRE(records.size() == 2 * style.sizes.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const bool in_place = i >= style.sizes.size();
    const double size = style.sizes[i % style.sizes.size()];
    CHECK(records[i].size_bytes == size);
    CHECK(records[i].time_s == Approx(log_time_us(size, in_place) * 1e-6).epsilon(printed_share));
    CHECK((records[i].head.note.find("in-place") != std::string::npos) == in_place);
  }
}

std::string json_text(const std::string& program, int processes) {
  std::string devices;
  for (int p = 0; p < processes; ++p)
    devices +=
        fmt::format(R"({}{{"rank":{},"group":0,"pid":{},"hostname":"node-{}","device":0,"device_hex":"0000:06:00",)"
                    R"("device_info":"NVIDIA H100 80GB HBM3"}})",
                    p == 0 ? "" : ",", 4 * p, 100 + p, p);
  // 1 MB in 100 us out of place, 80 us in place; all_reduce on 8 ranks
  return fmt::format(
      R"({{"version":3,"start_time":"2025-08-01 12:00:00","args":["/opt/{}_perf","-J","a.json"],)"
      R"("env":["HOME=home","NCCL_ALGO=Tree"],"nccl_version":22803,"config":{{"nthreads":1,"ngpus":4,"iterations":50,)"
      R"("blocking_collectives":"false","devices":[{}]}},"results":[{{"size":1000000,"count":250000,"type":"float",)"
      R"("redop":"sum","root":"    -1","out_of_place":{{"time":100.000000,"alg_bw":10.000000,"bus_bw":17.500000,)"
      R"("nwrong":0.000000}},"out_of_place_per_iter":{{"cv_pct":2.5}},"in_place":{{"time":80.000000,"alg_bw":12.500000,)"
      R"("bus_bw":21.875000,"nwrong":null}},"actual_iterations":50,"experiment_name":""}}],)"
      R"("out_of_bounds":{{"count":0,"okay":"true"}},"end_time":"2025-08-01 12:01:00"}})",
      program, devices);
}

} // namespace

TEST_CASE("all three layouts give the same operation, size and time") {
  LogStyle style;
  style.layout = GENERATE(Layout::root, Layout::no_root, Layout::nccl1);
  const auto imported = import_log(make_log(style));
  const auto records = collectives(imported);
  // The NCCL 1 layout prints microseconds as its third decimal.
  check_times(records, style, style.layout == Layout::nccl1 ? 0.005 : 0.0005);
  for (const auto& record : records) {
    CHECK(record.operation == "all_reduce");
    CHECK(record.algorithm == "unknown");
    CHECK(record.ranks == 8);
    CHECK(record.nodes == 2);
    CHECK(record.concurrent_jobs == 1);
    CHECK(record.head.library == "nccl");
    CHECK(record.head.statistic == "mean");
    CHECK(record.head.repeats == 20);
    CHECK(record.head.gpu == "V100-SXM2-16GB");
    CHECK(record.head.transport == "unknown");
    CHECK_FALSE(record.head.suspect);
  }
  CHECK(imported.measurements.context.machine == "2 x 4, Tesla V100-SXM2-16GB");
  CHECK(imported.notes.empty());
  read_back(imported);
}

TEST_CASE("launcher prefixes, CRLF and a byte order mark change nothing but line numbers") {
  LogStyle style;
  const auto plain = ddlsim::to_json_lines(import_log(make_log(style)).measurements);
  for (const char* prefix : {"[1,0]<stdout>:", "[1,0]<stdout>: ", "[prterun-host-77@1,0]<stdout>: ", "0: ", "[0] "}) {
    INFO(prefix);
    style.prefix = prefix;
    CHECK(ddlsim::to_json_lines(import_log(make_log(style)).measurements) == plain);
  }
  style.prefix.clear();
  std::string crlf = "\xEF\xBB\xBF";
  for (const char letter : make_log(style)) crlf += letter == '\n' ? std::string("\r\n") : std::string(1, letter);
  CHECK(ddlsim::to_json_lines(import_log(crlf).measurements) == plain);
}

TEST_CASE("other operations are known by the program's line") {
  struct Case {
    const char* program;
    const char* operation;
    const char* redop;
    int root;
    double factor;
  };
  const auto one =
      GENERATE(Case{"all_gather", "all_gather", "none", -1, 0.875},
               Case{"reduce_scatter", "reduce_scatter", "sum", -1, 0.875}, Case{"broadcast", "broadcast", "none", 0, 1},
               Case{"reduce", "reduce", "sum", 0, 1}, Case{"alltoall", "all_to_all", "none", -1, 0.875});
  LogStyle style;
  style.program = one.program;
  style.redop = one.redop;
  style.root = one.root;
  style.bus_factor = one.factor;
  const auto imported = import_log(make_log(style));
  check_times(collectives(imported), style, 0.0005);
  CHECK(collectives(imported).front().operation == one.operation);
  read_back(imported);
}

TEST_CASE("an operation that the log does not name is deduced where only one fits") {
  LogStyle style;
  style.layout = Layout::no_root;
  style.names_program = false;
  CHECK(collectives(import_log(make_log(style))).front().operation == "all_reduce");
  CHECK(collectives(import_log(make_log(style))).front().head.note == "operation deduced from columns and bandwidths");
  style.bus_factor = 0.875;
  CHECK(collectives(import_log(make_log(style))).front().operation == "reduce_scatter");
}

TEST_CASE("several tables in one file keep their own scale, and a repeat is its own series") {
  LogStyle small;
  small.hosts = 1;
  small.bus_factor = 1.5; // 4 ranks
  const LogStyle large;
  const auto imported = import_log(make_log(small) + make_log(large) + make_log(large));
  const auto records = collectives(imported);
  REQUIRE(records.size() == 18);
  CHECK(records[0].ranks == 4);
  CHECK(records[0].nodes == 1);
  CHECK(records[6].ranks == 8);
  CHECK(records[0].head.series == "all_reduce-float");
  CHECK(records[6].head.series == "all_reduce-float");
  CHECK(records[12].head.series == "all_reduce-float-run2");
  CHECK(records[15].head.series == "all_reduce-float-in-place-run2");
  read_back(imported);
}

TEST_CASE("a log that ends early gives its whole rows and says so") {
  LogStyle style;
  style.closing = false;
  auto text = make_log(style);
  text.resize(text.size() - 20); // into the last row
  const auto imported = import_log(text);
  CHECK(collectives(imported).size() == 4);
  REQUIRE(imported.notes.size() == 2);
  CHECK_THAT(imported.notes[0], Catch::Contains("the log ends there"));
  CHECK_THAT(imported.notes[1], Catch::Contains("closing lines are missing"));
}

TEST_CASE("settings in the log and on the command line") {
  const LogStyle style;
  const auto text = "NCCL version 2.8.4+cuda11.2\nmpirun -x NCCL_ALGO=Ring -np 8 all_reduce_perf -b 8\n"
                    "node-0:71:90 [0] NCCL INFO Using network IB\n" +
                    make_log(style);
  auto imported = import_log(text);
  CHECK(collectives(imported)[0].algorithm == "ring");
  CHECK(collectives(imported)[0].head.transport == "nccl-ib");
  CHECK(collectives(imported)[0].head.series == "all_reduce-float-ring");
  auto stated = on_iris();
  stated.gpu = "V100";
  stated.given = {{"transport", "nccl-tcp"}, {"algorithm", "tree"}};
  imported = import_log(text, stated);
  CHECK(collectives(imported)[0].algorithm == "tree");
  CHECK(collectives(imported)[0].head.transport == "nccl-tcp");
  CHECK(collectives(imported)[0].head.gpu == "V100");
}

TEST_CASE("the command line gives the ranks where a device list is missing") {
  LogStyle style;
  auto text = make_log(style);
  text.erase(0, text.find("#       size"));
  auto stated = on_iris();
  stated.given = {{"ranks", "8"}, {"nodes", "2"}};
  const auto records = collectives(import_log(text, stated));
  REQUIRE(records.size() == 6);
  CHECK(records[0].ranks == 8);
  CHECK(records[0].nodes == 2);
}

TEST_CASE("columns of newer options are read by name") {
  // 1 MB in 100 us on 8 ranks; spread 3 %
  const std::string half = " 100.0 10.00 17.50 N/A 90.0 120.0 119.0 3.00";
  const std::string text = make_log({}).substr(0, make_log({}).find("#       size")) +
                           "# size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% time algbw "
                           "busbw #wrong i_min i_max "
                           "i_p99 i_cv% timestamp\n1000000 250000 float sum -1" +
                           half + half + " 2025-08-01 12:00:00\n# Out of bounds values : 0 OK\n";
  const auto records = collectives(import_log(text));
  REQUIRE(records.size() == 2);
  CHECK(records[1].time_s == 100.0 / 1e6);
  CHECK(records[1].head.relative_spread == Approx(0.03));
}

TEST_CASE("wrong values make records suspect, and rows of nothing are left out") {
  auto text = make_log({});
  text.replace(text.find("values : 0 OK"), 13, "values : 3 FAILED");
  for (const auto& record : collectives(import_log(text))) CHECK(record.head.suspect);
  auto zero = make_log({});
  zero.insert(zero.find("     1048576        262144"),
              "           0             0     float     sum      -1     5.70    0.00    0.00      0     "
              "5.54    0.00    0.00      0\n");
  zero.erase(zero.find("# Avg bus")); // that of make_log() is without the row
  const auto imported = import_log(zero);
  CHECK(collectives(imported).size() == 6);
  REQUIRE(imported.notes.size() == 1);
  CHECK_THAT(imported.notes[0], Catch::Contains("0 bytes was left out"));
}

TEST_CASE("a program that has no record is left out beside one that has") {
  LogStyle pairs;
  pairs.program = "sendrecv";
  pairs.bus_factor = 1;
  const auto imported = import_log(make_log(pairs) + make_log({}));
  CHECK(collectives(imported).size() == 6);
  REQUIRE(imported.notes.size() == 1);
  CHECK_THAT(imported.notes[0], Catch::Contains("sendrecv was left out"));
}

TEST_CASE("sendrecv between two ranks is a message each way at once") {
  LogStyle pair;
  pair.program = "sendrecv";
  pair.redop = "none";
  pair.bus_factor = 1;
  pair.gpus_per_host = 1;
  const auto imported = import_log(make_log(pair));
  const auto messages = ddlsim::records_of<ddlsim::PointToPointRecord>({imported.measurements});
  REQUIRE(messages.size() == 2 * pair.sizes.size());
  CHECK(messages[0].time_s == Approx(log_time_us(pair.sizes[0], false) * 1e-6).epsilon(0.0005));
  CHECK(messages[0].nodes == 2);
  CHECK(messages[0].both_ways);
  read_back(imported);
}

TEST_CASE("JSON of nccl-tests") {
  const auto imported = import_log(json_text("all_reduce", 2));
  const auto records = collectives(imported);
  REQUIRE(records.size() == 2);
  CHECK(records[0].ranks == 8); // 2 processes x 4 GPUs
  CHECK(records[0].nodes == 2);
  CHECK(records[0].algorithm == "tree");
  CHECK(records[0].time_s == 100.0 / 1e6);
  CHECK(records[0].head.relative_spread == Approx(0.025));
  CHECK(records[0].head.repeats == 50);
  CHECK(records[0].head.from == "/results/0/out_of_place");
  CHECK(records[1].time_s == 80.0 / 1e6);
  CHECK(records[1].head.from == "/results/0/in_place");
  CHECK(imported.measurements.context.software == "NCCL 2.28.3, nccl-tests");
  CHECK(imported.measurements.context.date == "2025-08-01");
  CHECK(ddlsim::to_json_lines(imported.measurements).find("HOME") == std::string::npos);
  read_back(imported);
}
