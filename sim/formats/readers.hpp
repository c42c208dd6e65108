#pragma once
// Readers of parsed documents, shared by the read_... functions and by check_file, which looks names up as well.
// Each notes its mistakes at the place and gives a value that is whole only when there were none.

#include "sim/base/json.hpp"
#include "sim/formats/batch_line.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/fabric.hpp"
#include "sim/formats/folded_table.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/inputs.hpp"
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

/// More ranks, or GPUs, than any machine has: a slip of the keyboard.
inline constexpr long most_ranks = 10'000'000;

Model model_from(const JsonNode& root);
std::vector<Gpu> gpus_from(const JsonNode& root);
Cluster cluster_from(const JsonNode& root);
/// The cluster file's "sources": notes figures without one, and sources that point at nothing.
std::map<std::string, std::string> covering_sources(const JsonNode& root);
/// "2018", "2018-05", "2018-05-07", with months and days there are (ISO 8601; days of the month up to 31).
bool is_date(std::string_view text);
std::vector<Preset> presets_from(const JsonNode& root);
PriorBook prior_book_from(const JsonNode& root);
Calibration calibration_from(const JsonNode& root);
/// The tables of calibration.json, in its order.
const std::vector<NamedTable>& calibration_tables();
/// read_document() of a calibration; a file of an older version is one mistake with the command that writes it anew.
void read_calibration_document(const std::filesystem::path& file, const std::function<void(const JsonNode&)>& read);
Convergence convergence_from(const JsonNode& root);
InputCatalogue inputs_from(const JsonNode& root);
Scenario scenario_from(const JsonNode& root);
PlanRequest plan_request_from(const JsonNode& root);
/// One line of calibration.json, and back.
BatchLine batch_line_from(const JsonNode& node);
nlohmann::ordered_json batch_line_to_json(const BatchLine& line);

/// A scenario must name what it asks for; a record may have "unknown".
enum class StrategyUse { scenario, record };
Strategy strategy_from(const JsonNode& node, StrategyUse use);
nlohmann::json strategy_to_json(const Strategy& strategy, StrategyUse use);

/// A required name of `allowed`; the first value where it is missing or another, which is a mistake.
template <class Name>
Name one_of(const JsonNode& node, const std::string& key, const std::vector<std::string>& allowed = names_of<Name>()) {
  return value_named<Name>(node.one_of(key, allowed, other_words_of(Name{}))).value_or(Name{});
}
/// The fallback where the key is absent.
template <class Name>
Name one_of_or(const JsonNode& node, const std::string& key, Name fallback,
               const std::vector<std::string>& allowed = names_of<Name>()) {
  return node.has(key) ? one_of<Name>(node, key, allowed) : fallback;
}

/// Nothing where the key is absent.
template <class Name> std::optional<Name> name_or_none(const JsonNode& node, const std::string& key) {
  if (!node.has(key)) return std::nullopt;
  return one_of<Name>(node, key);
}

/// A required name that can be a file's: letters, digits and . _ - + only.
std::string simple_name(const JsonNode& node, const std::string& key);
/// The same of the value at the place itself.
std::string as_simple_name(const JsonNode& place);

/// Notes a mistake when the name leaves open which variant is meant ("resnet50").
void refuse_bare_model_name(const JsonNode& node, const std::string& key, const std::string& name);

/// Names that files of several formats share.
const std::vector<std::string>& layer_kinds();

} // namespace ddlsim
