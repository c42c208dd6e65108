#include "sim/base/error.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/known_spelling.hpp"
#include "sim/formats/own_files.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/tf32_question.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace ddlsim {
namespace fs = std::filesystem;

namespace {

/// Checks that a name is known; an empty name was already reported by the reader.
void check_name(const JsonNode& node, const std::string& key, const char* kind, const std::string& name,
                const std::vector<std::string>& known) {
  if (!name.empty() && !is_in(known, name)) node.mistake_at(key, unknown_name_text(kind, name, known, known));
}

void check_gpu(const JsonNode& node, const std::string& key, const std::string& name, const std::vector<Gpu>& gpus) {
  if (name.empty()) return;
  try {
    find_gpu(gpus, name);
  } catch (const UserError& error) {
    node.mistake_at(key, error.mistakes().front().what);
  }
}

/// Loads a catalogue; if it is broken itself, reports that once.
template <class Load> auto load_or_tell(const JsonNode& node, const std::string& key, const Load& load) {
  std::optional<decltype(load())> loaded;
  try {
    loaded = load();
  } catch (const UserError& error) {
    const auto& first = error.mistakes().front();
    const auto more = error.mistakes().size() - 1;
    node.mistake_at(key, fmt::format("cannot be looked up: {}{}", to_text(first),
                                     more == 0 ? "" : fmt::format(" (and {} more mistakes there)", more)));
  }
  return loaded;
}

std::vector<std::string> preset_names(const std::vector<Preset>& presets) {
  std::vector<std::string> names;
  names.reserve(presets.size());
  for (const auto& preset : presets) names.push_back(preset.name);
  return names;
}

/// Returns the presets. If `asked` is none of them, the frameworks without preset that the cluster's records name are
/// added.
std::vector<std::string> stacks_on(const Scenario& scenario, const std::string& asked,
                                   const std::vector<Preset>& presets, const DataFolder& data) {
  auto names = preset_names(presets);
  if (asked.empty() || is_in(names, asked) || scenario.cluster.empty()) return names;
  const auto folder =
      scenario.cluster_folder.empty() ? data.platforms_of(scenario.cluster) : scenario.cluster_folder.parent_path();
  try {
    for (const auto& step : records_of<StepRecord>(read_cluster_measurements(folder, scenario.cluster)))
      if (!is_in(names, step.preset)) names.push_back(step.preset);
  } catch (const UserError&) { // the mistake is reported where the records are needed
  }
  return names;
}

std::vector<std::string> transport_names_of(const Cluster& cluster) {
  std::vector<std::string> names;
  names.reserve(cluster.transports.size());
  for (const auto& transport : cluster.transports) names.push_back(transport.name);
  return names;
}

/// Checks the requested transport, or that the preset can use one of the cluster's. Mistakes are noted at `node`, the
/// scenario or one of its strategies.
void check_transport(const Scenario& scenario, const JsonNode& node, const Cluster& cluster,
                     const std::vector<Preset>& presets) {
  const auto there = transport_names_of(cluster);
  if (!scenario.transport.empty()) {
    const std::string kind = fmt::format("transport of cluster {}", cluster.name);
    check_name(node, "transport", kind.c_str(), scenario.transport, there);
    return;
  }
  const auto* preset = preset_named(presets, scenario.preset);
  if (preset == nullptr || transport_for(cluster, *preset) != nullptr) return;
  node.mistake_at("preset", fmt::format("{} uses {}, cluster {} has {}; choose another preset or cluster", preset->name,
                                        join_names(preset->transports), cluster.name,
                                        there.empty() ? "none" : join_names(there)));
}

/// Checks the presets and transports that strategies name themselves.
void check_strategies(const Scenario& scenario, const JsonNode& root, const std::optional<Cluster>& cluster,
                      const std::vector<Preset>& presets, const DataFolder& data) {
  const auto places = root.list("strategies");
  for (std::size_t i = 0; i < scenario.strategies.size() && i < places.size(); ++i) {
    const auto& strategy = scenario.strategies[i];
    check_name(places[i], "preset", "preset", strategy.preset, stacks_on(scenario, strategy.preset, presets, data));
    const bool of_its_own = !strategy.transport.empty() || (!strategy.preset.empty() && scenario.transport.empty());
    if (cluster && of_its_own)
      check_transport(scenario_with_preset_of(scenario, strategy), places[i], *cluster, presets);
  }
}

/// Checks the machine that a scenario, or a candidate of a plan, names at `node`, and the software on it.
void check_machine(const Scenario& scenario, const JsonNode& node, const DataFolder& data) {
  const auto clusters = list_clusters(data);
  check_name(node, "cluster", "cluster", scenario.cluster, clusters);
  if (!scenario.gpu.empty())
    if (const auto gpus = load_or_tell(node, "gpu", [&] { return load_gpus(data); }))
      check_gpu(node, "gpu", scenario.gpu, *gpus);
  const auto presets = load_or_tell(node, "preset", [&] { return load_presets(data); });
  if (!presets) return;
  check_name(node, "preset", "preset", scenario.preset, stacks_on(scenario, scenario.preset, *presets, data));
  std::optional<Cluster> cluster;
  if (is_in(clusters, scenario.cluster))
    cluster = load_or_tell(node, "cluster", [&] { return load_cluster(data, scenario.cluster); });
  if (cluster) check_transport(scenario, node, *cluster, *presets);
  check_strategies(scenario, node, cluster, *presets, data);
}

void check_model_name(const JsonNode& node, const std::string& key, const std::string& model, const DataFolder& data) {
  if (variants_of_bare_name(model).empty()) // otherwise the reader reports the mistake
    check_name(node, key, "model", model, list_models(data));
}

/// Checks that the runs of the convergence data trained the plan's model.
void check_convergence_of(const Workload& work, const JsonNode& node, const DataFolder& data) {
  if (work.convergence.empty()) return;
  const auto names = list_convergence(data);
  check_name(node, "convergence", "convergence", work.convergence, names);
  if (!is_in(names, work.convergence)) return;
  const auto convergence = load_or_tell(node, "convergence", [&] { return load_convergence(data, work.convergence); });
  const bool is_known_model = is_in(list_models(data), work.model); // otherwise the unknown model is the mistake
  if (convergence && is_known_model && !is_in(convergence->models, work.model))
    node.mistake_at("convergence", fmt::format("the runs of {} trained {}, not {}; give epochs in its place",
                                               work.convergence, join_names(convergence->models), work.model));
}

/// Checks the names in "input" of a scenario, or of a plan's workload, at `node`.
void check_input_names(const InputNames& names, const JsonNode& node, const DataFolder& data) {
  if (names == InputNames{}) return;
  const auto known = load_or_tell(node, "input", [&] { return load_inputs(data); });
  if (!known) return;
  for (const auto& [key, what] : unknown_inputs(names, *known)) node.at("input").mistake_at(key, what);
}

template <class Entry>
void check_shapers(const JsonNode& root, const char* key, const std::vector<Entry>& entries,
                   const std::vector<std::string>& clusters) {
  const auto places = root.list(key);
  for (std::size_t i = 0; i < entries.size() && i < places.size(); ++i)
    for (const auto& cluster : entries[i].shaped_by) check_name(places[i], "shaped_by", "cluster", cluster, clusters);
}

/// Checks that a cluster's file is in a folder with the cluster's name.
void compare_with_folder(const JsonNode& root, const std::string& key, const std::string& cluster,
                         const fs::path& file) {
  const std::string folder = fs::absolute(file).parent_path().filename().string();
  if (cluster.empty() || cluster == folder) return;
  root.mistake_at(key,
                  fmt::format("{} found, \"{}\" expected after the folder; rename one", in_quotes(cluster), folder));
}

/// A model's samples have one length, which a table was made of.
void check_sequence(const Scenario& scenario, const JsonNode& root, const DataFolder& data) {
  if (scenario.sequence == 0 || scenario.model.empty()) return;
  const auto model = load_or_tell(root, "model", [&] { return load_model(data, scenario.model); });
  if (!model || model->tokens_per_sample() == scenario.sequence) return;
  root.mistake_at("sequence",
                  fmt::format("{} found, and a sample of {} is a {}; leave it out, or give a config.json as "
                              "\"model\", whose table is made of any length",
                              scenario.sequence, scenario.model, model->sample));
}

} // namespace

