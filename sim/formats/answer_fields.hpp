#pragma once
// Rows for what a command writes and does not read back: answers, and figures for people in a file that has the same
// information elsewhere. Only sources that define a table of fields include this header.

#include "sim/formats/field_table.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ddlsim {

/// A row whose value `value_of(owner)` computes when the owner is written. A reader checks the value and drops it.
template <class Owner, class Value, class ValueOf>
Field<Owner> computed(std::string name, ValueOf value_of, ValueType<Value> type, std::string meaning) {
  return {{name, Presence::required, type.shape, std::move(meaning)},
          [read = type.read](const JsonNode& place, Owner&) { read(place); },
          [name, value_of, write = type.write](const Owner& owner, nlohmann::ordered_json& object) {
            object[name] = write(std::invoke(value_of, owner));
          }};
}

/// The same row of an optional key, which is written where `holds(owner)`.
template <class Owner, class Value, class Holds, class ValueOf>
Field<Owner> computed_where(Holds holds, std::string name, ValueOf value_of, ValueType<Value> type,
                            std::string meaning) {
  auto field = computed<Owner>(std::move(name), value_of, std::move(type), std::move(meaning));
  field.shape.presence = Presence::optional;
  field.write = [holds, write = field.write](const Owner& owner, nlohmann::ordered_json& object) {
    if (std::invoke(holds, owner)) write(owner, object);
  };
  return field;
}

/// The same type, whose values go through `change` before they are written: fewer digits, for example.
template <class Value> ValueType<Value> written_as(ValueType<Value> type, std::function<Value(const Value&)> change) {
  type.write = [write = type.write, change](const Value& value) { return write(change(value)); };
  return type;
}

} // namespace ddlsim
