#include "sim/formats/gpu_names.hpp"

#include "sim/base/error.hpp"
#include "sim/base/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ddlsim {
namespace {

/// Whether a word distinguishes no GPUs: a vendor, a board, a kind of memory.
bool says_nothing(const std::string& word) {
  static const std::vector<std::string> words{
      "nvidia", "corporation", "tesla",    "quadro", "geforce",   "graphics",  "device",      "gpu",
      "amd",    "ati",         "advanced", "micro",  "devices",   "inc",       "instinct",    "radeon",
      "tensor", "core",        "grace",    "hopper", "blackwell", "superchip", "accelerator", "oam",
      "mcm",    "ac",          "mba",      "vf",     "hgx",       "dgx",       "edition",     "hbm2",
      "hbm2e",  "hbm3",        "hbm3e",    "gddr5",  "gddr6",     "gddr6x",    "gddr7"};
  return is_in(words, word);
}

/// Returns the words of letters and digits, in lower case. For "GH100 [H100 PCIe] (rev a1)", as lspci prints it, these
/// are only those in the brackets.
std::vector<std::string> words_of(std::string_view text) {
  const auto close = text.rfind(']');
  const auto open = text.substr(0, close).rfind('[');
  if (close != std::string_view::npos && open != std::string_view::npos && close > open + 1)
    text = text.substr(open + 1, close - open - 1);
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty() && !says_nothing(word)) words.push_back(word);
    word.clear();
  };
  for (const char letter : text) {
    const auto kept = folded(std::string_view(&letter, 1));
    if (kept.empty()) end_word();
    word += kept;
  }
  end_word();
  return words;
}

/// Returns 80 for "80gb", "80g" and "80gib"; 0 for any other word.
int gigabytes_of(const std::string& word) {
  constexpr std::size_t most_digits = 3;
  const auto digits = std::min(word.find_first_not_of("0123456789"), word.size());
  if (digits == 0 || digits > most_digits) return 0;
  const auto unit = word.substr(digits);
  return unit == "g" || unit == "gb" || unit == "gib" ? std::atoi(word.c_str()) : 0;
}

bool is_form(const std::string& word) {
  return word == "pcie" || word == "nvl" || word.starts_with("sxm");
}

/// Whether two forms agree. "sxm" does not state the generation, which differs between NVIDIA's own names of one card.
bool forms_agree(const std::string& one, const std::string& other) {
  return one == other || (one == "sxm" && other.starts_with("sxm")) || (other == "sxm" && one.starts_with("sxm"));
}

/// The parts of a name: "A100-SXM4-80GB" is a100, sxm4 and 80.
struct GpuWords {
  std::string model; ///< the words that are neither form nor memory
  std::string form;
  int memory_gb = 0; ///< memory in GB; 0: not stated
  bool is_part = false;
};

/// Meaning of a number without unit after the model: a part of the model ("RTX 4090"), or gigabytes ("a100_80").
enum class BareNumber { of_model, of_memory };

GpuWords taken_apart(std::string_view text, BareNumber bare_number = BareNumber::of_model) {
  GpuWords name;
  for (const auto& word : words_of(text)) {
    const bool add_unit = bare_number == BareNumber::of_memory && !name.model.empty();
    const int memory_gb = gigabytes_of(add_unit && gigabytes_of(word) == 0 ? word + "g" : word);
    if (memory_gb > 0 && name.memory_gb > 0) name.is_part = true; // a part of a GPU: "1g.5gb"
    if (word == "mig") name.is_part = true;
    if (memory_gb > 0)
      name.memory_gb = memory_gb;
    else if (is_form(word))
      name.form = word;
    else
      name.model += word;
  }
  return name;
}

bool fits(const GpuWords& asked, const Gpu& gpu) {
  constexpr double bytes_a_gb = 1e9;
  const auto has = taken_apart(gpu.name);
  const int memory_gb =
      has.memory_gb > 0 ? has.memory_gb : static_cast<int>(std::lround(gpu.memory_bytes / bytes_a_gb));
  const bool form_agrees = asked.form.empty() || forms_agree(asked.form, has.form.empty() ? "pcie" : has.form);
  return asked.model == has.model && (asked.memory_gb == 0 || asked.memory_gb == memory_gb) && form_agrees;
}

/// Returns the GPUs that match all words, in the order of the catalogue.
std::vector<const Gpu*> fitting_gpus(const GpuWords& asked, const std::vector<Gpu>& gpus) {
  std::vector<const Gpu*> fitting;
  if (asked.is_part || asked.model.empty()) return fitting;
  for (const auto& gpu : gpus)
    if (fits(asked, gpu)) fitting.push_back(&gpu);
  return fitting;
}

/// Returns the words of the text that distinguish GPUs, joined without separators.
std::string bare(std::string_view text) {
  return join_names(words_of(text), "");
}

bool is_called(const Gpu& gpu, const std::string& bare_name) {
  return bare(gpu.name) == bare_name || std::any_of(gpu.aliases.begin(), gpu.aliases.end(),
                                                    [&](const auto& alias) { return bare(alias) == bare_name; });
}

bool is_exactly(const Gpu& gpu, std::string_view text) {
  return gpu.name == text || is_in(gpu.aliases, text);
}

} // namespace

GpuMatch match_gpu(std::string_view text, const std::vector<Gpu>& gpus) {
  constexpr std::size_t longest_name = 200; // a longer text cannot be a name
  const auto name = bare(text.substr(0, longest_name));
  auto asked = taken_apart(text.substr(0, longest_name));
  auto fitting = fitting_gpus(asked, gpus);
  GpuMatch match;
  const auto take_first = [&](const auto& range, const auto& is_meant) {
    for (const auto& gpu : range)
      if (match.gpu == nullptr && is_meant(*gpu)) match.gpu = gpu;
  };
  std::vector<const Gpu*> all;
  for (const auto& gpu : gpus) all.push_back(&gpu);
  take_first(all, [&](const Gpu& gpu) { return is_exactly(gpu, text); });
  if (!name.empty() && !asked.is_part) take_first(all, [&](const Gpu& gpu) { return is_called(gpu, name); });
  if (match.gpu == nullptr && fitting.empty()) {
    asked = taken_apart(text.substr(0, longest_name), BareNumber::of_memory);
    fitting = fitting_gpus(asked, gpus);
  }
  take_first(fitting, [&](const Gpu& gpu) { return is_called(gpu, asked.model); });
  take_first(fitting, [](const Gpu&) { return true; });
  for (const auto* gpu : fitting)
    if (gpu != match.gpu) match.others.push_back(gpu->name);
  return match;
}

std::string choice_of_gpu(std::string_view text, const std::vector<Gpu>& gpus) {
  const auto match = match_gpu(text, gpus);
  if (match.gpu == nullptr || match.others.empty() || match.gpu->name == text) return "";
  return fmt::format("GPU {} is taken for {}; it could be {}, too", in_quotes(text), match.gpu->name,
                     join_names(match.others, " or "));
}

} // namespace ddlsim
