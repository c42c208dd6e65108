#include "import/csv_row.hpp"
#include "import/csv_table.hpp"
#include "import/importers.hpp"
#include "import/plain_text.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/stand_in_preset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <set>

namespace ddlsim {
namespace {

bool is_rate_column(const std::string& name) {
  const auto& columns = rate_columns();
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

/// The context, and the values that hold for the whole file. The command line has precedence over comment lines.
struct Preamble {
  ImportContext stated;
  Context source; ///< repository, path and commit of the source, and nothing else
};

std::vector<std::pair<std::string, std::string*>> context_fields(Preamble& preamble) {
  auto& stated = preamble.stated;
  auto& source = preamble.source;
  return {{"cluster", &stated.cluster},  {"gpu", &stated.gpu},
          {"machine", &stated.machine},  {"software", &stated.software},
          {"date", &stated.date},        {"who", &stated.who},
          {"title", &stated.title},      {"repository", &source.source_repository},
          {"path", &source.source_path}, {"commit", &source.source_commit}};
}

std::vector<std::string> known_keys(Preamble& preamble) {
  auto keys = rate_columns();
  for (const auto& [key, value] : context_fields(preamble)) keys.push_back(key);
  return keys;
}

/// Handles an unknown key. One close to a known key is a mistake; any other becomes part of a note.
void note_unknown_key(const CsvComment& comment, Preamble& preamble, const std::filesystem::path& file,
                      std::vector<Mistake>& mistakes, std::vector<std::string>& notes) {
  const auto near = nearest_name(comment.key, known_keys(preamble));
  if (near.empty()) {
    notes.push_back(fmt::format("line {}: '{}' is no key that is known; the line was taken as a remark", comment.line,
                                comment.key));
  } else {
    mistakes.push_back(
        {at_line(file, comment.line), comment.key,
         fmt::format("found an unknown key, did you mean '{}'? A remark may begin with ## instead", near)});
  }
}

Preamble read_comments(const CsvTable& table, const ImportContext& stated, const std::filesystem::path& file,
                       std::vector<Mistake>& mistakes, std::vector<std::string>& notes) {
  Preamble preamble{stated, {}};
  std::set<std::string> seen;
  for (const auto& comment : table.comments) {
    if (comment.key.empty()) continue;
    const auto fields = context_fields(preamble);
    const auto field =
        std::find_if(fields.begin(), fields.end(), [&](const auto& one) { return one.first == comment.key; });
    if (field == fields.end() && !is_rate_column(comment.key)) {
      note_unknown_key(comment, preamble, file, mistakes, notes);
    } else if (!seen.insert(comment.key).second) {
      mistakes.push_back({at_line(file, comment.line), comment.key, "found the key a second time, expected it once"});
    } else if (field == fields.end()) {
      preamble.stated.given.emplace(comment.key, comment.value);
    } else if (field->second->empty()) {
      *field->second = comment.value;
    }
  }
  return preamble;
}

/// A column's name in our form: "Batch per GPU" becomes batch_per_gpu.
std::string plain_name(const std::string& cell) {
  std::string name = lower_case(cell);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

/// Checks that every name of `--map` is one of our columns, and that the file has the column on its other side.
void check_map(const CsvTable& table, const ImportContext& stated, const std::string& where,
               std::vector<Mistake>& mistakes) {
  std::vector<std::string> cells;
  for (const auto& cell : table.header.cells) cells.push_back(plain_name(cell));
  for (const auto& [ours, their_name] : stated.columns) {
    if (!is_rate_column(ours))
      mistakes.push_back({"--map", ours, unknown_name_text("column", ours, rate_columns(), rate_columns())});
    if (!is_in(cells, plain_name(their_name)))
      mistakes.push_back({where, in_quotes(their_name),
                          "found no such column, which --map names; " +
                              unknown_name_text("column", their_name, table.header.cells, table.header.cells)});
  }
}

/// Returns our name for a column of the file.
std::string our_name(const std::string& cell, const ImportContext& stated) {
  const auto name = plain_name(cell);
  for (const auto& [ours, their_name] : stated.columns)
    if (plain_name(their_name) == name) return ours;
  return stated.columns.count(name) == 0 ? name : ""; // unless --map gives that name to another column
}

/// Returns our names of the columns; "" for a column that is left out. Unknown columns may be left out only with --map.
std::vector<std::string> read_header(const CsvTable& table, const std::filesystem::path& file,
                                     const ImportContext& stated, std::vector<Mistake>& mistakes,
                                     std::vector<std::string>& notes) {
  std::vector<std::string> columns;
  std::vector<std::string> left_out;
  const auto where = at_line(file, table.header.line);
  check_map(table, stated, where, mistakes);
  for (const auto& cell : table.header.cells) {
    std::string name = our_name(cell, stated);
    if (!stated.columns.empty() && !is_rate_column(name)) {
      left_out.push_back(in_quotes(cell));
      columns.emplace_back();
      continue;
    }
    const bool twice = std::find(columns.begin(), columns.end(), name) != columns.end();
    if (twice && !name.empty()) mistakes.push_back({where, cell, "found the column a second time, expected it once"});
    if (!is_rate_column(name)) {
      const auto near = nearest_name(name, rate_columns());
      mistakes.push_back({where, cell,
                          near.empty()
                              ? fmt::format("found an unknown column, expected some of {}; remove it or call it note",
                                            join_names(rate_columns()))
                              : fmt::format("found an unknown column, did you mean '{}'?", near)});
      name.clear();
    }
    columns.push_back(name);
  }
  if (!left_out.empty()) notes.push_back("columns that are not known were left out: " + join_names(left_out));
  return columns;
}

/// Whether the header and the values for the whole file have all that is required. Adds mistakes for what is missing.
bool has_required_columns(const std::vector<std::string>& columns, const ImportContext& stated,
                          const std::string& where, std::vector<Mistake>& mistakes) {
  const auto before = mistakes.size();
  const auto has = [&](const char* name) {
    return stated.given.count(name) != 0 || std::find(columns.begin(), columns.end(), name) != columns.end();
  };
  for (const char* name : {"model", "batch_per_gpu", "gpus"})
    if (!has(name)) mistakes.push_back({where, name, "found no such column, expected it in the header"});
  if (!has("rate") && !has("rate_per_gpu") && !has("iteration_ms") && !has("iteration_s")) {
    mistakes.push_back(
        {where, "rate",
         "found neither a column rate (images a second over all GPUs) nor iteration_ms, expected one; --map "
         "rate=NAME says what the file calls it"});
  }
  return mistakes.size() == before;
}

void check_given(const ImportContext& stated, std::vector<Mistake>& mistakes) {
  for (const auto& [name, value] : stated.given) {
    if (!is_rate_column(name)) {
      const auto near = nearest_name(name, rate_columns());
      mistakes.push_back({"", name,
                          fmt::format("found an unknown name on the command line, {}",
                                      near.empty() ? "expected a column: " + join_names(rate_columns())
                                                   : "did you mean '" + near + "'?")});
    }
  }
}

RateCells cells_of(const CsvRow& row, const std::vector<std::string>& columns, const ImportContext& stated) {
  RateCells cells;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!columns[i].empty() && !row.cells[i].empty()) cells[columns[i]] = row.cells[i];
  for (const auto& [name, value] : stated.given)
    if (!value.empty()) cells.emplace(name, value);
  return cells;
}

bool is_lone_gpu(const StepRecord& record) {
  return record.gpus == 1 && record.strategy.name == StrategyName::none;
}

/// Whether a record may be in the series of `reference`. A single GPU without a strategy may be in the series whose
/// baseline it is.
bool may_share_series(StepRecord record, const StepRecord& reference) {
  if (is_lone_gpu(record) || is_lone_gpu(reference)) record.strategy = reference.strategy;
  return series_name(record) == series_name(reference);
}

/// Checks that the rows of a series differ only in scale, and that no two rows are the same point.
void check_series(const std::vector<Record>& records, std::vector<Mistake>& mistakes) {
  std::map<std::string, const StepRecord*> reference_of_series;
  struct Point {
    std::string series;
    int gpus = 0;
    int nodes = 0;
    auto operator<=>(const Point&) const = default;
  };
  std::map<Point, int> line_of_point;
  for (const auto& one : records) {
    const auto& record = std::get<StepRecord>(one);
    const auto& head = record.head;
    const auto [point, fresh] = line_of_point.emplace(Point{head.series, record.gpus, record.nodes}, head.line);
    if (!fresh) {
      mistakes.push_back(
          {at_line(head.file, head.line), "series",
           fmt::format("found {} GPUs of '{}' again, first in line {}; give the rows different names in a column "
                       "series, or one row their mean and repeats",
                       record.gpus, head.series, point->second)});
    }
    auto& reference = reference_of_series.emplace(head.series, &record).first->second;
    if (!may_share_series(record, *reference)) {
      mistakes.push_back(
          {at_line(head.file, head.line), "series",
           fmt::format("found '{}' for {}, and in line {} for {}; expected rows of one series to differ in GPUs "
                       "and nodes only",
                       head.series, series_name(record), reference->head.line, series_name(*reference))});
    }
    if (is_lone_gpu(*reference)) reference = &record;
  }
}

/// Adds one note for each assumption.
void note_assumptions(const CsvTable& table, const std::vector<std::string>& columns, const ImportContext& stated,
                      const std::vector<Record>& records, std::vector<std::string>& notes) {
  const auto open = [&](const char* name) {
    return stated.given.count(name) == 0 && std::find(columns.begin(), columns.end(), name) == columns.end();
  };
  if (table.rows.empty()) return;
  if (open("precision")) notes.emplace_back("no column precision: fp32 was taken");
  if (open("strategy")) notes.emplace_back("no column strategy: all-reduce was taken, its algorithm not known");
  if (open("preset")) notes.push_back("no column preset: " + stand_in_text(unnamed_framework));
  if (open("nodes") && open("gpus_per_node")) {
    notes.push_back(fmt::format("no column nodes or gpus_per_node: the cluster's {} GPUs a node were taken",
                                stated.cluster_gpus_per_node));
  }
  std::set<std::string> unknown;
  for (const auto& one : records) unknown.insert(std::get<StepRecord>(one).model);
  for (const auto& model : stated.known_models) unknown.erase(model);
  if (stated.known_models.empty()) return;
  for (const auto& model : unknown) {
    const auto near = nearest_name(model, stated.known_models);
    notes.push_back(fmt::format("model '{}' has no layer table, so that it is scored by arithmetic only{}", model,
                                near.empty() ? "" : fmt::format("; the nearest name is '{}'", near)));
  }
}

/// Whether the rows or the cluster state the GPUs per node. If not, adds one mistake for all rows.
bool has_nodes(const std::vector<std::string>& columns, const ImportContext& stated, const std::string& where,
               std::vector<Mistake>& mistakes) {
  for (const char* name : {"nodes", "gpus_per_node"})
    if (stated.given.count(name) != 0 || std::find(columns.begin(), columns.end(), name) != columns.end()) return true;
  if (stated.cluster_gpus_per_node > 0 || stated.cluster.empty()) return stated.cluster_gpus_per_node > 0;
  const bool known = stated.find_cluster && stated.find_cluster(stated.cluster);
  const auto near = nearest_name(stated.cluster, stated.known_clusters);
  mistakes.push_back(
      {where, "gpus_per_node",
       fmt::format("found no column nodes or gpus_per_node, and {}{}; add a column, or a line "
                   "'# gpus_per_node: 4' at the top, or name a cluster that has GPUs",
                   known ? fmt::format("the cluster '{}' has no GPUs", stated.cluster)
                         : fmt::format("no cluster '{}' is known (`ddlsim list clusters`)", stated.cluster),
                   known || near.empty() ? "" : fmt::format(", did you mean '{}'?", near))});
  return false;
}

Context read_context(const Preamble& preamble, const std::filesystem::path& file, std::vector<Mistake>& mistakes) {
  auto context = context_record(preamble.stated, file, mistakes);
  context.source_repository = preamble.source.source_repository;
  context.source_path = preamble.source.source_path;
  context.source_commit = preamble.source.source_commit;
  return context;
}

} // namespace

Resemblance resembles_csv(std::string_view text) {
  return has_any(text, {"batch_per_gpu,", ",batch_per_gpu"}) ? Resemblance::columns : Resemblance::none;
}

/// Reads a table of training rates that a person typed, whose columns docs/calibration.md lists. Each row becomes a
/// step record.
Imported import_csv(LogSource source, const ImportContext& stated) {
  const auto file = source.name();
  std::vector<Mistake> mistakes;
  Imported imported;
  const auto table = parse_csv(source.text(), file, mistakes);
  if (table.header.cells.empty()) throw_mistakes(mistakes);
  auto preamble = read_comments(table, stated, file, mistakes, imported.notes);
  fill_from_cluster(preamble.stated);
  check_given(stated, mistakes);
  const auto columns = read_header(table, file, stated, mistakes, imported.notes);
  const auto header = at_line(file, table.header.line);
  const bool whole = has_required_columns(columns, preamble.stated, header, mistakes);
  auto& out = imported.measurements;
  out.file = file;
  out.context = read_context(preamble, file, mistakes);
  if (!whole) throw_mistakes(mistakes);
  constexpr int any = 1; // a mistake is noted already; the rows are read on for their other mistakes
  const int per_node =
      has_nodes(columns, preamble.stated, header, mistakes) ? preamble.stated.cluster_gpus_per_node : any;
  for (const auto& row : table.rows) {
    RowMistakes row_mistakes(at_line(file, row.line), mistakes);
    auto record = step_record(cells_of(row, columns, preamble.stated), per_node, row_mistakes);
    record.head.file = file.string();
    record.head.line = row.line;
    record.head.gpu = out.context.gpu;
    if (record.head.origin != "run") record.head.from = fmt::format("line {}", row.line);
    out.records.emplace_back(record);
  }
  if (table.rows.empty() && mistakes.empty())
    mistakes.push_back({file.string(), "", "found a header and no rows, expected one row a measurement"});
  if (mistakes.empty()) check_series(out.records, mistakes);
  throw_mistakes(mistakes);
  note_assumptions(table, columns, preamble.stated, out.records, imported.notes);
  return imported;
}

} // namespace ddlsim
