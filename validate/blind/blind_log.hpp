#pragma once
// The log of blind scores, validate/blind.jsonl. Entries are only ever added.

#include "validate/blind/blind.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// The suffix of a commit if its tree had uncommitted changes.
inline constexpr const char* with_changes = "+changes";

/// One line of the log: what was predicted, by which program, and the errors.
struct BlindEntry {
  std::string date;           ///< date as in 2026-11-29
  std::string commit;         ///< commit of the program, with with_changes if there were uncommitted changes
  std::string source;         ///< title and repository of the records
  std::string file;           ///< name of the file without folders
  std::string records;        ///< checksum of the file
  bool form_in_sight = false; ///< whether somebody who knew these figures chose the form of the model
  BlindScore score;
};

/// Reads every line, in order. Each line states a checksum of itself and of all lines before it. Throws UserError with
/// the first line whose checksum differs, because a line was changed, moved or removed. Without a file there are no
/// entries.
std::vector<BlindEntry> read_blind_log(const std::filesystem::path& file);

/// Adds the entries at the end, all at once. Throws UserError as read_blind_log() does, and if an entry repeats an
/// earlier question (the same records, kind and knowledge) with the same answers.
void append_to_blind_log(const std::filesystem::path& file, const std::vector<BlindEntry>& entries);

/// Says, before a long prediction, that it would be useless because the same commit has predicted the same records
/// already. Returns nothing for a commit with changes.
std::optional<Mistake> repeated_question(const std::vector<BlindEntry>& log, const std::string& records,
                                         const std::string& commit);

/// Returns the table of README.md as Markdown, the newest entry last. Files of one source that one commit predicted on
/// one day make one row: points are added up, and figures are means over the files.
std::string blind_table(const std::vector<BlindEntry>& log);

/// Returns the same as JSON, {"format": "ddlsim-blind", "version": 1, "entries": [...]}. An entry has the fields of a
/// line of the log except its checksum.
std::string blind_json(const std::vector<BlindEntry>& log);

} // namespace ddlsim
