#include "sim/formats/calibration_fields.hpp"
#include "sim/formats/folded_table.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cmath>

using namespace ddlsim;
using nlohmann::json;

namespace {

CalibratedParameter parameter(const std::string& name, const CalibrationScope& scope, const Prior& prior) {
  CalibratedParameter one;
  one.name = name;
  one.scope = scope;
  one.prior = prior;
  one.z_score = -0.51234567;
  one.error = 0.25;
  one.identified = true;
  one.points = 12;
  return one;
}

Calibration sample() {
  Calibration calibration;
  calibration.cluster = "iris";
  calibration.version = "0.1.0";
  calibration.files = {"iris/runs.jsonl 0123456789abcdef"};
  calibration.inputs = "fedcba9876543210";
  Prior rate{"nic_efficiency", "nccl-ib", "", 0.8, 0.15, PriorScale::log, "1", "runs", {}};
  rate.highest = 1;
  const Prior offset{"sync_on", "", "", 0.01 / 3, 0.002, PriorScale::linear, "s", "a guess", {}};
  calibration.parameters = {parameter("nic_efficiency", {"nccl-ib", "", {}, "", 0}, rate),
                            parameter("sync_on", {"nccl-ib", "horovod", Precision::fp32, "resnet50_v1.5", 64}, offset)};
  calibration.correlation = {{}, {-0.123456}};
  calibration.contradicted_draws = {0, 17, 127};
  calibration.choices = {{{"nccl-ib", "", {}, "", 0}, false, "nccl 2.8"}, {{"nccl-ib", "", {}, "", 0}, true, "bytes"}};
  calibration.series = {{"iris/runs/a",
                         {"nccl-ib", "horovod", Precision::fp32, "resnet50_v1.5", 64, 0.125},
                         "ring",
                         0.05,
                         true,
                         {{4, 1, -0.0123456, 0.004}, {8, 2, 0.02, 0.015}}}};
  calibration.excluded = {{"iris/runs/b", "it says \"twice\""}};
  calibration.quality = {2, 0.0123, 0.0456, 1, 0.0789, 3};
  return calibration;
}

json sample_json() {
  return json::parse(calibration_json(sample()));
}

/// With lists of objects in the place of tables, as its reader sees it.
json unfolded_sample() {
  const auto document = sample_json();
  Mistakes mistakes("sample");
  return unfold_tables(JsonNode(document, "", mistakes), calibration_fields().shape());
}

/// "/parameters/rows/1/6": where the value of that column stands in the table.
std::string cell(const std::string& table, int row, const std::string& column) {
  const auto columns = sample_json()[table]["columns"];
  for (std::size_t at = 0; at < columns.size(); ++at)
    if (columns[at] == column) return fmt::format("/{}/rows/{}/{}", table, row, at);
  return "no such column";
}

Calibration read_back(const std::string& text) {
  const ddlsim_test::TemporaryFolder folder;
  return read_calibration(folder.write("calibration.json", text));
}

std::vector<std::string> mistakes(const json& content) {
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("calibration.json", content.dump());
  return ddlsim_test::mistakes_of(file, [&] { read_calibration(file); });
}

} // namespace

TEST_CASE("a calibration is written, read and written to the same bytes") {
  const std::string text = calibration_json(sample());
  const auto back = read_back(text);
  CHECK(calibration_json(back) == text);
  CHECK(back.cluster == "iris");
  CHECK(back.files == sample().files);
  CHECK(back.inputs == sample().inputs);
  REQUIRE(back.parameters.size() == 2);
  CHECK(back.parameters[0].z_score == -0.5123); // four digits
  CHECK(back.parameters[1].scope == sample().parameters[1].scope);
  CHECK(back.parameters[1].prior.scale == PriorScale::linear);
  CHECK(back.parameters[1].prior.unit == "s");
  CHECK(back.correlation == std::vector<std::vector<double>>{{}, {-0.1235}});
  CHECK(back.contradicted_draws == std::vector<int>{0, 17, 127});
  REQUIRE(back.choices.size() == 2);
  CHECK(back.choices[0].name == "nccl 2.8");
  CHECK_FALSE(back.choices[0].servers);
  CHECK(back.choices[1].servers);
  REQUIRE(back.series.size() == 1);
  REQUIRE(back.series[0].points.size() == 2);
  CHECK(back.series[0].points[1].nodes == 2);
  CHECK(back.series[0].points[1].noise == 0.015);
  CHECK(back.excluded[0].why == "it says \"twice\"");
  CHECK(back.quality.leave_one_out_points == 1);
  CHECK(back.quality.unmeasured_models == 3);
  CHECK(back.quality.unmeasured_model_error == 0.0789);
}

