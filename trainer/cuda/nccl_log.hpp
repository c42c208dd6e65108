#pragma once
#include <string>

namespace ddltrain {

/// NCCL's own words about how it connects GPUs, kept in memory of this process. NCCL_DEBUG that the user has set is left
/// alone, and its output too: then nothing is known here.
class NcclLog {
public:
  /// Sets NCCL's variables, so it comes before NCCL's first call and before other threads. on: false keeps nothing.
  explicit NcclLog(bool on);
  ~NcclLog();
  NcclLog(const NcclLog&) = delete;
  NcclLog& operator=(const NcclLog&) = delete;

  /// What NCCL has written so far; "" when it keeps nothing.
  std::string text() const;

private:
  int file_ = -1; ///< -1: nothing is kept
};

} // namespace ddltrain
