#pragma once
// Rows of the tables of fields in which distributions of parameters stand: priors.json and calibration.json. Only
// sources that define a table of fields include this header.

#include "sim/formats/answer_types.hpp"
#include "sim/formats/prior.hpp"

#include <optional>

namespace ddlsim {

/// Optional values, which are written where there is one.
template <class Value> ValueType<std::optional<Value>> optional_type(ValueType<Value> type) {
  return stored_as<std::optional<Value>, Value>(
      std::move(type), [](const Value& value) { return std::optional<Value>(value); },
      [](const std::optional<Value>& value) { return value.value_or(Value{}); });
}

/// The rows "median", "width", "highest" and "scale"; `median` is the type of the first.
std::vector<Field<Prior>> distribution_rows(ValueType<double> median);

/// Notes a `highest` below the median.
void check_distribution(const JsonNode& object, const Prior& prior);

} // namespace ddlsim
