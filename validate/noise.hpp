#pragma once
// How well a series can be known at all, from the data alone and before any prediction.

#include "calibrate/data/series.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Standard deviation of ln(time) up to which a series is of class A, and of class B; above it is C, judged on its
/// intervals only.
inline constexpr double class_a_noise = 0.02;
inline constexpr double class_b_noise = 0.06;

struct Noise {
  char grade = 'C';
  double relative = 0; ///< 0: not known
  std::string basis;   ///< "stated spread", "siblings", "spread of the same set", "repeats without a spread", "unknown"
};

/// One a series, in order. The first that applies:
/// 1. the largest spread stated for (or found among repeated records of) the series' points on more than one GPU;
/// 2. siblings, ResNet v1 against v2 of equal bytes, in the same set (file, cluster, transport): with
///    d = ln(T_v1 / T_v2) at every shared scale above one GPU, the mean over the set of |d - median d| / sqrt 2;
/// 3. the median spread of the other series of the set;
/// 4. not known: B when each point comes from three or more repeats, else C.
std::vector<Noise> noise_of(const std::vector<Series>& series);

/// The class of one point: C when the point is suspect, else its series'.
char class_of(const SeriesPoint& point, const Noise& noise);

} // namespace ddlsim
