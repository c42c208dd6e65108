// Every number of the logs is typed here, none is measured.
#include "import/importers.hpp"
#include "import/traces.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace {

using ddlsim::ImportContext;
using ddlsim::Imported;
using ddlsim::StepRecord;
using ddlsim::test::mistakes_of;
using ddlsim::test::ScratchFile;

ImportContext of_run(std::map<std::string, std::string> given) {
  auto stated = ddlsim::test::on_iris();
  stated.given = std::move(given);
  return stated;
}

const ImportContext of_job = of_run({{"model", "resnet50_v1.5"}, {"gpus", "16"}});
const ImportContext of_horovod = of_run({{"model", "resnet50_v1.5"}, {"batch_per_gpu", "64"}, {"gpus_per_node", "2"}});

Imported import_as(const std::string& kind, const std::string& text, const ImportContext& stated) {
  const ScratchFile file("run.log", text);
  return ddlsim::importer_of(kind).import(ddlsim::LogSource(file.path()), stated);
}

std::string refusal(const std::string& kind, const std::string& text, const ImportContext& stated) {
  return mistakes_of([&] { import_as(kind, text, stated); });
}

StepRecord step_of(const Imported& imported) {
  REQUIRE(imported.measurements.records.size() == 1);
  return std::get<StepRecord>(ddlsim::test::read_back(imported).records.front());
}

std::string guess_of(const std::string& text) {
  const ScratchFile file("run.log", text);
  return ddlsim::guess_kind(ddlsim::LogSource(file.path()));
}

std::string ml_event(const std::string& key, double time_s, const std::string& value = "null",
                     const std::string& metadata = "\"lineno\": 1") {
  return fmt::format(R"(:::MLLOG {{"namespace": "", "time_ms": {:.0f}, "event_type": "POINT_IN_TIME", "key": "{}", )"
                     R"("value": {}, "metadata": {{{}}}}})",
                     1e12 + 1e3 * time_s, key, value, metadata) +
         "\n";
}

/// Blocks of 100, 50 and 50 s for 51,200 samples each, an evaluation in each of them.
std::string ml_blocks() {
  std::string text = "some other output\n" + ml_event("submission_benchmark", 0, "\"resnet\"") +
                     ml_event("submission_platform", 0, "\"2xDGX\"") + ml_event("submission_org", 0, "\"Org\"") +
                     ml_event("global_batch_size", 0, "1024") + ml_event("train_samples", 0, "51200") +
                     ml_event("run_start", 1);
  double now_s = 1;
  for (const double length_s : {100.0, 50.0, 50.0}) {
    text += "0: " + ml_event("block_start", now_s, "null", "\"epoch_count\": 1");
    text += ml_event("eval_start", now_s + length_s) + ml_event("eval_stop", now_s + length_s + 9);
    text += ml_event("block_stop", now_s + length_s + 10);
    now_s += length_s + 10;
  }
  return text;
}

std::string horovod_event(const std::string& phase, const std::string& name, int tensor, double time_us) {
  const auto named = name.empty() ? "" : fmt::format(", \"name\": \"{}\"", name);
  return fmt::format(R"({{"ph": "{}"{}, "ts": {:.0f}, "pid": {}{}}})", phase, named, time_us, tensor,
                     phase == "X" ? ", \"dur\": 0" : "");
}

