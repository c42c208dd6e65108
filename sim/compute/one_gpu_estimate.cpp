#include "sim/compute/one_gpu_estimate.hpp"

#include "sim/base/error.hpp"
#include "sim/compute/kriging.hpp"
#include "sim/compute/measured_time.hpp"
#include "sim/compute/one_gpu_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>

namespace ddlsim {

/// The records and their rows. Runs of several GPUs are read back once a question needs them, because that takes a
/// while.
struct OneGpuTimes::State {
  std::string unnamed_gpu;
  std::string site;
  std::vector<StepRecord> own;
  std::vector<StepRecord> borrowed;
  OtherClusterTimes reference;
  double repeat_difference = 0;
  mutable std::mutex lock; ///< of all that follows
  mutable WorkloadMaker maker{reference};
  mutable std::vector<OneGpuRow> rows; ///< of other clusters
  mutable bool has_read_back = false;
  mutable std::vector<StepRecord> read_back;

  std::vector<OneGpuRow> rows_of(const std::vector<StepRecord>& records, Pool pool, const std::string& unnamed) const {
    return one_gpu_rows(maker, reference, records, pool, unnamed, repeat_difference);
  }

  void add_rows(const std::vector<StepRecord>& records, Pool pool) const {
    for (auto& row : rows_of(records, pool, "")) rows.push_back(std::move(row));
  }

