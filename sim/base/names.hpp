#pragma once
// Names people type: the nearest known one is offered when they miss.

#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// The candidate with the smallest edit distance, swapped neighbours being one edit (at most a third of the longer
/// length, at least 1 edit allowed); "" when none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

bool is_in(const std::vector<std::string>& names, std::string_view name);

/// "a, b, c" for messages.
std::string join_names(const std::vector<std::string>& names, std::string_view separator = ", ");

/// A text from outside as a message shows it: in double quotes, shortened, control characters (which could steer a
/// terminal) escaped.
std::string in_quotes(std::string_view text);

/// "no GPU is called "V10"; did you mean V100? there are: K80, V100": offers the nearest candidate, lists `listed`. Of
/// a kind that `ddlsim list` shows, more than a dozen are not listed but offered by likeness, and the command is named.
std::string unknown_name_text(std::string_view kind, std::string_view name, const std::vector<std::string>& candidates,
                              const std::vector<std::string>& listed);

} // namespace ddlsim
