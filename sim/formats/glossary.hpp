#pragma once
// The terms that commands print, with their meaning: docs/glossary.md, which `ddlsim explain` reads.

#include "sim/formats/data_folder.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// Longest allowed entry of a glossary; the shipped ones are below 1 KiB.
inline constexpr std::size_t max_entry_bytes = 1U << 16U;

struct GlossaryEntry {
  std::string term;
  std::vector<std::string> also; ///< other spellings
  std::string text;              ///< one paragraph of Markdown
};

/// Returns the entries in the file's order: paragraphs `**term** (also: spelling, spelling): text`. Other paragraphs
/// are skipped. Throws UserError with all mistakes: a malformed or too long entry, a spelling of two entries, no entry
/// at all.
std::vector<GlossaryEntry> read_glossary(const std::filesystem::path& file);

/// Reads docs/glossary.md of the data folder.
std::vector<GlossaryEntry> load_glossary(const DataFolder& data);

/// Finds the entry with this term or other spelling. Only letters and digits are compared, without regard to case. Null
/// when there is none.
const GlossaryEntry* find_entry(const std::vector<GlossaryEntry>& entries, std::string_view asked);

/// The entries as a JSON document of format ddlsim-glossary. Text that is not UTF-8 becomes U+FFFD.
std::string glossary_json(const std::vector<GlossaryEntry>& entries);

/// The entry's term and its other spellings.
std::vector<std::string> spellings_of(const GlossaryEntry& entry);

} // namespace ddlsim
