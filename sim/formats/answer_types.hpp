#pragma once
// Types of values that only answers have, and rows that several answers share. Only sources that define a table of
// fields include this header.

#include "sim/formats/answer_fields.hpp"

#include <optional>

namespace ddlsim {

/// Numbers that are written with nine significant digits.
ValueType<double> rounded_type(double least = 0, double most = unbounded);

/// A compute capability of CUDA: "7.0" is 70; 0 when the key is absent.
ValueType<int> capability_type();
ValueType<double> rounded_positive_type();

/// A text that matches a regular expression. Answers are not read, so only the schema has the pattern.
ValueType<std::string> pattern_type(std::string pattern);

/// A value, or null where there is none.
template <class Value> ValueType<std::optional<Value>> or_null(ValueType<Value> type) {
  ValueShape shape{ValueKind::either};
  shape.parts = {type.shape, {ValueKind::nothing}};
  return {shape, {}, [write = type.write](const std::optional<Value>& value) {
            return value ? write(*value) : nlohmann::ordered_json(nullptr);
          }};
}

/// An object that maps names to values.
template <class Value> ValueType<std::map<std::string, Value>> map_type(ValueType<Value> type) {
  ValueShape shape{ValueKind::map};
  shape.parts = {type.shape};
  return {shape, {}, [write = type.write](const std::map<std::string, Value>& values) {
            auto object = nlohmann::ordered_json::object();
            for (const auto& [name, value] : values) object[name] = write(value);
            return object;
          }};
}

/// An object that is written and not read. Its owner may be that of the object around it.
template <class Owner> ValueType<Owner> answer_object(FieldTable<Owner> table) {
  return {table.shape(), {}, [table](const Owner& owner) { return write_fields(table, owner); }};
}
template <class Owner> ValueType<Owner> answer_object(std::vector<Field<Owner>> rows) {
  return answer_object(FieldTable<Owner>{std::move(rows)});
}

/// A list that is written and not read.
template <class Value> ValueType<std::vector<Value>> answer_list(ValueType<Value> item, std::size_t fewest = 0) {
  ValueShape shape{ValueKind::list};
  shape.fewest_items = fewest;
  shape.parts = {std::move(item.shape)};
  return {shape, {}, [write = std::move(item.write)](const std::vector<Value>& values) {
            auto list = nlohmann::ordered_json::array();
            for (const auto& value : values) list.push_back(write(value));
            return list;
          }};
}

/// A row of an answer. `value_of` is a member of the owner or a function of it. The row has no reader, so it takes less
/// code than those of files.
template <class Owner, class Value, class ValueOf>
Field<Owner> answered(std::string name, ValueOf value_of, ValueType<Value> type, std::string meaning) {
  return {{name, Presence::required, std::move(type.shape), std::move(meaning)},
          {},
          [name, value_of, write = std::move(type.write)](const Owner& owner, nlohmann::ordered_json& object) {
            object[name] = write(std::invoke(value_of, owner));
          }};
}

/// The same row of an optional key, which is written where `holds(owner)`.
template <class Owner, class Value, class ValueOf>
Field<Owner> answered_where(const std::function<bool(const Owner&)>& holds, std::string name, ValueOf value_of,
                            ValueType<Value> type, std::string meaning) {
  auto field = answered<Owner>(std::move(name), value_of, std::move(type), std::move(meaning));
  field.shape.presence = Presence::optional;
  field.is_left_out = std::not_fn(holds);
  return field;
}

/// The same where the std::optional that `value_of(owner)` returns has a value.
template <class Owner, class Value, class ValueOf>
Field<Owner> answered_if_any(std::string name, ValueOf value_of, ValueType<Value> type, std::string meaning) {
  return answered_where<Owner>(
      [value_of](const Owner& owner) { return std::invoke(value_of, owner).has_value(); }, std::move(name),
      [value_of](const Owner& owner) { return *std::invoke(value_of, owner); }, std::move(type), std::move(meaning));
}

/// The rows of a part of the owner, which `part_of(owner)` returns, as rows of the owner itself; with `holds` they are
/// optional, and written where it is true.
template <class Owner, class Part, class PartOf>
std::vector<Field<Owner>> rows_of_part(PartOf part_of, const std::vector<Field<Part>>& rows,
                                       std::function<bool(const Owner&)> holds = {}) {
  std::vector<Field<Owner>> all;
  for (const auto& row : rows) {
    all.push_back({row.shape, {}, [=](const Owner& owner, nlohmann::ordered_json& object) {
                     if (holds && !holds(owner)) return;
                     const auto& part = std::invoke(part_of, owner);
                     if (!row.is_left_out || !row.is_left_out(part)) row.write(part, object);
                   }});
    if (holds) all.back().shape.presence = Presence::optional;
  }
  return all;
}

/// The rows of a figure and of the bounds of its 90 % interval: "time_s", "time_s_low", "time_s_high".
template <class Owner, class Value>
std::vector<Field<Owner>> interval_rows(const std::string& name, std::function<Value(const Owner&)> value,
                                        std::function<Value(const Owner&)> low, std::function<Value(const Owner&)> high,
                                        ValueType<Value> type, std::string meaning) {
  return {answered<Owner>(name, value, type, std::move(meaning)),
          answered<Owner>(name + "_low", low, type, "5 % of the samples are below"),
          answered<Owner>(name + "_high", high, type, "5 % of the samples are above")};
}

/// Adds rows to the end of a table's.
template <class Owner> void add_to(std::vector<Field<Owner>>& rows, const std::vector<Field<Owner>>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
}

} // namespace ddlsim
