#include "cli/plan_words.hpp"

#include "cli/command.hpp"
#include "cli/config_model.hpp"
#include "own/new_cluster.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/spelling.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/gpu_names.hpp"
#include "sim/formats/own_files.hpp"

#include <fmt/format.h>

#include <cctype>
#include <functional>
#include <system_error>
#include <utility>
#include <vector>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

/// A name for a cluster or plan: letters, digits and dashes.
std::string name_from(const std::string& text) {
  std::string name;
  for (const char letter : text)
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    else if (!name.empty() && name.back() != '-')
      name += '-';
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "plan" : name;
}

/// Returns the folder under line.tables that belongs to the text.
fs::path folder_of(const std::string& text, const CommandLine& line) {
  if (line.tables.empty())
    throw UserError("--on", "", "there is no folder to keep the request in; set DDLSIM_CACHE to one");
  return line.tables / fmt::format("{:016x}", std::hash<std::string>{}(text));
}

void keep(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  if (!fs::exists(file, ignored) || read_text_file(file) != text) write_file(file, text);
}

/// Makes a cluster of the words and returns its folder.
std::string kept_cluster(const std::string& text, const CommandLine& line) {
  const auto words = machine_words(text);
  ClusterRequest request;
  request.name = name_from(fmt::format("{}x{}-{}", words.nodes, words.gpus_per_node, words.gpu));
  request.gpu = words.gpu;
  request.gpus_per_node = words.gpus_per_node;
  request.nodes = request.most_nodes = words.nodes;
  if (!words.network.empty()) request.networks.push_back(words.network);
  const auto made = new_cluster(request, DataFolder{line.data_folder});
  for (const auto& note : made.notes) narrate(line, fmt::format("{}: {}", request.name, note));
  const auto folder = folder_of(text, line) / request.name;
  keep(folder / "cluster.json", made.text);
  return folder.string();
}

/// Notes under --on what is wrong with a machine in words, of which the error names the options of `new cluster`.
void add_of_machine(const std::string& text, const UserError& error, Mistakes& mistakes) {
  for (const auto& one : error.mistakes()) {
    const auto option = one.where.find_first_not_of('-');
    const bool is_of_on = one.where == "--on" || option == std::string::npos;
    mistakes.add("--on",
                 is_of_on ? one.what : fmt::format("{}: {}: {}", in_quotes(text), one.where.substr(option), one.what));
  }
}

/// Makes the cluster of a machine in words, and looks up the name of another. Notes mistakes under --on.
void settle_machine(std::string& machine, const PlanWords& words, const CommandLine& line, Mistakes& mistakes) {
  const auto typed = machine;
  try {
    if (is_machine_words(machine)) machine = kept_cluster(machine, line);
    if (is_path(machine)) {
      machine = path_from(machine, words.file).string();
      return;
    }
    const DataFolder data{line.data_folder};
    const auto meant = spelt_like(machine, list_clusters(data));
    load_cluster(data, meant.empty() ? machine : meant);
  } catch (const UserError& error) {
    add_of_machine(typed, error, mistakes);
  }
}

} // namespace

void settle_words(PlanWords& words, long sequence, const CommandLine& line) {
  words.machines = split_machines(words.machines);
  Mistakes mistakes("");
  check_plan_words(words, mistakes);
  for (auto& machine : words.machines) settle_machine(machine, words, line, mistakes);
  mistakes.throw_if_any();
  std::vector<std::string> notes;
  words.model = table_of_config(words.model, words.file, sequence, line, notes);
  for (const auto& note : notes) narrate(line, note);
  if (is_path(words.model)) words.model = path_from(words.model, words.file).string();
}

fs::path kept_request(PlanWords words, long sequence, const CommandLine& line) {
  words.file = fs::current_path() / "plan.json";
  settle_words(words, sequence, line);
  words.file.replace_filename(name_from(fs::path(words.model).stem().string()) + ".json");
  const auto made = new_plan(words, DataFolder{line.data_folder});
  for (const auto& note : made.notes) narrate(line, note);
  const auto file = folder_of(made.text, line) / words.file.filename();
  keep(file, made.text);
  return file;
}

UserError under_options(const UserError& error) {
  static const std::vector<std::pair<std::string, std::string>> options_of_ends{
      {"/precision", "--precision"}, {"/preset", "--preset"},
      {"/chance", "--chance"},       {"/global_batch", "--global-batch"},
      {"/batch_per_gpu", "--batch"}, {"/cluster", "--on"},
      {"/epochs", "--epochs"}};
  auto mistakes = error.mistakes();
  for (auto& mistake : mistakes)
    for (const auto& [end, option] : options_of_ends)
      if (mistake.path.ends_with(end)) {
        mistake = {option, "", mistake.what};
        break;
      }
  return UserError(std::move(mistakes));
}

} // namespace ddlsim
