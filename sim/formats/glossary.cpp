#include "sim/formats/glossary.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/spelling.hpp"
#include "sim/base/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace ddlsim {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view entry_begins = "**";

/// Returns the key that spellings of one term share; the spelling itself if it has no letter and no digit ("?").
std::string spelling_key(std::string_view spelling) {
  auto key = folded(spelling);
  return key.empty() ? std::string(spelling) : key;
}

std::string_view without_outer_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto begin = text.find_first_not_of(blanks);
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Removes `start` from the front of the text; returns whether it was there.
bool take_start(std::string_view& text, std::string_view start) {
  const bool is_there = text.starts_with(start);
  if (is_there) text.remove_prefix(start.size());
  return is_there;
}

/// Removes the text up to and including `end`, and returns the part before `end`; "" when there is no `end`.
std::string_view take_until(std::string_view& text, std::string_view end) {
  const auto at = text.find(end);
  if (at == std::string_view::npos) return "";
  const auto before = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return before;
}

/// Splits "a, b" into parts, including empty ones.
std::vector<std::string> listed_spellings(std::string_view list) {
  constexpr std::string_view comma = ", ";
  std::vector<std::string> parts;
  for (auto at = list.find(comma); at != std::string_view::npos; at = list.find(comma)) {
    parts.emplace_back(list.substr(0, at));
    list.remove_prefix(at + comma.size());
  }
  parts.emplace_back(list);
  return parts;
}

/// Returns nothing when the paragraph is not an entry.
std::optional<GlossaryEntry> entry_in(std::string_view paragraph) {
  GlossaryEntry entry;
  take_start(paragraph, entry_begins);
  entry.term = take_until(paragraph, "**");
  if (take_start(paragraph, " (also: ")) entry.also = listed_spellings(take_until(paragraph, ")"));
  if (!take_start(paragraph, ": ") || paragraph.empty()) return {};
  entry.text = paragraph;
  const auto spellings = spellings_of(entry);
  const bool has_empty = std::any_of(spellings.begin(), spellings.end(), [](const auto& each) { return each.empty(); });
  return has_empty ? std::nullopt : std::optional(entry);
}

class GlossaryReader {
public:
  explicit GlossaryReader(const fs::path& file) : name_(file.string()), lines_(file), mistakes_(name_) {}

  std::vector<GlossaryEntry> read() {
    std::string line;
    for (std::size_t number = 1; lines_.next(line) != LineReader::Result::end; ++number) {
      const auto text = without_outer_blanks(line);
      if (text.empty()) end_paragraph();
      if (paragraph_.empty()) first_line_ = number;
      if (paragraph_.size() <= max_entry_bytes) paragraph_.append(paragraph_.empty() ? "" : " ").append(text);
    }
    end_paragraph();
    mistakes_.move_to(name_);
    if (mistakes_.empty() && entries_.empty()) mistakes_.add("", fmt::format("no entry found; give {}", form));
    mistakes_.throw_if_any();
    return std::move(entries_);
  }

private:
  static constexpr const char* form = "paragraphs `**term** (also: spelling, spelling): text`";

  void end_paragraph() {
    const auto paragraph = std::exchange(paragraph_, "");
    if (!paragraph.starts_with(entry_begins)) return;
    mistakes_.move_to(fmt::format("{}:{}", name_, first_line_));
    if (paragraph.size() > max_entry_bytes) {
      mistakes_.add("", fmt::format("an entry of more than {} bytes; shorten it", max_entry_bytes));
    } else if (auto entry = entry_in(paragraph)) {
      add(std::move(*entry));
    } else {
      mistakes_.add("", fmt::format("{} found; give {}", in_quotes(paragraph), form));
    }
  }

  void add(GlossaryEntry entry) {
    for (const auto& spelling : spellings_of(entry)) {
      const auto [known, is_new] = entry_of_.emplace(spelling_key(spelling), entries_.size());
      if (is_new || known->second == entries_.size()) continue;
      mistakes_.add("", fmt::format("{} means the entry {}, too; name it in one of them", in_quotes(spelling),
                                    in_quotes(entries_[known->second].term)));
    }
    entries_.push_back(std::move(entry));
  }

  std::string name_;
  LineReader lines_;
  Mistakes mistakes_;
  std::string paragraph_;
  std::size_t first_line_ = 0; ///< line number of the paragraph's start
  std::vector<GlossaryEntry> entries_;
  std::map<std::string, std::size_t> entry_of_; ///< index of an entry by its spelling_key()
};

} // namespace

std::vector<GlossaryEntry> read_glossary(const fs::path& file) {
  return GlossaryReader(file).read();
}

std::vector<GlossaryEntry> load_glossary(const DataFolder& data) {
  return read_glossary(data.root / "docs" / "glossary.md");
}

const GlossaryEntry* find_entry(const std::vector<GlossaryEntry>& entries, std::string_view asked) {
  const auto wanted = spelling_key(asked);
  for (const auto& entry : entries)
    for (const auto& spelling : spellings_of(entry))
      if (spelling_key(spelling) == wanted) return &entry;
  return nullptr;
}

std::vector<std::string> spellings_of(const GlossaryEntry& entry) {
  std::vector<std::string> spellings{entry.term};
  spellings.insert(spellings.end(), entry.also.begin(), entry.also.end());
  return spellings;
}

} // namespace ddlsim