void look_up_names(const Scenario& scenario, const JsonNode& root, const DataFolder& data) {
  const auto with_model = load_or_tell(root, "model", [&] { return with_own_model(data, scenario); });
  const auto with_both = load_or_tell(
      root, "cluster", [&] { return with_own_cluster(with_model.value_or(data), scenario.cluster_folder); });
  const auto with_all =
      load_or_tell(root, "gpu", [&] { return with_own_gpu(with_both.value_or(data), scenario.gpu_file); });
  const auto& known = with_all ? *with_all : data;
  check_model_name(root, "model", scenario.model, known);
  check_machine(scenario, root, known);
  if (root.mistakes_so_far() == 0) check_sequence(scenario, root, known);
  check_input_names(scenario.input_names, root, known);
}

Scenario read_known_scenario(const fs::path& file, const std::vector<JsonChange>& changes, const DataFolder& data) {
  std::vector<std::string> notes;
  const auto edit = [&](nlohmann::json& document) { notes = spell_as_known(document, data); };
  const auto look_up = [&](const Scenario& scenario, const JsonNode& root) {
    if (scenario.model_file.empty()) check_model_name(root, "model", scenario.model, data);
    if (scenario.cluster_folder.empty()) check_name(root, "cluster", "cluster", scenario.cluster, list_clusters(data));
    if (!scenario.gpu.empty() && scenario.gpu_file.empty())
      if (const auto gpus = load_or_tell(root, "gpu", [&] { return load_gpus(data); }))
        check_gpu(root, "gpu", scenario.gpu, *gpus);
    check_tf32_of_gpu(scenario, root, data);
    if (root.mistakes_so_far() == 0) check_sequence(scenario, root, with_own_model(data, scenario));
    const auto& strategies = scenario.strategies;
    const auto presets = load_or_tell(root, "preset", [&] { return load_presets(data); });
    if (!presets) return;
    check_strategies(scenario, root, std::nullopt, *presets, data);
    const bool is_asked = std::any_of(strategies.begin(), strategies.end(),
                                      [](const Strategy& strategy) { return strategy.preset.empty(); });
    if (is_asked) // otherwise each strategy has a preset of its own
      check_name(root, "preset", "preset", scenario.preset, stacks_on(scenario, scenario.preset, *presets, data));
  };
  auto scenario = read_scenario(file, changes, look_up, edit);
  if (auto assumed = assumed_tf32_text(scenario, data); !assumed.empty()) notes.push_back(std::move(assumed));
  scenario.name_notes = std::move(notes);
  return scenario;
}

