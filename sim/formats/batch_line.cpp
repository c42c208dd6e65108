#include "sim/formats/batch_line.hpp"

#include "sim/formats/answer_types.hpp"
#include "sim/formats/calibration_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double largest_error = 10; ///< of a logarithm: a factor of 22,000; larger errors say nothing more
constexpr int digits_of_error = 3;   ///< the error of an error is some 10 %

/// A time of one iteration.
ValueType<double> line_second_type() {
  return written_as<double>(positive_type(), [](const double& value) {
    constexpr int digits = 5;
    return rounded_to(value, digits);
  });
}

ValueType<double> line_error_type() {
  return written_as<double>(number_type(0, largest_error), [](const double& value) {
    return rounded_to(std::min(value, largest_error), digits_of_error);
  });
}

FieldTable<RecordLines> record_lines_fields() {
  return {{required("file", &RecordLines::file, text_type(), "of records").shared(),
           required("lines", &RecordLines::lines, text_type(), "numbers of lines: 9,12-16")}};
}

std::vector<Field<BatchLine>> rows_of_line() {
  constexpr double most_batch = 1e9;
  return {
      optional("gpu", &BatchLine::gpu, any_text_type(), "a name in gpus.json; absent where records name none").shared(),
      required("model", &BatchLine::model, name_type(), "a variant").shared(),
      required("precision", &BatchLine::precision, name_of_type<Precision>(), "of arithmetic").shared(),
      required("preset", &BatchLine::preset, text_type(), "the stack").shared(),
      required("fixed_s", &BatchLine::fixed_s, line_second_type(), "of an iteration of any batch"),
      required("per_sample_s", &BatchLine::per_sample_s, line_second_type(), "of each sample"),
      required("smallest_batch", &BatchLine::smallest_batch, positive_type(most_batch), "that was measured"),
      required("largest_batch", &BatchLine::largest_batch, positive_type(most_batch), "that was measured")};
}

std::vector<Field<BatchLine>> rows_of_line_errors() {
  constexpr long most_records = 1'000'000;
  const auto correlation =
      written_as<double>(number_type(-1, 1), [](const double& value) { return rounded_to(value, digits_of_error); });
  return {required("relative_error", &BatchLine::relative_error, line_error_type(),
                   "standard deviation of ln of one measured time around the line"),
          required("fixed_error", &BatchLine::fixed_error, line_error_type(), "standard deviation of ln fixed_s"),
          required("per_sample_error", &BatchLine::per_sample_error, line_error_type(),
                   "standard deviation of ln per_sample_s"),
          required("correlation", &BatchLine::correlation, correlation, "of the last two errors"),
          required("records", &BatchLine::records, whole_type(0, most_records), "behind the line").may_be_absent(),
          optional("sources", &BatchLine::sources, list_type(object_type(record_lines_fields())),
                   "where these records stand"),
          optional("leave_one_out", &BatchLine::leave_one_out, line_error_type(),
                   "root mean square of ln(predicted / measured), each batch from the others; absent where fewer than "
                   "three were measured"),
          optional("least_s", &BatchLine::least_s, line_second_type(), "the host's pace; absent where not known")};
}

void check_batches(const JsonNode& object, BatchLine& line) {
  if (line.smallest_batch > line.largest_batch)
    object.mistake_at("largest_batch", fmt::format("{:g} found, below smallest_batch {:g}; expected no less",
                                                   line.largest_batch, line.smallest_batch));
}

} // namespace

double line_time_s(const BatchLine& line, double batch) {
  return std::max(line.least_s, line.fixed_s + line.per_sample_s * batch);
}

double line_width(const BatchLine& line, double batch) {
  const double share = line.fixed_s / (line.fixed_s + line.per_sample_s * batch);
  const double fixed = share * line.fixed_error;
  const double growing = (1 - share) * line.per_sample_error;
  const double variance = fixed * fixed + growing * growing + 2 * line.correlation * fixed * growing +
                          line.relative_error * line.relative_error;
  return std::sqrt(std::max(0.0, variance));
}

const FieldTable<BatchLine>& batch_line_fields() {
  static const auto table = [] {
    auto rows = rows_of_line();
    add_to(rows, rows_of_line_errors());
    return FieldTable<BatchLine>{std::move(rows), check_batches};
  }();
  return table;
}

} // namespace ddlsim
