#pragma once
// Step times in the lines that training programs print.

#include <string>
#include <vector>

namespace ddlsim {

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

} // namespace ddlsim
