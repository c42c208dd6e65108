#include "cli/known_formats.hpp"

#include "diagnose/report.hpp"
#include "plan/report.hpp"
#include "sim/predict/collectives.hpp"
#include "sim/predict/report.hpp"
#include "validate/collectives/size_tables.hpp"
#include "validate/ratios/ratios.hpp"
#include "validate/report.hpp"

#include <array>

namespace ddlsim {

namespace {

/// A format of an answer, which takes a millisecond or two to make.
struct AnswerFormat {
  const char* name; ///< the same as in the format
  FileFormat (*make)();
};

constexpr std::array answer_formats{AnswerFormat{"prediction", prediction_format},
                                    AnswerFormat{"predictions", predictions_format},
                                    AnswerFormat{"collective-prediction", collective_prediction_format},
                                    AnswerFormat{"plan", plan_format},
                                    AnswerFormat{"diagnosis", diagnosis_format},
                                    AnswerFormat{"validation", validation_format},
                                    AnswerFormat{"collectives", collectives_format},
                                    AnswerFormat{"ratios", ratios_format}};

} // namespace

std::vector<std::string> names_of_formats() {
  std::vector<std::string> names;
  for (const auto& format : file_formats()) names.push_back(format.name);
  for (const auto& answer : answer_formats) names.emplace_back(answer.name);
  return names;
}

std::optional<FileFormat> format_with_name(const std::string& name) {
  for (const auto& format : file_formats())
    if (format.name == name) return format;
  for (const auto& answer : answer_formats)
    if (answer.name == name) return answer.make();
  return std::nullopt;
}

} // namespace ddlsim
