#include "import/nccl_given.hpp"

#include "import/nccl_run.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

int given_number(const std::string& name, const std::string& text, std::vector<Mistake>& mistakes) {
  const auto number = parse_number(text);
  if (number && number->value >= 1 && number->value <= most_ranks && number->value == std::floor(number->value))
    return static_cast<int>(number->value);
  mistakes.push_back({"", name, fmt::format("found '{}', expected a whole number above 0", text)});
  return 0;
}

std::string given_name(const std::string& name, const std::string& text, const std::vector<std::string>& allowed,
                       std::vector<Mistake>& mistakes) {
  if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
    mistakes.push_back({"", name, fmt::format("found '{}', expected one of {}", text, join_names(allowed))});
  return text;
}

} // namespace

NcclGiven read_nccl_given(const ImportContext& stated, std::vector<Mistake>& mistakes) {
  static const std::vector<std::string> names = {"operation", "ranks", "nodes", "transport", "algorithm"};
  std::vector<std::string> operations;
  for (const auto& operation : nccl_operations()) operations.push_back(operation.name);
  NcclGiven given;
  for (const auto& [name, value] : stated.given) {
    if (name == "operation") {
      given.operation = given_name(name, value, operations, mistakes);
    } else if (name == "transport") {
      given.transport = given_name(name, value, transport_names(), mistakes);
    } else if (name == "algorithm") {
      given.algorithm = value;
    } else if (name == "ranks") {
      given.ranks = given_number(name, value, mistakes);
    } else if (name == "nodes") {
      given.nodes = given_number(name, value, mistakes);
    } else {
      mistakes.push_back({"", name, fmt::format("found an unknown name, expected one of {}", join_names(names))});
    }
  }
  return given;
}

} // namespace ddlsim
