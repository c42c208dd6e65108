#include "trainer/train/one_thread.hpp"

#include <ATen/Parallel.h>

#include <dlfcn.h>

namespace ddltrain {

void one_compute_thread() {
  at::set_num_threads(1);
  using SetThreads = void (*)(int); // OpenBLAS is LibTorch's choice, not ours: it may be another library
  if (auto set = reinterpret_cast<SetThreads>(::dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(1);
}

} // namespace ddltrain
