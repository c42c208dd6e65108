#pragma once
// What the fake libraries do by themselves, hidden from the thread sanitizer: their locks would order what CUDA and NCCL
// do not, and the memory that their streams touch has a check of its own (order.hpp).

extern "C" {
// The sanitizer's names; there only where a program has it.
__attribute__((weak)) void AnnotateIgnoreSyncBegin(const char* file, int line);   // NOLINT
__attribute__((weak)) void AnnotateIgnoreSyncEnd(const char* file, int line);     // NOLINT
__attribute__((weak)) void AnnotateIgnoreReadsBegin(const char* file, int line);  // NOLINT
__attribute__((weak)) void AnnotateIgnoreReadsEnd(const char* file, int line);    // NOLINT
__attribute__((weak)) void AnnotateIgnoreWritesBegin(const char* file, int line); // NOLINT
__attribute__((weak)) void AnnotateIgnoreWritesEnd(const char* file, int line);   // NOLINT
}

namespace fake_cuda {

/// While it lives, the calling thread orders nothing and touches nothing.
class Unseen {
public:
  Unseen() {
    if (AnnotateIgnoreSyncBegin == nullptr) return;
    AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~Unseen() {
    if (AnnotateIgnoreSyncBegin == nullptr) return;
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
  }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;
};

} // namespace fake_cuda
