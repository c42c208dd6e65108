#include "sim/base/text_file.hpp"
#include "sim/formats/record.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

using ddlsim::read_measurements;
using ddlsim_test::sample_context;
using ddlsim_test::sample_record;
using nlohmann::json;
using Lines = std::vector<std::string>;

namespace {

const Lines all_kinds{"step", "collective", "point_to_point", "layers", "server", "input", "loss", "speed_up"};

/// Mistakes of a file with these lines, each beginning with ":LINE: ".
Lines reported(const std::string& content) {
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("a.jsonl", content);
  return ddlsim_test::mistakes_of(file, [&] { read_measurements(file); });
}

std::string with_context(const std::string& lines) {
  return sample_context().dump() + "\n" + lines + "\n";
}

/// The mistakes of one spoilt record in line 2.
Lines reported_of_record(const std::string& kind, const ddlsim_test::BrokenFile& spoilt) {
  return reported(with_context(ddlsim_test::spoil(sample_record(kind), spoilt).dump()));
}

template <class Kind> Kind read_one(const json& record) {
  const ddlsim_test::TemporaryFolder folder;
  const auto read = read_measurements(folder.write("a.jsonl", with_context(record.dump())));
  REQUIRE(read.records.size() == 1);
  return std::get<Kind>(read.records[0]);
}

json with_value(json record, double value, const std::string& unit) {
  record["value"] = value;
  record["unit"] = unit;
  return record;
}

struct BadRecord {
  std::string kind;
  ddlsim_test::BrokenFile spoilt;
};

void check(const std::vector<BadRecord>& cases) {
  for (const auto& one : cases) {
    INFO(one.kind << one.spoilt.pointer << " = " << one.spoilt.value);
    CHECK(reported_of_record(one.kind, one.spoilt) == Lines{":2: " + one.spoilt.says});
  }
}

} // namespace

TEST_CASE("a measurement file is read") {
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("a.jsonl", ddlsim_test::sample_measurements());
  const auto read = read_measurements(file);
  CHECK(read.file == file);
  CHECK(read.context.cluster == "iris");
  CHECK(read.context.gpu == "V100-SXM2-16GB");
  CHECK(read.context.date == "2018-05");
  CHECK(read.context.source_title == "A table");
  CHECK(read.context.source_repository == "a/b");
  CHECK(read.context.source_file == "table.json");
  CHECK_FALSE(read.context.emulated);
  REQUIRE(read.records.size() == all_kinds.size());
  for (std::size_t i = 0; i < all_kinds.size(); ++i) {
    CHECK(to_text(kind_of(read.records[i])) == all_kinds[i]);
    const auto& head = head_of(read.records[i]);
    CHECK(head.file == file.string());
    CHECK(head.line == static_cast<int>(i) + 2);
    CHECK(head.series == "s");
    CHECK(head.from == "/points/0");
    CHECK(head.gpu == "V100-SXM2-16GB"); // the context's
    CHECK(head.transport == "nccl-ib");
    const bool is_table = all_kinds[i] == "layers"; // its timings have their own
    CHECK(head.repeats == (is_table ? 0 : 5));
    CHECK(head.relative_spread == (is_table ? 0 : 0.01));
    CHECK_FALSE(head.suspect);
  }
  CHECK(ddlsim::records_of<ddlsim::StepRecord>({read, read}).size() == 2);
}

