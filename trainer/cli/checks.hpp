#pragma once
// Checks of the text of an option. CLI11's own checks show the range of a double in their messages, and its reader of
// numbers takes -1 as the largest number.

#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

namespace ddltrain {

inline CLI::Validator a_number(const ddlsim::ExpectedNumber& expected) {
  return {[expected](const std::string& text) { return ddlsim::number_complaint(text, expected); }, ""};
}
inline CLI::Validator above_zero() {
  return a_number({.above_least = true});
}
inline CLI::Validator zero_or_more() {
  return a_number({});
}
inline CLI::Validator whole_above_zero() {
  return a_number({.above_least = true, .whole = true});
}
inline CLI::Validator whole_zero_or_more() {
  return a_number({.whole = true});
}

inline CLI::Validator one_of(const std::vector<std::string>& names) {
  const auto complaint = [names](const std::string& text) {
    if (ddlsim::is_in(names, text)) return std::string();
    const auto nearest = ddlsim::nearest_name(text, names);
    return fmt::format("{} found, one of {} expected{}", ddlsim::in_quotes(text), ddlsim::join_names(names),
                       nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
  };
  return {complaint, ""};
}

/// Adds the option --cudnn-benchmark to a command that computes on GPUs.
inline void add_cudnn_benchmark(CLI::App& command, bool& value) {
  command
      .add_option_function<std::string>(
          "--cudnn-benchmark", [&value](const std::string& text) { value = text == "on"; },
          "On a GPU: on (usually), cuDNN tries its algorithms and keeps the fastest; off, it takes its first guess")
      ->check(one_of({"on", "off"}));
}

} // namespace ddltrain
