#include "plan/report.hpp"
#include "plan/screen.hpp"
#include "plan/simulate.hpp"
#include "sim/base/error.hpp"
#include "sim/predict/predict.hpp"
#include "tests/calibrate/shipped_data.hpp"
#include "tests/plan/p3_request.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

const DataFolder shipped = ddlsim_test::shipped_data();

const PlannedOption& option_at(const Plan& plan, const std::string& candidate, int gpus) {
  const auto found = std::find_if(plan.options.begin(), plan.options.end(), [&](const PlannedOption& option) {
    return option.candidate == candidate && option.gpus == gpus;
  });
  REQUIRE(found != plan.options.end());
  return *found;
}

/// What `ddlsim predict` says of the same point.
PredictedPoint predicted(int gpus, double slow_node = 1) {
  Scenario scenario;
  scenario.slow_node.compute_factor = slow_node;
  scenario.name = "p3";
  scenario.model = "resnet50_v1.5";
  scenario.batch_per_gpu = 64;
  scenario.cluster = "ec2-p3.16xlarge";
  scenario.preset = "horovod";
  scenario.strategies = {Strategy{StrategyName::automatic, {}}};
  scenario.gpus = {gpus};
  scenario.samples = 60;
  return predict(scenario, shipped, {}).strategies.front().points.front();
}

} // namespace

TEST_CASE("a plan's training waits for input that is slower than its GPUs, as predict says") {
  auto request = ten_epochs({p3_candidate("p3", 24.48)});
  request.candidates[0].gpus = {8};
  request.workload.input_names = {"imagenet", "nfs", "tfrecord", "pytorch-dataloader", 32, 0};
  const auto plenty = make_plan(request, shipped);
  request.candidates[0].cores_per_node = 2; // 268 samples/s
  const auto few = make_plan(request, shipped);
  const auto& starved = option_at(few, "p3", 8);
  CHECK(starved.time_s.value == Approx(1e7 / 268).epsilon(0.01));
  CHECK(starved.time_s.value > 5 * option_at(plenty, "p3", 8).time_s.value);
  CHECK(starved.bottleneck == "input");
}

TEST_CASE("tokens are samples of so many tokens, once") {
  Workload work;
  work.model = "bert_large_seq512";
  work.tokens = 512e6;
  const auto length = training_length(work, shipped);
  CHECK(length.samples == Approx(1e6));
  CHECK(epochs_at(length, 64) == 1);
  work.model = "vgg16";
  CHECK_THROWS_WITH(training_length(work, shipped), Catch::Contains("is no sequence of tokens"));
}

TEST_CASE("a slow node delays jobs on several nodes as predict says, and none on one") {
  auto request = ten_epochs({p3_candidate("rent", 24.48)});
  const auto healthy = make_plan(request, shipped);
  request.slow_node.compute_factor = 2;
  const auto slow = make_plan(request, shipped);
  CHECK(option_at(slow, "rent", 8).time_s.value == option_at(healthy, "rent", 8).time_s.value);
  const double longer = option_at(slow, "rent", 32).time_s.value / option_at(healthy, "rent", 32).time_s.value;
  CHECK(longer > 1.05);
  CHECK(longer == Approx(predicted(32, 2).iteration_s / predicted(32).iteration_s));
}

