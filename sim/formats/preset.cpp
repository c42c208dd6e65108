#include "sim/formats/preset.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace ddlsim {

namespace {

/// Fields that only one way of grouping or sharding reads: required there, refused elsewhere.
void read_sizes(const JsonNode& node, Preset& preset) {
  const bool buckets = preset.grouping == Grouping::buckets;
  const bool fusion = preset.grouping == Grouping::fusion;
  if (buckets) preset.first_bucket_bytes = node.quantity_or("first_bucket", Dimension::size, 0);
  if (buckets || fusion) preset.bucket_bytes = node.quantity("bucket", Dimension::size);
  if (fusion) preset.cycle_s = node.quantity("cycle", Dimension::time);
  const auto may_be = [&](const char* name) {
    return std::any_of(preset.shardings.begin(), preset.shardings.end(),
                       [&](const LikelyChoice& choice) { return choice.name == name; });
  };
  const bool cut = may_be("split");
  const bool may_be_cut = cut || may_be("hash");
  if (cut || (may_be_cut && node.has("split"))) preset.split_bytes = node.quantity("split", Dimension::size);
  const auto refuse = [&](const char* key, bool meant, const char* needs) {
    if (!meant && node.has(key)) node.mistake_at(key, fmt::format("has no meaning without {}; leave it out", needs));
  };
  refuse("first_bucket", buckets, "\"grouping\": \"buckets\"");
  refuse("bucket", buckets || fusion, "\"grouping\": \"buckets\" or \"fusion\"");
  refuse("cycle", fusion, "\"grouping\": \"fusion\"");
  refuse("split", may_be_cut, "\"sharding\": \"split\" or \"hash\"");
}

/// One name, or an object of names and how likely each is against the others.
std::vector<LikelyChoice> weighted_from(const JsonNode& node, const std::string& key,
                                        const std::vector<std::string>& allowed) {
  const auto& value = node.value();
  if (!value.contains(key) || !value[key].is_object()) return {{node.one_of(key, allowed), 1}};
  const JsonNode weights = node.at(key);
  weights.allow_only(allowed);
  std::vector<LikelyChoice> list;
  double sum = 0;
  for (const auto& name : allowed) {
    if (!weights.has(name)) continue;
    list.push_back({name, weights.positive(name)});
    sum += list.back().weight;
  }
  if (list.empty()) weights.mistake(fmt::format("no name found; give one or more of {}", join_names(allowed)));
  for (auto& choice : list) choice.weight /= sum;
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
  return list;
}

/// An object of libraries with versions, and how likely each is against the others over its carrier.
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

std::vector<std::string> transports_from(const JsonNode& node) {
  auto transports = node.texts_or_none("transports");
  if (transports.empty())
    node.mistake_at("transports", fmt::format("none found; give one or more of {}", join_names(transport_names())));
  for (const auto& name : transports) {
    if (std::find(transport_names().begin(), transport_names().end(), name) == transport_names().end())
      node.mistake_at("transports", unknown_name_text("transport", name, transport_names(), transport_names()));
  }
  return transports;
}

std::vector<Sharding> sharding_choices_from(const JsonNode& node) {
  const auto& known = known_names_of<Sharding>();
  std::vector<Sharding> choices;
  for (const auto& name : node.texts_or_none("sharding_choices")) {
    if (!is_in(known, name)) {
      node.mistake_at("sharding_choices", unknown_name_text("sharding", name, known, known));
    } else if (is_in(names_of(choices), name)) {
      node.mistake_at("sharding_choices", fmt::format("{} is there twice; keep one", in_quotes(name)));
    } else {
      choices.push_back(*value_named<Sharding>(name));
    }
  }
  return choices;
}

Preset preset_from(const JsonNode& node) {
  static constexpr std::string_view known[]{
      "name",       "title",      "grouping",         "first_bucket",   "bucket",
      "cycle",      "split",      "overlapped",       "library",        "libraries",
      "sharding",   "transports", "source",           "node_reduction", "serves_one_machine",
      "servers",    "placement",  "sharding_choices", "one_gpu_as",     "servers_as",
      "copy_passes"};
  Preset preset;
  if (!node.is_object()) return preset;
  node.allow_only(known);
  preset.name = simple_name(node, "name");
  preset.title = node.text("title");
  const auto before = node.mistakes_so_far();
  preset.grouping = one_of<Grouping>(node, "grouping");
  preset.overlapped = node.boolean("overlapped");
  preset.library = one_of<Library>(node, "library");
  if (node.has("libraries")) preset.libraries = libraries_from(node.at("libraries"));
  preset.shardings = weighted_from(node, "sharding", known_names_of<Sharding>());
  preset.sharding_choices = sharding_choices_from(node);
  if (node.has("servers")) preset.servers = servers_from(node.at("servers"), StrategyUse::scenario);
  preset.placement = one_of_or(node, "placement", preset.placement, known_names_of<Placement>());
  preset.node_reduce = one_of_or(node, "node_reduction", NodeReduce::reduce_scatter);
  preset.serves_one_machine = node.boolean_or("serves_one_machine", true);
  if (node.has("copy_passes")) preset.copy_passes = node.positive("copy_passes");
  preset.transports = transports_from(node);
  if (node.has("one_gpu_as")) preset.one_gpu_as = node.text("one_gpu_as");
  if (node.has("servers_as")) preset.servers_as = node.text("servers_as");
  preset.source = node.paragraph("source");
  if (node.mistakes_so_far() == before) read_sizes(node, preset);
  return preset;
}

} // namespace

namespace {

/// `name` is what the preset says there; "" where it says nothing.
void check_names_preset(const JsonNode& node, const char* key, const std::string& name,
                        const std::vector<Preset>& presets) {
  if (name.empty() || preset_named(presets, name) != nullptr) return;
  std::vector<std::string> names;
  for (const auto& other : presets) names.push_back(other.name);
  node.mistake_at(key, unknown_name_text("preset", name, names, names));
}

} // namespace

std::vector<Preset> presets_from(const JsonNode& root) {
  static constexpr std::string_view known[]{"format", "version", "presets"};
  std::vector<Preset> presets;
  std::set<std::string> names;
  root.allow_only(known);
  const auto nodes = root.list("presets");
  for (const auto& node : nodes) {
    presets.push_back(preset_from(node));
    if (!presets.back().name.empty() && !names.insert(presets.back().name).second)
      node.mistake_at("name", fmt::format("{} is there twice; keep one", in_quotes(presets.back().name)));
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    check_names_preset(nodes[i], "one_gpu_as", presets[i].one_gpu_as, presets);
    check_names_preset(nodes[i], "servers_as", presets[i].servers_as, presets);
  }
  return presets;
}

namespace {

/// The carrier whose libraries sum over a transport.
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
