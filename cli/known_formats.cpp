#include "cli/known_formats.hpp"

#include "sim/predict/collectives.hpp"
#include "validate/collectives/size_tables.hpp"
#include "validate/ratios/ratios.hpp"

namespace ddlsim {

std::vector<FileFormat> known_formats() {
  auto formats = file_formats();
  for (const auto& answer : {collective_prediction_format(), collectives_format(), ratios_format()})
    formats.push_back(answer);
  return formats;
}

std::vector<std::string> names_of_formats() {
  std::vector<std::string> names;
  for (const auto& format : known_formats()) names.push_back(format.name);
  return names;
}

} // namespace ddlsim
