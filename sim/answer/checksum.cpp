#include "sim/answer/checksum.hpp"

#include "sim/files/json_document.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace ddlsim {

std::string fnv1a_of_file(const std::filesystem::path& file) {
  constexpr std::uint64_t offset_basis = 0xcbf29ce484222325U;
  constexpr std::uint64_t prime = 0x100000001b3U;
  std::uint64_t hash = offset_basis;
  for (const char byte : read_text_file(file)) hash = (hash ^ static_cast<unsigned char>(byte)) * prime;
  return fmt::format("{:016x}", hash);
}

} // namespace ddlsim
