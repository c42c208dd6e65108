#pragma once
// Clusters drawn from what is known of shipped ones, healthy or with a fault in them.

#include "diagnose/evidence.hpp"
#include "diagnose/other_curves.hpp"
#include "sim/formats/scenario.hpp"
#include "tests/base/normals.hpp"

#include <Eigen/Core>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim_test {

/// Which shipped question is asked, and what is observed of it.
struct PlantedQuestion {
  const char* name;
  const char* scenario;
  const char* cluster; ///< in place of the scenario's; "": its own
  ddlsim::StrategyName strategy;
  bool collectives; ///< logs of nccl-tests in place of times of iterations
  std::vector<int> gpus;
};

/// Old clusters and new ones, calibrated and not, NCCL, MPI and servers, with and without named input.
const std::vector<PlantedQuestion>& planted_questions();

/// One of them with all that explains its times.
class PlantedClusters {
public:
  explicit PlantedClusters(const PlantedQuestion& question);

  /// The clusters that can be drawn: samples that the diagnosis does not take.
  int count() const;
  const ddlsim::Hypotheses& hypotheses() const { return hypotheses_; }
  const std::vector<double>& of_healthy() const { return of_healthy_; }

  /// ln of the times of one cluster, with residuals and noise; the fault at that severity where there is one.
  Eigen::VectorXd times(int draw, const ddlsim::FaultKind* kind, double severity, Normals& normal) const;
  /// By how much that fault slows a quarter of the times or more, in the likeliest sample.
  double effect(const ddlsim::FaultKind& kind, double severity) const;
  ddlsim::Diagnosis diagnosed(const Eigen::VectorXd& ln_times, double level = 0.05) const;

private:
  Eigen::VectorXd expected_ln_times(const ddlsim::Curve& curve, const ddlsim::Parameters& sample,
                                    const ddlsim::FaultKind* kind, double severity) const;

  ddlsim::Scenario scenario_;
  std::unique_ptr<ddlsim::KnownFiles> files_;
  std::unique_ptr<ddlsim::Curve> curve_;
  std::unique_ptr<ddlsim::OtherClusters> others_;
  std::vector<ddlsim::Observation> points_;
  ddlsim::Hypotheses hypotheses_;
  std::vector<double> of_healthy_;
};

} // namespace ddlsim_test
