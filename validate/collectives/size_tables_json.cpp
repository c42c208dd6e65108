#include "sim/base/json.hpp"
#include "sim/formats/answer_fields.hpp"
#include "validate/collectives/size_errors.hpp"

#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

/// The errors of a carrier's tables, over all sizes.
struct CarrierErrors {
  bool is_nccl = false;
  MeanErrors errors;
  ErrorRanges ranges;
};

/// The same over one class of sizes.
struct SizeClassErrors {
  bool is_nccl = false;
  SizeClass size{};
  MeanErrors errors;
};

struct CollectivesDocument {
  std::vector<CarrierErrors> all_sizes;
  std::vector<SizeClassErrors> by_size;
  std::vector<PredictedCollective> points;
};

CarrierErrors carrier_errors(const std::vector<PredictedCollective>& points, bool nccl) {
  const Wanted wanted = [&](const auto& point) { return is_over_nccl(point) == nccl; };
  const auto errors = mean_errors(points, wanted);
  return {nccl, errors, errors.tables > 0 ? error_ranges(points, wanted) : ErrorRanges{}};
}

CollectivesDocument collectives_document(const std::vector<PredictedCollective>& points) {
  CollectivesDocument all{{}, {}, points};
  for (const bool nccl : {true, false}) {
    all.all_sizes.push_back(carrier_errors(points, nccl));
    for (const auto& size : size_classes)
      all.by_size.push_back({nccl, size, mean_errors(points, [&](const auto& point) {
                               return is_over_nccl(point) == nccl && is_of(point, size);
                             })});
  }
  return all;
}

template <class Owner> Field<Owner> carrier_row() {
  return computed<Owner>(
      "carrier", [](const Owner& one) { return std::string(one.is_nccl ? "nccl" : "host"); },
      word_type({"nccl", "host"}), "what carries the bytes: NCCL, or a library over host memory");
}

/// Rows of a method's mean error and of the range that holds 90 % of the means over resampled tables.
void add_method_rows(const std::string& name, double MeanErrors::*error, Range ErrorRanges::*range,
                     const std::string& meaning, FieldTable<CarrierErrors>& table) {
  const auto has_tables = [](const CarrierErrors& one) { return one.errors.tables > 0; };
  const auto add = [&](const std::string& key, auto value_of, const std::string& what) {
    table.fields.push_back(computed_where<CarrierErrors>(has_tables, key, value_of, not_negative_type(), what));
  };
  add(
      name, [=](const CarrierErrors& one) { return one.errors.*error; }, meaning);
  add(
      name + "_low", [=](const CarrierErrors& one) { return (one.ranges.*range).low; }, "of resampled tables");
  add(
      name + "_high", [=](const CarrierErrors& one) { return (one.ranges.*range).high; }, "of resampled tables");
}

constexpr const char* of_cluster_file = "mean error of what is said from the cluster file alone";
constexpr const char* of_two_sizes = "mean error once two sizes are measured";
constexpr const char* of_line = "mean error of the straight line through the same two";

FieldTable<CarrierErrors> carrier_error_fields() {
  FieldTable<CarrierErrors> table{
      {carrier_row<CarrierErrors>(), required("tables", within(&CarrierErrors::errors, &MeanErrors::tables),
                                              number_of_things(), "over which the means are")}};
  add_method_rows("cluster_file", &MeanErrors::cluster_file, &ErrorRanges::cluster_file, of_cluster_file, table);
  add_method_rows("two_sizes", &MeanErrors::two_sizes, &ErrorRanges::two_sizes, of_two_sizes, table);
  add_method_rows("line", &MeanErrors::line, &ErrorRanges::line, of_line, table);
  return table;
}

/// Infinity is null.
ValueType<double> number_or_null() {
  auto type = not_negative_type();
  type.shape = ValueShape{ValueKind::either, {}};
  type.shape.parts = {not_negative_type().shape, {ValueKind::nothing}};
  type.write = [](const double& value) {
    return value == no_largest_size ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
  };
  return type;
}

FieldTable<SizeClassErrors> size_class_fields() {
  using One = SizeClassErrors;
  const auto of = [](auto member) { return within(&One::errors, member); };
  return {{carrier_row<One>(),
           required("from_bytes", within(&One::size, &SizeClass::from_bytes), not_negative_type(), "smallest size"),
           required("below_bytes", within(&One::size, &SizeClass::below_bytes), number_or_null(),
                    "smallest size of the next class; null for the last"),
           required("tables", of(&MeanErrors::tables), number_of_things(), "that have such sizes"),
           required("sizes", of(&MeanErrors::sizes), number_of_things(), "of all these tables"),
           required("cluster_file", of(&MeanErrors::cluster_file), not_negative_type(), of_cluster_file),
           required("two_sizes", of(&MeanErrors::two_sizes), not_negative_type(), of_two_sizes),
           required("line", of(&MeanErrors::line), not_negative_type(), of_line),
           required("held", of(&MeanErrors::held), not_negative_type(),
                    "share of the sizes in the interval from the cluster file alone"),
           required("held_by_two_sizes", of(&MeanErrors::held_by_two_sizes), not_negative_type(),
                    "share of the sizes in the interval once two are measured"),
           required("half_width", of(&MeanErrors::half_width), not_negative_type(),
                    "mean over sizes: half of ln of the high end over the low end, from the cluster file alone")}};
}

FieldTable<PredictedCollective> predicted_collective_fields() {
  using One = PredictedCollective;
  return {{required("cluster", &One::cluster, text_type(), "where it was measured"),
           required("table", &One::table, text_type(), "file, operation, ranks and nodes"),
           required("transport", &One::transport, any_text_type(), "of the records"),
           required("ranks", &One::ranks, number_of_things(), "that took part"),
           required("nodes", &One::nodes, number_of_things(), "that took part"),
           required("size_bytes", &One::size_bytes, not_negative_type(), "of one rank's vector"),
           required("measured_s", &One::measured_s, not_negative_type(), "by the record"),
           required("from_cluster_file_s", &One::from_cluster_file_s, not_negative_type(), "before any measurement"),
           required("from_two_sizes_s", &One::from_two_sizes_s, not_negative_type(), "once two sizes are measured"),
           required("held", &One::held, boolean_type(), "in the interval from the cluster file alone"),
           required("held_by_two_sizes", &One::held_by_two_sizes, boolean_type(),
                    "in the interval once two sizes are measured"),
           required("line_s", &One::line_s, any_number_type(), "the straight line through the same two"),
           required("s_low", &One::s_low, not_negative_type(), "low end of the interval from the cluster file alone"),
           required("s_high", &One::s_high, not_negative_type(), "its high end")}};
}

const FieldTable<CollectivesDocument>& collectives_fields() {
  using All = CollectivesDocument;
  static const auto table =
      document<All>("ddlsim-collectives", 1,
                    {required("all_sizes", &All::all_sizes, list_type(object_type(carrier_error_fields())),
                              "of each carrier; an error is the absolute value of predicted / measured - 1"),
                     required("by_size", &All::by_size, list_type(object_type(size_class_fields())),
                              "of each carrier and class of sizes"),
                     required("points", &All::points, list_type(object_type(predicted_collective_fields())),
                              "one for each measured size")});
  return table;
}

} // namespace

FileFormat collectives_format() {
  return {"collectives", "Scores of all-reduces by size", "What `ddlsim validate --collectives --json` prints",
          collectives_fields().shape(), true};
}

std::string collectives_json(const std::vector<PredictedCollective>& points) {
  return json_text(write_fields(collectives_fields(), collectives_document(points)), 1) + "\n";
}

} // namespace ddlsim
