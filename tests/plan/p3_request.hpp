#pragma once
// A short training on nodes of eight V100, for tests of plans.

#include "plan/plan.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ddlsim {

inline PlanCandidate p3_candidate(const std::string& name, double usd_per_node_hour) {
  PlanCandidate candidate;
  candidate.name = name;
  candidate.cluster = "ec2-p3.16xlarge";
  candidate.preset = "horovod";
  candidate.strategies = {Strategy{StrategyName::automatic, {}}};
  candidate.gpus = {8, 32};
  candidate.batch_per_gpu = 64;
  candidate.price = CandidatePrice{PriceKind::on_demand, usd_per_node_hour, 0, ""};
  return candidate;
}

/// Ten epochs of a million images by few draws.
inline PlanRequest ten_epochs(std::vector<PlanCandidate> candidates) {
  PlanRequest request;
  request.name = "test";
  request.workload.model = "resnet50_v1.5";
  request.workload.samples = 1e6;
  request.workload.epochs = 10;
  request.workload.batch_per_gpu = 64;
  request.candidates = std::move(candidates);
  request.samples = 60;
  return request;
}

} // namespace ddlsim
