#include "sim/compute/blend_of_gpus.hpp"

#include "sim/base/error.hpp"
#include "sim/base/linear_algebra.hpp"
#include "sim/compute/layer_times.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <map>
#include <vector>

namespace ddlsim {
namespace {

/// The size of each effect, a standard deviation of ln time. The sizes are the likeliest for the records of
/// `single-gpu` (marginal likelihood of 171 records, where each effect is expected near 0.1 within a factor e), to two
/// digits. No validation uses those records.
struct EffectSizes {
  double all = 0.10;       ///< shared by all records
  double precision = 0.09; ///< shared within fp32, within tf32 and within 16 bits
  double model = 0.07;     ///< shared by one model in one precision
  double family = 0.14;    ///< shared by a family of models
  /// Replaces `family` for transformers where some were measured. It is an expert's estimate, made after seeing
  /// mosaic-a100-40gb, mosaic-a100-80gb and mosaic-h100-80gb. Their times are 0.4 to 0.8 shorter in ln than the
  /// catalogue's, whose efficiencies are those of convolutions and of BERT's small matrices. So large an effect carries
  /// that gain over to other transformers. h100-1x1-vm, measured later, has times 0.6 to 1.1 shorter, and 0.5 is its
  /// likeliest value too.
  double transformer = 0.5;
  /// For transformers; multiplied by 1,024 over the width. It is the time of norms, additions, casts and small matrices
  /// beyond the catalogue's, which grows with the width, while the matrices' work grows with its square. It is an
  /// expert's estimate, made after seeing the same data.
  double narrow = 0.2;
  /// For transformers on one GPU, without an optimizer or ranks to wait for. It is an expert's estimate: a few per cent
  /// to a tenth.
  double alone = 0.1;
  /// For transformers read back from one site's runs, which share software and habits. Its size is how far stacks
  /// differ in 16 bits on one GPU and model (0.33, compute_other_stack_reduced of the reference data). On 90 times of
  /// transformers the likelihood hardly distinguishes this effect from `alone`: `alone` at 0.3 with `site` at 0.05 is
  /// better by 0.5 in ln. The choice was made after seeing megatron-h100's layouts too, which are 6 % off with this
  /// choice and 21 % with the other.
  double site = 0.3;
  double stack = 0.07;        ///< shared by a stack in one precision
  double stack_family = 0.06; ///< shared by a stack and a family of models in one precision
  double gpu = 0.10;
  double gpu_precision = 0.06;
  double architecture = 0.14; ///< shared by GPUs of one compute capability
  double architecture_precision = 0.11;
  double architecture_family = 0.08; ///< shared by an architecture and a family of models in one precision
  double gpu_stack = 0.06;           ///< shared by a GPU and a stack in one precision
  double gpu_stack_model = 0.05;     ///< shared by a GPU, a stack and a model in one precision
  double batch = 0.12;       ///< shared by a stack and a model in one precision; fades with ln of the ratio of batches
  double gain_a_year = 0.10; ///< what libraries and architectures gain in a year beyond the catalogue, from 2016 on
  /// Effect for each factor e between the GPU's peak rate and 10 TFLOP/s of fp32. The peak is divided by
  /// rate_over_fp32() of the unit first.
  double peak = 0.09;
  double repeat = 0.04; ///< scatter of each record by itself
  /// replaces gpu_stack_model in 16 bits, which depend more on the stack than fp32 does
  double gpu_stack_model_16_bit = 0.08;
  double stack_model_16_bit = 0.08;
  double gpu_stack_16_bit = 0.09;
};
constexpr double batch_reach = 1.5; // ln of the ratio of two batches at which the correlation of their effect is 1/e
constexpr double year_of_reference = 2016;
constexpr double peak_of_reference = 1e13;
constexpr double width_of_reference = 1024;
constexpr const char* transformer_family = "transformer";

/// Returns how much faster a unit is than fp32 units of the same GPU, by the catalogue's V100 and A100.
double rate_over_fp32(ArithmeticUnit unit) {
  switch (unit) {
  case ArithmeticUnit::fp32:
  case ArithmeticUnit::bf16:
    return 1;
  case ArithmeticUnit::fp16:
    return 2;
  case ArithmeticUnit::tf32:
    return 4; // half of the 16-bit rate of tensor cores
  case ArithmeticUnit::fp16_tensor:
  case ArithmeticUnit::bf16_tensor:
    return 8;
  case ArithmeticUnit::fp8_tensor:
    return 16;
  }
  return 1;
}

/// Returns the balance of a V100, FLOP/s a byte/s, for the unit that computes.
double balance_of(ArithmeticUnit unit) {
  constexpr double v100 = 15.7e12 / 900e9;
  return rate_over_fp32(unit) * v100;
}

/// The properties of a record by which effects are shared. Names are numbered, because they are compared often.
struct Sample {
  int gpu, architecture, model, family, stack, precision;
  bool is_16_bit, transformer;
  double ln_batch, years, ln_peak;
  double narrow;      ///< 1,024 over the width of a transformer; 0 for other models
  double ln_excess;   ///< ln(measured / catalogue)
  double uncertainty; ///< standard deviation of ln of a time that was read back from several GPUs
  TimeOrigin time;    ///< how it was measured
  int site;           ///< site of a time that was read back; -1: it was not
};

class Names {
public:
  int number(const std::string& name) {
    return numbers_.emplace(name, static_cast<int>(numbers_.size())).first->second;
  }

private:
  std::map<std::string, int> numbers_;
};

Sample sample_of(Names& names, const Gpu& gpu, const OtherGpuQuestion& question, const ModelSize& size, double batch) {
  const bool is_16_bit = has_16_bit_values(question.precision);
  // amp, bf16 and fp16 count as one precision
  const bool of_16_bits = is_16_bit && question.precision != Precision::fp8;
  const auto [unit, peak_flop_per_s] = compute_unit(gpu, question.precision);
  const auto family = family_of_model(question.model, size);
  const auto architecture = gpu.compute_capability > 0 ? std::to_string(gpu.compute_capability) : gpu.name;
  return {names.number("gpu " + gpu.name),
          names.number("architecture " + architecture),
          names.number("model " + question.model),
          names.number("family " + family),
          names.number("stack " + question.preset),
          names.number(of_16_bits ? "half" : std::string("precision ") + to_text(question.precision)),
          is_16_bit,
          family == transformer_family,
          std::log(batch),
          gpu.year > 0 ? gpu.year - year_of_reference : 0,
          std::log(peak_flop_per_s / (peak_of_reference * rate_over_fp32(unit))),
          family == transformer_family && size.width > 0 ? width_of_reference / size.width : 0,
          0,
          0,
          TimeOrigin::training,
          -1};
}

double square(double x) {
  return x * x;
}

/// Returns the covariance from effects that records of one GPU or one architecture share.
double machine_covariance(const EffectSizes& size, const Sample& a, const Sample& b) {
  const bool precision = a.precision == b.precision;
  double sum = size.gain_a_year * size.gain_a_year * a.years * b.years + size.peak * size.peak * a.ln_peak * b.ln_peak;
  if (a.architecture == b.architecture) {
    sum += square(size.architecture);
    if (precision) sum += square(size.architecture_precision);
    if (precision && a.family == b.family) sum += square(size.architecture_family);
  }
  if (a.gpu != b.gpu) return sum;
  sum += square(size.gpu);
  if (!precision) return sum;
  sum += square(size.gpu_precision);
  if (a.stack != b.stack) return sum;
  sum += square(size.gpu_stack) + (a.is_16_bit ? square(size.gpu_stack_16_bit) : 0);
  if (a.model == b.model) sum += square(size.gpu_stack_model) + (a.is_16_bit ? square(size.gpu_stack_model_16_bit) : 0);
  return sum;
}

/// Returns the covariance from effects that records of one model, family or stack share.
double software_covariance(const EffectSizes& size, const Sample& a, const Sample& b) {
  double sum = square(size.all) + square(size.narrow) * a.narrow * b.narrow;
  if (a.family == b.family) sum += square(a.transformer ? size.transformer : size.family);
  if (a.transformer && a.time == TimeOrigin::without_optimizer && b.time == TimeOrigin::without_optimizer)
    sum += square(size.alone);
  if (a.transformer && a.site >= 0 && a.site == b.site) sum += square(size.site);
  if (a.precision != b.precision) return sum;
  sum += square(size.precision);
  if (a.model == b.model) sum += square(size.model);
  if (a.stack != b.stack) return sum;
  sum += square(size.stack);
  if (a.family == b.family) sum += square(size.stack_family);
  if (a.model == b.model)
    sum += square(size.batch) * std::exp(-std::abs(a.ln_batch - b.ln_batch) / batch_reach) +
           (a.is_16_bit ? square(size.stack_model_16_bit) : 0);
  return sum;
}

double covariance(const Sample& a, const Sample& b) {
  constexpr EffectSizes size;
  return machine_covariance(size, a, b) + software_covariance(size, a, b);
}

/// The samples, and the curve from which each of them comes.
struct Samples {
  std::vector<Sample> all;
  std::vector<const BatchCurve*> curves;
};

/// One batch of a curve.
struct TimeOnCurve {
  const BatchCurve* curve = nullptr;
  const CurvePoint* point = nullptr;
};
TimeOrigin time_of(const StepRecord* record) {
  if (record == nullptr) return TimeOrigin::training;
  if (record->read_back_uncertainty > 0) return TimeOrigin::read_back;
  return record->optimizer ? TimeOrigin::training : TimeOrigin::without_optimizer;
}

/// What distinguishes two times, apart from the record that they come from.
struct TimeKey {
  std::string gpu;
  std::string model;
  Precision precision = {};
  std::string preset;
  double batch = 0;
  TimeOrigin origin = {};
  auto operator<=>(const TimeKey&) const = default;
};

using AlikeTimes = std::map<TimeKey, TimeOnCurve>;

/// Returns the fastest time of each GPU, model, precision, stack and batch, because GPUs are compared by the best that
/// their libraries reach.
AlikeTimes fastest_of(const std::vector<BatchCurve>& curves) {
  AlikeTimes fastest;
  for (const auto& curve : curves) {
    for (const auto& point : curve.points) {
      const TimeKey key{curve.gpu, curve.model, curve.precision, curve.preset, point.batch, time_of(point.record)};
      const auto [place, fresh] = fastest.emplace(key, TimeOnCurve{&curve, &point});
      if (!fresh && point.time_s < place->second.point->time_s) place->second = {&curve, &point};
    }
  }
  return fastest;
}

Samples samples_of(const CurveIndex& index, Names& names) {
  Samples samples;
  for (const auto& [key, time] : fastest_of(index.curves())) {
    const auto& [gpu_name, model_name, precision, preset, batch, kind] = key;
    const auto gpu = std::find_if(index.gpus().begin(), index.gpus().end(),
                                  [&, name = gpu_name](const Gpu& one) { return one.name == name; });
    const auto model = index.models().find(model_name);
    if (gpu == index.gpus().end() || model == index.models().end()) continue;
    const auto expected_s = catalogue_time_s(model->second, *gpu, precision, batch);
    if (!expected_s) continue;
    samples.all.push_back(
        sample_of(names, *gpu, {gpu_name, model_name, precision, preset, batch}, model->second, batch));
    auto& sample = samples.all.back();
    sample.ln_excess = std::log(time.point->time_s / *expected_s);
    sample.time = kind;
    if (kind == TimeOrigin::read_back) {
      sample.uncertainty = time.point->record->read_back_uncertainty;
      sample.site = names.number("site " + time.point->record->read_back_site);
    }
    samples.curves.push_back(time.curve);
  }
  return samples;
}

Eigen::MatrixXd covariances(const std::vector<Sample>& samples) {
  const auto count = static_cast<Eigen::Index>(samples.size());
  Eigen::MatrixXd matrix(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index k = 0; k <= i; ++k)
      matrix(i, k) = covariance(samples[static_cast<std::size_t>(i)], samples[static_cast<std::size_t>(k)]);
    matrix(i, i) += square(EffectSizes{}.repeat) + square(samples[static_cast<std::size_t>(i)].uncertainty);
  }
  return matrix;
}

} // namespace

