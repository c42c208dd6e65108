#pragma once
// Lists of like objects as tables, as calibration.json has them: the names of the fields once, then a row an object.
//
//   {"columns": ["model@", "batch", {"points": ["gpus", "nodes"]}], "rows": [[0, 64, [[2, 1], [4, 1]]]]}
//
// says [{"model": M, "batch": 64, "points": [{"gpus": 2, "nodes": 1}, {"gpus": 4, "nodes": 1}]}], where M is the first of
// the document's `shared` values: a column whose name ends in @ has positions among these, and each text stands in the
// document once. null, or a row that ends before the column, says that the object has no such key.

#include <nlohmann/json_fwd.hpp>

#include <string_view>
#include <vector>

namespace ddlsim {

class JsonNode;

struct TableColumn {
  std::string_view name;
  bool shared = false;                ///< its values are positions among the shared ones
  std::vector<TableColumn> columns{}; ///< of a list of objects; empty: a value
};

/// The values that rows share, each once, in the order in which they were first needed.
using SharedValues = std::vector<nlohmann::ordered_json>;

/// Keys of an object that are no column are not written.
nlohmann::ordered_json fold_table(const std::vector<nlohmann::ordered_json>& objects,
                                  const std::vector<TableColumn>& columns, SharedValues& shared);

struct NamedTable {
  std::string_view key;
  std::vector<TableColumn> columns;
};

/// The document with its tables as lists of objects, without `shared`. Notes tables of other columns, rows that are too
/// long, positions at which nothing is shared, and documents that would be larger than max_document_bytes; of these the
/// content is not to be used.
nlohmann::json unfold_tables(const JsonNode& document, const std::vector<NamedTable>& tables);

} // namespace ddlsim
