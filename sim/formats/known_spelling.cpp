#include "sim/formats/known_spelling.hpp"

#include "sim/base/error.hpp"
#include "sim/base/spelling.hpp"
#include "sim/formats/gpu_names.hpp"
#include "sim/formats/own_files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>

namespace ddlsim {
namespace {

/// Lists of known names, each read when it is first needed. A file that cannot be read gives an empty list here; its
/// own reader reports it.
class KnownNames {
public:
  explicit KnownNames(const DataFolder& data) : data_(data) {}

  std::string model(const std::string& typed) {
    if (!models_) models_ = list_models(data_);
    auto meant = model_meant(typed, *models_);
    const auto variants = variants_of_bare_name(folded(typed)); // for "ResNet-50" the reader lists the variants
    return meant.empty() && !variants.empty() ? folded(typed) : meant;
  }

  std::string cluster(const std::string& typed) {
    if (!clusters_) clusters_ = list_clusters(data_);
    return spelt_like(typed, *clusters_);
  }

  std::string preset(const std::string& typed) {
    std::vector<std::string> names;
    for (const auto& one : presets()) names.push_back(one.name);
    return spelt_like(typed, names);
  }

  /// Returns the transport that is meant: one that the preset uses if possible, else any.
  std::string transport(const std::string& typed, const std::string& preset) {
    const auto* uses = preset_named(presets(), preset);
    auto meant = uses == nullptr ? "" : transport_meant(typed, uses->transports);
    return meant.empty() ? spelt_like(typed, transport_names()) : meant;
  }

  std::string gpu(const std::string& typed, std::vector<std::string>& notes) {
    if (!gpus_) gpus_ = list_or_none([&] { return load_gpus(data_); });
    if (auto choice = choice_of_gpu(typed, *gpus_); !choice.empty()) notes.push_back(std::move(choice));
    const auto match = match_gpu(typed, *gpus_);
    return match.gpu == nullptr ? "" : match.gpu->name;
  }

private:
  const std::vector<Preset>& presets() {
    if (!presets_) presets_ = list_or_none([&] { return load_presets(data_); });
    return *presets_;
  }

  template <class Load> static auto list_or_none(const Load& load) -> decltype(load()) {
    try {
      return load();
    } catch (const UserError&) {
      return {};
    }
  }

  const DataFolder& data_;
  std::optional<std::vector<std::string>> models_;
  std::optional<std::vector<std::string>> clusters_;
  std::optional<std::vector<Preset>> presets_;
  std::optional<std::vector<Gpu>> gpus_;
};

void spell_value(const std::string& key, nlohmann::json& value, KnownNames& names, std::vector<std::string>& notes) {
  if (!value.is_string()) return;
  const auto typed = value.get<std::string>();
  if (typed.empty() || is_path(typed)) return;
  std::string meant;
  if (key == "model") meant = names.model(typed);
  if (key == "cluster") meant = names.cluster(typed);
  if (key == "preset") meant = names.preset(typed);
  if (key == "gpu") meant = names.gpu(typed, notes);
  if (meant.empty() || meant == typed) return;
  if (key == "model" && folded(meant).size() > folded(typed).size())
    notes.push_back(fmt::format("model {} is taken for {}", in_quotes(typed), meant));
  value = meant;
}

/// Replaces the name of a network in the place of a transport by the transport of the preset given beside it, or in the
/// enclosing object.
void spell_transport(nlohmann::json& place, const std::string& preset, KnownNames& names,
                     std::vector<std::string>& notes) {
  if (!place.contains("transport") || !place["transport"].is_string()) return;
  const auto typed = place["transport"].get<std::string>();
  const auto meant = names.transport(typed, preset);
  if (meant.empty() || meant == typed) return;
  if (folded(meant) != folded(typed))
    notes.push_back(fmt::format("transport {} is taken for {}, which {} uses", in_quotes(typed), meant, preset));
  place["transport"] = meant;
}

void spell_below(nlohmann::json& place, int depth, std::string preset, KnownNames& names,
                 std::vector<std::string>& notes) {
  if (depth > max_document_depth) return;
  if (place.is_object()) {
    for (auto& [key, value] : place.items()) spell_value(key, value, names, notes);
    if (place.contains("preset") && place["preset"].is_string()) preset = place["preset"].get<std::string>();
    spell_transport(place, preset, names, notes);
  }
  for (auto& child : place)
    if (child.is_structured()) spell_below(child, depth + 1, preset, names, notes);
}

} // namespace

std::string transport_meant(const std::string& typed, const std::vector<std::string>& uses) {
  static const std::vector<std::string> by_rdma{"ib", "infiniband", "roce", "rocev2", "rdma", "verbs", "efa"};
  static const std::vector<std::string> by_sockets{"tcp", "tcpip", "ethernet", "eth", "socket", "sockets"};
  if (auto same = spelt_like(typed, uses); !same.empty()) return same;
  const auto wanted = folded(typed);
  for (const auto& name : uses) {
    const auto& words = name.ends_with("-ib") ? by_rdma : by_sockets;
    if (!name.ends_with("-ib") && !name.ends_with("-tcp")) continue;
    const auto library = folded(name.substr(0, name.rfind('-')));
    for (const auto& word : words)
      if (wanted == word || wanted == library + word) return name;
  }
  return "";
}

std::string model_meant(const std::string& typed, const std::vector<std::string>& models) {
  if (auto same = spelt_like(typed, models); !same.empty()) return same;
  auto wanted = folded(typed);
  if (wanted.ends_with("hf")) wanted.resize(wanted.size() - 2); // suffix of Hugging Face's conversions
  std::string found;
  for (const auto& model : models) {
    const auto name = folded(model);
    const bool is_of_length = !wanted.empty() && name.starts_with(wanted + "seq");
    if (!is_of_length && name != wanted) continue;
    if (!found.empty()) return "";
    found = model;
  }
  return found;
}

std::vector<std::string> spell_as_known(nlohmann::json& document, const DataFolder& data) {
  std::vector<std::string> notes;
  if (!document.is_object()) return notes;
  KnownNames names(data);
  spell_below(document, 0, "", names, notes);
  return notes;
}

} // namespace ddlsim