TEST_CASE("a calibration that learnt nothing is written and read too") {
  Calibration calibration;
  calibration.cluster = "iris";
  calibration.version = "0.1.0";
  const std::string text = calibration_json(calibration);
  CHECK(calibration_json(read_back(text)) == text);
}

TEST_CASE("values for people follow from z-score and prior") {
  const auto unfolded = unfolded_sample();
  const auto& one = unfolded["parameters"][0];
  const double at = -0.5123;
  CHECK(one["value"].get<double>() == Approx(0.8 * std::exp(0.15 * at)).epsilon(1e-3)); // four digits are written
  CHECK(one["low"].get<double>() == Approx(0.8 * std::exp(0.15 * (at - 1.6448536 * 0.25))).epsilon(1e-3));
  CHECK(one["high"].get<double>() == Approx(0.8 * std::exp(0.15 * (at + 1.6448536 * 0.25))).epsilon(1e-3));
}

TEST_CASE("what no calibration needs may be left out") {
  auto content = sample_json();
  for (const char* key : {"excluded", "choices", "series", "contradicted_draws", "quality", "files", "inputs"})
    content.erase(key);
  CHECK(mistakes(content).empty());
}

TEST_CASE("what is wrong with a calibration is reported at its place") {
  ddlsim_test::check_spoilt(
      sample_json(),
      {{cell("parameters", 0, "error"), "-1", "/parameters/0/error: -1 is out of range; give 0 to 50"},
       {cell("parameters", 0, "z_score"), "\"0.5\"",
        "/parameters/0/z_score: \"0.5\" found, a number expected; write -50 to 50 without quotes or unit"},
       {cell("parameters", 0, "prior@"), "null",
        "/parameters/0/prior: missing; give the distribution before the fit: median, width and scale"},
       {cell("parameters", 0, "identified"), "1",
        "/parameters/0/identified: 1 found; give true or false, without quotes"},
       {"/series/rows/0/5/0/0", "0", "/series/0/points/0/gpus: 0 is out of range; give 1 to 1000000"},
       {cell("series", 0, "spread_ten_thousandths"), "-1",
        "/series/0/spread_ten_thousandths: -1 is out of range; give 0 or more"},
       {cell("choices", 0, "all_reduce"), "null", R"(/choices/0/all_reduce: missing; give it, or "sharding")"},
       {cell("choices", 0, "sharding"), "\"bytes\"",
        R"(/choices/0/all_reduce: found beside "sharding"; give one of the two)"},
       {cell("excluded", 0, "why"), "null", "/excluded/0/why: missing; give a text"},
       {"/quality/pints", "3", "/quality/pints: unknown key; did you mean \"points\"?"},
       {"/cluster", "", "/cluster: missing; give a text"},
       {"/parametres", "[]", "/parametres: unknown key; did you mean \"parameters\"?"}},
      [](const auto& file) { read_calibration(file); });
}

TEST_CASE("a calibration's tables are of its columns, and rows no longer than these") {
  const std::string shared =
      fmt::format("give a position among the {} \"shared\" values, from 0", sample_json()["shared"].size());
  ddlsim_test::check_spoilt(
      sample_json(),
      {{"/excluded/columns/0", "\"wath\"", R"(/excluded/columns: others found, ["what","why"] expected)"},
       {"/excluded/columns", "", R"(/excluded/columns: others found, ["what","why"] expected)"},
       {"/excluded/rows", "", "/excluded/rows: missing; give a list"},
       {"/excluded/rows/0", "3", "/excluded/rows/0: 3 found, a list expected; write [...]"},
       {"/excluded/rows/0/2", "4", "/excluded/rows/0: 3 values found, 2 columns"},
       {"/excluded", "[]", "/excluded: a list of 0 found, an object expected; write {...}"},
       {"/parameters/rows/0/0", "1000", "/parameters/rows/0/0: 1000 found for name; " + shared},
       {"/parameters/rows/0/0", "-1", "/parameters/rows/0/0: -1 found for name; " + shared},
       {"/parameters/rows/0/0", "\"nic\"", "/parameters/rows/0/0: \"nic\" found for name; " + shared}},
      [](const auto& file) { read_calibration(file); });
}

