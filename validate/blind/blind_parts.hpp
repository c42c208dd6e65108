#pragma once
// What scoring of steps and of collectives share.

#include "validate/blind/blind.hpp"
#include "validate/method.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// One asked point; `told` is empty where it was refused.
struct BlindPoint {
  std::string series;
  double measured_s = 0;
  std::optional<Forecast> told;
};

/// Figures of one kind of record. At least one point.
BlindScore blind_score(const std::string& kind, NewcomerKnows known, const std::vector<BlindPoint>& points);

/// Tables of collectives inside `file`, by operation and class of size. An operation that `predict --collective` does
/// not answer is refused point by point.
void score_collectives(const ReferenceData& reference, const MeasurementFile& file, std::vector<BlindScore>& scores);

} // namespace ddlsim
