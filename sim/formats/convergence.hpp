#pragma once
// How many epochs a training needs to reach its target, by the samples of an iteration: scenarios/convergence/NAME.json.

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// Runs to the target that took the same number of samples in an iteration.
struct ConvergencePoint {
  double global_batch = 0; ///< samples of an iteration, of all GPUs together
  double epochs = 0;       ///< to the target, mean of the runs
  double deviation = 0;    ///< of one run from that mean, epochs; 0 where all runs agree
  int runs = 0;
};

struct Convergence {
  std::string name;
  std::vector<std::string> models; ///< that the runs trained
  std::string target;              ///< what was reached, and by which optimizer
  std::string source;
  double samples = 0;                   ///< of an epoch
  std::vector<ConvergencePoint> points; ///< by ascending batch, three or more
};

/// Throws UserError with every mistake of the file.
Convergence read_convergence(const std::filesystem::path& file);

} // namespace ddlsim
