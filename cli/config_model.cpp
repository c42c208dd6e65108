#include "cli/config_model.hpp"

#include "cli/command.hpp"
#include "own/hf_config.hpp"
#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/own_files.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <functional>
#include <system_error>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

/// Whether a file is a config. Of any other file, or none, the reader of layer tables says what is wrong.
bool is_config(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;
  try {
    const auto json = parse_json(read_text_file(file), file.string());
    return json.is_object() && !json.contains("format") &&
           (json.contains("model_type") || json.contains("architectures"));
  } catch (const UserError&) {
    return false;
  }
}

/// The name of the table: that of the config, or of its folder where the config is called config.json. Shipped tables
/// have an underscore before "seq".
std::string name_of_table(const fs::path& config, long sequence) {
  auto name = config.stem() == "config" ? config.parent_path().filename().string() : config.stem().string();
  for (auto& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '.' && letter != '_') letter = '-';
  if (name.empty() || std::isalnum(static_cast<unsigned char>(name.front())) == 0) name = "model" + name;
  return sequence > 0 ? fmt::format("{}-seq{}", name, sequence) : name;
}

/// Writes the table unless it is there already. Each config has a folder of its own.
fs::path kept_table(const Model& model, const fs::path& config, const CommandLine& line) {
  if (line.tables.empty())
    throw UserError(config.string(), "", "there is no folder to keep its layer table in; set DDLSIM_CACHE to one");
  const auto folder = line.tables / fmt::format("{:016x}", std::hash<std::string>{}(config.string()));
  const auto file = folder / (model.name + ".json");
  const auto text = checked_table(model, config.string());
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  if (!fs::exists(file, ignored) || read_text_file(file) != text) write_file(file, text);
  return file;
}

/// The object of a question that names its model: a scenario itself, or the workload of a plan request. Null for a
/// document with mistakes, which its reader reports.
nlohmann::json* place_of_model(nlohmann::json& document) {
  if (!document.is_object()) return nullptr;
  auto* place = document.contains("workload") ? &document["workload"] : &document;
  const bool names_model = place->is_object() && place->contains("model") && (*place)["model"].is_string();
  return names_model ? place : nullptr;
}

long sequence_in(const nlohmann::json& place) {
  return place.contains("sequence") && place["sequence"].is_number_integer() ? place["sequence"].get<long>() : 0;
}

/// The same scenario after its changes; nothing for a file with mistakes.
nlohmann::json changed_document(const fs::path& scenario, const std::vector<JsonChange>& changes) {
  try {
    auto json = parse_json(read_text_file(scenario), scenario.string());
    for (const auto& change : changes) apply_change(json, change);
    return json;
  } catch (const UserError&) {
    return {};
  }
}

} // namespace

std::string table_of_config(const std::string& model, const fs::path& file, long sequence, const CommandLine& line,
                            std::vector<std::string>& notes) {
  if (!is_path(model)) return model;
  const auto config = path_from(model, file);
  if (!is_config(config)) return model;
  HfOptions options;
  options.sequence = sequence;
  options.name = name_of_table(config, sequence);
  const auto made = import_hf_config(config, options);
  for (const auto& note : made.notes) notes.push_back(fmt::format("{}: {}", options.name, note));
  return kept_table(made.model, config, line).string();
}

void make_table_of_model(nlohmann::json& document, const fs::path& file, long sequence, const CommandLine& line,
                         std::vector<std::string>& notes) {
  auto* place = place_of_model(document);
  if (place == nullptr) return;
  auto& model = (*place)["model"];
  const long tokens = sequence > 0 ? sequence : sequence_in(*place);
  model = table_of_config(model.get<std::string>(), file, tokens, line, notes);
}

Scenario read_asked_scenario(const fs::path& file, std::vector<JsonChange> changes, long sequence,
                             const CommandLine& line) {
  std::vector<std::string> notes;
  auto document = changed_document(file, changes);
  if (auto* place = place_of_model(document)) {
    const auto model = (*place)["model"];
    make_table_of_model(document, file, sequence, line, notes);
    if ((*place)["model"] != model) changes.push_back({"/model", (*place)["model"].dump()});
  }
  auto scenario = read_known_scenario(file, changes, DataFolder{line.data_folder});
  scenario.name_notes.insert(scenario.name_notes.begin(), notes.begin(), notes.end());
  return scenario;
}

std::string check_asked(const fs::path& file, long sequence, const CommandLine& line) {
  std::vector<std::string> notes;
  if (is_config(file)) {
    const auto table = table_of_config(fs::absolute(file).string(), file, sequence, line, notes);
    auto text = "config of Hugging Face Transformers, as the " + check_file(table, DataFolder{line.data_folder});
    for (const auto& note : notes) text += "; note: " + note;
    return text;
  }
  return check_file(file, DataFolder{line.data_folder},
                    [&](nlohmann::json& document) { make_table_of_model(document, file, sequence, line, notes); });
}

} // namespace ddlsim
