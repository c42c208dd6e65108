#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <utility>

namespace ddlsim {
namespace {

std::string joined(const std::vector<Mistake>& mistakes) {
  std::string lines;
  for (const auto& mistake : mistakes) {
    if (!lines.empty()) lines += '\n';
    lines += to_text(mistake);
  }
  return lines;
}

/// Number of insertions, deletions, replacements and swaps of neighbouring letters that turn one name into the other.
/// This is the optimal string alignment (Damerau 1964: four typing errors in five are one of these).
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1); // row i - 1 of the table
  std::vector<std::size_t> row(to.size() + 1);    // row i
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::vector<std::size_t> next(to.size() + 1);
    next[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = row[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      next[j] = std::min({replaced, row[j] + 1, next[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = std::move(row);
    row = std::move(next);
  }
  return row.back();
}

std::string lower_letters(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return lower;
}

struct NearName {
  std::string name;
  std::size_t distance = 0;
};

/// The candidates within the edit distance that nearest_name() allows, the nearest first. Equally near ones keep their
/// order.
std::vector<NearName> near_names(std::string_view name, const std::vector<std::string>& candidates) {
  std::vector<NearName> near;
  for (const auto& candidate : candidates) {
    const std::size_t longer = std::max(name.size(), candidate.size());
    const std::size_t shorter = std::min(name.size(), candidate.size());
    const std::size_t allowed = std::max<std::size_t>(longer / 3, 1);
    if (longer - shorter > allowed) continue;                      // this also bounds the work for a name of a megabyte
    const bool is_unit = candidate.find('/') != std::string::npos; // capitals matter in units: Gb/s is not GB/s
    const std::size_t distance =
        is_unit ? edit_distance(name, candidate) : edit_distance(lower_letters(name), lower_letters(candidate));
    if (distance <= allowed) near.push_back({candidate, distance});
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.distance < b.distance; });
  return near;
}

bool contains(std::string_view text, std::string_view part) {
  constexpr std::size_t says_something = 2;
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return part.size() >= says_something &&
         std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

/// "llama_3.1_70b" -> llama, 3, 1, 70b.
std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char letter : lower_letters(name))
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0)
      words.back() += letter;
    else if (!words.back().empty())
      words.emplace_back();
  return words;
}

/// Returns how little a candidate resembles the typed name: the letters of typed words that it lacks, plus the number of
/// typed words from the first one that differs.
std::size_t how_unrelated(const std::vector<std::string>& typed, const std::vector<std::string>& words) {
  const auto differs = std::mismatch(typed.begin(), typed.end(), words.begin(), words.end()).first;
  auto sum = static_cast<std::size_t>(typed.end() - differs);
  for (const auto& word : typed) sum += is_in(words, word) ? 0 : word.size();
  return sum;
}

/// The candidates that begin with the same word, the most related first.
std::vector<std::string> related_names(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 100; // of a name that somebody typed
  std::vector<NearName> related;       // `distance`: as of how_unrelated()
  if (name.size() > longest) return {};
  const auto typed = words_of_name(name);
  for (const auto& candidate : candidates) {
    const auto words = words_of_name(candidate);
    if (typed.front().size() < 2 || words.front() != typed.front()) continue;
    related.push_back({candidate, how_unrelated(typed, words)});
  }
  std::stable_sort(related.begin(), related.end(), [](const auto& a, const auto& b) {
    return std::pair(a.distance, a.name.size()) < std::pair(b.distance, b.name.size());
  });
  std::vector<std::string> names;
  for (const auto& one : related) names.push_back(one.name);
  return names;
}

/// Returns at most three suggestions: names with a similar spelling, and names that contain the typed one. If
/// there are none, it returns names whose first word is the same.
std::vector<std::string> names_to_offer(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t most = 3;
  std::vector<std::string> offered;
  for (const auto& near : near_names(name, candidates)) offered.push_back(near.name);
  for (const auto& candidate : candidates)
    if (contains(candidate, name) && std::find(offered.begin(), offered.end(), candidate) == offered.end())
      offered.push_back(candidate);
  if (offered.empty()) offered = related_names(name, candidates);
  offered.resize(std::min(offered.size(), most));
  return offered;
}

/// Returns "a, b or c".
std::string one_of(std::vector<std::string> names) {
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : join_names(names) + " or " + last;
}

/// The command that lists all names of a kind; "" when there is none.
std::string list_command(std::string_view kind) {
  if (kind.substr(0, 7) == "cluster") return "ddlsim list clusters"; // the kind may also be "cluster with measurements"
  if (kind == "model") return "ddlsim list models";
  if (kind == "GPU") return "ddlsim list gpus";
  if (kind == "term") return "ddlsim explain";
  return kind == "preset" ? "ddlsim list presets" : "";
}

} // namespace

UserError::UserError(std::vector<Mistake> mistakes)
    : std::runtime_error(joined(mistakes)), mistakes_(std::move(mistakes)) {}

UserError::UserError(std::string where, std::string path, std::string what)
    : UserError(std::vector<Mistake>{{std::move(where), std::move(path), std::move(what)}}) {}

std::string to_text(const Mistake& mistake) {
  std::string text = mistake.where;
  for (const auto* part : {&mistake.path, &mistake.what}) {
    if (part->empty()) continue;
    if (!text.empty()) text += ": ";
    text += *part;
  }
  return text;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const auto near = near_names(name, candidates);
  return near.empty() ? "" : near.front().name;
}

bool is_in(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string join_names(const std::vector<std::string>& names, std::string_view separator) {
  std::string joined;
  for (const auto& name : names) {
    if (!joined.empty()) joined += separator;
    joined += name;
  }
  return joined;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest_shown = 48;
  std::size_t end = std::min(text.size(), longest_shown);
  const auto inside_character = [&](std::size_t at) {
    // whether the byte continues a character of UTF-8
    return at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (inside_character(end)) --end;
  std::string shown = "\"";
  for (const char c : text.substr(0, end)) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      shown += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else if (c == '"' || c == '\\') {
      shown += {'\\', c};
    } else {
      shown += c;
    }
  }
  return shown + (end < text.size() ? "...\"" : "\"");
}

std::string unknown_name_text(std::string_view kind, std::string_view name, const std::vector<std::string>& candidates,
                              const std::vector<std::string>& listed) {
  constexpr std::size_t most_listed = 12; // one or two lines of a terminal
  const std::string command = list_command(kind);
  std::string text = fmt::format("no {} is called {}; ", kind, in_quotes(name));
  if (listed.size() > most_listed && !command.empty()) {
    const auto offered = names_to_offer(name, candidates);
    if (!offered.empty()) text += fmt::format("did you mean {}? ", one_of(offered));
    return text + fmt::format("`{}` shows all {}", command, listed.size());
  }
  const std::string nearest = nearest_name(name, candidates);
  if (!nearest.empty()) text += fmt::format("did you mean {}? ", nearest);
  return text + (listed.empty() ? "there is none at all" : fmt::format("there are: {}", join_names(listed)));
}

} // namespace ddlsim
