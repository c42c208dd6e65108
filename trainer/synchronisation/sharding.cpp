#include "trainer/synchronisation/sharding.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/names.hpp"
#include "sim/parameter_server/placement.hpp"

#include <cmath>

namespace ddltrain {
namespace {

constexpr double kParameter_bytes = sizeof(float);
constexpr double kMxnetSplit_bytes = 1'000'000 * kParameter_bytes; ///< MXNET_KVSTORE_BIGARRAY_BOUND elements

/// The element that a place of a tensor in bytes is in. A P-th summed up P times may fall short of the whole by
/// rounding, far less than a thousandth of an element.
std::size_t element_at(double bytes) {
  return static_cast<std::size_t>(std::floor(bytes / kParameter_bytes + 1e-3));
}

ddlsim::Sharding known_rule(const std::string& name) {
  const auto rule = ddlsim::value_named<ddlsim::Sharding>(name);
  if (rule && *rule != ddlsim::Sharding::unknown) return *rule;
  const auto& names = ddlsim::known_names_of<ddlsim::Sharding>();
  throw ddlsim::UserError("", "", ddlsim::unknown_name_text("sharding", name, names, names));
}

} // namespace

std::vector<Shard> place_shards(const std::vector<std::size_t>& counts, int servers, const std::string& rule) {
  std::vector<double> tensor_bytes;
  for (const std::size_t count : counts) tensor_bytes.push_back(kParameter_bytes * static_cast<double>(count));
  std::vector<double> placed_bytes(counts.size());
  std::vector<Shard> shards;
  for (const ddlsim::Shard& part : ddlsim::place_tensors(tensor_bytes, servers, known_rule(rule), kMxnetSplit_bytes)) {
    const auto tensor = static_cast<std::size_t>(part.tensor);
    const std::size_t first = element_at(placed_bytes[tensor]);
    const std::size_t end = element_at(placed_bytes[tensor] += part.size_bytes);
    if (end > first) shards.push_back({tensor, part.server, first, end - first});
  }
  return shards;
}

} // namespace ddltrain