  void read_runs_back() const {
    if (has_read_back) return;
    has_read_back = true;
    if (reference.read_back) read_back = reference.read_back();
    add_rows(read_back, Pool::reference);
  }
};

namespace {

/// Whether a row is of the question's GPU, model and precision.
bool is_alike(const OneGpuRow& row, const ComputeQuestion& question) {
  return row.gpu == question.gpu.name && row.record->model == question.model.name &&
         row.record->precision == question.precision;
}

/// Returns the site's records without those of the question's GPU, model and precision that are of another series, or
/// of other software, than the question names, if some are of the one that it names.
std::vector<StepRecord> named_records(const ComputeQuestion& question, std::vector<StepRecord> own) {
  const auto keep = [&](const std::function<bool(const StepRecord&)>& is_named) {
    const auto is_asked = [&](const StepRecord& record) {
      return record.model == question.model.name && record.precision == question.precision;
    };
    if (std::none_of(own.begin(), own.end(), [&](const auto& one) { return is_asked(one) && is_named(one); })) return;
    std::erase_if(own, [&](const auto& one) { return is_asked(one) && !is_named(one); });
  };
  if (!question.series.empty()) keep([&](const StepRecord& record) { return record.head.series == question.series; });
  if (!question.software.empty())
    keep([&](const StepRecord& record) { return record.head.software.find(question.software) != std::string::npos; });
  return own;
}

/// Splits the error of an estimate by who shares it. Other batches are taken far off, other models of the same family.
void split_width(OneGpuEstimate& estimate, const Kriging& kriging, const TimedWorkload& asked) {
  constexpr double far_batch = 1e3; // ln
  TimedWorkload other_batch = asked;
  other_batch.ln_batch += far_batch;
  TimedWorkload other_model = asked;
  other_model.model = -1;
  const double all = std::max(0.0, kriging.error_shared_with(asked));
  const double of_model = std::clamp(kriging.error_shared_with(other_batch), 0.0, all);
  const double of_stack = std::clamp(kriging.error_shared_with(other_model), 0.0, of_model);
  estimate.stack_width = std::sqrt(of_stack);
  estimate.model_width = std::sqrt(of_model - of_stack);
  estimate.batch_width = std::sqrt(all - of_model);
}

/// calibrated: the site measured this model on this GPU under this stack, at another batch. transferred: the most alike
/// record is at least of this GPU or of this model.
EvidenceLabel label_of(const Kriging& kriging, const ComputeQuestion& question) {
  const auto here = [&](const OneGpuRow* row) {
    return row->pool == Pool::own && is_alike(*row, question) && row->record->preset == question.preset;
  };
  const auto& rows = kriging.rows();
  if (std::any_of(rows.begin(), rows.end(), here)) return EvidenceLabel::calibrated;
  if (rows.empty()) return EvidenceLabel::assumed;
  const auto& nearest = *rows.front();
  const bool is_kin = nearest.gpu == question.gpu.name || nearest.record->model == question.model.name;
  return is_kin ? EvidenceLabel::transferred : EvidenceLabel::assumed;
}

std::string text_of(const OneGpuRow& row) {
  return fmt::format("{} at batch {:g} in {} on {} under {}, {}", row.record->model, row.batch,
                     to_text(row.record->precision), row.gpu, row.record->preset,
                     row.pool == Pool::own ? "measured here" : "measured on another cluster");
}

std::string estimated_text(const Kriging& kriging, const ComputeQuestion& question, double one_gpu_s) {
  const auto text = fmt::format("one {}: {:.4g} samples/s, estimated from the times of its kernels", question.gpu.name,
                                question.batch / one_gpu_s);
  if (kriging.rows().empty()) return text + " alone";
  return text + " and from all records; the most alike is " + text_of(*kriging.rows().front());
}

/// Returns the rows that count for a question. Throws UserError for a device without name and without own records.
std::vector<const OneGpuRow*> rows_for(const ComputeQuestion& question, const std::vector<OneGpuRow>& own,
                                       const std::vector<OneGpuRow>& others) {
  std::vector<const OneGpuRow*> rows;
  for (const auto* all : {&own, &others})
    for (const auto& row : *all) rows.push_back(&row);
  if (question.gpu.name != unnamed_device().name) return rows;
  std::erase_if(rows, [&](const OneGpuRow* row) { return row->pool != Pool::own || !is_alike(*row, question); });
  if (!rows.empty()) return rows;
  throw UserError("", "/model",
                  fmt::format("the cluster names no GPU, and has no record of one processor with {} in {}; measure it "
                              "with ddltrain, or state /one_gpu_samples_per_s",
                              question.model.name, to_text(question.precision)));
}

} // namespace

OneGpuTimes::OneGpuTimes(const std::string& unnamed_gpu, std::string site, std::vector<StepRecord> own,
                         std::vector<StepRecord> borrowed, OtherClusterTimes reference, const ModelConstants& constants)
    : state_(std::make_unique<State>()) {
  auto& state = *state_;
  state.unnamed_gpu = unnamed_gpu;
  state.site = std::move(site);
  state.own = std::move(own);
  state.borrowed = std::move(borrowed);
  state.reference = std::move(reference);
  state.repeat_difference = constants.repeat_difference;
  for (auto* const pool : {&state.own, &state.borrowed, &state.reference.records})
    std::erase_if(*pool, [](const StepRecord& one) { return one.gpus != 1 || has_server_elsewhere(one); });
  for (auto& record : state.own) record.site = state.site;
  // A record that names no GPU was measured on the cluster's GPU if the cluster is the question's own; on another
  // cluster it may be any GPU.
  state.add_rows(state.borrowed, Pool::borrowed);
  state.add_rows(state.reference.records, Pool::reference);
}

OneGpuTimes::~OneGpuTimes() = default;

OneGpuEstimate OneGpuTimes::find(const ComputeQuestion& question) const {
  auto& state = *state_;
  if (const auto measured = find_measured(question, state.own, state.unnamed_gpu, state.repeat_difference))
    return *measured;
  const std::scoped_lock guard(state.lock);
  const auto work = kernel_work(question.model);
  if (work.attends) state.read_runs_back();
  const auto tf32 = tf32_use(
      {question.precision, question.matmul_tf32, question.conv_tf32, question.preset, question.software}, question.gpu);
  const auto asked =
      state.maker.make({work, question.model.name, question.gpu, question.precision, tf32, question.preset, state.site,
                        question.batch, question.has_update, question.split});
  const auto named = named_records(question, state.own);
  const auto own = state.rows_of(named, Pool::own, state.unnamed_gpu);
  const Kriging kriging(rows_for(question, own, state.rows), asked.workload, state.reference.deviations);
  OneGpuEstimate estimate;
  estimate.one_gpu_s = asked.kernels_s * std::exp(kriging.mean());
  estimate.prior = compute_estimated;
  split_width(estimate, kriging, asked.workload);
  estimate.label = label_of(kriging, question);
  estimate.text = estimated_text(kriging, question, estimate.one_gpu_s) + unnamed_text(question);
  if (!kriging.rows().empty()) estimate.record = record_place(*kriging.rows().front()->record);
  return estimate;
}

OneGpuEstimate find_compute(const ComputeQuestion& question, const std::vector<StepRecord>& own,
                            const std::vector<StepRecord>& borrowed, const OtherClusterTimes& reference) {
  auto known = reference;
  if (known.gpus.empty()) known.gpus = {question.gpu};
  known.models.emplace(question.model.name, size_of(question.model));
  return OneGpuTimes(question.gpu.name, "", own, borrowed, std::move(known)).find(question);
}

} // namespace ddlsim
