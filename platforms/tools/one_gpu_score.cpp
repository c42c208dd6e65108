#include "platforms/tools/one_gpu_score.hpp"

#include "sim/base/table.hpp"
#include "sim/compute/compute_priors.hpp"
#include "sim/compute/cross_gpu_transfer.hpp"
#include "sim/compute/one_gpu_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <set>

namespace ddlsim {
namespace {

constexpr double in_90_percent = 1.645; // standard deviations either side of a normal distribution's median

/// What a measured time is of.
struct Key {
  std::string model;
  Precision precision = {};
  std::string preset;
  double batch = 0;
  auto operator<=>(const Key&) const = default;
};

const Gpu* catalogued(const std::vector<Gpu>& gpus, const std::string& name) {
  const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.name == name; });
  return found == gpus.end() ? nullptr : &*found;
}

bool is_hidden(const std::vector<Gpu>& gpus, const std::string& name, const Gpu& target, Hidden hidden) {
  if (name == target.name) return true;
  const auto* other = catalogued(gpus, name);
  return hidden == Hidden::architecture && other != nullptr && target.compute_capability > 0 &&
         other->compute_capability == target.compute_capability;
}

/// The records without those of what is hidden.
OtherClusterTimes without(const ComputeRecords& shipped, const Gpu& target, Hidden hidden, Estimator estimator) {
  OtherClusterTimes known{{}, shipped.one_gpu.gpus, shipped.one_gpu.sizes};
  if (estimator == Estimator::best_single)
    for (auto& [model, size] : known.models) size.work = {}; // nothing is blended without it
  for (const auto& record : shipped.records)
    if (!is_hidden(known.gpus, catalogue_name(known.gpus, record.head.gpu), target, hidden))
      known.records.push_back(record);
  return known;
}

/// What was measured of the GPU, each at its fastest.
std::map<Key, double> measured_on(const OneGpuCurves& one_gpu, const std::string& gpu) {
  std::map<Key, double> fastest;
  for (const auto& curve : one_gpu.curves) {
    if (curve.gpu != gpu || one_gpu.models.count(curve.model) == 0) continue;
    for (const auto& point : curve.points) {
      const auto [place, fresh] =
          fastest.emplace(Key{curve.model, curve.precision, curve.preset, point.batch}, point.time_s);
      if (!fresh) place->second = std::min(place->second, point.time_s);
    }
  }
  return fastest;
}

void hide(const ComputeRecords& shipped, const std::vector<Prior>& priors, const Gpu& gpu, Hidden hidden,
          Estimator estimator, std::vector<HiddenTime>& times) {
  const auto measured = measured_on(shipped.one_gpu, gpu.name);
  if (measured.empty()) return;
  const OneGpuTimes others("", {}, {}, without(shipped, gpu, hidden, estimator));
  for (const auto& [key, time_s] : measured) {
    const auto& [model, precision, preset, batch] = key;
    const auto estimate = others.find({shipped.one_gpu.models.at(model), gpu, precision, batch, preset});
    const double width = width_of_estimate(estimate, priors);
    times.push_back({gpu.name, model, precision, preset, batch, time_s, estimate.one_gpu_s, width, estimate.prior});
  }
}

double error_of(const HiddenTime& time) {
  return std::log(time.estimated_s / time.measured_s);
}

std::vector<HiddenTime> chosen(const std::vector<HiddenTime>& times, const std::string& gpu, bool half) {
  std::vector<HiddenTime> found;
  std::copy_if(times.begin(), times.end(), std::back_inserter(found), [&](const HiddenTime& time) {
    return (gpu.empty() || time.gpu == gpu) && has_16_bit_values(time.precision) == half;
  });
  return found;
}

std::string percent_of(double share) {
  return fmt::format("{:.1f}", 100 * share);
}

void add_cells(std::vector<std::string>& row, const HiddenScore& score) {
  if (score.times == 0) return (void)row.insert(row.end(), {"0", "-", "-", "-", "-"});
  row.insert(row.end(), {fmt::format("{}", score.times), percent_of(score.mean), percent_of(score.worst),
                         percent_of(score.bias), fmt::format("{:.0f}", 100 * score.held)});
}

/// Each GPU counts once.
HiddenScore mean_over_gpus(const std::vector<HiddenTime>& times, const std::set<std::string>& gpus, bool half) {
  HiddenScore mean;
  for (const auto& gpu : gpus) {
    const auto score = score_of(chosen(times, gpu, half));
    if (score.times == 0) continue;
    mean.times += 1;
    mean.mean += score.mean;
    mean.bias += score.bias;
    mean.held += score.held;
    mean.worst = std::max(mean.worst, score.mean);
  }
  if (mean.times == 0) return mean;
  for (double* sum : {&mean.mean, &mean.bias, &mean.held}) *sum /= mean.times;
  return mean;
}

} // namespace

std::vector<HiddenTime> hide_each_gpu(const ComputeRecords& shipped, const std::vector<Prior>& priors, Hidden hidden,
                                      Estimator estimator) {
  std::vector<HiddenTime> times;
  for (const auto& gpu : shipped.one_gpu.gpus) hide(shipped, priors, gpu, hidden, estimator, times);
  return times;
}

HiddenScore score_of(const std::vector<HiddenTime>& times) {
  HiddenScore score;
  score.times = static_cast<int>(times.size());
  const double share = times.empty() ? 0 : 1.0 / static_cast<double>(times.size());
  for (const auto& time : times) {
    const double error = error_of(time);
    score.mean += std::abs(error) * share;
    score.bias += error * share;
    score.worst = std::max(score.worst, std::abs(error));
    if (std::abs(error) <= in_90_percent * time.width) score.held += share;
  }
  return score;
}

std::string to_text(const std::vector<HiddenTime>& times) {
  std::set<std::string> gpus;
  for (const auto& time : times) gpus.insert(time.gpu);
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& name, const HiddenScore& full, const HiddenScore& half) {
    rows.push_back({name});
    add_cells(rows.back(), full);
    add_cells(rows.back(), half);
  };
  for (const auto& gpu : gpus) add(gpu, score_of(chosen(times, gpu, false)), score_of(chosen(times, gpu, true)));
  add("all times", score_of(chosen(times, "", false)), score_of(chosen(times, "", true)));
  add("mean over GPUs", mean_over_gpus(times, gpus, false), mean_over_gpus(times, gpus, true));
  return to_table({{"hidden GPU", Align::left},
                   {"fp32, tf32"},
                   {"mean %"},
                   {"worst %"},
                   {"bias %"},
                   {"held %"},
                   {"amp, fp16"},
                   {"mean %"},
                   {"worst %"},
                   {"bias %"},
                   {"held %"}},
                  rows);
}

std::string to_csv(const std::vector<HiddenTime>& times) {
  std::string text = "gpu,model,precision,preset,batch,measured_s,estimated_s,width,prior\n";
  for (const auto& time : times)
    text += fmt::format("{},{},{},{},{:g},{:.6g},{:.6g},{:.3f},{}\n", time.gpu, time.model, to_text(time.precision),
                        time.preset, time.batch, time.measured_s, time.estimated_s, time.width, time.prior);
  return text;
}

} // namespace ddlsim
