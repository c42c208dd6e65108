#include "tests/diagnose/planted.hpp"

#include "sim/base/statistics.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/known_files.hpp"
#include "tests/calibrate/shipped_data.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim_test {

using namespace ddlsim;

namespace {

constexpr int untaken = 128; ///< of the samples the diagnosis takes as many or fewer

Scenario scenario_for(const PlantedQuestion& question) {
  auto scenario = read_scenario(std::string(DDLSIM_SOURCE_DIR "/scenarios/") + question.scenario);
  if (*question.cluster != '\0') scenario.cluster = question.cluster;
  std::erase_if(scenario.strategies, [&](const Strategy& one) { return one.name != question.strategy; });
  return scenario;
}

std::vector<Observation> points_of(const PlantedQuestion& question) {
  std::vector<Observation> points;
  for (const int gpus : question.gpus) {
    if (!question.collectives) points.push_back({Measured::step, gpus, 0, 1});
    for (double size_bytes = 1024; question.collectives && size_bytes <= 1 << 30; size_bytes *= 4)
      points.push_back({Measured::all_reduce, gpus, size_bytes, 1});
  }
  return points;
}

} // namespace

const std::vector<PlantedQuestion>& planted_questions() {
  static const std::vector<PlantedQuestion> all{
      {"P100, Horovod, steps", "pascal-servers-or-horovod.json", "", StrategyName::automatic, false, {1, 4, 8, 16, 64}},
      {"P100, Horovod, nccl-tests", "pascal-servers-or-horovod.json", "", StrategyName::automatic, true, {4, 64}},
      {"V100, MPI, data from NFS, steps",
       "v100-resnet50-from-nfs.json",
       "",
       StrategyName::automatic,
       false,
       {1, 4, 8, 16, 32}},
      {"K80, servers, steps", "k80-inception-ps.json", "", StrategyName::ps, false, {1, 2, 4, 8, 16}},
      {"A100, data from Lustre, steps",
       "a100-resnet50-from-lustre.json",
       "",
       StrategyName::automatic,
       false,
       {1, 8, 16, 64, 128}},
      {"A100, nccl-tests", "a100-resnet50-from-lustre.json", "", StrategyName::automatic, true, {8, 64}},
      {"H100, FSDP, steps", "h100-mpt-13b-fsdp.json", "", StrategyName::fsdp, false, {8, 16, 64, 256}},
      {"H100, never calibrated, nccl-tests",
       "a100-resnet50-from-lustre.json",
       "azure-nd-h100-v5",
       StrategyName::automatic,
       true,
       {8, 32}}};
  return all;
}

PlantedClusters::PlantedClusters(const PlantedQuestion& question)
    : scenario_(scenario_for(question)), points_(points_of(question)) {
  const DataFolder data = ddlsim_test::shipped_data();
  constexpr int draws = 999;
  files_ = std::make_unique<KnownFiles>(scenario_, data);
  curve_ = std::make_unique<Curve>(
      make_curve(scenario_, scenario_.strategies.front(), files_->model(), files_->knowledge()));
  others_ = std::make_unique<OtherClusters>(scenario_, *curve_, data);
  hypotheses_ = hypotheses_of(*curve_, points_, others_->curves());
  of_healthy_ = healthy_evidence(hypotheses_, 1, draws);
}

int PlantedClusters::count() const {
  return static_cast<int>(curve_->samples.values.size()) - untaken;
}

Eigen::VectorXd PlantedClusters::expected_ln_times(const Curve& curve, const Parameters& sample, const FaultKind* kind,
                                                   double severity) const {
  Eigen::VectorXd ln_times(static_cast<Eigen::Index>(points_.size()));
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const auto& point = points_[i];
    const auto healthy = at_scale(curve, point.gpus);
    auto preset = healthy.preset;
    if (kind != nullptr && kind->row.apply_to_preset != nullptr) kind->row.apply_to_preset(severity, preset);
    FaultySetup one{with_preset(healthy, preset), sample,
                    healthy.one_gpu_s * curve.median.compute_factor / healthy.batch_per_gpu};
    one.sample.model_discrepancy = 1;
    if (kind != nullptr && kind->row.apply != nullptr) kind->row.apply(severity, one);
    const double ln_corrected =
        is_collective(point) ? ln_correction(correction_of(curve, point), all_reduce_model_of(healthy, sample)) : 0;
    const double time_s = is_collective(point) ? collective_alone_s(one.setup, one.sample, point.what, point.size_bytes)
                                               : time_step(one.setup, one.sample, Fidelity::formula).iteration_s;
    ln_times(static_cast<Eigen::Index>(i)) = std::log(time_s) + ln_corrected;
  }
  return ln_times;
}

Eigen::VectorXd PlantedClusters::times(int draw, const FaultKind* kind, double severity, Normals& normal) const {
  const auto& curve = kind != nullptr && kind->curve != nullptr ? *kind->curve : *curve_;
  const auto scatter = scatter_of(curve, points_);
  Eigen::VectorXd noise(scatter.mean.size());
  for (auto& value : noise) value = normal();
  const auto& sample = curve.samples.values[static_cast<std::size_t>(untaken + draw % count())];
  return expected_ln_times(curve, sample, kind, severity) + scatter.mean + scatter.factor * noise;
}

double PlantedClusters::effect(const FaultKind& kind, double severity) const {
  const auto& curve = kind.curve != nullptr ? *kind.curve : *curve_;
  const Eigen::VectorXd ratio =
      expected_ln_times(curve, curve.median, &kind, severity) - expected_ln_times(*curve_, curve_->median, nullptr, 1);
  return std::exp(ratio.maxCoeff());
}

Diagnosis PlantedClusters::diagnosed(const Eigen::VectorXd& ln_times, double level) const {
  return reach_verdict(hypotheses_, of_healthy_, ln_times, level);
}

} // namespace ddlsim_test