TEST_CASE("what rows share does not make a document of any size") {
  auto content = sample_json();
  const auto last = content["shared"].size();
  content["shared"].push_back(std::string(1U << 20U, 'x'));
  auto& rows = content["choices"]["rows"];
  for (int i = 0; i < 70; ++i) rows.push_back({nullptr, "nccl 2.8", last});
  CHECK_THAT(mistakes(content).front(), Catch::Contains("the shared values are too long for so many rows"));
}

TEST_CASE("a noise stands once a series, and where a point has another") {
  auto calibration = sample();
  calibration.series[0].points = {{4, 1, 0.01, 0.004}, {8, 2, 0.02, 0.004}, {16, 4, 0.03, 0.2}};
  const auto back = read_back(calibration_json(calibration));
  CHECK(back.series[0].points[1].noise == 0.004);
  CHECK(back.series[0].points[2].noise == 0.2);
  CHECK(json::parse(calibration_json(calibration))["series"]["rows"][0][5] ==
        json::parse("[[4, 1, 100], [8, 2, 200], [16, 4, 300, 2000]]"));
}

TEST_CASE("a correlation has a row for each parameter, as long as there are parameters before") {
  ddlsim_test::check_spoilt(
      sample_json(),
      {{"/correlation_ten_thousandths", "[[]]",
        "/correlation_ten_thousandths: 1 rows found, 2 expected: one a parameter"},
       {"/correlation_ten_thousandths/1", "[1000, 2000]",
        "/correlation_ten_thousandths/1: 2 numbers found, at most 1 expected"},
       {"/correlation_ten_thousandths/0", "[1000]",
        "/correlation_ten_thousandths/0: 1 numbers found, at most 0 expected"},
       {"/correlation_ten_thousandths/1", "[15000]",
        "/correlation_ten_thousandths/1/0: 15000 is out of range; give -10000 to 10000"},
       {"/correlation_ten_thousandths/1", "[\"0.1\"]",
        "/correlation_ten_thousandths/1/0: \"0.1\" found, a whole number expected; give -10000 to 10000"},
       {"/correlation_ten_thousandths/1", "0.1",
        "/correlation_ten_thousandths/1: 0.1 found, a list expected; write [...]"}},
      [](const auto& file) { read_calibration(file); });
}

TEST_CASE("draws are numbered from 0 to 127, each once") {
  const std::string at = "/contradicted_draws/";
  ddlsim_test::check_spoilt(sample_json(),
                            {{at + "0", "-1", at + "0: -1 is out of range; give 0 to 127"},
                             {at + "2", "128", at + "2: 128 is out of range; give 0 to 127"},
                             {at + "1", "0", at + "1: 0 is there twice; keep one"},
                             {at + "1", "1.5", at + "1: 1.5 found, a whole number expected; give 0 to 127"},
                             {at + "1", "\"x\"", at + "1: \"x\" found, a whole number expected; give 0 to 127"}},
                            [](const auto& file) { read_calibration(file); });
}

TEST_CASE("every mistake of a calibration is reported at once") {
  auto content = sample_json();
  content[json::json_pointer(cell("parameters", 0, "error"))] = -1;
  content[json::json_pointer(cell("parameters", 1, "points"))] = -1;
  content["series"]["rows"][0][5][1][0] = "8";
  content[json::json_pointer(cell("choices", 1, "sharding"))] = nullptr;
  content["correlation_ten_thousandths"] = json::array();
  content["no_such"] = 1;
  CHECK(mistakes(content).size() == 6);
}

TEST_CASE("another format, and a file cut short, are refused") {
  auto content = sample_json();
  content["format"] = "ddlsim-priors";
  CHECK(mistakes(content).size() == 1);
  const ddlsim_test::TemporaryFolder folder;
  const std::string whole = calibration_json(sample());
  const auto file = folder.write("calibration.json", whole.substr(0, whole.size() / 2));
  const auto reported = ddlsim_test::mistakes_of(file, [&] { read_calibration(file); });
  REQUIRE(reported.size() == 1);
  CHECK_THAT(reported[0], Catch::Contains("is the file truncated?"));
}

TEST_CASE("a calibration of an older ddlsim is one mistake, with the command that writes it anew") {
  auto content = sample_json();
  content["version"] = 1;
  content["set_aside"] = nlohmann::json::array(); // a key of that version
  CHECK(mistakes(content) ==
        std::vector<std::string>{"/version: written by an older ddlsim; run `ddlsim calibrate --cluster iris`"});
}
