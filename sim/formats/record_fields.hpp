#pragma once
// Common parts of the tables of all kinds of records: the rows of the head, and reading and writing a line of a file.
// Private to the readers and the writer of records.

#include "sim/base/error.hpp"
#include "sim/formats/field_table.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/record.hpp"
#include "sim/formats/record_reader.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// A line with a record: the record, and the fields of the line that are converted for it.
template <class Kind> struct RecordLine {
  RecordLine() {
    record.head.transport = record.head.library = record.head.statistic = kUnknown;
    if constexpr (requires { record.algorithm; }) record.algorithm = kUnknown;
  }
  Kind record{};
  std::string source_file; ///< the context's source file; the records' `from` points into it
  double value = 0;        ///< the value in the unit `unit`
  std::string unit;
};

/// Accesses a member of the record or of its head, starting from the line.
template <class Kind, class Part, class Value> struct InRecord {
  Value Part::*member;
  template <class Line> auto& operator()(Line& line) const {
    if constexpr (std::is_same_v<Part, RecordHead>)
      return line.record.head.*member;
    else
      return line.record.*member;
  }
};

template <class Kind, class Part, class Value>
Field<RecordLine<Kind>> required_of(std::string name, Value Part::*member, ValueType<std::type_identity_t<Value>> type,
                                    std::string meaning) {
  return required_row<RecordLine<Kind>, Value>(std::move(name), InRecord<Kind, Part, Value>{member}, std::move(type),
                                               std::move(meaning));
}

template <class Kind, class Part, class Value>
Field<RecordLine<Kind>> optional_of(std::string name, Value Part::*member, ValueType<std::type_identity_t<Value>> type,
                                    std::string meaning) {
  return optional_row<RecordLine<Kind>, Value>(std::move(name), InRecord<Kind, Part, Value>{member}, std::move(type),
                                               std::move(meaning));
}

/// A row of an optional key that is always written.
template <class Kind, class Part, class Value>
Field<RecordLine<Kind>> written_of(std::string name, Value Part::*member, ValueType<std::type_identity_t<Value>> type,
                                   std::string meaning) {
  auto field = required_of<Kind>(std::move(name), member, std::move(type), std::move(meaning));
  field.shape.presence = Presence::optional;
  return field;
}

/// Returns the names of the transports, and "unknown".
std::vector<std::string> transports_or_unknown();

/// The row "record"; the reader of lines has already checked it.
template <class Line> Field<Line> kind_row(const std::string& kind) {
  return {{"record", Presence::required, {ValueKind::constant, {kind}}, "the kind of record"},
          [](const JsonNode&, Line&) {},
          [kind](const Line&, nlohmann::ordered_json& object) { object["record"] = kind; }};
}

/// The rows of every record's head, in the file's order.
template <class Kind> std::vector<Field<RecordLine<Kind>>> head_rows(const std::string& kind) {
  constexpr long most_repeats = 1'000'000'000;
  return {kind_row<RecordLine<Kind>>(kind),
          required_of<Kind>("series", &RecordHead::series, text_type(),
                            "records of one experiment that differ in scale or size only"),
          optional_of<Kind>("from", &RecordHead::from, any_text_type(),
                            "where in the source the figure stands: a JSON pointer into a JSON source"),
          written_of<Kind>("origin", &RecordHead::origin, word_type({"table", "text", "plot", "run"}),
                           "what the figure was read from; table beside \"from\", else run, if not given"),
          optional_of<Kind>("gpu", &RecordHead::gpu, any_text_type(), "in place of the context's"),
          optional_of<Kind>("device", &RecordHead::device, word_type({"cpu", "cuda"}), "what computed"),
          optional_of<Kind>("host", &RecordHead::host, any_text_type(), "the first rank's"),
          optional_of<Kind>("transport", &RecordHead::transport, word_type(transports_or_unknown()),
                            "unknown if not given"),
          optional_of<Kind>("library", &RecordHead::library, text_type(), "unknown if not given"),
          optional_of<Kind>("software", &RecordHead::software, any_text_type(), "framework, version, switches"),
          optional_of<Kind>("statistic", &RecordHead::statistic, word_type({"median", "mean", "best_of", kUnknown}),
                            "over the repetitions; unknown if not given"),
          optional_of<Kind>("repeats", &RecordHead::repeats, whole_type(1, most_repeats), "repetitions"),
          optional_of<Kind>("relative_spread", &RecordHead::relative_spread, number_type(0, most_relative_spread),
                            "standard deviation over value"),
          optional_of<Kind>("suspect", &RecordHead::suspect, boolean_type(),
                            "the source itself, or its importer, doubts the figure"),
          optional_of<Kind>("note", &RecordHead::note, any_text_type(), "for a reader")};
}

