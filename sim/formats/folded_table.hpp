#pragma once
// Lists of similar objects stored as tables, as in calibration.json: the field names once, then one row for each
// object.
//
//   {"columns": ["model@", "batch", {"points": ["gpus", "nodes"]}], "rows": [[0, 64, [[2, 1], [4, 1]]]]}
//
// means [{"model": M, "batch": 64, "points": [{"gpus": 2, "nodes": 1}, {"gpus": 4, "nodes": 1}]}], where M is the first
// of the document's `shared` values. A column whose name ends in @ holds positions in that list, so that the document
// has each text once. null, or a row that ends before the column, means that the object has no such key.

#include <nlohmann/json_fwd.hpp>

#include <string_view>
#include <vector>

namespace ddlsim {

class JsonNode;

struct TableColumn {
  std::string_view name;
  bool shared = false;                ///< its values are positions in the list of shared values
  std::vector<TableColumn> columns{}; ///< columns of a nested list of objects; empty: a plain value
};

/// The values that rows share, each once, in the order of their first use.
using SharedValues = std::vector<nlohmann::ordered_json>;

/// Folds objects into a table. Keys of an object that are not columns are not written.
nlohmann::ordered_json fold_table(const std::vector<nlohmann::ordered_json>& objects,
                                  const std::vector<TableColumn>& columns, SharedValues& shared);

struct NamedTable {
  std::string_view key;
  std::vector<TableColumn> columns;
};

/// Returns the document with its tables unfolded into lists of objects and without `shared`. Notes tables with other
/// columns, rows that are too long, invalid positions in `shared`, and documents that would exceed max_document_bytes.
/// After such a mistake the content must not be used.
nlohmann::json unfold_tables(const JsonNode& document, const std::vector<NamedTable>& tables);

} // namespace ddlsim
