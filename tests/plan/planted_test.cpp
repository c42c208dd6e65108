#include "calibrate/cache/calibration_cache.hpp"
#include "plan/plan.hpp"
#include "plan/report.hpp"
#include "plan/screen.hpp"
#include "plan/simulate.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/data_folder.hpp"
#include "tests/base/normals.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/formats/plain_records.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

// Is the planner's first choice the better one as often as it says? Two clusters are drawn from the priors; a few runs
// of each are simulated, with noise; the clusters are calibrated on them and a plan is made; the drawn truth tells who
// was right.

namespace ddlsim {
namespace {

constexpr double one_gpu_s = 0.18; ///< of both clusters: 64 samples of ResNet-50 on a V100
constexpr double noise = 0.02;     ///< of one measurement

/// The shipped catalogue, priors and presets, and two clusters that nothing was measured on but one GPU.
void write_two_clusters(const ddlsim_test::TemporaryFolder& folder) {
  const DataFolder shipped_files{DDLSIM_SOURCE_DIR};
  for (const char* file : {"platforms/gpus.json", "platforms/priors.json", "scenarios/presets.json",
                           "scenarios/models/resnet50_v1.5.json"})
    folder.write(file, read_text_file(shipped_files.root / file));
  auto cluster = nlohmann::json::parse(read_text_file(shipped_files.platforms() / "ec2-p3.16xlarge" / "cluster.json"));
  for (const char* name : {"slow-net", "fast-net"}) {
    cluster["name"] = name;
    cluster["node"]["nics"][0]["bandwidth"] = std::string(name) == "slow-net" ? "10 Gbps" : "25 Gbps";
    folder.write(fmt::format("platforms/{}/cluster.json", name), cluster.dump(1));
  }
}

void write_records(const ddlsim_test::TemporaryFolder& folder, const std::string& cluster,
                   const std::map<int, double>& times_s) {
  MeasurementFile file = test::file_of(cluster, "planted", {});
  file.context.who = "this test";
  file.context.date = "2026";
  file.context.machine = "drawn from the priors";
  file.context.software = "none";
  file.context.source_title = "planted";
  std::string lines = to_json_line(file.context) + "\n";
  const auto add = [&](int gpus, bool synchronised, double iteration_s) {
    auto record = test::plain_step("planted", gpus, std::max(1, gpus / 8), iteration_s);
    record.head.gpu = "V100-SXM2-16GB";
    record.head.transport = synchronised ? "nccl-tcp" : "unknown";
    record.head.origin = "run";
    record.head.library = "unknown";
    record.head.statistic = "mean";
    record.algorithm = "unknown";
    record.model = "resnet50_v1.5";
    record.batch_per_gpu = 64;
    record.synchronised = synchronised;
    lines += to_json_line(Record{record}) + "\n";
  };
  add(1, false, one_gpu_s);
  for (const auto& [gpus, iteration_s] : times_s) add(gpus, true, iteration_s);
  folder.write(fmt::format("platforms/{}/measurements/planted.jsonl", cluster), lines);
}

PlanCandidate candidate_on(const std::string& cluster, double usd_an_hour) {
  PlanCandidate candidate;
  candidate.name = cluster;
  candidate.cluster = cluster;
  candidate.preset = "pytorch-ddp";
  candidate.strategies = {Strategy{StrategyName::ring, {}}};
  candidate.gpus = {8, 16, 64};
  candidate.batch_per_gpu = 64;
  candidate.price = CandidatePrice{PriceKind::on_demand, usd_an_hour, 0, ""};
  return candidate;
}

/// The faster network costs more, about as much as it is likely to bring.
PlanRequest request_of(int draw) {
  PlanRequest request;
  request.name = "planted";
  request.workload.model = "resnet50_v1.5";
  request.workload.samples = 1e6;
  request.workload.epochs = 10;
  request.workload.batch_per_gpu = 64;
  request.candidates = {candidate_on("slow-net", 20), candidate_on("fast-net", 23)};
  request.samples = 100;
  request.seed = static_cast<std::uint64_t>(draw);
  return request;
}

/// What each option comes to in one draw of the priors.
using Truth = std::map<std::pair<std::string, int>, Outcome>;

Truth draw_truth(const PlanRequest& request, const DataFolder& data) {
  auto options = make_plan_options(request, data);
  std::vector<RefusedOption> refused;
  auto evaluations = screen(request, options, refused);
  simulate(request, options, PlanGoal::cost, evaluations.size(), in_this_process(), evaluations, refused);
  Truth truth;
  for (const auto& one : evaluations) truth[{one.reported.candidate, one.reported.gpus}] = one.samples.front();
  return truth;
}

/// Runs on one node and on two of both clusters.
void measure(const ddlsim_test::TemporaryFolder& folder, const Truth& truth, ddlsim_test::Normals& normal) {
  for (const std::string cluster : {"slow-net", "fast-net"}) {
    std::map<int, double> times_s;
    for (const int gpus : {8, 16}) {
      const double iterations = std::ceil(1e7 / (64.0 * gpus));
      times_s[gpus] = truth.at({cluster, gpus}).time_s / iterations * std::exp(noise * normal());
    }
    write_records(folder, cluster, times_s);
  }
}

struct StatedChance {
  double chance_right = 0;
  bool right = false;
};

StatedChance play(int draw) {
  const ddlsim_test::TemporaryFolder folder;
  DataFolder data{folder.path()};
  write_two_clusters(folder);
  for (const char* cluster : {"slow-net", "fast-net"}) write_records(folder, cluster, {});
  const auto truth = draw_truth(request_of(draw), data);
  ddlsim_test::Normals normal(static_cast<std::uint64_t>(draw));
  measure(folder, truth, normal);
  data.calibrations = fitted_calibrations({});
  auto asked = request_of(draw + 100'000);                        // its own draws
  for (auto& candidate : asked.candidates) candidate.gpus = {64}; // more than was measured
  const auto plan = make_plan(asked, data);
  const auto true_usd = [&](const PlannedOption& option) { return *truth.at({option.candidate, option.gpus}).usd; };
  const auto& first = plan.options.front();
  const auto& other = plan.options.at(plan.runner_up.value());
  return {1 - plan.runner_up_better, true_usd(first) < true_usd(other)};
}

} // namespace

TEST_CASE("planted clusters: the first choice is the better one as often as the plan says", "[.planted]") {
  constexpr int draws = 200;
  double expected = 0;
  double variance = 0;
  double right = 0;
  for (int draw = 1; draw <= draws; ++draw) {
    const auto said = play(draw);
    expected += said.chance_right;
    variance += said.chance_right * (1 - said.chance_right);
    right += said.right ? 1 : 0;
  }
  WARN(fmt::format("{} of {} first choices were the better ones, {:.1f} were expected", right, draws, expected));
  CHECK(std::abs(right - expected) < 3 * std::sqrt(variance)); // three standard deviations of a sum of such chances
  CHECK(variance > 0.05 * draws);                              // else nothing was in doubt
}

} // namespace ddlsim
