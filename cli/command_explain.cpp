#include "cli/command.hpp"
#include "sim/base/error.hpp"
#include "sim/base/escape.hpp"
#include "sim/base/spelling.hpp"
#include "sim/base/table.hpp"
#include "sim/formats/glossary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <set>

namespace ddlsim {
namespace {

using Glossary = std::vector<GlossaryEntry>;

constexpr int unknown_term = 2;          ///< the exit code of wrong use
constexpr std::size_t page_columns = 80; ///< narrower than a report, because the page holds running text

/// Rewrites links for the terminal: "[causes](diagnosis.md)" becomes "causes". Not every installation has the documents.
std::string with_plain_links(std::string text) {
  for (auto middle = text.find("]("); middle != std::string::npos; middle = text.find("](", middle)) {
    const auto begin = text.rfind('[', middle);
    if (begin == std::string::npos) return text;
    text.erase(middle, text.find(')', middle) + 1 - middle);
    text.erase(begin, 1);
  }
  return text;
}

/// The text as lines, all indented by two.
std::string indented_lines(std::string_view sentences) {
  return "  " + to_lines(sentences, page_columns - 2);
}

std::string entry_text(const GlossaryEntry& entry) {
  std::string text = entry.term + "\n" + indented_lines(with_plain_links(entry.text));
  if (!entry.also.empty()) text += indented_lines("Also: " + join_names(entry.also));
  return text;
}

/// Returns the terms of one letter: the letter, then as many terms on each line as fit.
std::string letter_text(const std::string& letter, const std::vector<std::string>& terms) {
  std::size_t width = 0;
  for (const auto& term : terms) width = std::max(width, term.size() + 2);
  const std::size_t in_a_line = std::max<std::size_t>((page_columns - letter.size()) / width, 1);
  std::string text = letter;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i > 0 && i % in_a_line == 0) text += "\n" + std::string(letter.size(), ' ');
    const bool ends_line = i + 1 == terms.size() || (i + 1) % in_a_line == 0;
    text += "  " + (ends_line ? terms[i] : fmt::format("{:<{}}", terms[i], width - 2));
  }
  return text + "\n";
}

/// All terms, ordered by their letters and digits.
std::string terms_text(const Glossary& glossary) {
  std::map<std::string, std::map<std::string, std::string>> by_letter;
  for (const auto& entry : glossary) {
    const auto key = folded(entry.term);
    const char first = key.empty() ? '?' : static_cast<char>(std::toupper(static_cast<unsigned char>(key.front())));
    by_letter[std::string(1, first)][key + "\n" + entry.term] = entry.term;
  }
  std::string text = fmt::format("{} terms; `ddlsim explain TERM` explains one.\n\n", glossary.size());
  for (const auto& [letter, sorted] : by_letter) {
    std::vector<std::string> terms;
    for (const auto& row : sorted) terms.push_back(row.second);
    text += letter_text(letter, terms);
  }
  return text;
}

int refuse_term(const std::string& term, const Glossary& glossary) {
  std::vector<std::string> spellings;
  std::set<std::string> keys{""}; // with these it offers "global batch" but not "global_batch" too
  for (const auto& entry : glossary)
    for (auto& spelling : spellings_of(entry))
      if (keys.insert(folded(spelling)).second) spellings.push_back(std::move(spelling));
  std::vector<std::string> terms;
  for (const auto& entry : glossary) terms.push_back(entry.term);
  fmt::print(stderr, "ddlsim: {}\n", for_terminal(unknown_name_text("term", term, spellings, terms)));
  return unknown_term;
}

} // namespace

int run_explain(const ExplainCommand& command, const CommandLine& line) {
  const auto glossary = load_glossary({line.data_folder});
  if (command.words.empty()) {
    emit(line, line.json ? glossary_json(glossary) : terms_text(glossary));
    return 0;
  }
  const auto term = join_names(command.words, " ");
  const auto* entry = find_entry(glossary, term);
  if (entry == nullptr) return refuse_term(term, glossary);
  emit(line, line.json ? glossary_json({*entry}) : entry_text(*entry));
  return 0;
}

} // namespace ddlsim