TEST_CASE("values are converted from their unit") {
  using namespace std::string_literals;
  const auto step = sample_record("step");                                             // 8 GPUs x batch 64
  CHECK(read_one<ddlsim::StepRecord>(step).iteration_s == Approx(0.5).epsilon(1e-15)); // 512 samples at 1024 a second
  CHECK(read_one<ddlsim::StepRecord>(with_value(step, 500, "ms")).iteration_s == Approx(0.5).epsilon(1e-15));
  CHECK(read_one<ddlsim::StepRecord>(with_value(step, 0.5, "s")).iteration_s == 0.5);
  auto tokens = with_value(step, 1024 * 128.0, "tokens/s");
  tokens["tokens_per_sample"] = 128;
  CHECK(read_one<ddlsim::StepRecord>(tokens).iteration_s == Approx(0.5).epsilon(1e-15));
  CHECK(read_one<ddlsim::StepRecord>(with_value(tokens, 128 * 128.0, "tokens/s/GPU")).iteration_s ==
        Approx(0.5).epsilon(1e-15)); // of one of eight
  const auto collective = sample_record("collective");
  CHECK(read_one<ddlsim::CollectiveRecord>(collective).time_s == Approx(0.0125).epsilon(1e-15));
  CHECK(read_one<ddlsim::CollectiveRecord>(with_value(collective, 3, "us")).time_s == Approx(3e-6).epsilon(1e-15));
  const auto message = sample_record("point_to_point"); // 4096 bytes
  CHECK(read_one<ddlsim::PointToPointRecord>(with_value(message, 4.096, "GB/s")).time_s == Approx(1e-6).epsilon(1e-12));
  CHECK(read_one<ddlsim::PointToPointRecord>(with_value(message, 4.096, "MB/s")).time_s == Approx(1e-3).epsilon(1e-12));
  const auto server = sample_record("server");
  CHECK(read_one<ddlsim::ServerRecord>(server).rate_Bps == 0.3e9);
  CHECK(read_one<ddlsim::ServerRecord>(with_value(server, 8, "Gbps")).rate_Bps == 1e9);
  CHECK(read_one<ddlsim::ServerRecord>(with_value(server, 8, "Mbps")).rate_Bps == 1e6);
  const auto input = sample_record("input");
  CHECK(read_one<ddlsim::InputRecord>(input).samples_per_s == 900);
  CHECK(read_one<ddlsim::InputRecord>(input).rate_Bps == 0);
  CHECK(read_one<ddlsim::InputRecord>(with_value(input, 2, "MB/s")).rate_Bps == 2e6);
  CHECK(read_one<ddlsim::InputRecord>(with_value(input, 2, "MB/s")).samples_per_s == 0);
}

TEST_CASE("what a record leaves out has its usual value") {
  auto step = sample_record("step");
  for (const char* key : {"repeats", "relative_spread", "note"}) step.erase(key);
  step["gpu"] = "K80";
  const auto read = read_one<ddlsim::StepRecord>(step);
  CHECK(read.head.repeats == 0);
  CHECK(read.head.relative_spread == 0);
  CHECK(read.head.note.empty());
  CHECK(read.head.gpu == "K80"); // its own before the context's
  CHECK(read.mode == ddlsim::RunMode::train);
  CHECK(read_one<ddlsim::CollectiveRecord>(sample_record("collective")).concurrent_jobs == 1);
}

TEST_CASE("a quoted step is read, counts as any other, and is reported once a file") {
  auto quoted = sample_record("step");
  quoted["quoted"] = true;
  const ddlsim_test::TemporaryFolder folder;
  const auto lines = quoted.dump() + "\n" + quoted.dump();
  const auto read = read_measurements(folder.write("a.jsonl", with_context(lines)));
  CHECK(read.records.size() == 2);
  CHECK(read.notes ==
        Lines{"\"quoted\" of a record counts for nothing any more; leave it out, the next version refuses it"});
  CHECK(read_measurements(folder.write("b.jsonl", with_context(sample_record("step").dump()))).notes.empty());
}

TEST_CASE("what a line leaves out of transport, library, statistic and algorithm is unknown") {
  auto step = sample_record("step");
  for (const char* key : {"transport", "library", "statistic", "algorithm"}) step.erase(key);
  const auto read = read_one<ddlsim::StepRecord>(step);
  CHECK(read.head.transport == "unknown");
  CHECK(read.head.library == "unknown");
  CHECK(read.head.statistic == "unknown");
  CHECK(read.algorithm == "unknown");
  auto collective = sample_record("collective");
  collective.erase("algorithm");
  CHECK(read_one<ddlsim::CollectiveRecord>(collective).algorithm == "unknown");
}

