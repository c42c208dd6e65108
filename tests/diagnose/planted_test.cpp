#include "diagnose/diagnose.hpp"
#include "diagnose/likelihood.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/known_files.hpp"
#include "tests/base/normals.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

// Faults are planted in clusters drawn from what is known of a shipped one; the diagnosis must name them, and leave
// healthy ones alone.

namespace ddlsim {
namespace {

constexpr int draws = 50;
constexpr int clusters = 100;

/// Horovod on 16 nodes of four P100, as the shipped scenario asks it.
struct ShippedQuestion {
  Scenario scenario;
  KnownFiles files;

  ShippedQuestion()
      : scenario(read_scenario(DDLSIM_SOURCE_DIR "/scenarios/pascal-servers-or-horovod.json")),
        files(scenario, DataFolder{DDLSIM_SOURCE_DIR}) {}

  Curve curve() const { return make_curve(scenario, scenario.strategies[0], files.model(), files.knowledge()); }
};

std::vector<Observation> steps() {
  std::vector<Observation> points;
  for (const int gpus : {1, 4, 8, 16, 64}) points.push_back({Observed::iteration, gpus, 0, 1});
  return points;
}

/// On one node and on 16: a log of 16 nodes alone cannot tell the network from the paths inside a node.
std::vector<Observation> logs_of_nccl_tests() {
  std::vector<Observation> points;
  for (const int gpus : {4, 64})
    for (const double size_bytes : {1e3, 3e4, 1e6, 3e7, 1e9})
      points.push_back({Observed::all_reduce, gpus, size_bytes, 1});
  return points;
}

/// One observation of a cluster that is drawn from what is known, with the fault in it where there is one. The
/// diagnosis itself takes the first 512 samples or fewer: no truth is among them.
void observe(const Curve& truth, int draw, const FaultKind* kind, double severity, ddlsim_test::Normals& normal,
             std::vector<Observation>& points) {
  const auto& values = truth.samples.values;
  const std::size_t untaken = 512;
  REQUIRE(values.size() > untaken + clusters);
  const auto& sample = values[untaken + static_cast<std::size_t>(draw)];
  const auto scatter = scatter_of(truth, points);
  Eigen::VectorXd noise(scatter.mean.size());
  for (auto& value : noise) value = normal();
  const Eigen::VectorXd off = scatter.mean + scatter.factor * noise;
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto& point = points[i];
    FaultySetup one{at_scale(truth, point.gpus), sample};
    one.sample.model_discrepancy = 1;
    const double sample_s = one.setup.one_gpu_s * truth.median.compute_factor / one.setup.batch_per_gpu;
    if (kind != nullptr) kind->put(severity, sample_s, one);
    const double told_s = point.what == Observed::all_reduce
                              ? lone_sum_s(one.setup, one.sample, point.size_bytes)
                              : time_step(one.setup, one.sample, Fidelity::screening).iteration_s;
    point.time_s = told_s * std::exp(off(static_cast<Eigen::Index>(i)));
  }
}

const FaultKind& kind_of_fault(const std::vector<FaultKind>& kinds, Fault fault) {
  return *std::find_if(kinds.begin(), kinds.end(), [&](const FaultKind& kind) { return kind.fault == fault; });
}

/// Of 50 faulty clusters, how often it is named first.
int times_named(Fault fault, const std::vector<Observation>& points) {
  const ShippedQuestion question;
  const auto curve = question.curve();
  const auto kinds = possible_faults(curve.setup, 64);
  ddlsim_test::Normals normal(2026);
  int named = 0;
  for (int draw = 0; draw < draws; ++draw) {
    auto seen = points;
    const double severity = 1.5 * std::pow(2, draw / (draws - 1.0)); // 1.5 to 3
    observe(curve, draw, &kind_of_fault(kinds, fault), severity, normal, seen);
    const auto diagnosis = diagnose(curve, seen, {0.05, 1, 199});
    if (!diagnosis.is_normal && diagnosis.causes.front().kind.fault == fault) ++named;
  }
  return named;
}

} // namespace

TEST_CASE("a planted slow link is named by logs of nccl-tests", "[.planted]") {
  CHECK(times_named(Fault::link, logs_of_nccl_tests()) >= 45);
}

TEST_CASE("a planted slow link is named by times of iterations", "[.planted]") {
  CHECK(times_named(Fault::link, steps()) >= 45);
}

TEST_CASE("a planted slow host is named by times of iterations", "[.planted]") {
  CHECK(times_named(Fault::host, steps()) >= 45);
}

TEST_CASE("a planted loader is named by times of iterations", "[.planted]") {
  CHECK(times_named(Fault::loader, steps()) >= 45);
}

TEST_CASE("a healthy cluster is called ill as seldom as the level says", "[.planted]") {
  const ShippedQuestion question;
  const auto curve = question.curve();
  ddlsim_test::Normals normal(2027);
  constexpr double level = 0.1;
  int ill = 0;
  for (int draw = 0; draw < clusters; ++draw) {
    auto seen = steps();
    observe(curve, draw, nullptr, 1, normal, seen);
    if (!diagnose(curve, seen, {level, 7, 199}).is_normal) ++ill;
  }
  CHECK(ill <= 18); // 10 expected, standard deviation 3: more than 18 once in 200 such tests
  CHECK(ill >= 2);
}

} // namespace ddlsim
