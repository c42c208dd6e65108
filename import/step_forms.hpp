#pragma once
// The forms of lines in which training programs print the time or speed of a step; each form has one row.

#include "import/plain_text.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ddlsim {

/// What the figure of a step line counts.
enum class StepUnit {
  seconds,               ///< seconds of a step
  steps_per_s,           ///
  samples_per_s,         ///< samples per second on all GPUs together
  samples_per_s_of_gpu,  ///
  samples_per_s_of_rank, ///< samples per second on all GPUs of the printing process
  tokens_per_s,          ///< tokens per second on all GPUs together
  tokens_per_s_of_gpu,   ///
  seconds_of_sample,     ///< seconds of a sample of the printing process
};

/// Writes a unit, as in "samples/s of one GPU".
std::string to_text(StepUnit unit);

/// Whether the number stands before or after the mark.
enum class NumberIs { after_mark, before_mark };

/// The time that the figure of a step line covers.
enum class Covers {
  steps,         ///< one step, or the steps since the line before
  all_until_now, ///< all steps so far, of which it is the mean
  micro_step,    ///< a micro-step; a step may have several, each with a line
  part_of_step   ///< a step without the time between steps, such as that of reading the input
};

/// A form of step lines. A line has it if it has the mark and a number beside the mark, has `with` unless that is "",
/// and lacks `without` unless that is "".
struct StepForm {
  const char* program; ///< name such as "Megatron-LM"
  const char* mark;
  StepUnit unit = StepUnit::seconds;
  double in_si = 1; ///< one printed unit in SI units
  NumberIs number = NumberIs::after_mark;
  const char* with = "";
  const char* without = "";
  Covers covers = Covers::steps;
  const char* preset = ""; ///< set if the program sends gradients in one way only
};

/// Returns the forms, the most reliable first. A form that prints the time of a step comes before one that prints a
/// smoothed rate.
std::span<const StepForm> step_forms();

/// Returns the figure of the line in that form, in SI units; nothing if there is none, or if it is 0. The mark is from
/// `begin` to `end`.
std::optional<PrintedNumber> figure_of(const StepForm& form, std::string_view line, std::size_t begin, std::size_t end);

/// Returns the programs' names for messages, each once: "Megatron-LM, NeMo, ...".
std::string step_program_names();

} // namespace ddlsim
