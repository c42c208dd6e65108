#include "sim/formats/folded_table.hpp"

#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

using Columns = std::vector<FieldShape>;
/// The values that rows share, each once, in the order of their first use.
using SharedValues = std::vector<ordered_json>;

const Columns& columns_inside(const FieldShape& column) {
  return column.value.parts.front().fields;
}

/// Writes a whole number without ".0".
ordered_json short_number(const ordered_json& value) {
  constexpr double exact_up_to = 0x1p53;
  if (!value.is_number_float()) return value;
  const auto number = value.get<double>();
  if (number != std::floor(number) || std::abs(number) > exact_up_to) return value;
  return static_cast<std::int64_t>(number);
}

std::size_t position_of(const ordered_json& value, SharedValues& shared) {
  const auto at = std::find(shared.begin(), shared.end(), value);
  if (at != shared.end()) return static_cast<std::size_t>(at - shared.begin());
  shared.push_back(value);
  return shared.size() - 1;
}

ordered_json row_of(const ordered_json& object, const Columns& columns, SharedValues& shared);

ordered_json rows_of(const std::vector<ordered_json>& objects, const Columns& columns, SharedValues& shared) {
  auto rows = ordered_json::array();
  for (const auto& object : objects) rows.push_back(row_of(object, columns, shared));
  return rows;
}

ordered_json cell_of(const ordered_json& object, const FieldShape& column, SharedValues& shared) {
  const auto found = object.find(column.name);
  if (found == object.end()) return nullptr;
  if (is_table_inside(column)) return rows_of({found->begin(), found->end()}, columns_inside(column), shared);
  return column.is_shared ? ordered_json(position_of(*found, shared)) : short_number(*found);
}

ordered_json row_of(const ordered_json& object, const Columns& columns, SharedValues& shared) {
  auto row = ordered_json::array();
  for (const auto& column : columns) row.push_back(cell_of(object, column, shared));
  while (!row.empty() && row.back().is_null()) row.erase(row.size() - 1);
  return row;
}

/// Turns rows into objects. Shared values are repeated, so a small document can describe a very large one.
class TableReader {
public:
  explicit TableReader(const JsonNode& document) {
    if (!document.has(shared_key)) return;
    for (const auto& one : document.list(shared_key)) {
      shared_.push_back(&one.value());
      bytes_.push_back(json_text(one.value()).size());
    }
  }

  json list_of(const JsonNode& table, const Columns& columns) {
    if (!table.is_object()) return json::array();
    table.allow_only({"columns", "rows"});
    const auto expected = json_text(column_names(columns));
    if (!table.has("columns") || json_text(table.at("columns").value()) != expected) {
      table.mistake_at("columns", fmt::format("others found, {} expected", expected));
      return json::array();
    }
    return objects_of(table.list("rows"), columns);
  }

private:
  json objects_of(const std::vector<JsonNode>& rows, const Columns& columns) {
    auto objects = json::array();
    for (const auto& row : rows) {
      const auto cells = row.elements();
      if (cells.size() > columns.size())
        row.mistake(fmt::format("{} values found, {} columns", cells.size(), columns.size()));
      auto object = json::object();
      for (std::size_t i = 0; i < std::min(cells.size(), columns.size()); ++i)
        if (!cells[i].value().is_null()) object[columns[i].name] = value_of(cells[i], columns[i]);
      objects.push_back(std::move(object));
    }
    return objects;
  }

  json value_of(const JsonNode& cell, const FieldShape& column) {
    if (is_table_inside(column)) return objects_of(cell.elements(), columns_inside(column));
    if (!column.is_shared) return cell.value();
    const auto& value = cell.value();
    const bool is_position = value.is_number_unsigned() && value.get<std::uint64_t>() < shared_.size();
    if (!is_position) {
      cell.mistake(fmt::format("{} found for {}; give a position among the {} \"shared\" values, from 0",
                               describe(value), column.name, shared_.size()));
      return nullptr;
    }
    return shared_at(value.get<std::size_t>(), cell);
  }

  json shared_at(std::size_t position, const JsonNode& cell) {
    const bool was_small = repeated_bytes_ <= max_document_bytes;
    repeated_bytes_ += bytes_[position];
    if (repeated_bytes_ <= max_document_bytes) return *shared_[position];
    if (was_small) cell.mistake("the shared values are too long for so many rows; write shorter ones");
    return nullptr;
  }

  std::vector<const json*> shared_;
  std::vector<std::size_t> bytes_;
  std::size_t repeated_bytes_ = 0;
};

} // namespace

bool is_table_inside(const FieldShape& column) {
  return column.value.kind == ValueKind::list && column.value.parts.front().kind == ValueKind::object;
}

ordered_json column_names(const std::vector<FieldShape>& columns) {
  auto names = ordered_json::array();
  for (const auto& column : columns) {
    if (is_table_inside(column))
      names.push_back(ordered_json{{column.name, column_names(columns_inside(column))}});
    else
      names.push_back(column.is_shared ? column.name + "@" : column.name);
  }
  return names;
}

ordered_json fold_tables(ordered_json document, const ValueShape& shape) {
  SharedValues shared;
  for (const auto& field : shape.fields) {
    if (field.value.kind != ValueKind::table || !document.contains(field.name)) continue;
    auto& objects = document[field.name];
    const auto& columns = columns_inside(field);
    objects = {{"columns", column_names(columns)},
               {"rows", rows_of({objects.begin(), objects.end()}, columns, shared)}};
  }
  document[shared_key] = shared;
  return document;
}

json unfold_tables(const JsonNode& document, const ValueShape& shape) {
  TableReader reader(document);
  auto unfolded = document.value();
  unfolded.erase(shared_key);
  for (const auto& field : shape.fields)
    if (field.value.kind == ValueKind::table && document.has(field.name))
      unfolded[field.name] = reader.list_of(document.at(field.name), columns_inside(field));
  return unfolded;
}

} // namespace ddlsim
