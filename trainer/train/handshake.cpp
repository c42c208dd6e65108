#include "trainer/train/handshake.hpp"

#include "trainer/files/error.hpp"
#include "trainer/train/parameter_agreement.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace ddltrain {

std::string program_identity() {
  std::ifstream program("/proc/self/exe", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(program), {});
  return fmt::format("ddltrain {} build {:08x}", DDLTRAIN_VERSION, checksum(bytes.data(), bytes.size()) & 0xFFFFFFFFU);
}

std::vector<std::string> introduce(MpiCommunicator& world, const Introduction& own) {
  const std::vector<std::string> hosts = world.gather(own.host);
  const auto compare = [&](const std::string& mine, const std::string& verb, const std::string& advice) {
    const std::vector<std::string> all = world.gather(mine);
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      if (all[rank] == all[0]) continue;
      throw RunError(fmt::format("rank {} on host {} {} {}, but rank 0 on host {} {} {}; {}", rank, hosts[rank], verb,
                                 all[rank], hosts[0], verb, all[0], advice));
    }
  };
  compare(own.program, "runs", "install one build on all hosts");
  compare(own.arguments, "was started with", "start all ranks with one command line");
  return hosts;
}

} // namespace ddltrain
