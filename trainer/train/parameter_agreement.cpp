#include "trainer/train/parameter_agreement.hpp"

#include "trainer/files/error.hpp"

#include <fmt/format.h>

namespace ddltrain {

std::uint64_t checksum(const void* bytes, std::size_t count) {
  const auto* const data = static_cast<const unsigned char*>(bytes);
  std::uint64_t hash = 14695981039346656037U;
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ data[i]) * 1099511628211U;
  return hash;
}

void check_agreement(MpiCommunicator& ranks, const std::vector<float>& parameters) {
  const std::string own = fmt::format("{:016x}", checksum(parameters.data(), parameters.size() * sizeof(float)));
  const std::vector<std::string> all = ranks.gather(own);
  std::string others;
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] != all[0]) others += (others.empty() ? "" : ", ") + std::to_string(rank);
  }
  if (!others.empty()) {
    throw RunError("after synchronous training the parameters of ranks " + others +
                   " differ from those of rank 0; the records of this run are not to be trusted");
  }
}

} // namespace ddltrain
