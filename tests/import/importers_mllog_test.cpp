// Every number of the logs is typed or computed here, none is measured.
#include "import/importers.hpp"
#include "import/mllog_rates.hpp"
#include "sim/base/statistics.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace {

using ddlsim::Imported;
using ddlsim::StepRecord;
using ddlsim::test::mistakes_of;
using ddlsim::test::replaced_all;
using ddlsim::test::ScratchFile;

/// A log that grows with its clock.
struct MlLogText {
  std::string text;
  double now_s = 0;

  MlLogText& wait(double time_s) {
    now_s += time_s;
    return *this;
  }
  MlLogText& value(const char* key, const std::string& value, const std::string& metadata = "") {
    text += fmt::format(R"(:::MLLOG {{"namespace": "", "time_ms": {:.0f}, "event_type": "POINT_IN_TIME", "key": "{}", )"
                        R"("value": {}, "metadata": {{"file": "x.py"{}{}}}}})",
                        1.7e12 + 1e3 * now_s, key, value, metadata.empty() ? "" : ", ", metadata) +
            "\n";
    return *this;
  }
  MlLogText& mark(const char* key, const std::string& metadata = "") { return value(key, "null", metadata); }
};

MlLogText log_of(const char* benchmark, double batch, double train_samples) {
  MlLogText log;
  log.value("submission_benchmark", fmt::format("\"{}\"", benchmark))
      .value("global_batch_size", fmt::format("{}", batch));
  if (train_samples > 0) log.value("train_samples", fmt::format("{}", train_samples));
  return log.mark("run_start");
}

std::string tracked(const char* key, double value) {
  return fmt::format(R"({{"{}": {}, "loss": 2.5}})", key, value);
}

std::string counter(const char* key, double value) {
  return fmt::format("\"{}\": {}", key, value);
}

/// How long the block's training takes: the first has the warm-up.
double slowed(int block, double time_s) {
  return block == 0 ? 1.5 * time_s : time_s;
}

// The forms of the benchmarks: 6 blocks, evaluations of 9 s between them.

/// Blocks of whole epochs; `eval_in_block`: they end behind the evaluation.
std::string whole_epochs(const char* benchmark, double samples, double epochs, double rate, bool eval_in_block,
                         double counted = 0) {
  auto log = log_of(benchmark, 448, samples);
  for (int block = 0; block < 6; ++block) {
    const double time_s = slowed(block, samples * epochs / rate);
    log.mark("block_start",
             counter("first_epoch_num", block) + ", " + counter("epoch_count", counted > 0 ? counted : epochs));
    log.mark("epoch_start", counter("epoch_num", block + 1)).wait(time_s);
    log.value("tracked_stats", tracked("throughput", samples * epochs / time_s)).mark("epoch_stop");
    if (!eval_in_block) log.mark("block_stop");
    log.mark("eval_start", counter("epoch_num", block + 1)).wait(9).mark("eval_stop");
    if (eval_in_block) log.mark("block_stop");
  }
  return log.mark("run_stop").text;
}