TEST_CASE("a plan compares pipelines, names the degrees that it found, and takes less than a sample a GPU") {
  auto request = ten_epochs({p3_candidate("p3", 24.48)});
  request.workload.model = "bert_large_seq512";
  request.workload.batch_per_gpu = 0;
  request.workload.global_batch = 4;
  Strategy pipeline{StrategyName::model_parallel, {}};
  pipeline.parallel.pipeline = pipeline.parallel.micro_batches = ModelParallelOptions::best;
  request.candidates[0].batch_per_gpu = 0;
  request.candidates[0].strategies = {Strategy{StrategyName::automatic, {}}, pipeline};
  request.candidates[0].gpus = {8};
  const auto plan = make_plan(request, shipped);
  const auto& option = option_at(plan, "p3", 8); // data parallelism has half a sample a GPU
  CHECK(plan.options.size() == 1);
  CHECK(option.strategy.parallel.pipeline >= 2);
  CHECK(option.strategy.parallel.micro_batches >= 1);
  CHECK(option.batch_per_gpu == 0.5);
  REQUIRE(plan.refused.size() == 1);
  CHECK_THAT(plan.refused.front().why, Catch::Contains("less than one sample a GPU"));
  Scenario scenario;
  scenario.name = "p3";
  scenario.model = "bert_large_seq512";
  scenario.batch_per_gpu = 0.5;
  scenario.cluster = "ec2-p3.16xlarge";
  scenario.preset = "horovod";
  scenario.strategies = {option.strategy};
  scenario.gpus = {8};
  scenario.samples = 60;
  const auto stated = predict(scenario, shipped, {}).strategies.front().points.front();
  CHECK(option.time_s.value == Approx(2.5e6 * stated.iteration_s)); // 10 million samples, four an iteration
}

TEST_CASE("time, cost and energy of one option, by hand") {
  const auto plan = make_plan(ten_epochs({p3_candidate("p3", 24.48)}), shipped);
  const auto& option = option_at(plan, "p3", 32);
  // 10 epochs of a million samples, 2048 of them an iteration: 4882.8125, so 4883
  CHECK(option.iterations == 4883);
  CHECK(option.nodes == 4);
  const double time_s = 4883 * predicted(32).iteration_s;
  CHECK(option.time_s.value == Approx(time_s));
  CHECK(option.usd->value == Approx(4 * 24.48 * time_s / 3600));
  // 8 V100 of 300 W in a node that draws 3500 W, 4 nodes, and a room that adds 58 %
  CHECK(option.room_power_w == Approx(4 * 3500 * 1.58));
  CHECK(option.kwh.value == Approx(4 * 3.5 * 1.58 * time_s / 3600));
  CHECK(option.goodput == 1);
  CHECK(option.chance == 1);
  CHECK(option.time_s.low < option.time_s.value);
  CHECK(option.time_s.value < option.time_s.high);
}

TEST_CASE("the interval of a training is that of its iteration, but for the noise of one measurement") {
  const auto plan = make_plan(ten_epochs({p3_candidate("p3", 24.48)}), shipped);
  const auto& option = option_at(plan, "p3", 32);
  const auto point = predicted(32);
  const double planned = std::log(option.time_s.high / option.time_s.low);
  const double single = std::log(point.iteration_s_high / point.iteration_s_low);
  CHECK(planned < 1.2 * single); // 60 samples place each of both ends within a tenth of the width
  CHECK(planned > 0.5 * single);
}

TEST_CASE("two candidates that differ in price alone: the dearer is never the better choice") {
  const auto plan = make_plan(ten_epochs({p3_candidate("dear", 25), p3_candidate("cheap", 20)}), shipped);
  CHECK(plan.options.front().candidate == "cheap");
  REQUIRE(plan.runner_up);
  CHECK(plan.options[*plan.runner_up].candidate == "dear");
  CHECK(plan.runner_up_better == 0); // what is not known of the machine cancels
}

TEST_CASE("the order of candidates changes no figure") {
  auto request = ten_epochs({p3_candidate("a", 25), p3_candidate("b", 20)});
  const auto before = make_plan(request, shipped);
  std::swap(request.candidates[0], request.candidates[1]);
  const auto after = make_plan(request, shipped);
  for (const auto& option : before.options) {
    const auto& same = option_at(after, option.candidate, option.gpus);
    CHECK(same.time_s.value == option.time_s.value);
    CHECK(same.usd->high == option.usd->high);
    CHECK(same.chance == option.chance);
  }
  CHECK(before.options.front().candidate == after.options.front().candidate);
}