TEST_CASE("what is wrong with any record is reported with file and line") {
  const std::string transports = "nccl-ib, nccl-tcp, mpi-ib, mpi-tcp, gloo-tcp, grpc, shm, unknown";
  for (const auto& kind : all_kinds) {
    const std::vector<ddlsim_test::BrokenFile> spoilt{
        {"/series", "", "/series: missing; give a text"},
        {"/from", "", "/from: missing for a figure of origin \"table\"; say where in the source it stands"},
        {"/from", "\"points\"",
         "/from: \"points\" is no JSON pointer; write one into \"table.json\", like \"/points/3\""},
        {"/origin", "\"guess\"", "/origin: \"guess\" found; give one of table, text, plot, run"},
        {"/transport", "\"tcp\"", "/transport: \"tcp\" found; give one of " + transports},
        {"/library", "\"\"", "/library: the text is empty; say what it is, or \"unknown\" where that is allowed"},
        {"/statistic", "\"medium\"",
         "/statistic: \"medium\" found, one of median, mean, best_of, unknown expected; did you mean \"median\"?"},
        {"/suspect", "1", "/suspect: 1 found; give true or false, without quotes"},
        {"/serie", "1", "/serie: unknown key; did you mean \"series\"?"}};
    for (const auto& one : spoilt) check({{kind, one}});
    if (kind != "layers")
      check({{kind, {"/repeats", "0", "/repeats: 0 is out of range; give 1 to 1000000000"}},
             {kind, {"/relative_spread", "-0.1", "/relative_spread: -0.1 is out of range; give 0 to 100"}}});
    for (const char* key : {"/transport", "/library", "/statistic"})
      CHECK(reported_of_record(kind, {key, "", ""}).empty());
    CHECK(reported_of_record(kind, {"/origin", "\"run\"", ""}).empty());
  }
}

TEST_CASE("what is wrong with a step is reported") {
  const std::string nodes =
      " found, 2 nodes of 4 GPUs expected (8, the last node may be partly used); correct one of the "
      "three";
  check(
      {{"step", {"/gpus", "9", "/gpus: 9" + nodes}},
       {"step", {"/gpus", "4", "/gpus: 4" + nodes}},
       {"step", {"/gpus", "0", "/gpus: 0 is out of range; give 1 to 10000000"}},
       {"step",
        {"/model", "\"ResNet-50\"",
         "/model: \"ResNet-50\" leaves open which variant is meant; give one of resnet50_v1, resnet50_v1.5, "
         "resnet50_v2"}},
       {"step", {"/value", "0", "/value: 0 found; give a number above 0, without quotes or unit"}},
       {"step", {"/value", "-5", "/value: -5 found; give a number above 0, without quotes or unit"}},
       {"step", {"/value", "\"5\"", "/value: \"5\" found; give a number above 0, without quotes or unit"}},
       {"step", {"/value", "", "/value: missing; give a number above 0"}},
       {"step",
        {"/unit", "\"images/s\"",
         "/unit: \"images/s\" found; give one of samples/s, tokens/s, tokens/s/GPU, TFLOP/s, s, ms"}},
       {"step", {"/unit", "", "/unit: missing; give one of samples/s, tokens/s, tokens/s/GPU, TFLOP/s, s, ms"}},
       {"step", {"/unit", "\"tokens/s\"", "/tokens_per_sample: missing; give a number above 0"}},
       {"step", {"/unit", "\"tokens/s/GPU\"", "/tokens_per_sample: missing; give a number above 0"}},
       {"step",
        {"/tokens_per_sample", "128",
         "/tokens_per_sample: has no meaning with \"unit\": \"samples/s\"; leave it out, or give \"unit\": "
         "\"tokens/s\" or \"tokens/s/GPU\""}},
       {"step", {"/unit", "\"TFLOP/s\"", "/flop_per_sample: missing; give a number above 0"}},
       {"step",
        {"/flop_per_sample", "1e12",
         "/flop_per_sample: has no meaning with \"unit\": \"samples/s\"; leave it out, or give \"unit\": \"TFLOP/s\""}},
       {"step",
        {"/wire_precision", "\"fp31\"",
         "/wire_precision: \"fp31\" found, one of fp32, fp16, bf16, unknown expected; did you mean \"fp32\"?"}},
       {"step", {"/data", "\"fake\"", "/data: \"fake\" found; give one of synthetic, real, unknown"}},
       {"step", {"/synchronised", "", "/synchronised: missing; give true or false"}},
       {"step",
        {"/strategy", "{\"name\": \"none\"}",
         "/synchronised: true found beside strategy none; give false, or the strategy that ran"}},
       {"step",
        {"/strategy/servers", "{}",
         "/strategy/servers: has no meaning with \"name\": \"ring\"; leave it out, or give \"name\": \"ps\" or "
         "\"ps-async\""}},
       {"step", {"/strategy", "", "/strategy: missing; give an object"}},
       {"step", {"/overlap_slowdown", "0", "/overlap_slowdown: 0 is out of range; give 0.001 to 1000"}},
       {"step", {"/overlap_kernels", "9", "/overlap_kernels: has no meaning without overlap_slowdown; leave it out"}},
       {"step", {"/host_paced", "1", "/host_paced: 1 found; give true or false, without quotes"}},
       {"step", {"/optimizer", "\"none\"", "/optimizer: \"none\" found; give true or false, without quotes"}},
       {"step", {"/mode", "\"infer\"", "/mode: \"infer\" found; give one of train, forward"}}});
  for (const char* count : {"5", "6", "7"}) CHECK(reported_of_record("step", {"/gpus", count, ""}).empty());
}