std::string family_of_model(const std::string& name, const ModelSize& size) {
  for (const char* family :
       {"resnext", "se_resnext", "resnet", "vgg", "alexnet", "inception", "googlenet", "bert", "mobilenet"})
    if (name.rfind(family, 0) == 0) return family;
  return size.attends ? transformer_family : name;
}

std::optional<double> catalogue_time_s(const ModelSize& model, const Gpu& gpu, Precision precision, double batch) {
  if (gpu.memory_bandwidth_Bps <= 0 || model.work.touched_bytes <= 0) return {};
  try {
    const auto [unit, peak] = wide_unit(gpu, precision);
    // On every GPU, arithmetic limits a transformer's large matrices, and memory limits its norms and sums.
    const double balance = std::sqrt(model.attends ? peak / gpu.memory_bandwidth_Bps : balance_of(unit));
    const bool tensor_cores = rate_over_fp32(unit) > 2;
    double flop = tensor_cores ? model.work.tensor_core_flop : model.work.flop;
    if (precision == Precision::fp8) flop -= model.work.eight_bit_flop * (1 - peak / peak_flop_per_s(gpu, precision));
    const double bytes = model.work.touched_bytes * (has_16_bit_values(precision) ? 0.5 : 1);
    const double work_s = (flop / balance + bytes * balance) / std::sqrt(peak * gpu.memory_bandwidth_Bps);
    constexpr ModelConstants constants;
    constexpr double passes = 3; // the passes of a layer: forward, data gradient, weight gradient
    return constants.roofline_share * (batch * work_s + passes * constants.layer_launch_s * model.layers);
  } catch (const UserError&) {
    return {}; // the catalogue has no peak rate of that precision
  }
}

