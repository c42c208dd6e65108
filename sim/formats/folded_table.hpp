#pragma once
// Lists of similar objects stored as tables, as in calibration.json: the field names once, then one row for each
// object.
//
//   {"columns": ["model@", "batch", {"points": ["gpus", "nodes"]}], "rows": [[0, 64, [[2, 1], [4, 1]]]]}
//
// means [{"model": M, "batch": 64, "points": [{"gpus": 2, "nodes": 1}, {"gpus": 4, "nodes": 1}]}], where M is the first
// of the document's `shared` values. A column whose name ends in @ holds positions in that list, so that the document
// has each text once. null, or a row that ends before the column, means that the object has no such key.

#include "sim/formats/value_shape.hpp"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace ddlsim {

class JsonNode;

/// The key of a document's shared values.
inline constexpr const char* shared_key = "shared";

/// The names of the columns as a file has them: "model@", "batch", {"points": ["gpus", "nodes"]}.
nlohmann::ordered_json column_names(const std::vector<FieldShape>& columns);

/// Whether a column holds rows of columns of its own: a list of objects.
bool is_table_inside(const FieldShape& column);

/// Folds the lists of objects that are tables in the document's shape, in the order of its fields. Puts the values that
/// rows share under "shared", each once, in the order of their first use. Keys of an object that are not columns are
/// not written.
nlohmann::ordered_json fold_tables(nlohmann::ordered_json document, const ValueShape& shape);

/// Returns the document with its tables unfolded into lists of objects and without `shared`. Notes tables with other
/// columns, rows that are too long, invalid positions in `shared`, and documents that would exceed max_document_bytes.
/// After such a mistake the content must not be used.
nlohmann::json unfold_tables(const JsonNode& document, const ValueShape& shape);

} // namespace ddlsim