/// Two tensors of four ranks, each summed every 100 ms: 5 ms negotiated, 12 ms summed of which 10 by NCCL.
std::string horovod_timeline(int steps) {
  std::vector<std::string> events{R"({"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "gradient"}})"};
  for (int step = 0; step < steps; ++step) {
    for (const int tensor : {1, 2}) {
      const double from_us = 1e5 * step + 20e3 * tensor;
      events.push_back(horovod_event("B", "NEGOTIATE_ALLREDUCE", tensor, from_us));
      for (int rank = 0; rank < 4; ++rank)
        events.push_back(horovod_event("X", std::to_string(rank), tensor, from_us + 1e3 * rank));
      events.push_back(horovod_event("E", "", tensor, from_us + 5e3));
      events.push_back(horovod_event("B", "ALLREDUCE", tensor, from_us + 5e3));
      events.push_back(horovod_event("B", "NCCL_ALLREDUCE", tensor, from_us + 6e3));
      events.push_back(horovod_event("E", "", tensor, from_us + 16e3));
      events.push_back(horovod_event("E", "", tensor, from_us + 17e3));
    }
    events.push_back(fmt::format(R"({{"ph": "i", "name": "CYCLE_START", "ts": {}, "s": "g"}})", 100000 * step));
  }
  std::string text = "[\n";
  for (const auto& event : events) text += event + ",\n";
  return text;
}

} // namespace

TEST_CASE("a log of MLPerf Training is the median rate of its blocks without evaluation") {
  const auto imported = import_as("mllog", ml_blocks(), of_job);
  const auto step = step_of(imported);
  CHECK(step.iteration_s == Approx(1.0)); // 51,200 samples in 50 s are 50 iterations
  CHECK(step.batch_per_gpu == 64);
  CHECK(step.head.repeats == 2);
  CHECK(step.data == "real");
  CHECK(imported.measurements.context.machine == "2xDGX");
  CHECK(imported.measurements.context.who == "Org");
  CHECK(imported.measurements.context.date == "2001-09-09");
  CHECK_THAT(imported.notes.front(), Catch::Contains("3 blocks of training") && Catch::Contains("the first left out"));
  CHECK_THAT(imported.notes.at(1), Catch::Contains("benchmark \"resnet\""));
  CHECK(guess_of(ml_blocks()) == "mllog");
}

TEST_CASE("blocks may count samples, epochs stand in for blocks, and a rate that the program says for both") {
  const auto head = ml_event("global_batch_size", 0, "1024");
  const auto counted = head + ml_event("block_start", 0, "null", "\"samples_count\": 2048") +
                       ml_event("block_stop", 10, "null", "\"samples_count\": 12288");
  CHECK(step_of(import_as("mllog", counted, of_job)).iteration_s == Approx(1.0));
  const auto epochs = head + ml_event("train_samples", 0, "10240") + ml_event("epoch_start", 5) +
                      ml_event("epoch_stop", 25) + ml_event("epoch_start", 30) + ml_event("run_stop", 50);
  CHECK(step_of(import_as("mllog", epochs, of_job)).iteration_s == Approx(2.0));
  const auto tracked = head + ml_event("tracked_stats", 1, "{\"throughput\": 512.0}");
  CHECK(step_of(import_as("mllog", tracked, of_job)).iteration_s == Approx(2.0));
}

TEST_CASE(
    "a cut log of MLPerf keeps its whole lines, and one of another version, of two batches or of none is refused") {
  const auto text = ml_blocks();
  const auto cut = import_as("mllog", text.substr(0, text.size() - 30), of_job);
  CHECK(step_of(cut).iteration_s == Approx(1.0));
  CHECK_THAT(cut.notes.back(), Catch::Contains("1 lines of :::MLLOG are not whole"));
  const auto refused = [](const std::string& log) { return refusal("mllog", log, of_job); };
  CHECK_THAT(refused(":::MLPv0.5.0 resnet 1541712000.1 (train.py:1) run_start\n"), Catch::Contains("v0.5 or v0.6"));
  CHECK_THAT(refused(text + ml_event("global_batch_size", 900, "2048")), Catch::Contains("import each run's log"));
  CHECK_THAT(refused(ml_event("run_start", 0)), Catch::Contains("found no training time"));
  CHECK_THAT(refused(":::MLLOG {\"key\": NaN}\n"), Catch::Contains("is the log cut?"));
  CHECK_THAT(refused("nothing\n"), Catch::Contains("found no line \":::MLLOG"));
  CHECK_THAT(refusal("mllog", text, of_run({{"model", "resnet50_v1.5"}})), Catch::Contains("give --set gpus=VALUE"));
  const auto huge =
      ml_event("global_batch_size", 0, "1e308") + ml_event("tracked_stats", 1, "{\"throughput\": 1e-300}");
  CHECK_THAT(refused(huge), Catch::Contains("make no time of an iteration"));
}

