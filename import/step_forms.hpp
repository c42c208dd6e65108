#pragma once
// Lines in which training programs say how long a step took or how fast it was: a row a form.

#include "import/plain_text.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ddlsim {

/// What the figure of a step line counts.
enum class StepUnit {
  seconds,               ///< of a step
  steps_per_s,           ///
  samples_per_s,         ///< of all GPUs together
  samples_per_s_of_gpu,  ///
  samples_per_s_of_rank, ///< of the process that prints it, and all its GPUs
  tokens_per_s,          ///< of all GPUs together
  tokens_per_s_of_gpu,   ///
  seconds_of_sample,     ///< of the process that prints it
};

/// "samples/s of one GPU".
std::string to_text(StepUnit unit);

/// Where the number stands.
enum class NumberIs { after_mark, before_mark };

/// What time the figure of a step line covers.
enum class Covers {
  steps,         ///< one step, or those since the line before
  all_until_now, ///< a mean of all steps until then
  micro_step,    ///< of which a step may have several, each with a line
  part_of_step   ///< without what stands between steps, as reading the input
};

/// The line has the mark, and the number beside it; `with` where it is not "", and not `without` where that is not "".
struct StepForm {
  const char* program; ///< "Megatron-LM"
  const char* mark;
  StepUnit unit = StepUnit::seconds;
  double in_si = 1; ///< what one of the printed unit is
  NumberIs number = NumberIs::after_mark;
  const char* with = "";
  const char* without = "";
  Covers covers = Covers::steps;
  const char* preset = ""; ///< where the program sends gradients in one way alone
};

/// The surest first: a form that says the time of a step before one that says a smoothed rate.
std::span<const StepForm> step_forms();

/// What the line says by that form, in SI; nothing where it says nothing, or 0. `begin` and `end` are the mark's.
std::optional<PrintedNumber> figure_of(const StepForm& form, std::string_view line, std::size_t begin, std::size_t end);

/// "Megatron-LM, NeMo, ...", for messages; each once.
std::string step_program_names();

} // namespace ddlsim