std::optional<BlendedTime> blend_of_gpus(const CurveIndex& index, const ModelSize& model, const Gpu& gpu,
                                         const OtherGpuQuestion& question) {
  const auto expected_s = catalogue_time_s(model, gpu, question.precision, question.batch);
  if (!expected_s) return {};
  Names names;
  const auto samples = samples_of(index, names);
  if (samples.all.empty()) return {};
  auto target = sample_of(names, gpu, question, model, question.batch);
  // Without records of transformers, a transformer is as uncertain as any family.
  const bool has_transformer =
      std::any_of(samples.all.begin(), samples.all.end(), [](const Sample& one) { return one.transformer; });
  if (!has_transformer) target.transformer = false;
  if (!has_transformer) target.narrow = 0;
  const auto count = static_cast<Eigen::Index>(samples.all.size());
  Eigen::VectorXd shared(count);
  Eigen::VectorXd excess(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& sample = samples.all[static_cast<std::size_t>(i)];
    shared(i) = covariance(target, sample);
    excess(i) = sample.ln_excess;
  }
  // The nearest record is the one with the highest correlation, not covariance: records of late years have a higher
  // covariance, because they share more of the gain by year.
  const Eigen::MatrixXd matrix = covariances(samples.all);
  const Eigen::VectorXd weights = solve_definite(matrix, shared);
  Eigen::Index nearest = 0;
  (shared.array() / matrix.diagonal().array().sqrt()).maxCoeff(&nearest);
  const auto& curve = *samples.curves[static_cast<std::size_t>(nearest)];
  const double variance = covariance(target, target) + square(EffectSizes{}.repeat) - weights.dot(shared);
  const auto& near = samples.all[static_cast<std::size_t>(nearest)];
  return BlendedTime{*expected_s * std::exp(weights.dot(excess)), std::sqrt(std::max(0.0, variance)), curve.gpu,
                     curve.model, near.time};
}

} // namespace ddlsim
