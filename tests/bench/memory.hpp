#pragma once
// Peak memory as a counter of a benchmark.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>

namespace ddlsim {

/// The most that this process or one of its children has held so far; of one row alone when the program runs that row
/// alone (tests/bench/speed_table.py does).
inline void count_memory(benchmark::State& state) {
  constexpr double kib_per_mb = 1e6 / 1024;
  rusage own{};
  rusage children{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &children);
  state.counters["peak_MB"] = static_cast<double>(std::max(own.ru_maxrss, children.ru_maxrss)) / kib_per_mb;
}

} // namespace ddlsim
