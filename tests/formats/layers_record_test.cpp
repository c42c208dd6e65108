// Tables of layer times, and the old form of one pass of one layer a line, which becomes such tables.
#include "sim/formats/check.hpp"
#include "sim/formats/record.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

using ddlsim::LayerPass;
using ddlsim::LayersRecord;
using ddlsim::read_measurements;
using ddlsim_test::sample_context;
using ddlsim_test::sample_record;
using nlohmann::json;
using Lines = std::vector<std::string>;

namespace {

std::string text_of(const std::vector<json>& records) {
  std::string text = sample_context().dump() + "\n";
  for (const auto& record : records) text += record.dump() + "\n";
  return text;
}

std::vector<LayersRecord> tables_of(const std::vector<json>& records) {
  const ddlsim_test::TemporaryFolder folder;
  return ddlsim::records_of<LayersRecord>({read_measurements(folder.write("a.jsonl", text_of(records)))});
}

json row(const std::string& layer, const std::string& pass, double ms) {
  auto record = sample_record("layer");
  record["layer"] = layer;
  record["pass"] = pass;
  record["value"] = ms;
  return record;
}

json with(json record, const std::string& key, const json& value) {
  record[key] = value;
  return record;
}

} // namespace

TEST_CASE("a table of layers is read") {
  const auto tables = tables_of({sample_record("layers")});
  REQUIRE(tables.size() == 1);
  const auto& table = tables.front();
  CHECK(table.model == "resnet50_v1");
  REQUIRE(table.layers.size() == 3);
  CHECK(table.layers[1].name == "relu1");
  CHECK(table.layers[1].kind == "activation");
  CHECK(table.layers[0].flop_per_sample == 236027904);
  CHECK(table.layers[2].size_bytes == 8196000);
  REQUIRE(table.timings.size() == 2);
  const auto& first = table.timings[0];
  CHECK(first.gpu == "V100-SXM2-16GB"); // the context's
  CHECK(first.precision == ddlsim::Precision::fp32);
  CHECK(first.batch == 64);
  CHECK(first.count == 5);
  REQUIRE(first.passes.size() == 2);
  const auto& forward = first.passes.at(LayerPass::forward);
  REQUIRE(forward.size() == 3);
  CHECK(forward[1].time_s == 70.5 * 1e-6);
  CHECK(forward[1].relative_spread == 0);
  CHECK(forward[2].relative_spread == 0.2);
  const auto& backward = first.passes.at(LayerPass::backward); // relu1 has none
  REQUIRE(backward.size() == 2);
  CHECK(backward[1].layer == 2);
  CHECK(backward[1].time_s == 61.25 * 1e-6);
  CHECK(table.timings[1].gpu == "K80"); // its own
  CHECK(table.timings[1].suspect);
  CHECK(table.timings[1].count == 0);
}

TEST_CASE("kinds of a model's layers may be left to its own table, those of kernels may not") {
  auto record = ddlsim_test::sample_record("layers");
  record["layers"].erase("kind");
  const auto tables = tables_of({record});
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].layers[1].name == "relu1");
  CHECK(tables[0].layers[1].kind.empty());
  CHECK(json::parse(ddlsim::to_json_line(ddlsim::Record(tables[0])))["layers"] == record["layers"]);
  record["model"] = "kernel";
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("a.jsonl", text_of({record}));
  CHECK(ddlsim_test::mistakes_of(file, [&] { read_measurements(file); }) ==
        std::vector<std::string>{":2: /layers/kind: missing; give a list with the kind of each kernel"});
}

