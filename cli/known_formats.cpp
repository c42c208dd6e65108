#include "cli/known_formats.hpp"

#include "diagnose/report.hpp"
#include "plan/report.hpp"
#include "sim/predict/collectives.hpp"
#include "sim/predict/report.hpp"
#include "validate/collectives/size_tables.hpp"
#include "validate/ratios/ratios.hpp"
#include "validate/report.hpp"

namespace ddlsim {

std::vector<FileFormat> known_formats() {
  auto formats = file_formats();
  for (const auto& answer : {prediction_format(), predictions_format(), collective_prediction_format(), plan_format(),
                             diagnosis_format(), validation_format(), collectives_format(), ratios_format()})
    formats.push_back(answer);
  return formats;
}

std::vector<std::string> names_of_formats() {
  std::vector<std::string> names;
  for (const auto& format : known_formats()) names.push_back(format.name);
  return names;
}

} // namespace ddlsim
