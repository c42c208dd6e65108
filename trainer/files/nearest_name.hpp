#pragma once
#include <string>
#include <vector>

namespace ddltrain {

/// The name that takes the fewest insertions, deletions and replacements to become `given`; the first of equals.
/// `names` must not be empty.
std::string nearest_name(const std::string& given, const std::vector<std::string>& names);

} // namespace ddltrain
