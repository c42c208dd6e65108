#pragma once
// How far a fitted curve of time over size can be trusted.

#include "sim/files/collective_curve.hpp"

#include <vector>

namespace ddlsim {

/// Neighbouring sizes between which the time leaves the law by 15 % or more; where the table wanders much, by four
/// times what is usual between its neighbours, but never more than twice that (ln 1.15 x 2).
std::vector<CurveJump> find_jumps(const CollectiveCurve& curve);

/// Mean and worst of the errors, one a point of the curve (ln(predicted / measured), each from the others; none: not
/// known), and the wander they show.
void put_left_out_errors(const std::vector<double>& errors, CollectiveCurve& curve);

} // namespace ddlsim