TEST_CASE("what is wrong with the other records is reported") {
  check({{"collective",
          {"/operation", "\"allreducer\"",
           "/operation: \"allreducer\" found, one of all_reduce, reduce_scatter, all_gather, broadcast, "
           "reduce, all_to_all expected; did you mean \"all_reduce\"?"}},
         {"collective", {"/nodes", "9", "/nodes: 9 found, more than the 8 ranks; correct one"}},
         {"collective", {"/size_bytes", "-1", "/size_bytes: -1 is out of range; give 0 or more"}},
         {"collective", {"/concurrent_jobs", "0", "/concurrent_jobs: 0 is out of range; give 1 to 10000000"}},
         {"point_to_point", {"/unit", "\"Gbps\"", "/unit: \"Gbps\" found; give one of s, ms, us, GB/s, MB/s"}},
         {"layer",
          {"/pass", "\"forwards\"",
           "/pass: \"forwards\" found, one of forward, backward, backward-data, backward-weights, optimizer "
           "expected; did you mean \"forward\"?"}},
         {"layer", {"/flop", "0", "/flop: 0 found; give a number above 0, without quotes or unit"}},
         {"layer", {"/size_bytes", "0", "/size_bytes: 0 found; give a number above 0, without quotes or unit"}},
         {"layer", {"/batch", "", "/batch: missing; give a number above 0"}},
         {"server",
          {"/what", "\"pushes\"",
           "/what: \"pushes\" found, one of push, pull, push-pull, channel, training expected; did "
           "you mean \"push\"?"}},
         {"input", {"/unit", "\"Gbps\"", "/unit: \"Gbps\" found; give one of samples/s, MB/s, GB/s, B/s"}},
         {"loss", {"/accuracy", "40", "/accuracy: 40 is out of range; give 0 to 1"}},
         {"loss", {"/epoch", "-1", "/epoch: -1 is out of range; give 0 to 1000000"}}});
  auto empty = with_value(sample_record("point_to_point"), 1, "GB/s");
  empty["size_bytes"] = 0;
  CHECK(reported(with_context(empty.dump())) ==
        Lines{":2: /unit: a rate of 0 bytes is no time; give the time of the empty message"});
}

TEST_CASE("a server while workers train says what it took of the processors, and no other does") {
  auto record = ddlsim_test::sample_server_in_training();
  const auto read = read_one<ddlsim::ServerRecord>(record);
  CHECK(read.preset == "tf-ps");
  CHECK(read.bytes == 3.9e9);
  CHECK(read.messages == 256);
  CHECK(read.processor_s == 4.5);
  record.erase("messages");
  record["processor_s"] = 0;
  CHECK(reported(with_context(record.dump())) ==
        Lines{":2: /messages: missing; give a whole number, 1 or more",
              ":2: /processor_s: 0 found; give a number above 0, without quotes or unit"});
  auto push = sample_record("server");
  push["processor_s"] = 4.5;
  CHECK(
      reported(with_context(push.dump())) ==
      Lines{":2: /processor_s: has no meaning with \"what\": \"push\"; leave it out, or give \"what\": \"training\""});
}