TEST_CASE("the first choice of a shipped request is the better one at least as likely as not") {
  for (const char* name : {"imagenet-90-epochs", "extend-iris"}) {
    auto request = read_plan_request(shipped.scenarios() / "plans" / (std::string(name) + ".json"));
    request.samples = 60;
    const auto plan = make_plan(request, shipped);
    INFO(name);
    REQUIRE(plan.runner_up);
    CHECK(plan.limits_met);
    // Both are in the order of medians, and one of them is wide. Sixty samples know a half to their standard error.
    CHECK(plan.runner_up_better <= 0.5 + 0.5 / std::sqrt(60.0));
  }
}

TEST_CASE("a deadline nobody keeps is reported, with the option that comes nearest") {
  auto request = ten_epochs({p3_candidate("p3", 24.48)});
  request.limits.deadline_s = 60;
  const auto plan = make_plan(request, shipped);
  CHECK_FALSE(plan.limits_met);
  CHECK(plan.options.front().chance == 0);
  CHECK(to_terminal_text(plan).find("Nothing keeps the limits") != std::string::npos);
}

TEST_CASE("a deadline between two sizes asks for the larger") {
  auto request = ten_epochs({p3_candidate("p3", 24.48)});
  const auto free = make_plan(request, shipped);
  const auto& small = option_at(free, "p3", 8);
  const auto& large = option_at(free, "p3", 32);
  REQUIRE(large.time_s.high < small.time_s.low);
  CHECK(free.options.front().gpus == 8); // costs less
  request.limits.deadline_s = std::sqrt(large.time_s.high * small.time_s.low);
  const auto plan = make_plan(request, shipped);
  CHECK(plan.limits_met);
  CHECK(plan.options.front().gpus == 32);
  CHECK(plan.options.front().chance >= 0.9);
  CHECK(option_at(plan, "p3", 8).chance < 0.1);
}

TEST_CASE("where few options are simulated, they are those that keep the deadline, the best of each option first") {
  auto request = ten_epochs({p3_candidate("p3", 24.48), p3_candidate("dear", 30)});
  for (auto& candidate : request.candidates) candidate.gpus = {1, 2, 4, 8, 32, 64};
  const auto free = make_plan(request, shipped);
  request.limits.deadline_s = std::sqrt(option_at(free, "p3", 8).time_s.value * option_at(free, "p3", 32).time_s.value);
  auto options = make_plan_options(request, shipped);
  std::vector<RefusedOption> refused;
  auto evaluations = screen(request, options, refused);
  simulate(request, options, PlanGoal::cost, 2, in_this_process(), evaluations, refused);
  for (const auto& one : evaluations) CHECK(one.reported.simulated == (one.reported.gpus == 32)); // of each candidate
}

TEST_CASE("nodes and power that are not to be had refuse an option, with the reason") {
  auto request = ten_epochs({p3_candidate("p3", 24.48)});
  request.limits.nodes = 2;
  auto plan = make_plan(request, shipped);
  REQUIRE(plan.refused.size() == 1);
  CHECK(plan.refused.front().why == "4 nodes, and 2 are allowed");
  request.limits.nodes = 0;
  request.limits.power_w = 10'000;
  plan = make_plan(request, shipped);
  REQUIRE(plan.refused.size() == 1);
  CHECK(plan.refused.front().why == "22.12 kW with cooling, and 10 kW are allowed");
  request.limits.power_w = 1;
  CHECK_THROWS_AS(make_plan(request, shipped), UserError);
}

TEST_CASE("without a price options are ranked by energy, and the answer says so") {
  auto candidate = p3_candidate("iris", 0); // a site's own: its file has no price
  candidate.cluster = "iris";
  candidate.price.reset();
  const auto plan = make_plan(ten_epochs({candidate}), shipped);
  CHECK(plan.ranked_by == PlanGoal::energy);
  CHECK_FALSE(plan.options.front().usd);
  CHECK(to_terminal_text(plan).find("no candidate has a price: ranked by energy") != std::string::npos);
}

