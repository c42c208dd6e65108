#include "sim/formats/file_formats.hpp"

#include <nlohmann/json.hpp>

namespace ddlsim {

std::vector<FileFormat> file_formats() {
  return {scenario_format(),    plan_request_format(), model_format(),       cluster_format(), gpus_format(),
          kernels_format(),     kernel_rates_format(), presets_format(),     inputs_format(),  convergence_format(),
          measurement_format(), priors_format(),       calibration_format(), glossary_format()};
}

nlohmann::ordered_json json_schema(const FileFormat& format) {
  nlohmann::ordered_json schema{
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", format.title},
      {"description",
       format.where + (format.is_answer ? "." : ". `ddlsim check` also holds what fields say of each other.")}};
  schema.update(json_schema(format.root));
  return schema;
}

} // namespace ddlsim
