#include "cli/completion.hpp"

#include "cli/command_options.hpp"
#include "cli/known_formats.hpp"
#include "cli/options.hpp"
#include "import/importers.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/glossary.hpp"
#include "sim/formats/names.hpp"
#include "validate/split.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace ddlsim {
namespace {

using Names = std::vector<std::string>;

template <class Row> Names names_in(const std::vector<Row>& rows) {
  Names names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

Names import_kinds() {
  Names kinds;
  for (const auto& importer : importers()) kinds.push_back(importer.kind);
  for (const auto& model : model_imports()) kinds.push_back(model.first);
  return kinds;
}

/// Returns the values of options that have one meaning in all commands.
Names option_values(const std::string& option, const DataFolder& data) {
  const std::map<std::string, std::function<Names()>> values{{"--cluster", [&] { return list_clusters(data); }},
                                                             {"--model", [&] { return list_models(data); }},
                                                             {"--gpu", [&] { return names_in(load_gpus(data)); }},
                                                             {"--like", [&] { return names_in(load_gpus(data)); }},
                                                             {"--preset", [&] { return names_in(load_presets(data)); }},
                                                             {"--precision", [] { return names_of<Precision>(); }},
                                                             {"--strategy", [] { return names_of<StrategyName>(); }},
                                                             {"--split", [] { return split_names(); }},
                                                             {"--fidelity",
                                                              [] {
                                                                return Names{"default", "formula", "full"};
                                                              }},
                                                             {"--collective", [] { return Names{"all-reduce"}; }},
                                                             {"--attention", [] {
                                                                return Names{"eager", "sdpa"};
                                                              }}};
  const auto found = values.find(option);
  return found == values.end() ? Names{} : found->second();
}

/// Returns the terms of the glossary, each joined to one word, as in "global-batch".
Names terms_in_one_word(const DataFolder& data) {
  Names terms;
  for (const auto& entry : load_glossary(data)) {
    terms.push_back(entry.term);
    std::replace(terms.back().begin(), terms.back().end(), ' ', '-');
  }
  return terms;
}

/// Values of a command's first argument.
Names argument_values(const std::string& command, const DataFolder& data) {
  if (command == "list") return {"clusters", "convergence", "gpus", "inputs", "models", "presets"};
  if (command == "export") return {"chakra", "simgrid"};
  if (command == "import") return import_kinds();
  if (command == "new") return {"cluster", "gpu", "scenario"};
  if (command == "explain") return terms_in_one_word(data);
  if (command == "schema") return names_of_formats();
  return {};
}

Names command_words(const CLI::App& app) {
  Names names;
  for (const auto* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

/// All spellings of each option: "--output" and "-o".
Names option_words(const CLI::App& command) {
  Names words;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) words.push_back("--" + name);
    for (const auto& name : option->get_snames()) words.push_back("-" + name);
  }
  return words;
}

const CLI::App* command_in(const CLI::App& app, const Names& words) {
  for (const auto* command : app.get_subcommands({}))
    if (std::find(words.begin(), words.end() - 1, command->get_name()) != words.end() - 1) return command;
  return nullptr;
}

bool takes_value(const CLI::App& command, const std::string& word) {
  const auto* option = word.starts_with('-') ? command.get_option_no_throw(word) : nullptr;
  return option != nullptr && option->get_items_expected_max() > 0;
}

Names offered(const CLI::App& app, const Names& words, const DataFolder& data) {
  const auto& last = words.back();
  const std::string before = words.size() > 1 ? words[words.size() - 2] : "";
  const auto* command = command_in(app, words);
  if (takes_value(command == nullptr ? app : *command, before)) return option_values(before, data);
  if (last.starts_with('-')) return option_words(command == nullptr ? app : *command);
  if (command == nullptr) return command_words(app);
  return before == command->get_name() ? argument_values(before, data) : Names{};
}

/// Returns the part of a list like "ring,t" up to its last comma. The completion continues after that.
std::string finished_part(const std::string& word) {
  const auto comma = word.rfind(',');
  return comma == std::string::npos ? "" : word.substr(0, comma + 1);
}

} // namespace

std::string completions(const CLI::App& app, const Names& words, const DataFolder& data) {
  if (words.empty()) return "";
  Names found;
  try {
    found = offered(app, words, data);
  } catch (const UserError&) {
    return ""; // no offer is better than an error in the middle of a command line
  }
  std::sort(found.begin(), found.end());
  const auto begin = finished_part(words.back());
  std::string lines;
  for (const auto& name : found)
    if ((begin + name).starts_with(words.back())) lines += begin + name + "\n";
  return lines;
}

} // namespace ddlsim
