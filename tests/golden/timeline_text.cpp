#include "tests/golden/timeline_text.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

namespace ddlsim {
namespace {

constexpr double us = 1e-6;

std::string path_of(const std::string& name) {
  return std::string(DDLSIM_SOURCE_DIR) + "/tests/golden/" + name + ".txt";
}

Golden read(const std::string& name) {
  Golden golden;
  std::ifstream in(path_of(name));
  for (std::string line; std::getline(in, line);) {
    const bool comment = golden.timeline.empty() && line.starts_with('#');
    (comment ? golden.calculation : golden.timeline) += line + "\n";
  }
  return golden;
}

} // namespace

std::string to_text(const std::vector<TimelineRow>& rows) {
  std::string text = "  start us     end us  who         what\n";
  for (const auto& row : rows)
    text += fmt::format("{:10.1f} {:10.1f}  {:<11} {}\n", row.start_s / us, row.end_s / us, row.who, row.what);
  return text;
}

Golden golden(const std::string& name, const std::string& timeline_now) {
  if (std::getenv("DDLSIM_REFRESH_GOLDEN") != nullptr) {
    const std::string calculation = read(name).calculation;
    std::ofstream(path_of(name)) << calculation << timeline_now;
  }
  return read(name);
}

} // namespace ddlsim
