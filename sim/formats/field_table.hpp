#pragma once
// One table of fields for each kind of file. A row gives a key's name, its allowed values, the member that stores the
// value, and its meaning. Reader, writer, JSON schema and documents are made from the rows. Only sources that define a
// table include this header.

#include "sim/formats/names.hpp"
#include "sim/formats/value_shape.hpp"

#include <nlohmann/json.hpp>

#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ddlsim {

/// How a file represents a value of a C++ type.
template <class Value> struct ValueType {
  ValueShape shape;
  /// Reads the value at a place. For a wrong value it notes a mistake and returns some value.
  std::function<Value(const JsonNode& place)> read;
  std::function<nlohmann::ordered_json(const Value&)> write;
};

/// One key of an object that is stored in an `Owner`.
template <class Owner> struct Field {
  FieldShape shape;
  std::function<void(const JsonNode& place, Owner&)> read;
  std::function<void(const Owner&, nlohmann::ordered_json& object)> write;
  /// Whether there is nothing to write, as where the value is the default; empty for a key that is always written.
  std::function<bool(const Owner&)> is_left_out{};

  /// Sets the text that a message shows as the expected value when the key is missing.
  Field expects(std::string what) && {
    shape.expected = std::move(what);
    return std::move(*this);
  }

  /// Writes the key even if its value is the default.
  Field always_written() && {
    shape.presence = Presence::required;
    is_left_out = {};
    return std::move(*this);
  }

  /// Allows a file to leave the key out. The writer of a required row writes it always.
  Field may_be_absent() && {
    shape.presence = Presence::optional;
    return std::move(*this);
  }

  /// Stores the values of a table's column once for all rows (folded_table.hpp).
  Field shared() && {
    shape.is_shared = true;
    return std::move(*this);
  }

  /// Writes `value` where `holds` is true, even if it is the default.
  Field written_where(std::function<bool(const Owner&)> holds,
                      std::function<nlohmann::ordered_json(const Owner&)> value) && {
    is_left_out = [usual = is_left_out, holds](const Owner& owner) { return usual && !holds(owner) && usual(owner); };
    write = [usual = write, name = shape.name, holds, value](const Owner& owner, nlohmann::ordered_json& object) {
      if (holds(owner))
        object[name] = value(owner);
      else
        usual(owner, object);
    };
    return std::move(*this);
  }

  /// Restricts the key to objects in which another key has one of these words.
  Field only_where(std::string key, std::vector<std::string> words) && {
    shape.only_where = FieldCondition{std::move(key), std::move(words)};
    return std::move(*this);
  }
};

/// The keys of an object and the rules between them.
template <class Owner> struct FieldTable {
  std::vector<Field<Owner>> fields;
  /// Called when every field is valid; notes values that contradict each other.
  std::function<void(const JsonNode& object, Owner&)> check{};

  ValueShape shape() const {
    ValueShape shape{ValueKind::object};
    for (const auto& field : fields) shape.fields.push_back(field.shape);
    return shape;
  }
};

/// Whether a key with a condition belongs to an object.
enum class Belongs {
  no,
  unknown, ///< the key that decides is missing or wrong, which is reported by itself
  yes,
};
/// `deciding` is the field on which the condition depends; null if the table has none.
Belongs belongs_to(const FieldShape& field, const FieldShape* deciding, const JsonNode& object);
/// Returns the row of that key; null when there is none.
template <class Owner> const FieldShape* shape_of_key(const FieldTable<Owner>& table, const std::string& key) {
  for (const auto& field : table.fields)
    if (field.shape.name == key) return &field.shape;
  return nullptr;
}

template <class Owner> std::vector<const FieldShape*> rows_of(const FieldTable<Owner>& table) {
  std::vector<const FieldShape*> rows;
  for (const auto& field : table.fields) rows.push_back(&field.shape);
  return rows;
}

