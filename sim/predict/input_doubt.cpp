#include "sim/predict/input_doubt.hpp"

#include "sim/base/statistics.hpp"

#include <algorithm>
#include <random>

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

/// Sets one factor of a block by one stratum each.
template <class Set> void draw_one(const RoughValue& value, int count, std::mt19937_64& random, const Set& set) {
  const auto order = random_order(count, random);
  for (int i = 0; i < count; ++i) set(i, factor_at(value, normal_quantile((order[i] + 0.5) / count)));
}

void draw_block(Draws& samples, std::size_t begin, int count, const InputDoubts& doubts, std::mt19937_64& random) {
  const std::pair<const RoughValue&, double InputFactors::*> all[] = {
      {doubts.read, &InputFactors::read},       {doubts.shared_read, &InputFactors::shared_read},
      {doubts.open, &InputFactors::open},       {doubts.core, &InputFactors::core},
      {doubts.core_share, &InputFactors::core}, {doubts.gpu, &InputFactors::gpu}};
  for (const auto& [value, member] : all)
    draw_one(value, count, random, [&, at = member](int i, double factor) { // clang 14 captures no structured binding
      samples.values[begin + static_cast<std::size_t>(i)].input.*at *= factor;
    });
}

} // namespace

void draw_input(Draws& samples, const InputDoubts& doubts, int block, std::uint64_t seed) {
  constexpr std::uint64_t own_stream = 0xD1B54A32D192ED03; // far from the seeds of other draws
  if (doubts == InputDoubts{}) return;
  std::mt19937_64 random(seed ^ own_stream);
  const std::size_t all = samples.values.size();
  const auto size = block > 0 ? static_cast<std::size_t>(block) : all;
  for (std::size_t begin = 0; begin < all; begin += size)
    draw_block(samples, begin, static_cast<int>(std::min(size, all - begin)), doubts, random);
}

std::span<const InputFactorField> input_factor_fields() {
  return factor_fields;
}

bool is_input_factor(std::string_view name) {
  return std::any_of(std::begin(factor_fields), std::end(factor_fields),
                     [&](const InputFactorField& field) { return field.name == name; });
}

} // namespace ddlsim
