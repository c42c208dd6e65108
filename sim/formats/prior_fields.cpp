#include "sim/formats/prior_fields.hpp"

namespace ddlsim {

ValueType<double> nine_digit_type(ValueType<double> type) {
  return written_as<double>(std::move(type), nine_digits);
}

std::vector<Field<Prior>> distribution_rows(ValueType<double> median) {
  return {required("median", &Prior::median, nine_digit_type(std::move(median)), "in SI units"),
          required("width", &Prior::width, nine_digit_type(positive_type()),
                   "standard deviation of ln x, or of x when the scale is linear"),
          optional("highest", &Prior::highest, optional_type(nine_digit_type(any_number_type())),
                   "no less than the median; what lies above it counts there: a share of a stated rate is at most 1"),
          optional("scale", &Prior::scale, name_of_type<PriorScale>(), "log if not given")};
}

void check_distribution(const JsonNode& object, const Prior& prior) {
  if (prior.highest) object.number("highest", prior.median, unbounded);
}

} // namespace ddlsim
