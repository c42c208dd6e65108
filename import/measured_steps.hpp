#pragma once
// What a log says of the steps of one run, line by line, and the one record that is made of it.

#include "import/csv_row.hpp"
#include "import/imported.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// What any kind of log says of them.
struct MeasuredSteps {
  std::vector<double> values; ///< seconds of an iteration each, or samples a second of all GPUs together; none is 0
  bool are_rates = false;
  std::optional<double> relative_spread{}; ///< of the values, where some of them are no steps
  int first_line = 0;                      ///< 0: the file has no lines that a person would count
  double global_batch = 0; ///< samples of all GPUs; 0: not stated. Gives batch_per_gpu where nobody states it
  RateCells stated;        ///< other cells of a table of rates that the log states; the command line comes before them
  std::string batch_hint;  ///< by what else than batch_per_gpu the batch would be known; "": by nothing
  std::vector<std::string> unknown; ///< what else the log does not say and `--set` has to
};

/// Adds the median of the steps to `out`, as one record, and writes the context. Throws UserError with every mistake:
/// a name of --set that no table of rates has, model, gpus or batch_per_gpu that neither log nor command line states.
void add_step_record(const MeasuredSteps& measured, const std::filesystem::path& file, const ImportContext& stated,
                     Imported& out);

} // namespace ddlsim
