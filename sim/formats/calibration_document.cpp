#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/statistics.hpp"
#include "sim/formats/calibration_fields.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/folded_table.hpp"
#include "sim/formats/prior_fields.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ddlsim {
namespace {

using Correlation = std::vector<std::vector<double>>;

constexpr long most_counted = 1'000'000;
constexpr const char* correlation_key = "correlation_ten_thousandths";

FieldTable<CalibrationQuality> quality_fields() {
  using Quality = CalibrationQuality;
  const auto count = whole_type(0, most_counted);
  const auto error = four_decimal_type(not_negative_type());
  return {{required("points", &Quality::points, count, "that were fitted"),
           required("fit_error", &Quality::fit_error, error,
                    "mean absolute value of ln(model / measured) over the fitted points"),
           required("leave_one_out_points", &Quality::leave_one_out_points, count, "behind the next figure"),
           required("leave_one_out_error", &Quality::leave_one_out_error, error,
                    "the same mean, each series predicted by a fit without it"),
           optional("unmeasured_models", &Quality::unmeasured_models, count,
                    "behind the next figure; absent where fewer than two were measured"),
           optional("unmeasured_model_error", &Quality::unmeasured_model_error, error,
                    "root mean square of ln(model / measured) over models, each predicted by a fit without its series")
               .written_where([](const Quality& one) { return one.unmeasured_models > 0; },
                              [error](const Quality& one) { return error.write(one.unmeasured_model_error); })}};
}

FieldTable<Excluded> excluded_fields() {
  return {{required("what", &Excluded::what, text_type(), "the series or point"),
           required("why", &Excluded::why, text_type(), "it was not used, or should be looked at again")}};
}

/// The correlations of a parameter with the `count` parameters before it. Missing numbers at the row's end are zeros.
std::vector<double> correlation_row(const JsonNode& place, std::size_t count, const ValueType<int>& whole) {
  std::vector<double> row;
  for (const auto& element : place.elements()) row.push_back(whole.read(element) / ten_thousand);
  if (row.size() > count) place.mistake(fmt::format("{} numbers found, at most {} expected", row.size(), count));
  row.resize(count, 0);
  return row;
}

/// Omits the zeros at the row's end.
nlohmann::ordered_json correlation_row_json(const std::vector<double>& row) {
  auto json = nlohmann::ordered_json::array();
  for (const double value : row) json.push_back(ten_thousandths(value));
  while (!json.empty() && json.back() == 0) json.erase(json.size() - 1);
  return json;
}

/// A lower triangle by rows, without the diagonal.
ValueType<Correlation> correlation_type() {
  const auto whole = whole_type(-static_cast<long>(ten_thousand), static_cast<long>(ten_thousand));
  const auto shape = list_type(list_type(whole)).shape;
  return {shape,
          [whole](const JsonNode& place) {
            Correlation rows;
            for (const auto& row : place.elements()) rows.push_back(correlation_row(row, rows.size(), whole));
            return rows;
          },
          [](const Correlation& rows) {
            auto json = nlohmann::ordered_json::array();
            for (const auto& row : rows) json.push_back(correlation_row_json(row));
            return json;
          }};
}

/// Notes another number of rows than parameters, and correlations that contradict each other.
void check_correlation(const JsonNode& root, const Calibration& calibration, std::size_t mistakes_before) {
  if (!root.has(correlation_key) || !root.at(correlation_key).value().is_array()) return;
  const auto& rows = calibration.correlation;
  const auto parameters = calibration.parameters.size();
  if (rows.size() != parameters)
    root.mistake_at(correlation_key,
                    fmt::format("{} rows found, {} expected: one a parameter", rows.size(), parameters));
  const double rounding = static_cast<double>(parameters) / ten_thousand; // of the entries of a row together
  if (root.mistakes_so_far() == mistakes_before && !are_correlations(rows, rounding))
    root.mistake_at(correlation_key,
                    "no parameters can go together like that: the matrix is not positive definite; run "
                    "`ddlsim calibrate` for this cluster");
}

/// The values that rows of tables share. fold_tables() fills the list, and unfold_tables() removes it.
Field<Calibration> shared_row() {
  ValueShape value{ValueKind::either};
  value.parts = {text_type().shape, FieldTable<Prior>{distribution_rows(rounded_type(-unbounded, unbounded))}.shape()};
  ValueShape list{ValueKind::list};
  list.parts = {value};
  return {
      {shared_key, Presence::optional, list,
       "values of columns whose names end in @, which have their positions, from 0"},
      [](const JsonNode&, Calibration&) {},
      [](const Calibration&, nlohmann::ordered_json& object) { object[shared_key] = nlohmann::ordered_json::array(); }};
}

/// A row of a table, which is omitted when the table is empty.
template <class Each>
Field<Calibration> table_row(const char* name, std::vector<Each> Calibration::*member, ValueType<Each> type,
                             const char* meaning) {
  auto field = required(name, member, table_type(std::move(type)), meaning);
  field.shape.presence = Presence::optional;
  field.write = [member, write = field.write](const Calibration& calibration, nlohmann::ordered_json& object) {
    if (!(calibration.*member).empty()) write(calibration, object);
  };
  return field;
}

std::vector<Field<Calibration>> provenance_rows_of_fit() {
  using One = Calibration;
  return {required("cluster", &One::cluster, text_type(), "whose records were fitted"),
          required("made_by", &One::version, text_type(), "version of ddlsim"),
          required("inputs", &One::inputs, any_text_type(),
                   "checksum (FNV-1a) of all files that the fit read and of the sources of model and fit: the "
                   "calibration holds while they are the same")
              .may_be_absent(),
          required("files", &One::files, list_type(text_type()),
                   "the records of the cluster and of those that it borrows from, CLUSTER/FILE with a checksum")
              .may_be_absent(),
          shared_row()};
}

std::vector<Field<Calibration>> posterior_rows() {
  using One = Calibration;
  return {required(correlation_key, &One::correlation, correlation_type(),
                   "of the parameters' z-scores, 10000 for 1: the lower triangle by rows, without the diagonal; zeros "
                   "at a row's end may be left out")
              .expects("a list"),
          optional("contradicted_draws", &One::contradicted_draws,
                   distinct(list_type(whole_type(0, posterior_draw_count - 1))),
                   "of the 128 draws behind an interval, by number: those that the cluster's own measurements "
                   "contradict")};
}

std::vector<Field<Calibration>> table_rows_of_fit() {
  using One = Calibration;
  return {
      table_row("parameters", &One::parameters, calibrated_parameter_type(), "after the fit"),
      table_row("choices", &One::choices, calibrated_choice_type(),
                "what a library does, of what its preset allows: the likeliest. A row has `sharding` or `all_reduce`"),
      table_row("series", &One::series, calibrated_series_type(),
                "how far each measured point still is from the model, for the residual process that predicts other "
                "scales"),
      table_row("collectives", &One::collectives, object_type(collective_curve_fields()),
                "measured time over size, which corrects `predict --collective`: latency + size / rate + 2 pipelining "
                "sqrt(latency size / rate), then by the points"),
      table_row("compute", &One::compute, object_type(batch_line_fields()),
                "one GPU's iteration: fixed_s + per_sample_s x batch, but no less than least_s"),
      table_row("excluded", &One::excluded, object_type(excluded_fields()),
                "evidence that was not used, or should be looked at again")};
}

/// Writes a list with one element in each line, so that two calibrations can be compared line by line.
std::string lines_of_list(const nlohmann::ordered_json& elements) {
  std::string text = "[";
  for (const auto& element : elements) text += (text.size() > 1 ? ",\n" : "\n") + json_text(element);
  return text + "]";
}

std::string value_text(const std::string& key, const nlohmann::ordered_json& value) {
  if (key == correlation_key) return lines_of_list(value);
  if (!value.is_object() || !value.contains("rows")) return json_text(value);
  return fmt::format(R"({{"columns": {}, "rows": {}}})", json_text(value["columns"]), lines_of_list(value["rows"]));
}

} // namespace