TEST_CASE("what is wrong with a table is reported") {
  const std::string passes = "forward, backward, backward-data, backward-weights, optimizer";
  const std::vector<ddlsim_test::BrokenFile> spoilt{
      {"/repeats", "5",
       "/repeats: unknown key; known here: record, series, from, origin, gpu, "
       "device, host, transport, library, software, statistic, suspect, note, model, layers, timings"},
      {"/samples_s", "[1]",
       "/samples_s: unknown key; known here: record, series, from, origin, gpu, "
       "device, host, transport, library, software, statistic, suspect, note, model, layers, timings"},
      {"/layers", "", "/layers: missing; give an object"},
      {"/layers/kind", R"(["conv"])", "/layers/kind: 1 values found for 3 layers; give one for each layer"},
      {"/layers/kind/1", R"("convolution")",
       "/layers/kind/1: \"convolution\" found, one of conv1x1, conv3x3, conv, depthwise, linear, norm, activation, "
       "pool, embedding, attention, scan, elementwise, loss, gemm expected"},
      {"/layers/name/2", R"("conv1")", "/layers/name/2: \"conv1\" stands twice; name each layer once"},
      {"/layers/name/0", R"("")", "/layers/name/0: \"\" found, the name of a layer expected"},
      {"/layers/name/0", "7", "/layers/name/0: 7 found, the name of a layer expected"},
      {"/layers/size_bytes/0", "-1", "/layers/size_bytes/0: -1 found; give a number from 0, 0 where it is not stated"},
      {"/layers/size_bytes", "5", "/layers/size_bytes: 5 found, a list expected; write [...]"},
      {"/layers/flop", "[]", "/layers/flop: unknown key; known here: name, kind, flop_per_sample, size_bytes"},
      {"/timings", "[]", "/timings: no timing found; give one"},
      {"/timings/0/batch", "", "/timings/0/batch: missing; give a number above 0"},
      {"/timings/0/count", "0", "/timings/0/count: 0 is out of range; give 1 to 1000000000"},
      {"/timings/1/forward", "", "/timings/1: no pass found; give one of " + passes},
      {"/timings/1/forwards", "{}", "/timings/1/forwards: unknown key; did you mean \"forward\"?"},
      {"/timings/1/forward", "[]", "/timings/1/forward: a list of 0 found, an object expected; write {...}"},
      {"/timings/1/forward/time_us", "",
       "/timings/1/forward/time_us: missing; give a list with the microseconds of each layer"},
      {"/timings/1/forward/time_us", "[1, 2]",
       "/timings/1/forward/time_us: 2 values found for 3 layers; give one for each layer"},
      {"/timings/1/forward/time_us/0", "0",
       "/timings/1/forward/time_us/0: 0 found; give microseconds above 0, or null where the pass does not run"},
      {"/timings/0/forward/spread/0", "101",
       "/timings/0/forward/spread/0: 101 found; give a number from 0 to 100, 0 where it is not stated"},
      {"/timings/0/forward/spread", "[1]",
       "/timings/0/forward/spread: 1 values found for 3 layers; give one for each layer"}};
  const ddlsim_test::TemporaryFolder folder;
  for (const auto& one : spoilt) {
    INFO(one.pointer << " = " << one.value);
    const auto file = folder.write("a.jsonl", text_of({ddlsim_test::spoil(sample_record("layers"), one)}));
    CHECK(ddlsim_test::mistakes_of(file, [&] { read_measurements(file); }) == Lines{":2: " + one.says});
  }
}

TEST_CASE("a name that would steer a terminal is printed as text") {
  auto table = sample_record("layers");
  table["layers"]["name"] = {"\x1b[31mred", "\x1b[31mred", "fc"};
  table["layers"]["kind"][2] = "\x1b]0;title\a";
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("a.jsonl", text_of({table}));
  const auto mistakes = ddlsim_test::mistakes_of(file, [&] { read_measurements(file); });
  REQUIRE(mistakes.size() == 2);
  for (const auto& one : mistakes) CHECK(one.find('\x1b') == std::string::npos);
  CHECK_THAT(mistakes[0], Catch::Contains("\\u001b[31mred"));
}

