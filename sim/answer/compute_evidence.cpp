#include "sim/answer/compute_evidence.hpp"

#include "sim/model/compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ddlsim {
namespace {

/// One record that could answer, and how well: smaller ranks first.
struct Candidate {
  const StepRecord* record;
  bool borrowed;
  double batch_distance; ///< |ln(batch ratio)|
  bool other_preset;
};

auto rank_of(const Candidate& candidate) {
  return std::tuple(candidate.batch_distance > 0, candidate.borrowed, candidate.batch_distance, candidate.other_preset,
                    candidate.record->synchronised);
}

/// A cluster's own record that names no GPU was measured on the cluster's; elsewhere it might be any.
bool answers(const StepRecord& record, const ComputeQuestion& question, bool borrowed) {
  const auto same_gpu = [&](const std::string& name) {
    if (name.empty()) return !borrowed;
    const auto& aliases = question.gpu.aliases;
    return name == question.gpu.name || std::find(aliases.begin(), aliases.end(), name) != aliases.end();
  };
  return record.gpus == 1 && record.mode == "train" && record.model == question.model.name &&
         record.precision == question.precision && same_gpu(record.head.gpu) && !record.head.suspect;
}

std::vector<Candidate> candidates_in(const std::vector<StepRecord>& records, const ComputeQuestion& question,
                                     bool borrowed) {
  std::vector<Candidate> found;
  for (const auto& record : records) {
    if (!answers(record, question, borrowed)) continue;
    found.push_back({&record, borrowed, std::abs(std::log(record.batch_per_gpu / question.batch)),
                     record.preset != question.preset});
  }
  return found;
}

ComputeEvidence from_roofline(const ComputeQuestion& question) {
  const double time_s = roofline_iteration_s(question.model, question.gpu, question.precision, question.batch);
  return {time_s, "compute_roofline", "assumed",
          fmt::format("one {} was never measured with {}: {:.4g} samples/s by the roofline of the catalogue",
                      question.gpu.name, question.model.name, question.batch / time_s),
          ""};
}

ComputeEvidence from_record(const ComputeQuestion& question, const Candidate& best) {
  const auto& record = *best.record;
  const double time_s = carry_to_batch(question.model, record.iteration_s, record.batch_per_gpu, question.batch);
  const bool own = !best.borrowed && best.batch_distance == 0;
  std::string text = fmt::format("one {}: {:.4g} samples/s, {} (series {}, {})",
                                 record.head.gpu.empty() ? question.gpu.name : record.head.gpu, question.batch / time_s,
                                 best.borrowed ? "measured on another cluster" : "measured here", record.head.series,
                                 record.head.statistic);
  if (best.batch_distance > 0) text += fmt::format(", carried from batch {:g}", record.batch_per_gpu);
  return {time_s, own ? "compute_measured" : "compute_transferred", own ? "calibrated" : "transferred", text,
          fmt::format("{}:{}", std::filesystem::path(record.head.file).filename().string(), record.head.line)};
}

} // namespace

double carry_to_batch(const Model& model, double time_s, double batch_from, double batch_to) {
  if (batch_from == batch_to) return time_s;
  // 60 us x 3 passes x layers: intercepts of MXNet's published batch sweeps; never more than half of the time, so that
  // c stays positive.
  constexpr double launch_s = 60e-6 * 3;
  const double fixed_s = std::min(0.5 * time_s, launch_s * static_cast<double>(model.layers.size()));
  return fixed_s + (time_s - fixed_s) * batch_to / batch_from;
}

ComputeEvidence find_compute(const ComputeQuestion& question, const std::vector<StepRecord>& own,
                             const std::vector<StepRecord>& borrowed) {
  auto candidates = candidates_in(own, question, false);
  const auto lent = candidates_in(borrowed, question, true);
  candidates.insert(candidates.end(), lent.begin(), lent.end());
  if (candidates.empty()) return from_roofline(question);
  const auto best = *std::min_element(candidates.begin(), candidates.end(),
                                      [](const Candidate& a, const Candidate& b) { return rank_of(a) < rank_of(b); });
  std::erase_if(candidates, [&](const Candidate& candidate) { return rank_of(candidate) != rank_of(best); });
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.record->iteration_s / a.record->batch_per_gpu < b.record->iteration_s / b.record->batch_per_gpu;
  });
  return from_record(question, candidates[candidates.size() / 2]);
}

std::vector<StepRecord> borrowed_steps(const DataFolder& data, const Cluster& cluster) {
  std::vector<StepRecord> records;
  for (const auto& borrow : cluster.borrows) {
    if (std::find(borrow.kinds.begin(), borrow.kinds.end(), "step") == borrow.kinds.end()) continue;
    const auto of_cluster = records_of<StepRecord>(read_cluster_measurements(data.platforms(), borrow.cluster));
    records.insert(records.end(), of_cluster.begin(), of_cluster.end());
  }
  return records;
}

} // namespace ddlsim