template <class Owner>
Belongs belongs_to(const Field<Owner>& field, const FieldTable<Owner>& table, const JsonNode& object) {
  const auto& condition = field.shape.only_where;
  return belongs_to(field.shape, condition ? shape_of_key(table, condition->key) : nullptr, object);
}

/// Notes every key that has no row, and every key that belongs only to other objects of the table. `belongs` has an
/// entry for each of `rows`.
void refuse_keys(const JsonNode& object, const std::vector<const FieldShape*>& rows,
                 const std::vector<Belongs>& belongs);

/// Reads an object into `owner`. It notes unknown and missing keys and every bad value, and then checks the rules
/// between them.
template <class Owner> void read_fields(const JsonNode& object, const FieldTable<Owner>& table, Owner& owner) {
  if (!object.is_object()) return;
  const auto before = object.mistakes_so_far();
  std::vector<Belongs> belongs;
  for (const auto& field : table.fields) belongs.push_back(belongs_to(field, table, object));
  refuse_keys(object, rows_of(table), belongs);
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    const auto& shape = table.fields[i].shape;
    if (belongs[i] != Belongs::yes) continue;
    if (object.has(shape.name))
      table.fields[i].read(object.at(shape.name), owner);
    else if (shape.presence == Presence::required)
      object.mistake_at(shape.name, "missing; give " + expected_text(shape));
  }
  if (table.check && object.mistakes_so_far() == before) table.check(object, owner);
}

/// Reads the object as a new `Owner`.
template <class Owner> Owner read_object(const JsonNode& object, const FieldTable<Owner>& table) {
  Owner owner;
  read_fields(object, table, owner);
  return owner;
}

/// Whether a key with a condition belongs to an object that is being written; the key that decides is written earlier.
bool is_written(const FieldShape& field, const nlohmann::ordered_json& object);

/// Writes `owner` as an object. An optional key is omitted when it would only repeat its default.
template <class Owner> nlohmann::ordered_json write_fields(const FieldTable<Owner>& table, const Owner& owner) {
  auto object = nlohmann::ordered_json::object();
  for (const auto& field : table.fields)
    if (is_written(field.shape, object) && !(field.is_left_out && field.is_left_out(owner))) field.write(owner, object);
  return object;
}

/// Accesses a member of a part of the owner.
template <class Owner, class Part, class Value> struct Within {
  Part Owner::*part;
  Value Part::*member;
  Value& operator()(Owner& owner) const { return owner.*part.*member; }
  const Value& operator()(const Owner& owner) const { return owner.*part.*member; }
};
template <class Owner, class Part, class Value>
Within<Owner, Part, Value> within(Part Owner::*part, Value Part::*member) {
  return {part, member};
}

/// A row of a required key; `place_of` returns the member of the owner that stores its value.
template <class Owner, class Value, class PlaceOf>
Field<Owner> required_row(std::string name, PlaceOf place_of, ValueType<Value> type, std::string meaning) {
  return {{name, Presence::required, type.shape, std::move(meaning)},
          [=, read = type.read](const JsonNode& place, Owner& owner) { place_of(owner) = read(place); },
          [=, write = type.write](const Owner& owner, nlohmann::ordered_json& object) {
            object[name] = write(place_of(owner));
          }};
}

/// A row of an optional key, which is omitted when the value is that of a new owner.
template <class Owner, class Value, class PlaceOf>
Field<Owner> optional_row(std::string name, PlaceOf place_of, ValueType<Value> type, std::string meaning) {
  auto field = required_row<Owner, Value>(std::move(name), place_of, std::move(type), std::move(meaning));
  field.shape.presence = Presence::optional;
  field.is_left_out = [place_of](const Owner& owner) {
    const Owner usual{};
    return place_of(owner) == place_of(usual);
  };
  return field;
}

