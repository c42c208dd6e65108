#include "import/phrase_finder.hpp"
#include "import/run_facts.hpp"
#include "import/step_series.hpp"

#include <catch2/catch.hpp>

namespace {

using ddlsim::GrowthPerStep;
using ddlsim::RunFact;
using ddlsim::RunFacts;
using ddlsim::RunWord;

/// What the facts are behind a line.
void take_line(RunFacts& facts, const std::string& line, int number) {
  for (const auto& form : ddlsim::fact_forms())
    if (const auto at = line.find(form.phrase); at != std::string::npos)
      facts.take(form, line, at, at + std::string(form.phrase).size(), number);
  for (const auto& form : ddlsim::word_forms())
    if (line.find(form.phrase) != std::string::npos) facts.take(form, line, number);
  facts.take_names(line, number);
}

double fact_of(const std::string& line, RunFact fact) {
  RunFacts facts;
  take_line(facts, line, 1);
  return facts.last(fact) ? facts.last(fact)->value : 0;
}

} // namespace

TEST_CASE("what a log says of its run is read as the programs print it") {
  CHECK(fact_of("using world size: 1,024, data-parallel size: 128", RunFact::gpus) == 1024);
  CHECK(fact_of("using world size: 1,024, data-parallel size: 128", RunFact::data_parallel) == 128);
  CHECK(fact_of("  world_size .................... 16", RunFact::gpus) == 16);
  CHECK(fact_of("[INFO] [config.py:1000:print]   world_size ................... 8", RunFact::gpus) == 0);
  CHECK(fact_of("Building device mesh with parallelism: pp=2, dp_replicate=2, dp_shard=4, cp=1, tp=8, ep=4",
                RunFact::gpus) == 128);
  CHECK(fact_of("Building 3-D device mesh with ['pp', 'dp_shard', 'tp'], [2, 4, 8]", RunFact::gpus) == 64);
  CHECK(fact_of("Building 3-D device mesh with ['pp', 'dp_shard', 'tp'], [2, 4, 8]", RunFact::data_parallel) == 4);
  CHECK(fact_of("device mesh with [", RunFact::gpus) == 0);
  CHECK(fact_of("Initializing distributed: GLOBAL_RANK: 3, MEMBER: 4/16", RunFact::gpus) == 16);
  CHECK(fact_of("Namespace(gpus='0,1,2', kv_store='device')", RunFact::devices_of_rank) == 3);
  CHECK(fact_of("Namespace(gpus='', kv_store='device')", RunFact::devices_of_rank) == 0);
  CHECK(fact_of("Devices:     ['horovod/gpu:0', 'horovod/gpu:1']", RunFact::devices_of_rank) == 2);
  CHECK(fact_of("  train_runtime            = 0:01:40.50", RunFact::run_s) == Approx(100.5));
  CHECK(fact_of("  train_runtime            = 1 day, 0:01:40", RunFact::run_s) == Approx(86500));
  CHECK(fact_of("{'train_runtime': 99.5}", RunFact::run_s) == Approx(99.5));
  CHECK(fact_of("global batch size: -5", RunFact::global_batch) == 0);
  CHECK(fact_of("my_world_size ......... 16", RunFact::gpus) == 0);
}

TEST_CASE("words that disagree are known to") {
  RunFacts facts;
  CHECK(facts.word(RunWord::precision).value.empty());
  take_line(facts, "using torch.bfloat16 for parameters ...", 3);
  CHECK(facts.word(RunWord::precision).value == "bf16");
  CHECK(facts.word(RunWord::precision).line == 3);
  CHECK_FALSE(facts.word(RunWord::precision).is_disputed);
  take_line(facts, "using torch.float16 for parameters ...", 9);
  CHECK(facts.word(RunWord::precision).is_disputed);
  take_line(facts, "CUDA capacity: NVIDIA H100 80GB HBM3 with 79.11GiB memory", 4);
  CHECK(facts.gpu == "NVIDIA H100 80GB HBM3");
}

TEST_CASE("counts grow by the step, whichever stands first, across restarts") {
  GrowthPerStep growth;
  CHECK(growth.slope() == 0);
  for (int step = 1; step < 5; ++step) {
    growth.take_step(step);
    growth.take_count(512.0 * step);
  }
  CHECK(growth.slope() == 512);
  growth.take_step(2);
  growth.take_count(1024);
  CHECK(growth.slope() == 0); // one place behind the restart
  growth.take_step(4);
  growth.take_count(2048);
  CHECK(growth.slope() == 512);
  GrowthPerStep again; // of ranks that say the same again
  for (int line = 4; line < 40; ++line) {
    again.take_step(line / 4);
    again.take_count(512.0 * (line / 4));
  }
  CHECK(again.slope() == 512);
  GrowthPerStep microsteps; // many counts a step
  for (int count = 0; count < 31; ++count) {
    microsteps.take_count(count);
    microsteps.take_step(count / 4);
  }
  CHECK(microsteps.slope() == 4);
}

TEST_CASE("an evaluation behind the run's end does not count") {
  RunFacts facts;
  take_line(facts, "{'eval_loss': 1.9, 'eval_runtime': 10.0}", 1);
  take_line(facts, "{'eval_loss': 1.9, 'eval_runtime': 12.0}", 2);
  take_line(facts, "{'train_runtime': 100.0}", 3);
  take_line(facts, "{'eval_loss': 1.9, 'eval_runtime': 30.0}", 4);
  CHECK(facts.sum(RunFact::evaluation_s) == 22);
  CHECK(facts.mean(RunFact::evaluation_s) == 11);
}

TEST_CASE("a series leaves its start out, and pauses out of its spread") {
  ddlsim::StepSeries series;
  CHECK(series.rounding_share() == 0);
  for (int i = 0; i < 40; ++i) series.add({i < 4 ? 9.0 : i == 20 ? 30.0 : i % 2 == 0 ? 1.0 : 1.2, 0.05});
  const auto steady = ddlsim::steady_steps(series);
  CHECK(steady.warm_up == 4);
  CHECK(steady.pauses == 1);
  CHECK(steady.median == Approx(1.2));
  CHECK(steady.relative_spread == Approx(0.0917).margin(0.005));
  CHECK(series.rounding_share() == Approx(0.041).margin(0.003));
}

TEST_CASE("a series of any length keeps figures evenly") {
  ddlsim::StepSeries series;
  for (int i = 0; i < 1'000'000; ++i) series.add({i < 500'000 ? 1.0 : 3.0, 0});
  CHECK(series.count() == 1'000'000);
  CHECK(series.kept().size() < (1U << 17U));
  CHECK(ddlsim::steady_steps(series).median == 3);
}

TEST_CASE("numbers are read as people and programs print them") {
  using ddlsim::number_at;
  CHECK(number_at(" ....... 1,024", 0) == 1024);
  CHECK(number_at("=3.2s", 0) == 3.2);
  CHECK(number_at(": '2.5'", 0) == 2.5);
  CHECK(number_at(" | 65,536 ", 0) == 65536);
  CHECK(number_at("1.5e-3 ", 0) == 0.0015);
  CHECK_FALSE(number_at("auto 3", 0));
  CHECK_FALSE(number_at("-3", 0));
  CHECK(ddlsim::number_ending_at("12s 61ms", 6) == 61);
  CHECK(ddlsim::printed_at("2s", 0)->half_step == 0.5);
  CHECK(ddlsim::seconds_at("2:03:04.5", 0) == 7384.5);
  CHECK(ddlsim::seconds_at("12.5", 0) == 12.5);
  CHECK_FALSE(ddlsim::seconds_at("soon", 0));
}