TEST_CASE("an efficiency is read as the speed-up it says") {
  auto record = sample_record("speed_up"); // 8 GPUs against 1
  CHECK(read_one<ddlsim::SpeedUpRecord>(record).speed_up == 7.2);
  CHECK(read_one<ddlsim::SpeedUpRecord>(with_value(record, 0.875, "efficiency")).speed_up == 7);
  record["base_gpus"] = 2;
  const auto read = read_one<ddlsim::SpeedUpRecord>(with_value(record, 0.875, "efficiency"));
  CHECK(read.speed_up == 3.5);
  CHECK(read.assumed.at("batch_per_gpu") == "the script's default; assumed by its converter");
}

TEST_CASE("what is wrong with a speed-up is reported") {
  const std::string nodes =
      " found, 2 nodes of 4 GPUs expected (8, the last node may be partly used); correct one of the three";
  check({{"speed_up", {"/gpus", "4", "/gpus: 4" + nodes}},
         {"speed_up", {"/base_nodes", "2", "/base_gpus: 1" + nodes}},
         {"speed_up",
          {"/base_gpus", "5",
           "/base_gpus: 5 found, 1 nodes of 4 GPUs expected (4, the last node may be partly used); correct one of the "
           "three"}},
         {"speed_up", {"/base_gpus", "", "/base_gpus: missing; give a whole number, 1 to 10000000"}},
         {"speed_up", {"/batch_per_gpu", "", "/batch_per_gpu: missing; give a number above 0"}},
         {"speed_up", {"/trust", "\"D\"", "/trust: \"D\" found, one of A, B, C expected; did you mean \"A\"?"}},
         {"speed_up",
          {"/assumed/batch_per_gpu", "\"\"",
           "/assumed/batch_per_gpu: the text is empty; say what it is, or \"unknown\" where that is "
           "allowed"}},
         {"speed_up", {"/unit", "\"percent\"", "/unit: \"percent\" found; give one of times, efficiency"}}});
  auto same = sample_record("speed_up");
  same["base_gpus"] = 8;
  same["base_nodes"] = 2;
  CHECK(reported(with_context(same.dump())) ==
        Lines{":2: /base_gpus: 8 found, as many as /gpus; a speed-up is of two scales, give the smaller one here"});
  CHECK(reported(with_context(with_value(sample_record("speed_up"), 90, "efficiency").dump())) ==
        Lines{":2: /value: 90 found; an efficiency is a share of linear growth, 0.9 for 90 %"});
  auto guessed = sample_record("speed_up");
  guessed["assumed"]["batch"] = "64";
  CHECK(reported(with_context(guessed.dump())).size() == 1);
}

TEST_CASE("the times of repetitions are read, and are as many as the repeats") {
  auto record = sample_record("collective"); // of 5 repeats
  record["samples_s"] = json::parse("[0.5, 1e-3, 2, 3, 4]");
  CHECK(read_one<ddlsim::CollectiveRecord>(record).head.samples_s == std::vector<double>{0.5, 1e-3, 2, 3, 4});
  const auto reported_with = [&](const char* samples) {
    record["samples_s"] = json::parse(samples);
    return reported(with_context(record.dump()));
  };
  CHECK(reported_with("[1, 2]") == Lines{":2: /samples_s: 2 times found for 5 repeats; correct one"});
  CHECK(reported_with("[]") == Lines{":2: /samples_s: none found; give one or more"});
  CHECK(reported_with("[1, 0]") == Lines{":2: /samples_s/1: 0 found; give a number above 0, without quotes or unit"});
  CHECK(reported_with("5").size() == 1);
}

