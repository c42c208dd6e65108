#pragma once
// Measures what a part of the model contributes. One part is left out, or all priors are moved at random, and the
// nested splits are run with and without the change.

#include "validate/methods/simulator.hpp"
#include "validate/validation.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ddlsim {

/// The names that leave_out() accepts: the parameters (`nic_efficiency`, ..., `compute_factor`), then the terms of the
/// residual (`line`, `growth`, ...), then the scopes and parts of a one-GPU time's deviations (`scope-unit`, ...,
/// `part-launch`), and `kernel-tables`.
std::vector<std::string> names_to_leave_out();

/// Leaves one part out of fits and predictions. A parameter then has the median of its prior with no width, whatever
/// the class of the prior. A term of the residual is switched off. A scope or part has
/// no deviation. Without the kernel tables all GPUs reach the usual shares of their peaks. Throws UserError for an unknown name.
void leave_out(ReferenceData& reference, const std::string& name);

/// Moves the median of every prior by 2 % up or down. Priors of one class move together. The direction of a class is
/// drawn from the seed and means nothing. The factors of one-GPU times and of the model itself stay, because their
/// median of 1 means "as measured".
void move_medians(ReferenceData& reference, std::uint64_t seed);

/// Returns the simulator as users have it, then a simulator without each of the parts, named "without NAME". Throws
/// UserError that lists every unknown name.
std::vector<std::unique_ptr<Method>> simulators_without(const ReferenceData& reference,
                                                        const std::vector<std::string>& names, int threads = 1);

/// Returns the simulator as users have it, then `count` simulators with moved priors, named "placebo 1" and so on.
std::vector<std::unique_ptr<Method>> simulators_with_placebos(const ReferenceData& reference, int count,
                                                              int threads = 1);

/// Returns a table of sites for each changed simulator, with the errors with and without the change in every split.
/// Then it has one row for each change, with its effect on mean errors and interval scores. It has at most 110 columns.
std::string paired_report_text(const ValidationResult& result);

/// The largest change of a figure that the placebos caused in a split. A smaller change means nothing. Errors are
/// ratios.
struct NoiseFloor {
  std::string split;
  double mean_error = 0;
  double interval_score = 0; ///< change of the interval score over the unchanged score
};

/// Returns a noise floor for each split of a result of simulators_with_placebos().
std::vector<NoiseFloor> noise_floors(const ValidationResult& result);

/// Returns a table of the placebos' mean errors and interval scores beside the unchanged ones, then the floors.
std::string placebo_report_text(const ValidationResult& result);

} // namespace ddlsim
