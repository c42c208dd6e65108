#pragma once
// Evidence that contradicts itself.

#include "calibrate/series.hpp"
#include "calibrate/shelf.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// One experiment said to have run on two fabrics, with the same times on both wherever it crosses nodes: it ran on one
/// of them. Gives the ids of the series on the faster fabric, where the times do not belong, each with the sentence to
/// tell. Two series are one experiment when model, precision, batch, data, stack, strategy and series file agree; times
/// are the same within 2 % (twice the noise of a good run) at every shared scale of two nodes and more; the fabrics
/// differ when one NIC has twice the line rate of the other.
std::map<std::string, std::string> same_on_two_fabrics(const std::vector<Series>& series, const Shelf& shelf);

} // namespace ddlsim
