#pragma once
// Collects what a log says about the steps of one run, and makes one record of it.

#include "import/csv_row.hpp"
#include "import/imported.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// The facts that every kind of log gives about its steps.
struct MeasuredSteps {
  std::vector<double> values; ///< seconds per iteration, or samples per second on all GPUs; none is 0
  bool are_rates = false;
  std::optional<double> relative_spread{}; ///< of the values, if some of them are not steps
  int first_line = 0;                      ///< 0: the file has no numbered lines
  double global_batch = 0; ///< samples on all GPUs; 0: not stated. Gives batch_per_gpu if that is not stated
  RateCells stated;        ///< other cells of a table of rates that the log states; the command line overrides them
  std::string batch_hint;  ///< what else than batch_per_gpu would tell the batch; "": nothing
  std::vector<std::string> unknown; ///< other facts that the log lacks and `--set` has to give
};

/// Adds the median of the steps to `out` as one record and writes the context. Throws UserError that lists every
/// mistake: a name of --set that tables of rates lack; model, gpus or batch_per_gpu that neither log nor command line
/// states.
void add_step_record(const MeasuredSteps& measured, const std::filesystem::path& file, const ImportContext& stated,
                     Imported& out);

} // namespace ddlsim
