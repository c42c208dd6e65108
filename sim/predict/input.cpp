#include "sim/predict/input.hpp"

#include "sim/base/statistics.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/predict/interval.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace ddlsim {
namespace {

constexpr InputFactorField factor_fields[] = {
    {"storage_read", &InputFactors::read,
     "what one node reads from that storage, in pieces as large as the loader's (fio, IOR)"},
    {"shared_storage_read", &InputFactors::shared_read, "what all nodes together read from that storage (IOR)"},
    {"file_open", &InputFactors::open, "how many small files a second a node opens and reads there (mdtest)"},
    {"core_decode", &InputFactors::core, "the loader alone, without training, on a known number of cores"},
    {"gpu_decode", &InputFactors::gpu, "the loader alone, without training, on one GPU"},
};

/// Sets one factor in a block of samples. Each value is from a stratum of its own.
template <class Set> void draw_one(const RoughValue& value, int count, std::mt19937_64& random, const Set& set) {
  const auto order = random_order(count, random);
  for (int i = 0; i < count; ++i) set(i, factor_at(value, normal_quantile((order[i] + 0.5) / count)));
}

void draw_block(Draws& samples, std::size_t begin, int count, const InputUncertainty& uncertainty,
                std::mt19937_64& random) {
  const std::pair<const RoughValue&, double InputFactors::*> all[] = {
      {uncertainty.read, &InputFactors::read},       {uncertainty.shared_read, &InputFactors::shared_read},
      {uncertainty.open, &InputFactors::open},       {uncertainty.core, &InputFactors::core},
      {uncertainty.core_share, &InputFactors::core}, {uncertainty.gpu, &InputFactors::gpu}};
  for (const auto& [value, member] : all)
    draw_one(value, count, random, [&, at = member](int i, double factor) { // clang 14 cannot capture the binding
      samples.values[begin + static_cast<std::size_t>(i)].input.*at *= factor;
    });
}

} // namespace

void draw_input(Draws& samples, const InputUncertainty& uncertainty, int block, std::uint64_t seed) {
  // this stream of random numbers is far from the seeds of other draws
  constexpr std::uint64_t own_stream = 0xD1B54A32D192ED03;
  if (uncertainty == InputUncertainty{}) return;
  std::mt19937_64 random(seed ^ own_stream);
  const std::size_t all = samples.values.size();
  const auto size = block > 0 ? static_cast<std::size_t>(block) : all;
  for (std::size_t begin = 0; begin < all; begin += size)
    draw_block(samples, begin, static_cast<int>(std::min(size, all - begin)), uncertainty, random);
}

std::span<const InputFactorField> input_factor_fields() {
  return factor_fields;
}

bool is_input_factor(std::string_view name) {
  return std::any_of(std::begin(factor_fields), std::end(factor_fields),
                     [&](const InputFactorField& field) { return field.name == name; });
}

namespace {

InputLimit limit_of(const InputTimes& times) {
  const std::pair<double, InputLimit> all[] = {{times.decoding_s, InputLimit::decoding},
                                               {times.storage_s, InputLimit::storage},
                                               {times.opening_s, InputLimit::opening},
                                               {times.shared_storage_s, InputLimit::shared_storage},
                                               {times.shared_opening_s, InputLimit::shared_opening},
                                               {times.workers_s, InputLimit::workers}};
  std::pair<double, InputLimit> longest{0, InputLimit::none};
  for (const auto& one : all)
    if (one.first > longest.first) longest = one;
  return longest.second;
}

/// ln of the samples' iteration times without input: the centres of the distributions of what a user will measure.
std::vector<double> ln_iterations(const Curve& curve, int gpus, double to_number,
                                  const std::vector<double>& mechanism_s) {
  const double mean = gpus > 1 ? model_error_at(curve, gpus).mean : 0;
  std::vector<double> centres;
  for (const double time_s : mechanism_s) centres.push_back(std::log(to_number * time_s) + mean);
  return centres;
}

/// The probability that an iteration is ready before its input, averaged over the samples.
double chance_of_waiting(const Curve& curve, const StepSetup& setup, const std::vector<double>& centres,
                         double spread) {
  double waiting = 0;
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const double behind = std::log(needed_input_s(setup, curve.samples.values[i].input)) - centres[i];
    waiting += spread > 0 ? normal_cdf(behind / spread) : (behind > 0 ? 1 : 0);
  }
  return waiting / static_cast<double>(centres.size());
}

/// Sets the number of cores that each node needs: samples/s of a node / samples/s of a core, in every sample.
void set_cores(InputNeed& need, const Curve& curve, const StepSetup& setup, std::vector<double> centres,
               double spread) {
  const double core_samples_per_s = setup.input.core_samples_per_s;
  if (core_samples_per_s == 0) return;
  const double node_samples = setup.batch_per_gpu * setup.gpus_per_node;
  const double gpus = setup.gpus;
  need.cores_per_node = setup.input.cores;
  need.node_cores = need.samples_per_s * setup.gpus_per_node / gpus / core_samples_per_s;
  for (std::size_t i = 0; i < centres.size(); ++i)
    centres[i] = std::log(node_samples / (core_samples_per_s * curve.samples.values[i].input.core)) - centres[i];
  need.node_cores_low = std::exp(quantile_of_normals(centres, spread, low_tail));
  need.node_cores_high = std::exp(quantile_of_normals(centres, spread, high_tail));
}

} // namespace

std::optional<InputNeed> find_input_need(const PredictedPoint& point, const Curve& curve, const StepSetup& setup,
                                         double to_number, const std::vector<double>& mechanism_s) {
  const auto& input = setup.input;
  const auto times = input_times(setup);
  if (input.bytes_per_sample == 0 && input.core_samples_per_s == 0 && times.longest_s() == 0) return {};
  const auto centres = ln_iterations(curve, setup.gpus, to_number, mechanism_s);
  const double spread = spread_at(curve, setup.gpus);
  const double samples = setup.gpus * setup.batch_per_gpu;
  InputNeed need;
  need.samples_per_s = samples / (point.iteration_s - point.parts.input_wait_s);
  const double bytes = samples * input.bytes_per_sample;
  need.storage_Bps = need.samples_per_s * input.bytes_per_sample;
  need.storage_Bps_low = bytes / std::exp(quantile_of_normals(centres, spread, high_tail));
  need.storage_Bps_high = bytes / std::exp(quantile_of_normals(centres, spread, low_tail));
  set_cores(need, curve, setup, centres, spread);
  need.limit = limit_of(times);
  need.wait_chance = chance_of_waiting(curve, setup, centres, spread);
  return need;
}

} // namespace ddlsim
