#include "sim/formats/answer_types.hpp"

namespace ddlsim {

ValueType<double> rounded_type(double least, double most) {
  return written_as<double>(number_type(least, most), nine_digits);
}

ValueType<double> rounded_positive_type() {
  return written_as<double>(positive_type(), nine_digits);
}

ValueType<std::string> pattern_type(std::string pattern) {
  auto type = text_type();
  type.shape.pattern = std::move(pattern);
  return type;
}

} // namespace ddlsim
