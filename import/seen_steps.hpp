#pragma once
// What a log says of the steps of one run, line by line, and the one record that is made of it.

#include "import/csv_row.hpp"
#include "import/imported.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

// Step times in the lines that training programs print.

/// Lines of one form, in the file's order, of one rank.
struct StepLines {
  std::string form;           ///< whose lines they are: "Megatron-LM"
  std::vector<double> values; ///< seconds of a step, or samples a second of all GPUs together
  bool are_rates = false;
  int first_line = 0;
  double global_batch = 0;  ///< as the log says it; 0: not stated
  double batch_per_gpu = 0; ///< 0: not stated
  int gpus = 0;             ///< 0: not stated
  int of_other_ranks = 0;   ///< lines of the form that another rank printed too, and which were left out
  int of_other_work = 0;    ///< progress bars of validation, downloads and the like, left out
};

/// No values where no line is of a form that is known.
StepLines read_step_lines(const std::vector<std::string>& lines);

/// "Megatron-LM, tf_cnn_benchmarks, ...", for messages.
std::string step_form_names();

/// What any kind of log says of them.
struct SeenSteps {
  std::vector<double> values; ///< seconds of an iteration each, or samples a second of all GPUs together; none is 0
  bool are_rates = false;
  int first_line = 0;      ///< 0: the file has no lines that a person would count
  double global_batch = 0; ///< samples of all GPUs; 0: not stated. Gives batch_per_gpu where nobody states it
  RateCells stated;        ///< other cells of a table of rates that the log states; the command line comes before them
  std::string gpu;         ///< as the driver calls it; "": not stated
};

/// Adds the median of the steps to `out`, as one record, and writes the context. Throws UserError with every mistake:
/// a name of --set that no table of rates has, model, gpus or batch_per_gpu that neither log nor command line states.
void add_step_record(const SeenSteps& seen, const std::filesystem::path& file, const ImportContext& stated,
                     Imported& out);

} // namespace ddlsim