TEST_CASE("Horovod's timeline is the median step and what it is spent on") {
  const auto imported = import_as("horovod", horovod_timeline(12), of_horovod);
  const auto step = step_of(imported);
  CHECK(step.iteration_s == Approx(0.1));
  CHECK(step.gpus == 4);
  CHECK(step.preset == "horovod");
  CHECK(step.head.library == "nccl");
  CHECK(step.head.repeats == 10); // 11 intervals, a tenth left out
  CHECK_THAT(step.head.note,
             Catch::Contains("negotiates for 10 ms and all-reduces for 24 ms (20 ms inside nccl), 2 tensors"));
  CHECK_THAT(imported.notes.back(), Catch::Contains("the list is not closed"));
  CHECK(guess_of(horovod_timeline(2)) == "horovod");
}

TEST_CASE("a timeline may be closed, stand in one line, or end within an event") {
  auto text = horovod_timeline(4);
  const auto open = ddlsim::to_json_lines(import_as("horovod", text, of_horovod).measurements);
  text.resize(text.size() - 2); // the last comma
  const auto closed = import_as("horovod", text + "]", of_horovod);
  CHECK(ddlsim::to_json_lines(closed.measurements) == open);
  CHECK_THAT(closed.notes.back(), !Catch::Contains("not closed"));
  CHECK(ddlsim::to_json_lines(import_as("horovod", text + ",]", of_horovod).measurements) == open);
  std::string line;
  for (const char letter : text) line += letter == '\n' ? "" : std::string(1, letter);
  CHECK(ddlsim::to_json_lines(import_as("horovod", line + "]", of_horovod).measurements) == open);
  CHECK(step_of(import_as("horovod", text.substr(0, text.size() - 20), of_horovod)).iteration_s == Approx(0.1));
}

TEST_CASE("a timeline that says too little, or is none, is refused") {
  const auto refused = [](const std::string& text) { return refusal("horovod", text, of_horovod); };
  CHECK_THAT(refused(horovod_timeline(1)), Catch::Contains("found no tensor that was all-reduced twice"));
  CHECK_THAT(refused("{}"), Catch::Contains("found no list of events"));
  CHECK_THAT(refused("[{\"ph\": \"B\" \x1b[31m}, {}]"), Catch::Contains("this is no JSON") && !Catch::Contains("\x1b"));
  CHECK_THAT(refused(""), Catch::Contains("found an empty file"));
  auto middle = horovod_timeline(4);
  middle[middle.size() / 2] = '\x01';
  CHECK_THAT(refused(middle) + "no JSON", Catch::Contains("no JSON"));
  CHECK_THAT(refusal("horovod", horovod_timeline(4), ddlsim::test::on_iris()),
             Catch::Contains("give --set model=VALUE") && Catch::Contains("batch_per_gpu"));
}

TEST_CASE("no cut or changed log of a training does more than be refused or read", "[mutation]") {
  for (const auto& [kind, text] : {std::pair<std::string, std::string>{"mllog", ml_blocks().substr(0, 1500)},
                                   std::pair<std::string, std::string>{"horovod", horovod_timeline(2)}}) {
    const auto& stated = kind == "mllog" ? of_job : of_horovod;
    for (std::size_t at = 0; at < text.size(); at += 17) { // the fuzzers see every place: tests/fuzz
      refusal(kind, text.substr(0, at), stated);           // any other exception, or a crash, fails the test
      for (const char letter : {'9', '-', 'e', '"', '{', ']', '\x01', '\xff'}) {
        auto changed = text;
        changed[at] = letter;
        refusal(kind, changed, stated);
      }
    }
  }
}
