#include "cli/options.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace ddlsim {
namespace {

/// Writes the numbers of GPUs as a scenario lists them: ascending, each once.
std::string as_json_list(std::vector<int> counts) {
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return fmt::format("[{}]", fmt::join(counts, ","));
}

/// The ends of a range; equal for a single count. 0 for what is neither.
std::pair<int, int> ends_of(const std::string& word) {
  const auto dots = word.find("..");
  const auto count = [](const std::string& text) {
    const bool is_count = number_complaint(text, {.above_least = true, .whole = true}).empty();
    return is_count ? std::stoi(text) : 0;
  };
  if (dots == std::string::npos) return {count(word), count(word)};
  return {count(word.substr(0, dots)), count(word.substr(dots + 2))};
}

/// Splits the text at the commas outside of brackets and quotes.
std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  bool in_text = false;
  for (const char c : text) {
    if (c == '"') in_text = !in_text;
    if (!in_text && (c == '[' || c == '{')) ++depth;
    if (!in_text && (c == ']' || c == '}')) --depth;
    if (c == ',' && depth == 0 && !in_text) {
      values.emplace_back();
    } else {
      values.back() += c;
    }
  }
  return values;
}

} // namespace

std::vector<int> gpu_counts(const std::vector<std::string>& words, std::string& wrong) {
  std::vector<int> counts;
  for (const auto& word : words) {
    const auto [fewest, most] = ends_of(word);
    if (fewest == 0 || most < fewest) {
      wrong = word.find("..") == std::string::npos ? number_complaint(word, {.above_least = true, .whole = true})
                                                   : in_quotes(word) + " found, a range like 8..4096 expected";
      return {};
    }
    for (long count = fewest; count < most; count *= 2) { // the doubled counts, and those between them
      counts.push_back(static_cast<int>(count));
      const long between = count + count / 2;
      if (count > 1 && between < most) counts.push_back(static_cast<int>(between));
    }
    counts.push_back(most);
  }
  return counts;
}

std::vector<std::pair<std::string, std::string>> split_words(const std::vector<std::string>& words,
                                                             std::string& wrong) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if ((equals == 0 || equals == std::string::npos) && wrong.empty()) wrong = word;
    if (equals != std::string::npos) pairs.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return pairs;
}

std::vector<JsonChange> changes_of(const Variation& variation, std::string& wrong) {
  std::vector<JsonChange> changes;
  for (const auto& [path, value] : split_words(variation.set, wrong)) changes.push_back({path, value});
  if (!variation.gpus.empty()) changes.push_back({"/gpus", as_json_list(gpu_counts(variation.gpus, wrong))});
  if (!variation.cluster.empty()) changes.push_back({"/cluster", fmt::format("\"{}\"", variation.cluster)});
  if (!variation.model.empty()) changes.push_back({"/model", variation.model});
  if (variation.global_batch > 0) {
    changes.push_back({"/batch_per_gpu", "null"});
    changes.push_back({"/global_batch_tokens", "null"});
    changes.push_back({"/global_batch", fmt::format("{}", variation.global_batch)});
  }
  if (variation.micro_batch > 0) changes.push_back({"/micro_batch", fmt::format("{}", variation.micro_batch)});
  return changes;
}

std::vector<SweepAxis> axes_of(const Variation& variation, std::string& wrong) {
  std::vector<SweepAxis> axes;
  for (const auto& [path, values] : split_words(variation.sweep, wrong)) axes.push_back({path, split_values(values)});
  return axes;
}

} // namespace ddlsim
