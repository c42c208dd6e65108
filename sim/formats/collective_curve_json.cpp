#include "sim/base/json.hpp"
#include "sim/formats/answer_types.hpp"
#include "sim/formats/calibration_fields.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ddlsim {
namespace {

/// A number of which a file has six digits: no transfer time repeats to a thousandth.
ValueType<double> six_digit_type(ValueType<double> type) {
  return written_as<double>(std::move(type), [](const double& value) {
    constexpr int digits = 6;
    return rounded_to(value, digits);
  });
}

/// A logarithm, of which a file has a thousandth.
ValueType<double> logarithm_type() {
  return written_as<double>(any_number_type(), [](const double& value) {
    constexpr double units = 1e3;
    return std::round(value * units) / units + 0.0; // zero has no sign
  });
}

FieldTable<AlphaBetaConstant> constant_fields() {
  using Constant = AlphaBetaConstant;
  return {{required("value", &Constant::value, six_digit_type(positive_type()), "median"),
           required("error", &Constant::error, six_digit_type(not_negative_type()), "standard deviation of ln x"),
           required("identified", &Constant::identified, boolean_type(), "by measurements, not only by the prior")}};
}

using CurveCorrelation = std::array<double, 3>;

Field<CurveCorrelation> curve_correlation_row(const char* name, std::size_t at) {
  return required_row<CurveCorrelation, double>(
      name, [at](auto& all) -> auto& { return all[at]; }, six_digit_type(number_type(-1, 1)), "of their errors");
}

FieldTable<CollectivePoint> curve_point_fields() {
  return {{required("size_bytes", &CollectivePoint::size_bytes, positive_type(), "that was measured, ascending"),
           required("residual", &CollectivePoint::residual, logarithm_type(), "ln(measured / fit)")}};
}

FieldTable<CurveJump> jump_fields() {
  return {{required("from_bytes", &CurveJump::from_bytes, positive_type(), "the smaller of two measured sizes"),
           required("to_bytes", &CurveJump::to_bytes, positive_type(), "the next measured size"),
           required("factor", &CurveJump::factor, six_digit_type(positive_type()),
                    "by which the time grows more than the fit")}};
}

/// The rows of the key. Nothing but `ranks` and `nodes` is a number.
std::vector<Field<CollectiveCurve>> curve_key_rows() {
  const auto of = [](auto member) { return within(&CollectiveCurve::key, member); };
  return {
      required("cluster", of(&CollectiveKey::cluster), text_type(), "where it was measured").shared(),
      required("series", of(&CollectiveKey::series), any_text_type(), "of the records").may_be_absent(),
      required("transport", of(&CollectiveKey::transport), text_type(), "unknown where no record states it").shared(),
      required("library", of(&CollectiveKey::library), text_type(), "of the records").shared(),
      required("operation", of(&CollectiveKey::operation), text_type(), "all_reduce, ..., or point_to_point").shared(),
      required("algorithm", of(&CollectiveKey::algorithm), text_type(), "unknown where the library chose").shared(),
      required("ranks", of(&CollectiveKey::ranks), whole_type(1, most_ranks), "that took part"),
      required("nodes", of(&CollectiveKey::nodes), whole_type(0, most_ranks), "that took part; 0: not stated")};
}

std::vector<Field<CollectiveCurve>> curve_fit_rows() {
  using Curve = CollectiveCurve;
  const auto constant = object_type(constant_fields());
  const FieldTable<CurveCorrelation> correlation{{curve_correlation_row("latency_rate", 0),
                                                  curve_correlation_row("latency_pipelining", 1),
                                                  curve_correlation_row("rate_pipelining", 2)}};
  return {required("latency_s", &Curve::latency_s, constant, "of a message of no size"),
          required("rate_Bps", &Curve::rate_Bps, constant, "of a very large message"),
          required("pipelining", &Curve::pipelining, constant, "1: latency and transfer overlap as pieces can; 0: not"),
          required("correlation", &Curve::correlation, object_type(correlation), "of the errors of the constants"),
          required("points", &Curve::points, list_type(object_type(curve_point_fields())), "one for each size")};
}

std::vector<Field<CollectiveCurve>> curve_error_rows() {
  using Curve = CollectiveCurve;
  const auto error = six_digit_type(not_negative_type());
  return {required("noise", &Curve::noise, error, "standard deviation of ln of a measured time"),
          required("wander", &Curve::wander, error, "of the residual between two sizes, for each root of ln size"),
          required("fit_spread", &Curve::fit_spread, error, "of the residuals around the fit"),
          required("mean_leave_one_out_error", &Curve::mean_leave_one_out_error, error,
                   "each size predicted from the others"),
          required("worst_leave_one_out_error", &Curve::worst_leave_one_out_error, error,
                   "each size predicted from the others"),
          required("leave_one_out_points", &Curve::leave_one_out_points, whole_type(0, most_ranks),
                   "behind the two errors"),
          required("jumps", &Curve::jumps, list_type(object_type(jump_fields())), "of protocol or algorithm"),
          required("sources", &Curve::sources, list_type(text_type()), "FILE.jsonl:LINES").may_be_absent()};
}

void check_ascending(const JsonNode& object, CollectiveCurve& curve) {
  const auto places = object.list("points");
  for (std::size_t i = 1; i < places.size(); ++i)
    if (curve.points[i].size_bytes <= curve.points[i - 1].size_bytes)
      places[i].mistake_at("size_bytes", fmt::format("{} found after {}; give sizes in ascending order, each once",
                                                     curve.points[i].size_bytes, curve.points[i - 1].size_bytes));
}

} // namespace

const FieldTable<CollectiveCurve>& collective_curve_fields() {
  static const auto table = [] {
    auto rows = curve_key_rows();
    add_to(rows, curve_fit_rows());
    add_to(rows, curve_error_rows());
    return FieldTable<CollectiveCurve>{std::move(rows), check_ascending};
  }();
  return table;
}

} // namespace ddlsim