void look_up_names(const InputCatalogue& inputs, const JsonNode& root, const DataFolder& data) {
  const auto clusters = list_clusters(data);
  check_shapers(root, "datasets", inputs.datasets, clusters);
  check_shapers(root, "storages", inputs.storages, clusters);
  check_shapers(root, "formats", inputs.formats, clusters);
  check_shapers(root, "loaders", inputs.loaders, clusters);
}

void look_up_names(const Convergence& convergence, const JsonNode& root, const DataFolder& data) {
  for (const auto& model : convergence.models) check_model_name(root, "models", model, data);
}

void look_up_names(const GpuKernelTables& tables, const JsonNode& root, const DataFolder& data) {
  if (const auto gpus = load_or_tell(root, "gpu", [&] { return load_gpus(data); }))
    check_gpu(root, "gpu", tables.gpu, *gpus);
}

void look_up_names(const KernelRateBook& book, const JsonNode& root, const DataFolder& data) {
  const auto gpus = load_or_tell(root, "gpus", [&] { return load_gpus(data); });
  if (!gpus) return;
  const auto places = root.list("gpus");
  for (std::size_t i = 0; i < std::min(places.size(), book.gpus.size()); ++i)
    check_gpu(places[i], "gpu", book.gpus[i].gpu, *gpus);
}

void look_up_names(const PlanRequest& request, const JsonNode& root, const DataFolder& data) {
  const auto workload = root.at("workload");
  check_model_name(workload, "model", request.workload.model, data);
  check_convergence_of(request.workload, workload, data);
  check_input_names(request.workload.input_names, workload, data);
  const auto places = root.list("candidates");
  for (std::size_t i = 0; i < request.candidates.size() && i < places.size(); ++i) {
    const auto& candidate = request.candidates[i];
    Scenario scenario;
    scenario.cluster = candidate.cluster;
    scenario.preset = candidate.preset;
    scenario.transport = candidate.transport;
    scenario.strategies = candidate.strategies;
    check_machine(scenario, places[i], data);
  }
}

void look_up_names(const Cluster& cluster, const JsonNode& root, const fs::path& file, const DataFolder& data) {
  if (file.filename() == "cluster.json") compare_with_folder(root, "name", cluster.name, file);
  if (root.has("node") && is_path(cluster.gpu)) {
    load_or_tell(root.at("node"), "gpu", [&] { return with_own_gpu(data, path_from(cluster.gpu, file)); });
  } else if (root.has("node") && !cluster.gpu.empty()) {
    const auto gpus = load_or_tell(root, "node", [&] { return load_gpus(data); });
    if (gpus) check_gpu(root.at("node"), "gpu", cluster.gpu, *gpus);
  }
  const auto clusters = list_clusters(data);
  for (const auto& borrow : cluster.borrows) check_name(root, "borrows", "cluster", borrow.cluster, clusters);
}

void look_up_names(const Calibration& calibration, const JsonNode& root, const fs::path& file, const DataFolder& data) {
  const auto clusters = list_clusters(data);
  std::error_code ignored;
  const auto folder = fs::absolute(file).parent_path();
  const bool beside_own = fs::exists(folder / "cluster.json", ignored) && !is_in(clusters, folder.filename().string());
  if (file.filename() == "calibration.json" && (beside_own || is_in(clusters, calibration.cluster))) {
    compare_with_folder(root, "cluster", calibration.cluster, file);
  } else {
    check_name(root, "cluster", "cluster", calibration.cluster, clusters);
  }
}

