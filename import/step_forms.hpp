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
  seconds,               ///< per step
  steps_per_s,           ///
  samples_per_s,         ///< on all GPUs together
  samples_per_s_of_gpu,  ///
  samples_per_s_of_rank, ///< on all GPUs of the printing process
  tokens_per_s,          ///< on all GPUs together
  tokens_per_s_of_gpu,   ///
  seconds_of_sample,     ///< of the printing process
};

/// A unit as text: "samples/s of one GPU".
std::string to_text(StepUnit unit);

/// The place of the number beside the mark.
enum class NumberIs { after_mark, before_mark };

/// The time that the figure of a step line covers.
enum class Covers {
  steps,         ///< one step, or those since the previous line
  all_until_now, ///< a mean of all steps until then
  micro_step,    ///< a step may have several, each with a line
  part_of_step   ///< without the time between steps, such as reading the input
};

/// A line has this form if it has the mark and a number beside it, has `with` unless that is "", and lacks `without`
/// unless that is "".
struct StepForm {
  const char* program; ///< "Megatron-LM"
  const char* mark;
  StepUnit unit = StepUnit::seconds;
  double in_si = 1; ///< one printed unit in SI units
  NumberIs number = NumberIs::after_mark;
  const char* with = "";
  const char* without = "";
  Covers covers = Covers::steps;
  const char* preset = ""; ///< set if the program sends gradients in only one way
};

/// The most reliable form comes first: one that prints the time of a step before one that prints a smoothed rate.
std::span<const StepForm> step_forms();

/// The figure of the line in that form, in SI units; nothing if there is none, or 0. The mark is from `begin` to `end`.
std::optional<PrintedNumber> figure_of(const StepForm& form, std::string_view line, std::size_t begin, std::size_t end);

/// The programs' names for messages, each once: "Megatron-LM, NeMo, ...".
std::string step_program_names();

} // namespace ddlsim
