#include "sim/compute/measured_time.hpp"

#include "sim/compute/equal_records.hpp"
#include "sim/compute/one_gpu_rows.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace ddlsim {
namespace {

std::string device_name(const RecordHead& head, const ComputeQuestion& question) {
  if (!head.gpu.empty()) return head.gpu;
  return head.device == "cpu" ? "processor" : question.gpu.name;
}

OneGpuEstimate as_stated(const ComputeQuestion& question) {
  const auto& stated = *question.stated;
  OneGpuEstimate estimate;
  estimate.one_gpu_s = question.batch / stated.samples_per_s;
  estimate.prior = compute_measured;
  estimate.label = EvidenceLabel::calibrated;
  estimate.text = fmt::format("one {}: {:.4g} samples/s, as the scenario states{}", question.gpu.name,
                              stated.samples_per_s, unnamed_text(question));
  estimate.stated_width = stated.width();
  return estimate;
}

/// Whether a record is in the question's arithmetic. A question that does not say whether fp32 uses TF32 means records
/// in fp32 that do and that do not.
bool is_in_arithmetic(const StepRecord& record, const ComputeQuestion& question) {
  const bool all_tf32 = question.precision == Precision::tf32;
  const auto matmul = all_tf32 ? true : question.matmul_tf32;
  const auto convolution = all_tf32 ? true : question.conv_tf32;
  if (record.precision == question.precision && (all_tf32 || (!matmul && !convolution))) return true;
  const bool is_single = record.precision == Precision::fp32 || record.precision == Precision::tf32;
  if (!is_single || (!matmul && !convolution)) return false;
  const auto use = tf32_of(record, question.gpu);
  return use.matmul == matmul.value_or(use.matmul) && use.convolution == convolution.value_or(use.convolution);
}

/// Whether a record is of the question's own workload, whatever its series and software.
bool is_of_workload(const StepRecord& record, const ComputeQuestion& question, const std::string& unnamed_gpu) {
  const auto gpu = record.head.gpu.empty() ? unnamed_gpu : catalogue_name({question.gpu}, record.head.gpu);
  return record.gpus == 1 && record.mode == RunMode::train && !has_server_elsewhere(record) &&
         gpu == question.gpu.name && !is_of_processor_beside(record.head, gpu) && record.model == question.model.name &&
         training_text(record.train, record.document_tokens) == question.model.training &&
         is_in_arithmetic(record, question) && record.preset == question.preset &&
         record.batch_per_gpu == question.batch && record.split == question.split;
}

/// Returns the records of the workload that count: those of the series, suspect ones too if it has no others; else
/// those of the software; else all that are not suspect.
EqualRecords chosen_records(const ComputeQuestion& question, const std::vector<StepRecord>& own,
                            const std::string& unnamed_gpu) {
  EqualRecords of_series, suspect, of_software, all;
  for (const auto& record : own) {
    if (!is_of_workload(record, question, unnamed_gpu)) continue;
    const bool is_named = !question.series.empty() && record.head.series == question.series;
    if (is_named) (record.head.suspect ? suspect : of_series).push_back(&record);
    if (record.head.suspect) continue;
    all.push_back(&record);
    if (!question.software.empty() && record.head.software.find(question.software) != std::string::npos)
      of_software.push_back(&record);
  }
  for (auto* const chosen : {&of_series, &suspect, &of_software})
    if (!chosen->empty()) return *chosen;
  return all;
}

} // namespace

std::string unnamed_text(const ComputeQuestion& question) {
  if (question.gpu.name != unnamed_device().name) return "";
  return fmt::format("; no GPU is named: backward has the shape that it has on a {}, and memory is not checked",
                     shape_of_unnamed);
}

std::string record_place(const StepRecord& record) {
  return fmt::format("{}:{}", std::filesystem::path(record.head.file).filename().string(), record.head.line);
}

std::optional<OneGpuEstimate> find_measured(const ComputeQuestion& question, const std::vector<StepRecord>& own,
                                            const std::string& unnamed_gpu, double repeat_difference) {
  if (question.stated) return as_stated(question);
  const auto chosen = chosen_records(question, own, unnamed_gpu);
  if (chosen.empty()) return {};
  const auto best = best_of(chosen);
  const auto& record = *best[best.size() / 2];
  OneGpuEstimate estimate;
  estimate.one_gpu_s = record.iteration_s;
  estimate.prior = compute_measured;
  estimate.label = EvidenceLabel::calibrated;
  estimate.text = fmt::format("one {}: {:.4g} samples/s, measured here (series {}, {}){}",
                              device_name(record.head, question), question.batch / record.iteration_s,
                              record.head.series, record.head.statistic, unnamed_text(question));
  estimate.record = record_place(record);
  estimate.own_series = !question.series.empty() && record.head.series == question.series;
  estimate.disagreement = disagreement_of(best, repeat_difference);
  if (estimate.disagreement > 0) estimate.text += "; " + disagreement_text(best);
  return estimate;
}

} // namespace ddlsim
