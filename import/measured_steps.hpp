#pragma once
// Collects what a log says about the steps of one run, and makes one record of it.

#include "import/csv_row.hpp"
#include "import/imported.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// The facts that every kind of log states about its steps.
struct MeasuredSteps {
  std::vector<double> values; ///< seconds of iterations, or samples per second on all GPUs; none is 0
  bool are_rates = false;
  std::optional<double> relative_spread{}; ///< relative spread of the values, if some of them are not steps
  int first_line = 0;                      ///< number of the first line; 0: the file has no numbered lines
  /// samples of a step on all GPUs; 0: not stated; it gives batch_per_gpu if that is not stated
  double global_batch = 0;
  RateCells stated;       ///< other cells of a table of rates that the log states; the command line has precedence
  std::string batch_hint; ///< what else than batch_per_gpu would show the batch; "": nothing
  std::vector<std::string> unknown; ///< other facts that the log lacks, and `--set` has to state
};

/// Adds the median of the steps to `out` as one record, and writes the context. Throws UserError that lists every
/// mistake: a name of --set that tables of rates lack; model, gpus or batch_per_gpu that neither log nor command line
/// states.
void add_step_record(const MeasuredSteps& measured, const std::filesystem::path& file, const ImportContext& stated,
                     Imported& out);

} // namespace ddlsim
