#pragma once
// What a person measured on a cluster and wants judged: times of iterations, times of all-reduces.

#include <string>

namespace ddlsim {

enum class Observed { iteration, all_reduce };

struct Observation {
  Observed what = Observed::iteration;
  int gpus = 1;
  double size_bytes = 0; ///< of an all-reduce
  double time_s = 0;
  std::string where{}; ///< file and line, or the option it was given by
};

} // namespace ddlsim
