#pragma once
// Which of one curve's records a line may be drawn through.

#include "sim/compute/batch_curve.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/record.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// What a record's time is compared with. Without model or GPU there is no roofline.
struct Screen {
  const Model* model = nullptr;
  const Gpu* gpu = nullptr;
  double expected_fixed_s = 0;
};

/// `records` are of one GPU, model, precision and stack, sorted by batch and time; what is left of them, in the same
/// order, by the rules of fit_compute. Adds to `excluded` and `warnings`.
std::vector<const StepRecord*> screen_records(const std::vector<const StepRecord*>& records, const Screen& screen,
                                              std::vector<Excluded>& excluded, std::vector<std::string>& warnings);

std::string place_of(const StepRecord& record); ///< "file:line", file without its folder
std::vector<BatchTime> batch_times(const std::vector<const StepRecord*>& records);

} // namespace ddlsim