const FieldTable<Calibration>& calibration_fields() {
  static const auto table = [] {
    auto rows = provenance_rows_of_fit();
    add_to(rows, posterior_rows());
    add_to(rows, table_rows_of_fit());
    rows.push_back(required("quality", &Calibration::quality, object_type(quality_fields()),
                            "how far the fitted model is off what was measured")
                       .may_be_absent());
    return document<Calibration>("ddlsim-calibration", calibration_version, std::move(rows));
  }();
  return table;
}

namespace {

const ValueShape& calibration_shape() {
  static const auto shape = calibration_fields().shape();
  return shape;
}

} // namespace

FileFormat calibration_format() {
  return {
      "calibration", "What measurements say of a cluster",
      "A fit of a cluster, as it is kept, and as `ddlsim calibrate` writes it to platforms/CLUSTER/calibration.json, "
      "in SI units. A table has the names of its columns once, then rows; null, or a row that ends before the "
      "column, says nothing",
      calibration_fields().shape()};
}

Calibration calibration_from(const JsonNode& root) {
  const auto before = root.mistakes_so_far();
  const auto unfolded = unfold_tables(root, calibration_shape());
  if (root.mistakes_so_far() == before) {
    const auto document = root.with(unfolded);
    auto calibration = read_object(document, calibration_fields());
    check_correlation(document, calibration, before);
    std::sort(calibration.contradicted_draws.begin(), calibration.contradicted_draws.end());
    return calibration;
  }
  Calibration broken; // never used: the document's tables are broken
  broken.cluster = root.text_or("cluster", "");
  return broken;
}

void read_calibration_document(const std::filesystem::path& file, const std::function<void(const JsonNode&)>& read) {
  const auto refuse_older = [&](const nlohmann::json& document) {
    if (!document.is_object() || document.value("format", nlohmann::json{}) != "ddlsim-calibration") return;
    const auto version = document.value("version", nlohmann::json{});
    const auto cluster = document.value("cluster", nlohmann::json{});
    if (!version.is_number_integer() || version >= calibration_version || !cluster.is_string()) return;
    throw UserError(
        file.string(), "/version",
        fmt::format("written by an older ddlsim; run `ddlsim calibrate --cluster {}`", cluster.get<std::string>()));
  };
  read_document(file, "ddlsim-calibration", calibration_version, read, refuse_older);
}

Calibration read_calibration(const std::filesystem::path& file) {
  Calibration calibration;
  read_calibration_document(file, [&](const JsonNode& root) { calibration = calibration_from(root); });
  return calibration;
}

std::string calibration_json(const Calibration& calibration) {
  const auto document = fold_tables(write_fields(calibration_fields(), calibration), calibration_shape());
  std::string text;
  for (const auto& [key, value] : document.items())
    text += fmt::format("{}\"{}\": {}",
                        text.empty()       ? "{"
                        : key == "version" ? ", "
                                           : ",\n ",
                        key, value_text(key, value));
  return text + "\n}\n";
}

Calibration as_written(const Calibration& calibration) {
  const auto document = parse_json(calibration_json(calibration), calibration.cluster);
  Mistakes mistakes(calibration.cluster);
  auto written = calibration_from(JsonNode(document, "", mistakes));
  mistakes.throw_if_any();
  return written;
}

} // namespace ddlsim
