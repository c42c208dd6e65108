#include "trainer/cuda/nccl_log.hpp"

#include "trainer/records/surroundings.hpp"

#include <sys/mman.h>

#include <array>
#include <cstdlib>
#include <unistd.h>

namespace ddltrain {

NcclLog::NcclLog(bool on) {
  if (!on || std::getenv("NCCL_DEBUG") != nullptr || std::getenv("NCCL_DEBUG_FILE") != nullptr) return;
  file_ = ::memfd_create("nccl-log", MFD_CLOEXEC); // a file that no folder holds and no failure leaves behind
  if (file_ < 0) return;
  ::setenv("NCCL_DEBUG", "INFO", 1);
  ::setenv("NCCL_DEBUG_SUBSYS", "INIT,NET,P2P,SHM", 1); // connections, not collectives
  ::setenv("NCCL_DEBUG_FILE", ("/proc/self/fd/" + std::to_string(file_)).c_str(), 1);
  ::setenv(kOwnNcclLog, "1", 1);
}

NcclLog::~NcclLog() {
  if (file_ < 0) return;
  for (const char* name : {"NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_FILE", kOwnNcclLog}) ::unsetenv(name);
  ::close(file_);
}

std::string NcclLog::text() const {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t count = file_ < 0 ? 0 : ::pread(file_, part.data(), part.size(), static_cast<off_t>(text.size()));
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

} // namespace ddltrain
