#pragma once
// Measurements that contradict each other.

#include "calibrate/data/reference_data.hpp"
#include "calibrate/data/series.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {
/// Experiments recorded on two fabrics with the same times on both wherever they cross nodes: they ran on one of them.
/// Gives the ids of the series on the faster fabric, where the times do not belong, each with its reason. Two series
/// are one experiment when model, precision, batch, data, stack, strategy and series file agree; times are the same
/// within 2 % (twice the noise of a good run) at every shared scale of two nodes and more; the fabrics differ when one
/// NIC has twice the line rate of the other.
std::map<std::string, std::string> same_on_two_fabrics(const std::vector<Series>& series,
                                                       const ReferenceData& reference);

// A time in milliseconds where seconds were meant, or the like.

/// True of a logarithm of a ratio that no machine explains: 100 times and more. Units are 1000 apart; rooflines are
/// within a factor 3 of every published CNN rate, and no sample of the priors is off by 100.
bool is_unit_mistake(double ln_ratio);

/// "about 1000 times longer than the device allows: a slip of the unit (s, ms or us)?"; `than`: "the device allows".
std::string unit_mistake_text(double ln_ratio, const std::string& than);

} // namespace ddlsim