/// A row of a required key.
template <class Owner, class Value>
Field<Owner> required(std::string name, Value Owner::*member, ValueType<std::type_identity_t<Value>> type,
                      std::string meaning) {
  return required_row<Owner, Value>(std::move(name), std::mem_fn(member), std::move(type), std::move(meaning));
}
template <class Owner, class Part, class Value>
Field<Owner> required(std::string name, Within<Owner, Part, Value> member, ValueType<std::type_identity_t<Value>> type,
                      std::string meaning) {
  return required_row<Owner, Value>(std::move(name), member, std::move(type), std::move(meaning));
}

/// A row of an optional key; without it the member keeps its value from a new `Owner`.
template <class Owner, std::equality_comparable Value>
Field<Owner> optional(std::string name, Value Owner::*member, ValueType<std::type_identity_t<Value>> type,
                      std::string meaning) {
  return optional_row<Owner, Value>(std::move(name), std::mem_fn(member), std::move(type), std::move(meaning));
}
template <class Owner, class Part, std::equality_comparable Value>
Field<Owner> optional(std::string name, Within<Owner, Part, Value> member, ValueType<std::type_identity_t<Value>> type,
                      std::string meaning) {
  return optional_row<Owner, Value>(std::move(name), member, std::move(type), std::move(meaning));
}

/// A row of a nested object whose keys are stored in the same `Owner`, such as "node" of a cluster.
template <class Owner> Field<Owner> group(std::string name, FieldTable<Owner> table, std::string meaning) {
  return {
      {name, Presence::required, table.shape(), std::move(meaning)},
      [table](const JsonNode& place, Owner& owner) { read_fields(place, table, owner); },
      [table, name](const Owner& owner, nlohmann::ordered_json& object) { object[name] = write_fields(table, owner); }};
}

/// The same for an optional object, which is written only if it is not empty.
template <class Owner> Field<Owner> optional_group(std::string name, FieldTable<Owner> table, std::string meaning) {
  auto field = group(name, table, std::move(meaning));
  field.shape.presence = Presence::optional;
  field.write = [table, name](const Owner& owner, nlohmann::ordered_json& object) {
    auto written = write_fields(table, owner);
    if (!written.empty()) object[name] = std::move(written);
  };
  return field;
}

/// The rows "format" and "version" at the start of a document; read_document() has checked them.
template <class Owner> std::vector<Field<Owner>> document_head(const std::string& format, int version) {
  const auto nothing = [](const JsonNode&, Owner&) {};
  ValueShape name{ValueKind::constant, {format}};
  ValueShape number{ValueKind::constant};
  number.least = version;
  return {{{"format", Presence::required, name, "what kind of file this is"},
           nothing,
           [format](const Owner&, nlohmann::ordered_json& object) { object["format"] = format; }},
          {{"version", Presence::required, number, "of the format"},
           nothing,
           [version](const Owner&, nlohmann::ordered_json& object) { object["version"] = version; }}};
}

/// Notes every value of the list that repeats an earlier one.
void note_repeated(const JsonNode& list);
/// The message for a list with too few or too many values.
std::string wrong_length_text(std::size_t found, const ValueShape& shape);

/// The table of a whole document: "format" and "version", then `fields`.
template <class Owner>
FieldTable<Owner> document(const std::string& format, int version, std::vector<Field<Owner>> fields,
                           std::function<void(const JsonNode&, Owner&)> check = {}) {
  auto all = document_head<Owner>(format, version);
  for (auto& field : fields) all.push_back(std::move(field));
  return {std::move(all), std::move(check)};
}

// Types of values.

