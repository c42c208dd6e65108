#include "sim/formats/prior_fields.hpp"

namespace ddlsim {

std::vector<Field<Prior>> distribution_rows(ValueType<double> median) {
  return {required("median", &Prior::median, std::move(median), "in SI units"),
          required("width", &Prior::width, rounded_positive_type(),
                   "standard deviation of ln x, or of x when the scale is linear"),
          optional("highest", &Prior::highest, optional_type(rounded_type(-unbounded, unbounded)),
                   "no less than the median; what lies above it counts there: a share of a stated rate is at most 1"),
          optional("scale", &Prior::scale, name_of_type<PriorScale>(), "log if not given")};
}

void check_distribution(const JsonNode& object, const Prior& prior) {
  if (prior.highest) object.number("highest", prior.median, unbounded);
}

} // namespace ddlsim