TEST_CASE("check looks up the GPU of each timing") {
  const ddlsim_test::TemporaryFolder folder;
  write_sample_data(folder);
  auto table = sample_record("layers");
  const auto reported = [&] {
    const auto file = folder.write("a.jsonl", text_of({table}));
    return ddlsim_test::mistakes_of(file, [&] { check_file(file, ddlsim::DataFolder{folder.path()}); });
  };
  CHECK(reported().empty());
  table["timings"][1]["gpu"] = "K8";
  REQUIRE(reported().size() == 1);
  CHECK_THAT(reported().front(), Catch::StartsWith(":2: /timings/1/gpu: ") && Catch::Contains("did you mean K80?"));
}

TEST_CASE("lines of the old form become one table, whatever stands between them") {
  const auto tables = tables_of({row("conv1", "forward", 1.5), row("conv1", "backward", 3), sample_record("step"),
                                 row("fc", "forward", 0.25), with(row("conv1", "forward", 0.5), "batch", 16),
                                 with(row("fc", "forward", 0.125), "precision", "amp")});
  REQUIRE(tables.size() == 1);
  const auto& table = tables.front();
  CHECK(table.head.line == 2); // of the first
  CHECK(table.head.note == "a note");
  CHECK(table.head.repeats == 0);
  REQUIRE(table.layers.size() == 2);
  CHECK(table.layers[0].flop_per_sample == 1e9 / 64);
  CHECK(table.layers[0].size_bytes == 37632);
  CHECK(table.layers[1].name == "fc");
  REQUIRE(table.timings.size() == 3);
  CHECK(table.timings[0].count == 5);
  const auto& forward = table.timings[0].passes.at(LayerPass::forward);
  REQUIRE(forward.size() == 2);
  CHECK(forward[0].time_s == 1.5e-3);
  CHECK(forward[0].relative_spread == 0.01);
  CHECK(forward[1].layer == 1);
  CHECK(table.timings[0].passes.at(LayerPass::backward).front().time_s == 3e-3);
  CHECK(table.timings[1].batch == 16);
  CHECK(table.timings[2].precision == ddlsim::Precision::amp);
  CHECK(table.timings[2].passes.at(LayerPass::forward).front().layer == 1);
}

TEST_CASE("a table keeps what its lines share, and lines of another stack make another") {
  auto second = with(with(row("fc", "forward", 2), "suspect", true), "repeats", 7);
  second["note"] = "another";
  const auto tables = tables_of({row("conv1", "forward", 1), second, with(row("conv1", "forward", 1), "series", "t"),
                                 with(row("conv1", "forward", 1), "software", "old")});
  REQUIRE(tables.size() == 3);
  CHECK(tables[0].head.note.empty());
  CHECK(tables[0].timings[0].suspect);
  CHECK(tables[0].timings[0].count == 7);
  CHECK(tables[1].head.series == "t");
  CHECK(tables[1].head.note == "a note");
  CHECK(tables[2].head.software == "old");
}

TEST_CASE("a pass of a layer that stands again in the old form begins another timing") {
  const auto tables = tables_of({row("conv1", "forward", 1), row("conv1", "backward", 2), row("conv1", "forward", 3),
                                 row("conv1", "backward", 4), row("conv1", "forward", 5)});
  REQUIRE(tables.size() == 1);
  REQUIRE(tables[0].timings.size() == 3);
  CHECK(tables[0].layers.size() == 1);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(tables[0].timings[i].passes.at(LayerPass::forward).front().time_s == Approx((1 + 2.0 * i) * 1e-3));
  CHECK(tables[0].timings[1].passes.at(LayerPass::backward).front().time_s == Approx(4e-3));
  CHECK(tables[0].timings[2].passes.count(LayerPass::backward) == 0);
}

TEST_CASE("the old form is written as a table, which is read as the same") {
  const auto tables = tables_of({row("conv1", "forward", 1.5), row("fc", "backward", 3)});
  const auto again = tables_of({json::parse(to_json_line(ddlsim::Record(tables.at(0))))});
  REQUIRE(again.size() == 1);
  CHECK(to_json_line(ddlsim::Record(again[0])) == to_json_line(ddlsim::Record(tables[0])));
}