TEST_CASE("the order and the kinds of lines are held") {
  const std::string context = sample_context().dump();
  const std::string step = sample_record("step").dump();
  CHECK(reported("") == Lines{"the file is empty; a context record is expected first (`ddlsim schema measurement`)"});
  CHECK(reported("\n \r\n") ==
        Lines{"the file is empty; a context record is expected first (`ddlsim schema measurement`)"});
  CHECK(reported(step + "\n" + step) == Lines{":1: a context record is expected first (`ddlsim schema measurement`)"});
  CHECK(reported(context + "\n{\"record\": \"stepp\"}") ==
        Lines{":2: /record: \"stepp\" found, one of step, collective, point_to_point, layers, server, input, loss, "
              "speed_up "
              "expected; did you mean \"step\"?"});
  CHECK(
      reported(context + "\n{}") ==
      Lines{
          ":2: /record: missing; give one of step, collective, point_to_point, layers, server, input, loss, speed_up"});
  CHECK(reported(context + "\n[1]") == Lines{":2: a list of 1 found, an object expected; write {...}"});
  CHECK(reported(context + "\n" + step.substr(0, 100)) ==
        Lines{":2: the text ends too early, at column 101: expected string literal; is the file truncated?"});
  CHECK(reported(context + "\n{\"a\": 1, \"a\": 2}")[0] == ":2: /a: the key is there twice; keep one of the two");
  CHECK(reported(context + "\n{\"a\": \"\xff\"}") ==
        Lines{":2: byte 0xff at column 8 is not UTF-8 text; save the file as UTF-8"});
  CHECK(reported(context + "\n" + std::string(ddlsim::max_line_bytes + 1, 'x') + "\n" + step) ==
        Lines{":2: a line of more than 1048576 bytes; write one record a line"});
  CHECK(reported(context + "\r\n\r\n" + step + "\r\n").empty()); // Windows line ends and blank lines are fine
}

TEST_CASE("what follows from the rest of a step may be left out") {
  auto record = sample_record("step");
  for (const char* key : {"origin", "wire_precision", "gpus_per_node", "mode"}) record.erase(key);
  record["precision"] = "fp32";
  const auto of_fp32 = read_one<ddlsim::StepRecord>(record);
  CHECK(of_fp32.head.origin == "table"); // it says where in the source it stands
  CHECK(of_fp32.wire_precision == ddlsim::WirePrecision::fp32);
  CHECK(of_fp32.gpus_per_node == (of_fp32.gpus + of_fp32.nodes - 1) / of_fp32.nodes);
  CHECK(of_fp32.mode == ddlsim::RunMode::train);
  record["precision"] = "amp";
  record.erase("from");
  const auto own = read_one<ddlsim::StepRecord>(record);
  CHECK(own.head.origin == "run");
  CHECK(own.wire_precision == ddlsim::WirePrecision::unknown);
}

TEST_CASE("the first 50 mistakes are reported, and how many more") {
  std::string lines = sample_context().dump() + "\n";
  for (int i = 0; i < 70; ++i) lines += "{\"record\": 3}\n";
  const auto lines_reported = reported(lines);
  REQUIRE(lines_reported.size() == 51);
  CHECK(lines_reported[49].rfind(":51: ", 0) == 0);
  CHECK(lines_reported[50] == "and 20 more; mend these first");
  for (int i = 0; i < 20'000; ++i) lines += "{\"record\": 3}\n"; // a file of another kind is not read to its end
  CHECK(reported(lines).back() == "and 9951 or more; mend these first");
}

TEST_CASE("all files of a cluster are read, by name") {
  const ddlsim_test::TemporaryFolder folder;
  folder.write("iris/measurements/b.jsonl", ddlsim_test::sample_measurements());
  folder.write("iris/measurements/a.jsonl", with_context(""));
  folder.write("iris/measurements/notes.txt", "not one of them");
  const auto files = ddlsim::read_cluster_measurements(folder.path(), "iris");
  REQUIRE(files.size() == 2);
  CHECK(files[0].file.filename() == "a.jsonl");
  CHECK(files[1].records.size() == all_kinds.size());
  CHECK(ddlsim::read_cluster_measurements(folder.path(), "nowhere").empty());
}