/// One block for the whole run, evaluations in it that say how many samples were trained.
std::string bert(double rate) {
  auto log = log_of("bert", 448, 0).mark("epoch_start").mark("block_start", counter("epoch_count", 1));
  for (int block = 0; block < 6; ++block) {
    log.wait(slowed(block, 150'000 / rate)).value("tracked_stats", tracked("seq/sec", rate / slowed(block, 1)));
    log.mark("eval_start", counter("epoch_num", 150'000.0 * (block + 1))).wait(9).mark("eval_stop");
  }
  return log.mark("block_stop").mark("run_stop").value("train_samples", "900000").text;
}

/// Tokens everywhere; the throughput is over evaluations, too.
std::string gpt3(double step_s) {
  constexpr double block_tokens = 8 * 1536 * 2048.0;
  auto log = log_of("gpt3", 1536, 0).value("max_sequence_length", "2048");
  const double begin_s = log.now_s;
  for (int block = 0; block < 6; ++block) {
    log.mark("block_start",
             counter("first_epoch_num", block * block_tokens) + ", " + counter("epoch_count", block_tokens));
    for (int step = 0; step < 8; ++step)
      log.wait(slowed(block, step_s)).value("tracked_stats", tracked("train_step_timing", slowed(block, step_s)));
    log.mark("block_stop")
        .mark("eval_start", counter("epoch_num", (block + 1) * block_tokens))
        .wait(9)
        .mark("eval_stop");
  }
  log.mark("run_stop").value("train_samples", fmt::format("{}", 6 * block_tokens));
  return log.value("tracked_stats", tracked("throughput", 6 * block_tokens / (log.now_s - begin_s))).text;
}

/// Samples since the begin at every mark, or (`lengths`) the block's own length at its marks.
std::string counted(const char* benchmark, double rate, bool lengths, const char* stated) {
  auto log = log_of(benchmark, 512, 0);
  const double step_s = 512 / rate;
  for (int block = 0; block < 6; ++block) {
    const double before = 5120.0 * block;
    log.mark("block_start", counter("samples_count", lengths ? 5120 : before)).wait(slowed(block, 10 * step_s));
    const double value = std::string(stated) == "throughput" ? rate / slowed(block, 1) : slowed(block, step_s);
    log.value("tracked_stats", tracked(stated, value));
    log.mark("block_stop", counter("samples_count", lengths ? 5120 : before + 5120));
    log.mark("eval_start", counter("samples_count", before + 5120)).wait(9);
    log.mark("eval_stop", counter("samples_count", before + 5120));
  }
  return log.mark("run_stop", counter("samples_count", 6 * 5120)).text;
}

/// Blocks count steps.
std::string stable_diffusion(double rate) {
  auto log = log_of("stable_diffusion", 1024, 0);
  for (int block = 0; block < 6; ++block) {
    log.value("block_start", "\"training_step\"", counter("step_num", 100 * block)).wait(slowed(block, 102'400 / rate));
    log.value("block_stop", "\"training_step\"", counter("step_num", 100 * (block + 1)));
    log.value("tracked_stats", tracked("throughput", rate / slowed(block, 1)));
  }
  return log.mark("run_stop").text;
}

/// Shares of an epoch at the evaluations; `first`: the epoch's number, which they are added to. HugeCTR states the rate
/// of the whole run once (`whole`), others that of each stretch.
std::string shares(const char* benchmark, double rate, double first, const char* begin, bool whole) {
  auto log = log_of(benchmark, 65'536, 4e9).mark(begin, counter("epoch_num", first));
  const double begin_s = log.now_s;
  for (int block = 0; block < 6; ++block) {
    log.wait(slowed(block, 2e8 / rate));
    if (!whole) log.value("tracked_stats", tracked("throughput", rate / slowed(block, 1)));
    log.mark("eval_start", counter("epoch_num", first + 0.05 * (block + 1))).wait(1).mark("eval_stop");
  }
  if (whole) log.value("tracked_stats", tracked("throughput", 1.2e9 / (log.now_s - begin_s)));
  return log.mark("run_stop").text;
}

struct Form {
  std::string name;
  std::string text;
  double rate; ///< samples a second that the log states, warm-up and evaluation left out
};

std::vector<Form> forms() {
  return {{"resnet", whole_epochs("resnet", 1'281'167, 4, 25'000, false), 25'000},
          {"retinanet", whole_epochs("retinanet", 1'170'301, 1, 2'000, true), 2'000},
          {"ssd", whole_epochs("ssd", 117'266, 5, 4'000, true), 4'000},
          {"maskrcnn", whole_epochs("maskrcnn", 117'266, 1, 900, true), 900},
          {"unet3d, epochs", whole_epochs("unet3d", 168, 20, 396, false), 396},
          {"unet3d, samples", whole_epochs("unet3d", 168, 20, 396, false, 3'360), 396},
          {"rnnt", whole_epochs("rnnt", 278'528, 1, 30'000, true), 30'000},
          {"deepcam", whole_epochs("deepcam", 121'266, 1, 700, false), 700},
          {"bert", bert(2'500), 2'500},
          {"gpt3", gpt3(7.2), 1536 / 7.2},
          {"llama2_70b_lora", counted("llama2_70b_lora", 12.5, false, "throughput"), 12.5},
          {"llama31_405b", counted("llama31_405b", 48, true, "train_step_time"), 48},
          {"flux1", counted("flux1", 400, true, "train_step_time"), 400},
          {"stable_diffusion", stable_diffusion(3'000), 3'000},
          {"dlrm_dcnv2", shares("dlrm_dcnv2", 1e6, 0, "epoch_start", true), 1e6},
          {"dlrm", shares("dlrm", 1e6, 1, "block_start", true), 1e6},
          {"rgat", shares("rgat", 1e6, 0, "block_start", false), 1e6}};
}

Imported import_mlperf(const std::string& text) {
  auto stated = ddlsim::test::on_iris();
  stated.given = {{"model", "my-net"}, {"gpus", "8"}};
  return ddlsim::test::import_text("mllog", text, stated);
}

double rate_of(const Imported& imported) {
  const auto& step = std::get<StepRecord>(imported.measurements.records.front());
  return step.batch_per_gpu * step.gpus / step.iteration_s;
}

std::string mlperf_refusal(const std::string& text) {
  return mistakes_of([&] { import_mlperf(text); });
}

} // namespace

TEST_CASE("every benchmark's log is read at the rate that it states, and its marks make the same") {
  for (const auto& form : forms()) {
    INFO(form.name);
    const ScratchFile file("result_0.txt", form.text);
    ddlsim::LogSource source(file.path());
    const auto events = ddlsim::read_mllog(source);
    const auto& benchmark = ddlsim::ml_benchmark(events.text("submission_benchmark"));
    auto marks = ddlsim::rates_of_marks(events, benchmark).rates;
    REQUIRE(marks.size() == 6);
    CHECK(marks.front() == Approx(form.rate / 1.5).epsilon(0.01));
    CHECK(ddlsim::median(marks) == Approx(form.rate).epsilon(0.01));
    // Warm-up and evaluation are 8 % of a rate that is over the whole run.
    CHECK(rate_of(import_mlperf(form.text)) == Approx(form.rate).epsilon(benchmark.rate_has_evaluation ? 0.1 : 0.01));
    CHECK(rate_of(import_mlperf(replaced_all(form.text, "tracked_stats", "other_stats"))) ==
          Approx(form.rate).epsilon(0.01));
  }
}

TEST_CASE("a log that contradicts itself by more than 5 % is refused with both figures") {
  for (const auto& form : forms()) {
    INFO(form.name);
    auto wrong = replaced_all(form.text, "\"throughput\": ", "\"throughput\": 9");
    for (const char* key : {"seq/sec", "train_step_time", "train_step_timing"})
      wrong = replaced_all(wrong, fmt::format("\"{}\": ", key), fmt::format("\"{}\": 9", key));
    CHECK_THAT(mlperf_refusal(wrong),
               Catch::Contains("the log contradicts itself: the") && Catch::Contains("a second, but the"));
  }
  CHECK_THAT(mlperf_refusal(counted("llama31_8b", 50, false, "throughput") + "\n"), Catch::Equals(""));
  CHECK_THAT(mlperf_refusal(replaced_all(counted("llama31_8b", 50, false, "throughput"), "\"throughput\": 50",
                                         "\"throughput\": 53")),
             Catch::Contains("make 53 sequences a second, but the blocks of training make 50"));
}

TEST_CASE("units are named: what a sample is, tokens, evaluation in a rate, an unknown benchmark") {
  auto notes = [](const std::string& text) { return fmt::format("{}", fmt::join(import_mlperf(text).notes, "\n")); };
  CHECK_THAT(notes(whole_epochs("resnet", 1'281'167, 4, 25'000, false)),
             Catch::Contains("25000 images a second of all GPUs") && Catch::Contains("its samples are images"));
  CHECK_THAT(notes(gpt3(7.2)), Catch::Contains("48 step times") && Catch::Contains("7.2 s for a global batch"));
  CHECK_THAT(notes(replaced_all(gpt3(7.2), "train_step_timing", "other")),
             Catch::Contains("which the log gives in tokens"));
  CHECK_THAT(notes(shares("dlrm_dcnv2", 1e6, 0, "epoch_start", true)),
             Catch::Contains("over the time of evaluations, too"));
  CHECK_THAT(notes(whole_epochs("my_bench", 1'000'000, 1, 5'000, false)),
             Catch::Contains("the benchmark is not known"));
}

TEST_CASE("benchmarks without samples of a fixed size are refused, and tokens of an unknown sequence give no rate") {
  CHECK_THAT(mlperf_refusal(whole_epochs("minigo", 1000, 1, 500, false)), Catch::Contains("counts games and moves"));
  CHECK_THAT(mlperf_refusal(whole_epochs("transformer", 1000, 1, 500, false)),
             Catch::Contains("its batch counts words"));
  auto unknown = replaced_all(gpt3(7.2), "max_sequence_length", "other");
  CHECK(rate_of(import_mlperf(unknown)) == Approx(1536 / 7.2));
  CHECK_THAT(mlperf_refusal(replaced_all(unknown, "train_step_timing", "other")),
             Catch::Contains("found no training time") && Catch::Contains("no max_sequence_length"));
}

TEST_CASE("evaluation beside training is no pause: blocks say nothing, and what is stated is taken") {
  auto log = log_of("retinanet", 256, 100'000);
  for (int block = 0; block < 6; ++block) {
    log.mark("block_start", counter("epoch_count", 1)).wait(10);
    if (block > 0) log.mark("eval_start").wait(15).mark("eval_stop").wait(25);
    if (block == 0) log.wait(40);
    log.value("tracked_stats", tracked("throughput", 2'000)).mark("block_stop");
  }
  CHECK(rate_of(import_mlperf(log.text)) == Approx(2'000));
  // The first block alone has no evaluation in it.
  CHECK_THAT(import_mlperf(replaced_all(log.text, "tracked_stats", "other")).notes.front(),
             Catch::Contains("1 blocks of training"));
}

TEST_CASE("of several ranks' events the first one's are read") {
  std::string both;
  const auto text = counted("llama31_8b", 50, false, "throughput");
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin) + 1;
    const auto line = text.substr(begin, end - begin);
    both += "0: " + line + "1: " + replaced_all(line, "\"throughput\": 50", "\"throughput\": 99");
    begin = end;
  }
  CHECK(rate_of(import_mlperf(both)) == Approx(50));
}