/// The rows "value" and "unit", which `derive` converts to a figure of the record.
template <class Kind> std::vector<Field<RecordLine<Kind>>> value_rows(const std::vector<std::string>& units) {
  using Line = RecordLine<Kind>;
  return {required("value", &Line::value, positive_type(), "in the unit"),
          required("unit", &Line::unit, word_type(units), "of the value")};
}

/// The last row: the times of the repetitions.
template <class Kind> Field<RecordLine<Kind>> samples_row() {
  return optional_of<Kind>("samples_s", &RecordHead::samples_s, list_type(positive_type(), 1),
                           "how long each repetition took, in the order measured; as many as repeats");
}

/// Checks rules between the fields of a head.
void check_head(const JsonNode& line, const std::string& source_file, RecordHead& head);

/// Makes a whole table: the head, the kind's own rows, value and unit if there are `units`, and the times of
/// repetitions. `derive` converts value and unit to figures of the record, and notes what does not fit together.
template <class Kind>
FieldTable<RecordLine<Kind>> record_table(const std::string& kind, std::vector<Field<RecordLine<Kind>>> own,
                                          const std::vector<std::string>& units,
                                          std::function<void(const JsonNode&, RecordLine<Kind>&)> derive) {
  auto rows = head_rows<Kind>(kind);
  const auto add = [&](const std::vector<Field<RecordLine<Kind>>>& more) {
    rows.insert(rows.end(), more.begin(), more.end());
  };
  add(own);
  if (!units.empty()) add(value_rows<Kind>(units));
  rows.push_back(samples_row<Kind>());
  return {std::move(rows), [derive](const JsonNode& node, RecordLine<Kind>& line) {
            check_head(node, line.source_file, line.record.head);
            derive(node, line);
          }};
}

/// Reads a line as a record of its file.
template <class Kind>
Kind read_record_line(const JsonNode& node, const FieldTable<RecordLine<Kind>>& table, const LineOrigin& origin) {
  RecordLine<Kind> line;
  line.source_file = origin.context->source_file;
  line.record.head.file = origin.file;
  line.record.head.line = origin.line;
  line.record.head.gpu = origin.context->gpu;
  read_fields(node, table, line);
  return std::move(line.record);
}

const FieldTable<RecordLine<StepRecord>>& step_fields();
const FieldTable<RecordLine<CollectiveRecord>>& collective_fields();
const FieldTable<RecordLine<PointToPointRecord>>& point_to_point_fields();
const FieldTable<RecordLine<ServerRecord>>& server_fields_of_records();
const FieldTable<RecordLine<InputRecord>>& input_record_fields();
const FieldTable<RecordLine<LossRecord>>& loss_fields();
const FieldTable<RecordLine<SpeedUpRecord>>& speed_up_fields();
const FieldTable<RecordLine<LayersRecord>>& layers_fields();
const FieldTable<Context>& context_fields();
ValueShape layer_row_shape();
/// The fields of a line "common".
ValueShape common_shape();

/// Writes the layers of a table as lists, and its timings.
nlohmann::ordered_json layers_json(const LayersRecord& record);
nlohmann::ordered_json timings_json(const LayersRecord& record);

} // namespace ddlsim