ValueType<std::string> text_type();
ValueType<std::string> any_text_type();
ValueType<std::string> name_type();
ValueType<std::string> paragraph_type();
ValueType<std::string> date_type();
ValueType<std::string> word_type(std::vector<std::string> words);
ValueType<bool> boolean_type();
/// The same where a key that is missing means neither.
ValueType<std::optional<bool>> optional_boolean_type();
ValueType<int> whole_type(long least, long most);
/// A number of things, `least` or more.
ValueType<int> number_of_things(long least = 0);
ValueType<double> number_type(double least, double most);
/// 0 or more.
ValueType<double> not_negative_type();
ValueType<double> any_number_type();
ValueType<double> positive_type(double most = unbounded);
/// A number of things: a number above 0, or "300B".
ValueType<double> count_type();
/// Above 0, at most 1.
ValueType<double> share_type();
/// A quantity above 0, written with a suitable unit.
ValueType<double> quantity_type(Dimension dimension);
ValueType<double> quantity_or_zero_type(Dimension dimension);

/// A value of type `Value` that a file stores as a `Stored`.
template <class Value, class Stored>
ValueType<Value> stored_as(ValueType<Stored> stored, std::function<Value(const Stored&)> from,
                           std::function<Stored(const Value&)> to) {
  return {stored.shape, [read = stored.read, from](const JsonNode& place) { return from(read(place)); },
          [write = stored.write, to](const Value& value) { return write(to(value)); }};
}

/// A name of an enum; other spellings are read too (names.hpp).
template <class Name> ValueType<Name> name_of_type(const std::vector<std::string>& allowed = names_of<Name>()) {
  return {{ValueKind::word, allowed},
          [allowed](const JsonNode& place) {
            return value_named<Name>(place.as_one_of(allowed, other_words_of(Name{}))).value_or(Name{});
          },
          [](const Name& name) { return nlohmann::ordered_json(to_text(name)); }};
}

/// The same where the key may be missing.
template <class Name> ValueType<std::optional<Name>> optional_name_type() {
  const auto type = name_of_type<Name>();
  return {type.shape, [read = type.read](const JsonNode& place) -> std::optional<Name> { return read(place); },
          [](const std::optional<Name>& name) { return nlohmann::ordered_json(to_text(name)); }};
}

template <class Owner> ValueType<Owner> object_type(FieldTable<Owner> table) {
  return {table.shape(), [table](const JsonNode& place) { return read_object(place, table); },
          [table](const Owner& owner) { return write_fields(table, owner); }};
}

/// A list of `fewest` to `most` values, in the file's order.
template <class Value>
ValueType<std::vector<Value>> list_type(ValueType<Value> item, std::size_t fewest = 0,
                                        std::size_t most = max_document_elements) {
  ValueShape shape{ValueKind::list};
  shape.fewest_items = fewest;
  shape.most_items = most;
  shape.parts = {item.shape};
  return {shape,
          [shape, read = item.read](const JsonNode& place) {
            std::vector<Value> values;
            const auto before = place.mistakes_so_far();
            for (const auto& element : place.elements()) values.push_back(read(element));
            const bool is_long_enough = values.size() >= shape.fewest_items && values.size() <= shape.most_items;
            if (place.mistakes_so_far() == before && !is_long_enough)
              place.mistake(wrong_length_text(values.size(), shape));
            return values;
          },
          [write = item.write](const std::vector<Value>& values) {
            auto list = nlohmann::ordered_json::array();
            for (const auto& value : values) list.push_back(write(value));
            return list;
          }};
}

/// The same list, which the file stores as a table; fold_tables() writes it, and unfold_tables() reads it back.
template <class Value> ValueType<std::vector<Value>> table_type(ValueType<Value> row) {
  auto type = list_type(std::move(row));
  type.shape.kind = ValueKind::table;
  return type;
}

/// The same list, in which no value may be repeated.
template <class Value> ValueType<std::vector<Value>> distinct(ValueType<std::vector<Value>> list) {
  list.shape.is_distinct = true;
  list.read = [read = list.read](const JsonNode& place) {
    auto values = read(place);
    note_repeated(place);
    return values;
  };
  return list;
}

/// An object that maps keys to texts; only `keys` are allowed, unless `keys` is empty.
ValueType<std::map<std::string, std::string>> text_map_type(std::vector<std::string> keys = {});

} // namespace ddlsim
