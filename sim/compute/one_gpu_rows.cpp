#include "sim/compute/one_gpu_rows.hpp"

#include "sim/base/error.hpp"
#include "sim/compute/equal_records.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/formats/model_constants.hpp"

#include <algorithm>
#include <cmath>
#include <compare>

namespace ddlsim {
namespace {

/// The unit of the larger of convolutions and products.
DeviationUnit deviation_unit(const OneGpuStep& step, const PartShares& shares) {
  const auto share = [&](StepPart part) { return shares[static_cast<std::size_t>(part)]; };
  const bool convolves = share(StepPart::convolution) > share(StepPart::product) + share(StepPart::attention);
  const bool may_use_tf32 = convolves ? step.tf32.convolution : step.tf32.matmul;
  const auto unit = wide_unit(step.gpu, arithmetic_of(step.precision, may_use_tf32)).unit;
  if (unit == ArithmeticUnit::fp32) return DeviationUnit::fp32;
  if (unit == ArithmeticUnit::tf32) return DeviationUnit::tf32;
  return is_tensor_core(unit) ? DeviationUnit::tensor_core : DeviationUnit::plain_16_bit;
}

std::string architecture_of(const Gpu& gpu) {
  return gpu.compute_capability > 0 ? std::to_string(gpu.compute_capability) : gpu.name;
}

/// Records with equal keys are one row.
struct RowKey {
  std::string site;
  std::string gpu;
  std::string model;
  Precision precision = {};
  Tf32Use tf32{};
  std::string preset;
  double batch = 0;
  bool optimizer = true;
  bool read_back = false;
  WorkSplit split{};
  auto operator<=>(const RowKey&) const = default;
};

/// The variance of a row's ln time.
double variance_of(const OneGpuRow& row) {
  const double stated = row.record->head.relative_spread;
  const double spread = stated > 0 ? stated : ModelConstants{}.unstated_noise;
  // A site's own runs on several GPUs are asked about like runs: what was subtracted is added again.
  const double read_back = row.pool == Pool::own ? 0 : row.record->read_back_uncertainty;
  return spread * spread + read_back * read_back + row.disagreement * row.disagreement;
}

const Gpu* catalogued_gpu(const std::vector<Gpu>& gpus, const std::string& name) {
  if (name == unnamed_device().name) return &unnamed_device();
  const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.name == name; });
  return found == gpus.end() ? nullptr : &*found;
}

} // namespace

Tf32Use tf32_of(const StepRecord& record, const Gpu& gpu) {
  return tf32_use({record.precision, record.matmul_tf32, record.conv_tf32, record.preset, record.head.software}, gpu);
}

std::string family_of_model(const std::string& name, bool attends, bool mixes) {
  if (mixes) return "mixture " + name.substr(0, name.find('_'));
  for (const char* family :
       {"resnext", "se_resnext", "resnet", "vgg", "alexnet", "inception", "googlenet", "bert", "mobilenet"})
    if (name.rfind(family, 0) == 0) return family;
  return attends ? "transformer" : name;
}

const WorkloadMaker::KnownRates& WorkloadMaker::rates_of(const OneGpuStep& step) {
  const auto& gpu = step.gpu;
  const RatesKey key{gpu.name, step.precision, step.tf32};
  if (const auto known = rates_.find(key); known != rates_.end()) return known->second;
  KnownRates found;
  try {
    found.rates = step_rates(catalogue_.kernels, catalogue_.gpus, gpu, step.precision, step.tf32);
    found.unknown_gpu = gpu.name == unnamed_device().name;
  } catch (const UserError&) { // the catalogue lacks a rate of the GPU
    found.rates = step_rates(catalogue_.kernels, catalogue_.gpus, unnamed_device(), Precision::fp32);
    found.unknown_gpu = true;
  }
  return rates_.emplace(key, found).first->second;
}

ModelledStep WorkloadMaker::make(const OneGpuStep& step) {
  const auto& [rates, unknown_gpu] = rates_of(step);
  const auto kernels = step_kernels(step.work, rates, step.batch, step.has_update, step.split);
  TimedWorkload workload;
  workload.architecture = names_.number("architecture " + architecture_of(step.gpu));
  workload.gpu = names_.number("gpu " + step.gpu.name);
  workload.stack = names_.number("stack " + step.stack);
  workload.site = names_.number("site " + step.site);
  workload.family = names_.number("family " + family_of_model(step.model, step.work.attends, step.work.mixes));
  workload.model = names_.number("model " + step.model);
  workload.unit = unknown_gpu ? DeviationUnit::fp32 : deviation_unit(step, kernels.shares);
  // TF32 is a way of computing fp32, which the unit tells.
  workload.precision = step.precision == Precision::tf32 ? Precision::fp32 : step.precision;
  workload.ln_batch = std::log(step.batch);
  workload.shares = kernels.shares;
  workload.unknown_gpu = unknown_gpu;
  return {workload, kernels.time_s};
}

std::vector<OneGpuRow> one_gpu_rows(WorkloadMaker& maker, const OtherClusterTimes& catalogue,
                                    const std::vector<StepRecord>& records, Pool pool, const std::string& unnamed_gpu,
                                    double repeat_difference) {
  std::map<RowKey, EqualRecords> alike;
  for (const auto& record : records) {
    const auto gpu = record.head.gpu.empty() ? unnamed_gpu : catalogue_name(catalogue.gpus, record.head.gpu);
    if (!is_one_gpu_training(record) || gpu.empty() || is_of_processor_beside(record.head, gpu)) continue;
    const auto* device = catalogued_gpu(catalogue.gpus, gpu);
    if (catalogue.models.count(record.model) == 0 || device == nullptr) continue;
    alike[{record.site, gpu, record.model, record.precision, tf32_of(record, *device), record.preset,
           record.batch_per_gpu, record.optimizer, record.read_back_uncertainty > 0, record.split}]
        .push_back(&record);
  }
  std::vector<OneGpuRow> rows;
  for (const auto& [key, all] : alike) {
    const auto best = best_of(all);
    OneGpuRow row;
    row.record = pool == Pool::own ? best[best.size() / 2] : best.front();
    row.time_s = row.record->iteration_s;
    row.batch = key.batch;
    row.gpu = key.gpu;
    row.pool = pool;
    if (pool == Pool::own) row.disagreement = disagreement_of(best, repeat_difference);
    row.variance = variance_of(row);
    const auto modelled =
        maker.make({catalogue.models.at(key.model).work, key.model, *catalogued_gpu(catalogue.gpus, key.gpu),
                    key.precision, key.tf32, key.preset, key.site, key.batch, key.optimizer, key.split});
    row.workload = modelled.workload;
    row.ln_deviation = std::log(row.time_s / modelled.kernels_s);
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace ddlsim
