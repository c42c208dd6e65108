#include "sim/formats/preset.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/field_table.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/strategy_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace ddlsim {

namespace {

/// Reads one name, or an object of names with their weights; returns the likeliest first.
std::vector<LikelyChoice> weighted_from(const JsonNode& place, const std::vector<std::string>& allowed) {
  if (!place.value().is_object()) return {{place.as_one_of(allowed), 1}};
  place.allow_only(allowed);
  std::vector<LikelyChoice> list;
  double sum = 0;
  for (const auto& name : allowed) {
    if (!place.has(name)) continue;
    list.push_back({name, place.positive(name)});
    sum += list.back().weight;
  }
  if (list.empty()) place.mistake(fmt::format("no name found; give one or more of {}", join_names(allowed)));
  for (auto& choice : list) choice.weight /= sum;
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
  return list;
}

nlohmann::ordered_json weights_to_json(const std::vector<LikelyChoice>& choices) {
  if (choices.size() == 1) return choices.front().name;
  nlohmann::ordered_json weights;
  for (const auto& choice : choices) weights[choice.name] = choice.weight;
  return weights;
}

/// Reads an object of libraries with versions and their weights among the libraries of the same carrier.
std::vector<LikelyLibrary> libraries_from(const JsonNode& node) {
  std::vector<LikelyLibrary> libraries;
  if (!node.is_object()) return libraries;
  if (node.value().empty()) node.mistake("no library found; give one, as {\"nccl 2.18.5\": 1}, or leave this out");
  for (const auto& [name, weight] : node.value().items()) {
    const auto version = library_version_from(name);
    if (!version)
      node.mistake_at(name,
                      fmt::format("{} is no library and version; give one of {} and a version, as \"nccl 2.18.5\"",
                                  in_quotes(name), join_names(names_of<CollectiveLibrary>())));
    const double likely = node.positive(name);
    if (version) libraries.push_back({*version, likely});
  }
  std::stable_sort(libraries.begin(), libraries.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  return libraries;
}

nlohmann::ordered_json libraries_to_json(const std::vector<LikelyLibrary>& libraries) {
  nlohmann::ordered_json weights;
  for (const auto& library : libraries) weights[to_text(library.version)] = library.weight;
  return weights;
}

/// A rule by its name, or an object of names with their weights.
ValueType<std::vector<LikelyChoice>> weighted_names_type(const std::vector<std::string>& names) {
  ValueShape weights{ValueKind::map, names};
  weights.parts = {{ValueKind::positive}};
  weights.fewest_items = 1;
  ValueShape shape{ValueKind::either};
  shape.parts = {{ValueKind::word, names}, weights};
  return {shape, [names](const JsonNode& place) { return weighted_from(place, names); }, weights_to_json};
}

ValueType<std::vector<LikelyLibrary>> libraries_type() {
  ValueShape shape{ValueKind::map};
  shape.parts = {{ValueKind::positive}};
  shape.fewest_items = 1;
  shape.pattern = library_version_pattern;
  return {shape, libraries_from, libraries_to_json};
}

std::vector<Field<Preset>> grouping_fields() {
  const auto size = quantity_type(Dimension::size);
  return {
      required("grouping", &Preset::grouping, name_of_type<Grouping>(), "which gradients travel together"),
      optional("first_bucket", &Preset::first_bucket_bytes, size,
               "limit of the first bucket; that of the others if not given")
          .only_where("grouping", {"buckets"}),
      required("bucket", &Preset::bucket_bytes, size,
               "limit of a bucket, in bytes of gradients as backward leaves them; of fusion, in bytes on the wire")
          .only_where("grouping", {"buckets", "fusion"}),
      required("cycle", &Preset::cycle_s, quantity_type(Dimension::time), "how often ready tensors are collected")
          .only_where("grouping", {"fusion"}),
      required("overlapped", &Preset::overlapped, boolean_type(), "synchronisation runs beside backward, or after it")};
}

std::vector<Field<Preset>> library_fields() {
  return {
      required("library", &Preset::library, name_of_type<Library>(),
               "the library that carries gradients, as information only"),
      optional("libraries", &Preset::libraries, libraries_type(),
               "what sums gradients, with its version, and how likely each is against the others over its carrier; "
               "the usual one if not given"),
      required("transports", &Preset::transports, list_type(word_type(transport_names()), 1),
               "in order of preference: the first that the cluster has is taken; one machine takes shm, listed or not, "
               "if the "
               "preset can")};
}

std::vector<Field<Preset>> server_fields() {
  const auto shardings = known_names_of<Sharding>();
  return {required("sharding", &Preset::shardings, weighted_names_type(shardings),
                   "how tensors are dealt out over servers, or several rules and how likely each is"),
          optional("split", &Preset::split_bytes, quantity_type(Dimension::size),
                   "size above which sharding split cuts a tensor over all servers"),
          optional("sharding_choices", &Preset::sharding_choices,
                   distinct(list_type(name_of_type<Sharding>(shardings))),
                   "rules among which a user may choose, which servers \"best\" tries; only sharding if not given"),
          optional("servers", &Preset::servers, servers_type(StrategyUse::scenario),
                   "number of servers, if a strategy does not state it; one a node if not given"),
          optional("placement", &Preset::placement, name_of_type<Placement>(known_names_of<Placement>()),
                   "placement of servers, if a strategy does not state it; colocated if not given"),
          optional("node_reduction", &Preset::node_reduce, name_of_type<NodeReduce>(),
                   "what a node's GPUs do with a gradient before it leaves for servers; reduce-scatter if not given"),
          optional("serves_one_machine", &Preset::serves_one_machine, boolean_type(),
                   "false: a single machine starts no server, and its GPUs reduce among themselves; true if not given"),
          optional("servers_as", &Preset::servers_as, text_type(),
                   "the preset whose servers and connections these are, where only the schedule of workers differs")};
}

void check_split(const JsonNode& node, Preset& preset) {
  const auto may_be = [&](const char* name) {
    return std::any_of(preset.shardings.begin(), preset.shardings.end(),
                       [&](const LikelyChoice& choice) { return choice.name == name; });
  };
  if (may_be("split") && !node.has("split"))
    node.mistake_at("split", "missing beside \"sharding\": \"split\"; give the size above which tensors are cut");
  if (node.has("split") && !may_be("split") && !may_be("hash"))
    node.mistake_at("split", "has no meaning without \"sharding\": \"split\" or \"hash\"; leave it out");
}

const FieldTable<Preset>& preset_fields() {
  static const auto table = [] {
    FieldTable<Preset> made{{required("name", &Preset::name, name_type(), "name that scenarios and records use"),
                             required("title", &Preset::title, text_type(), "the framework and what it does")},
                            check_split};
    for (auto fields : {grouping_fields(), library_fields(), server_fields()})
      made.fields.insert(made.fields.end(), fields.begin(), fields.end());
    made.fields.push_back(optional("copy_passes", &Preset::copy_passes, positive_type(),
                                   "fsdp: how often each byte gathered or scattered passes the GPU's memory beside "
                                   "its transfer; never if not given"));
    made.fields.push_back(optional("cross_entropy", &Preset::cross_entropy, name_of_type<CrossEntropy>(),
                                   "how the loss of logits is computed, which decides what of them is in memory; "
                                   "eager if not given"));
    made.fields.push_back(optional("fused_activation", &Preset::fused_activation, boolean_type(),
                                   "the activation of a gated block and the product behind it are one kernel, which "
                                   "keeps less; false if not given"));
    made.fields.push_back(optional("one_gpu_as", &Preset::one_gpu_as, text_type(),
                                   "the preset whose records say how fast one GPU is; its own if not given"));
    made.fields.push_back(required("source", &Preset::source, paragraph_type(), "code and version, or paper"));
    return made;
  }();
  return table;
}

} // namespace

namespace {

/// Checks a preset's reference to another; `name` is "" when there is none.
void check_names_preset(const JsonNode& node, const char* key, const std::string& name,
                        const std::vector<Preset>& presets) {
  if (name.empty() || preset_named(presets, name) != nullptr) return;
  std::vector<std::string> names;
  for (const auto& other : presets) names.push_back(other.name);
  node.mistake_at(key, unknown_name_text("preset", name, names, names));
}

} // namespace

namespace {

/// Checks that preset names are unique and that references name existing presets.
void check_presets(const JsonNode& root, PresetCatalogue& catalogue) {
  const auto& presets = catalogue.presets;
  const auto places = root.list("presets");
  std::set<std::string> names;
  for (std::size_t i = 0; i < presets.size(); ++i) {
    if (!names.insert(presets[i].name).second)
      places[i].mistake_at("name", fmt::format("{} is there twice; keep one", in_quotes(presets[i].name)));
    check_names_preset(places[i], "one_gpu_as", presets[i].one_gpu_as, presets);
    check_names_preset(places[i], "servers_as", presets[i].servers_as, presets);
  }
}

const FieldTable<PresetCatalogue>& preset_catalogue_fields() {
  static const auto table = document<PresetCatalogue>(
      "ddlsim-presets", presets_version,
      {required("presets", &PresetCatalogue::presets, list_type(object_type(preset_fields())), "the catalogue")},
      check_presets);
  return table;
}

} // namespace

std::vector<Preset> presets_from(const JsonNode& root) {
  return read_object(root, preset_catalogue_fields()).presets;
}

FileFormat presets_format() {
  return {"presets", "What frameworks do with gradients", "scenarios/presets.json", preset_catalogue_fields().shape()};
}

namespace {

/// Returns the carrier whose libraries run all-reduces over a transport.
Carrier summing_carrier(const Preset& preset, const std::string& transport) {
  const auto carrier = carrier_of(transport).value_or(Carrier::nccl);
  if (carrier != Carrier::shm) return carrier;
  for (const auto& name : preset.transports)
    if (const auto first = carrier_of(name); first && *first != Carrier::shm) return *first;
  return Carrier::nccl;
}

} // namespace

std::vector<LikelyChoice> libraries_over(const Preset& preset, const std::string& transport) {
  const auto carrier = summing_carrier(preset, transport);
  std::vector<LikelyChoice> choices;
  double sum = 0;
  for (const auto& [version, weight] : preset.libraries) {
    if (carrier_of(version.library) != carrier) continue;
    choices.push_back({to_text(version), weight});
    sum += weight;
  }
  if (choices.empty()) return {{to_text(usual_library(carrier)), 1}};
  for (auto& choice : choices) choice.weight /= sum;
  return choices;
}

LibraryVersion likeliest_library(const Preset& preset, const std::string& transport) {
  const auto carrier = summing_carrier(preset, transport);
  for (const auto& [version, weight] : preset.libraries)
    if (carrier_of(version.library) == carrier) return version;
  return usual_library(carrier);
}

const std::string& choice_at(const std::vector<LikelyChoice>& choices, double draw) {
  double reached = 0;
  for (const auto& choice : choices) {
    reached += choice.weight;
    if (draw < reached) return choice.name;
  }
  return choices.front().name;
}

Strategy completed(Strategy strategy, const Preset& preset) {
  if (strategy.servers.rule == ServerCount::Rule::unknown) strategy.servers = preset.servers;
  if (strategy.placement == Placement::unknown && !seeks_best_servers(strategy)) strategy.placement = preset.placement;
  return strategy;
}

const Transport* transport_for(const Cluster& cluster, const Preset& preset, const std::string& stated) {
  static const Transport shared_memory{"shm", ""};
  if (const auto* named = transport_named(cluster, stated)) return named;
  if (is_one_machine(cluster) && is_in(preset.transports, shared_memory.name)) return &shared_memory;
  for (const auto& name : preset.transports)
    if (const auto* first = transport_named(cluster, name)) return first;
  return nullptr;
}

std::vector<Preset> read_presets(const std::filesystem::path& file) {
  std::vector<Preset> presets;
  read_document(file, "ddlsim-presets", presets_version, [&](const JsonNode& root) { presets = presets_from(root); });
  return presets;
}

const Preset* preset_named(const std::vector<Preset>& presets, const std::string& name) {
  const auto found =
      std::find_if(presets.begin(), presets.end(), [&](const Preset& preset) { return preset.name == name; });
  return found == presets.end() ? nullptr : &*found;
}

const Preset& find_preset(const std::vector<Preset>& presets, const std::string& name) {
  if (const auto* preset = preset_named(presets, name)) return *preset;
  std::vector<std::string> names;
  for (const auto& preset : presets) names.push_back(preset.name);
  throw UserError("", "", unknown_name_text("preset", name, names, names));
}

} // namespace ddlsim
