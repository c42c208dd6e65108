#pragma once
// The keys of a config of Hugging Face Transformers, where null counts as absent.

#include "own/hf_config.hpp"
#include "own/hf_families.hpp"
#include "own/transformer.hpp"
#include "sim/base/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

inline constexpr long most_blocks = 10'000;
inline constexpr long most_width = 1'000'000;
inline constexpr long most_experts = 4096;

/// Names of architectures and the heads that they mean.
using HfHeads = std::map<std::string, Head>;

/// Reads one config, key by key; mistakes and assumptions are noted.
class HfKeys {
public:
  HfKeys(const JsonNode& root, std::vector<std::string>& notes) : root_(root), notes_(notes) {}

  long size(const char* key, long at_most = most_hf_size) const { return root_.integer(key, 1, at_most); }
  /// Whether the key is present. null counts as absent, as in the classes.
  bool has(const char* key) const { return root_.has(key) && !root_.value()[key].is_null(); }
  long size_or(const char* key, long fallback, long at_most = most_hf_size) const {
    return has(key) ? root_.integer(key, 1, at_most) : fallback;
  }
  bool flag(const char* key, bool fallback) const { return has(key) ? root_.boolean(key) : fallback; }
  double chance(const char* key, double fallback) const { return has(key) ? root_.number(key, 0, 1) : fallback; }
  /// Returns the activation without its variant: "gelu" for "gelu_new", "gelu_pytorch_tanh" and "quick_gelu".
  std::string activation(const char* key, const char* fallback) const {
    const auto text = root_.text_or(key, fallback);
    for (const char* known : {"gelu", "silu", "relu", "swish"})
      if (text.find(known) != std::string::npos) return known == std::string("swish") ? "silu" : known;
    root_.mistake_at(key, fmt::format("{} is not read; one of gelu, silu, relu expected", in_quotes(text)));
    return fallback;
  }
  /// Returns the head that the first entry of "architectures" means.
  Head head(const HfHeads& known, const std::string& usual) const {
    auto name = usual;
    const auto architectures = root_.texts_or_none("architectures");
    if (architectures.empty()) notes_.push_back(fmt::format("no architectures in the config: {} was taken", usual));
    if (!architectures.empty()) name = architectures.front();
    const auto found = known.find(name);
    if (found != known.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& one : known) names.push_back(one.first);
    root_.mistake_at("architectures", unknown_name_text("architecture that is read", name, names, names));
    return Head::none;
  }
  /// Returns the number of classes. Transformers' own default is two.
  long classes() const {
    if (has("id2label") && root_.value()["id2label"].is_object())
      return static_cast<long>(root_.value()["id2label"].size());
    if (!has("num_labels"))
      notes_.emplace_back("neither id2label nor num_labels in the config: two classes were taken");
    return size_or("num_labels", 2);
  }
  long size_or(std::string_view key, long fallback, long at_most = most_hf_size) const {
    return size_or(std::string(key).c_str(), fallback, at_most);
  }
  /// Returns a size that must be there unless there is a usual one.
  long size_unless(std::string_view key, long usual, long at_most = most_hf_size) const {
    return usual > 0 ? size_or(key, usual, at_most) : size(std::string(key).c_str(), at_most);
  }
  bool is_on(const HfSwitch& one) const {
    return one.key.empty() ? one.usual : flag(std::string(one.key).c_str(), one.usual);
  }
  /// Whether the text under a key begins with a word.
  bool begins(const char* key, std::string_view word) const { return root_.text_or(key, "").starts_with(word); }
  /// Whether the key has a number, where a class also takes a word such as "auto".
  bool is_number(const char* key) const { return has(key) && root_.value()[key].is_number(); }
  std::string text(const char* key) const { return root_.text(key); }
  /// A whole number that may be 0.
  long whole_or(const char* key, long fallback) const {
    return has(key) ? root_.integer(key, 0, most_hf_size) : fallback;
  }
  /// Returns the texts of a list, such as "layer_types".
  std::vector<std::string> texts(const char* key) const {
    return has(key) ? root_.texts_or_none(key) : std::vector<std::string>{};
  }
  /// Returns which blocks a list names.
  std::vector<long> wholes(const char* key) const {
    std::vector<long> found;
    if (!has(key)) return found;
    for (const auto& one : root_.list(key)) found.push_back(one.as_integer(0, most_blocks));
    return found;
  }
  void divide(const char* key, long whole, long parts) const {
    if (parts > 0 && whole % parts != 0)
      root_.mistake_at(key, fmt::format("{} do not divide {}; give sizes that fit", parts, whole));
  }
  void mistake(const char* key, std::string what) const { root_.mistake_at(key, std::move(what)); }

private:
  const JsonNode& root_;
  std::vector<std::string>& notes_;
};

} // namespace ddlsim