/// Returns the sites of all clusters, since a misspelt site would never be left out.
std::vector<std::string> sites_of(const DataFolder& data) {
  std::set<std::string> sites;
  for (const auto& cluster : list_clusters(data)) sites.insert(load_cluster(data, cluster).site);
  return {sites.begin(), sites.end()};
}

void look_up_names(const PriorBook& book, const JsonNode& root, const DataFolder& data) {
  const auto sites = load_or_tell(root, "sites", [&] { return sites_of(data); });
  const auto presets = load_or_tell(root, "expected", [&] { return load_presets(data); });
  const auto rows = root.list("expected");
  for (std::size_t i = 0; i < book.expected.size() && i < rows.size(); ++i) {
    for (const auto& site : book.expected[i].shaped_by)
      if (sites) check_name(rows[i], "shaped_by", "site", site, *sites);
    if (presets) check_name(rows[i], "preset", "preset", book.expected[i].preset, preset_names(*presets));
  }
  const auto summaries = root.list("sites");
  for (std::size_t i = 0; sites && i < book.sites.size() && i < summaries.size(); ++i)
    check_name(summaries[i], "site", "site", book.sites[i].site, *sites);
}

void look_up_names(const Context& context, const JsonNode& line, const NamesOfData& names) {
  check_name(line, "cluster", "cluster", context.cluster, names.clusters);
  check_gpu(line, "gpu", context.gpu, names.gpus);
}

void look_up_names(const Record& record, const JsonNode& line, const NamesOfData& names) {
  // otherwise the GPU is that of the context, which is looked up there
  if (line.has("gpu")) check_gpu(line, "gpu", head_of(record).gpu, names.gpus);
  const auto* table = std::get_if<LayersRecord>(&record);
  if (table == nullptr || !line.has("timings")) return;
  for (const auto& timing : line.at("timings").elements())
    if (timing.has("gpu")) check_gpu(timing, "gpu", timing.text_or("gpu", ""), names.gpus);
}

void compare_with_file_name(const std::string& name, const JsonNode& root, const fs::path& file) {
  if (name.empty() || file.stem() == name) return;
  root.mistake_at("name", fmt::format("{} found, \"{}\" expected after the file's name; rename one", in_quotes(name),
                                      file.stem().string()));
}

namespace {

/// Whether a key of a cluster file has a quantity as text; a number is a figure under any key.
bool is_quantity_key(const std::string& key) {
  static const std::vector<std::string> keys{
      "bandwidth", "latency", "host_memory_bandwidth", "host_memory", "hop_latency", "read_bandwidth", "power", "term"};
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

struct Pointers {
  std::set<std::string> all;
  std::vector<std::string> figures;
};

void collect(const nlohmann::json& value, const nlohmann::json::json_pointer& pointer, Pointers& found) {
  found.all.insert(pointer.to_string());
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) collect(child, pointer / key, found);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], pointer / i, found);
  } else if (value.is_number() || (value.is_string() && is_quantity_key(pointer.back()))) {
    found.figures.push_back(pointer.to_string());
  }
}

bool covers(const std::string& pointer, const std::string& figure) {
  return figure.rfind(pointer, 0) == 0 && (figure.size() == pointer.size() || figure[pointer.size()] == '/');
}

} // namespace

std::map<std::string, std::string> covering_sources(const JsonNode& root) {
  std::map<std::string, std::string> sources;
  const JsonNode node = root.at("sources");
  if (!node.is_object()) return sources;
  Pointers found;
  for (const auto& [key, value] : root.value().items()) {
    if (key != "sources" && key != "format" && key != "version")
      collect(value, nlohmann::json::json_pointer() / key, found);
  }
  for (const auto& [pointer, text] : node.value().items()) {
    sources[pointer] = node.text(pointer);
    if (found.all.find(pointer) != found.all.end()) continue;
    const std::vector<std::string> all(found.all.begin(), found.all.end());
    const std::string nearest = nearest_name(pointer, all);
    node.mistake_at(pointer, fmt::format("points at nothing in this file; {}",
                                         nearest.empty() ? "write a JSON pointer like \"/node/intra/bandwidth\""
                                                         : fmt::format("did you mean \"{}\"?", nearest)));
  }
  for (const auto& figure : found.figures) {
    const bool covered =
        std::any_of(sources.begin(), sources.end(), [&](const auto& source) { return covers(source.first, figure); });
    if (!covered) {
      root.mistake_at("sources", fmt::format("no source for {}; say where the figure stands, or \"not stated; "
                                             "assumed: ... because ...\"",
                                             figure));
    }
  }
  return sources;
}

} // namespace ddlsim
