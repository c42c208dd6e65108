#pragma once
// Names people type: the nearest known one is offered when they miss.

#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// The candidate with the smallest edit distance (at most a third of the longer length, at least 1 edit allowed); "" when none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// "a, b, c" for messages.
std::string join_names(const std::vector<std::string>& names, std::string_view separator = ", ");

} // namespace ddlsim
