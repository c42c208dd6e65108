#include "sim/base/error.hpp"
#include "validate/answers.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace ddlsim {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Forecast, predicted_s, low_s, high_s, refusal, scenario)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ForecastParts, gpus, measured_s, predicted_s, compute_s, communication_s,
                                   synchronisation_s, straggling_s, input_s, bottleneck, unexplained_s, residual_factor)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParameterExplanation, parameter, unit, fitted, fitted_at, needed, needed_at,
                                   mean_error, remaining_error)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Explanation, points, explanation)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Miss, method, mean_error, why)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PartAnswers, forecasts, misses)

/// CBOR (RFC 8949) holds a number as it is in memory.
std::string answers_to_bytes(const std::vector<PartAnswers>& answers) {
  const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(answers);
  return {bytes.begin(), bytes.end()};
}

std::vector<PartAnswers> answers_from_bytes(const std::string& bytes) {
  try {
    return nlohmann::json::from_cbor(bytes).get<std::vector<PartAnswers>>();
  } catch (const nlohmann::json::exception&) {
    throw UserError("", "", "what a process answered for a part cannot be read");
  }
}

} // namespace ddlsim