TEST_CASE("a price that the request leaves out is the newest by the hour of the cluster's file") {
  auto candidate = p3_candidate("p4d", 0);
  candidate.cluster = "p4d"; // 32.7726 in 2022, 21.957642 in 2026
  candidate.price.reset();
  const auto plan = make_plan(ten_epochs({candidate}), shipped);
  const auto& option = option_at(plan, "p4d", 8);
  CHECK(option.usd->value == Approx(21.957642 * option.time_s.value / 3600));
  CHECK(plan.prices.front().find("2026-11-09") != std::string::npos);
}

TEST_CASE("a purchase is written off, and pays its energy") {
  auto candidate = p3_candidate("ours", 0);
  candidate.price = CandidatePrice{PriceKind::purchase, 100'000, 4, ""};
  auto request = ten_epochs({candidate});
  request.energy = {0.2, 1.5};
  const auto plan = make_plan(request, shipped);
  const auto& option = option_at(plan, "ours", 8);
  const double hours = option.time_s.value / 3600;
  CHECK(option.usd->value == Approx(100'000 / (4 * 8766.0) * hours + 0.2 * 3.5 * 1.5 * hours));
}

TEST_CASE("a global batch is shared out over the GPUs") {
  auto candidate = p3_candidate("p3", 24.48);
  candidate.batch_per_gpu = 0;
  auto request = ten_epochs({candidate});
  request.workload.batch_per_gpu = 0;
  request.workload.global_batch = 1024;
  const auto plan = make_plan(request, shipped);
  CHECK(option_at(plan, "p3", 8).batch_per_gpu == 128);
  CHECK(option_at(plan, "p3", 32).batch_per_gpu == 32);
  CHECK(option_at(plan, "p3", 32).iterations == option_at(plan, "p3", 8).iterations);
}

TEST_CASE("to a target: epochs by the batch, their doubt in the interval, other batches refused") {
  auto candidate = p3_candidate("p3", 24.48);
  candidate.gpus = {8, 32, 64};
  auto request = ten_epochs({candidate});
  request.workload.convergence = "resnet50-imagenet";
  const auto plan = make_plan(request, shipped);
  REQUIRE(plan.refused.size() == 1); // 512 samples an iteration
  CHECK(plan.refused.front().gpus == 8);
  const auto& option = option_at(plan, "p3", 32);
  const auto length = training_length(request.workload, shipped);
  CHECK(option.epochs == Approx(epochs_at(length, 2048)));
  CHECK(option.iterations == std::ceil(1281167 * option.epochs / 2048));
  const auto to_target = request.workload;
  request.workload.convergence = "";
  request.workload.samples = 1281167;
  request.workload.epochs = option.epochs;
  const auto given = make_plan(request, shipped);
  const auto& same = option_at(given, "p3", 32);
  CHECK(same.time_s.value == option.time_s.value);
  // A few hundred draws tell the width of one interval less well than the epochs widen it.
  constexpr int seeds = 16;
  const auto fixed = request.workload;
  double wider = 0;
  for (request.seed = 1; request.seed <= seeds; ++request.seed) {
    request.workload = to_target;
    const auto drawn = option_at(make_plan(request, shipped), "p3", 32).time_s;
    request.workload = fixed;
    const auto alone = option_at(make_plan(request, shipped), "p3", 32).time_s;
    wider += std::log(drawn.high / drawn.low) - std::log(alone.high / alone.low);
  }
  CHECK(wider > 0);
  CHECK(to_terminal_text(plan).find("epochs") != std::string::npos);
}

TEST_CASE("a batch larger than any that reached the target gets a word") {
  auto request = ten_epochs({p3_candidate("p3", 24.48)});
  CHECK(make_plan(request, shipped).warnings.empty());
  request.candidates.front().batch_per_gpu = 128;
  request.candidates.front().gpus = {1024};
  request.candidates.front().cluster = "p4d";
  const auto plan = make_plan(request, shipped);
  const auto word = std::find_if(plan.warnings.begin(), plan.warnings.end(), [](const std::string& warning) {
    return warning.find("131072 samples an iteration") != std::string::npos;
  });
  REQUIRE(word != plan.warnings.end());
  CHECK(word->find("67840") != std::string::npos);
}

TEST_CASE("a candidate's network: the cluster's own rate changes nothing, a slower one costs time") {
  auto slow = p3_candidate("slow", 24.48);
  slow.network_Bps = 125e6;
  auto same = p3_candidate("same", 24.48);
  same.network_Bps = load_cluster(shipped, "ec2-p3.16xlarge").nics.front().bandwidth_Bps;
  const auto plan = make_plan(ten_epochs({p3_candidate("own", 24.48), same, slow}), shipped);
  CHECK(option_at(plan, "same", 32).time_s.value == option_at(plan, "own", 32).time_s.value);
  CHECK(option_at(plan, "slow", 32).time_s.value > 2 * option_at(plan, "own", 32).time_s.value);
  // On one node no NIC is used; but the series whose residuals are forgotten had points of one node, too: what they
  // left unexplained there is within the interval that they leave.
  const auto own = option_at(plan, "own", 8).time_s;
  const auto without_them = option_at(plan, "slow", 8).time_s;
  CHECK(without_them.low < own.value);
  CHECK(own.value < without_them.high);
}

TEST_CASE("a network of another rate is reported as not measured") {
  auto candidate = p3_candidate("hdr", 24.48);
  candidate.cluster = "iris";
  candidate.network_Bps = 25e9;
  const auto plan = make_plan(ten_epochs({candidate}), shipped);
  REQUIRE(plan.warnings.size() == 1);
  CHECK(plan.warnings.front() == "hdr: with NICs of 25 GB/s what was measured of the network of iris does not hold; "
                                 "priors take its place");
}

TEST_CASE("a start is paid once, a spare for the whole time, and a checkpoint by the model's size") {
  auto request = ten_epochs({p3_candidate("p3", 24.48)});
  const auto plain = option_at(make_plan(request, shipped), "p3", 32);
  request.workload.start_up_s = 600;
  CHECK(option_at(make_plan(request, shipped), "p3", 32).time_s.value == Approx(plain.time_s.value + 600));
  request.workload.start_up_s = 0;
  request.failures = {3.6e6, 10, 0, 12, 600, 86'400, 0};
  const auto waiting = option_at(make_plan(request, shipped), "p3", 32);
  request.failures.spare_nodes = 2;
  const auto spared = option_at(make_plan(request, shipped), "p3", 32);
  CHECK(spared.nodes == 6);
  CHECK(spared.time_s.value < waiting.time_s.value);
  CHECK(spared.usd->value / spared.time_s.value == Approx(1.5 * waiting.usd->value / waiting.time_s.value));
  // 25,557,032 parameters of 12 bytes at 100 MB/s are 3.07 s; Young's first order of the best interval
  request.failures = {3.6e6, 0, 1e8, 12, 600, 0, 0};
  const auto stored = option_at(make_plan(request, shipped), "p3", 32);
  CHECK(stored.checkpoint_interval_s == Approx(std::sqrt(2 * 25'557'032 * 12 / 1e8 * 3.6e6 / 4)).epsilon(0.01));
}

TEST_CASE("failures and evaluations make a training longer by what they cost") {
  auto request = ten_epochs({p3_candidate("p3", 24.48)});
  const auto plain = make_plan(request, shipped);
  request.failures = {3.6e6, 10, 0, 12, 600, 0, 0};
  const auto failing = make_plan(request, shipped);
  const auto& before = option_at(plain, "p3", 32);
  const auto& after = option_at(failing, "p3", 32);
  CHECK(after.time_s.value == Approx(before.time_s.value / after.goodput));
  CHECK(after.goodput < 1);
  CHECK(after.checkpoint_interval_s == Approx(std::sqrt(2 * 10 * 3.6e6 / 4)).epsilon(0.01)); // Young's first order
  request.failures = {};
  request.workload.evaluation_samples = 1e5;
  const auto evaluated = make_plan(request, shipped);
  CHECK(option_at(evaluated, "p3", 32).time_s.value > before.time_s.value);
  CHECK(option_at(evaluated, "p3", 32).time_s.value < 1.1 * before.time_s.value);
}

} // namespace ddlsim
