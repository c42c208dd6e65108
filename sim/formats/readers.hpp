#pragma once
// Readers of parsed documents. The read_... functions use them, and so does check_file(), which also looks names up.
// Each notes its mistakes at their place; the value that it returns is complete only when there were none.

#include "sim/base/json.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/fabric.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/inputs.hpp"
#include "sim/formats/kernel_rates.hpp"
#include "sim/formats/kernel_table.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/names.hpp"
#include "sim/formats/neighbour.hpp"
#include "sim/formats/plan_request.hpp"
#include "sim/formats/preset.hpp"
#include "sim/formats/prior_book.hpp"
#include "sim/formats/scenario.hpp"
#include "sim/formats/strategy.hpp"

#include <filesystem>
#include <functional>

namespace ddlsim {

/// More ranks, or GPUs, than any machine has: a larger number is a typing error.
inline constexpr long most_ranks = 10'000'000;

Model model_from(const JsonNode& root);
std::vector<Gpu> gpus_from(const JsonNode& root);
Cluster cluster_from(const JsonNode& root);
/// Reads the cluster file's "sources". Notes figures without a source, and sources for figures that are not there.
std::map<std::string, std::string> covering_sources(const JsonNode& root);
/// "2018", "2018-05" or "2018-05-07" with a valid month and day (ISO 8601; days up to 31 in every month).
bool is_date(std::string_view text);
std::vector<Preset> presets_from(const JsonNode& root);
PriorBook prior_book_from(const JsonNode& root);
Calibration calibration_from(const JsonNode& root);
/// read_document() for a calibration. A file of an older version is one mistake; its message has the command that
/// writes the file anew.
void read_calibration_document(const std::filesystem::path& file, const std::function<void(const JsonNode&)>& read);
Convergence convergence_from(const JsonNode& root);
InputCatalogue inputs_from(const JsonNode& root);
GpuKernelTables gpu_kernels_from(const JsonNode& root);
KernelRateBook kernel_rates_from(const JsonNode& root);
Scenario scenario_from(const JsonNode& root);
PlanRequest plan_request_from(const JsonNode& root);

/// A scenario must state what it asks for; a record may have "unknown".
enum class StrategyUse { scenario, record };
Strategy strategy_from(const JsonNode& node, StrategyUse use);
nlohmann::json strategy_to_json(const Strategy& strategy, StrategyUse use);

/// Reads a required name from `allowed`. A missing or other name is a mistake and gives the first value.
template <class Name>
Name one_of(const JsonNode& node, const std::string& key, const std::vector<std::string>& allowed = names_of<Name>()) {
  return value_named<Name>(node.one_of(key, allowed, other_words_of(Name{}))).value_or(Name{});
}
/// Returns the fallback when the key is absent.
template <class Name>
Name one_of_or(const JsonNode& node, const std::string& key, Name fallback,
               const std::vector<std::string>& allowed = names_of<Name>()) {
  return node.has(key) ? one_of<Name>(node, key, allowed) : fallback;
}

/// Returns nothing when the key is absent.
template <class Name> std::optional<Name> name_or_none(const JsonNode& node, const std::string& key) {
  if (!node.has(key)) return std::nullopt;
  return one_of<Name>(node, key);
}

/// Reads a required name that can be a file name: letters, digits and . _ - + only.
std::string simple_name(const JsonNode& node, const std::string& key);
/// Reads such a name from the value at the place itself.
std::string as_simple_name(const JsonNode& place);

/// Notes a mistake when the name does not say which variant is meant ("resnet50").
void refuse_bare_model_name(const JsonNode& node, const std::string& key, const std::string& name);

/// Names that files of several formats share.
const std::vector<std::string>& layer_kinds();

} // namespace ddlsim
