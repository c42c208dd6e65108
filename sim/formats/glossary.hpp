#pragma once
// The words that commands print, and what they mean: docs/glossary.md, which `ddlsim explain` reads.

#include "sim/formats/data_folder.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// Longest entry of a glossary; ours stay below 1 KiB.
inline constexpr std::size_t max_entry_bytes = 1U << 16U;

struct GlossaryEntry {
  std::string term;
  std::vector<std::string> also; ///< other spellings
  std::string text;              ///< one paragraph of Markdown
};

/// The entries in the file's order: paragraphs `**term** (also: spelling, spelling): text`. Other paragraphs are passed
/// over. Throws UserError with all mistakes: an entry of another form, too long, a spelling of two entries, no entry.
std::vector<GlossaryEntry> read_glossary(const std::filesystem::path& file);

/// docs/glossary.md of the data folder.
std::vector<GlossaryEntry> load_glossary(const DataFolder& data);

/// The entry of a term or of another spelling; letters and digits count, without regard to capitals. Null where there
/// is none.
const GlossaryEntry* find_entry(const std::vector<GlossaryEntry>& entries, std::string_view asked);

/// The entry's term and its other spellings.
std::vector<std::string> spellings_of(const GlossaryEntry& entry);

} // namespace ddlsim
