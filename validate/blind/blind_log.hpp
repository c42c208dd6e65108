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

/// One line of the log: what was predicted by which program, and the errors.
struct BlindEntry {
  std::string date;           ///< 2026-11-29
  std::string commit;         ///< of the program, with with_changes if there were uncommitted changes
  std::string source;         ///< title and repository of the records
  std::string file;           ///< the file's name without folders
  std::string records;        ///< checksum of the file
  bool form_in_sight = false; ///< whether the model's form was chosen by somebody who knew these figures
  BlindScore score;
};

/// Reads every line, in order. Each line states a checksum of itself and of all lines before it. Throws UserError with
/// the first line whose checksum differs: a line was changed, moved or removed. Without a file there are no entries.
std::vector<BlindEntry> read_blind_log(const std::filesystem::path& file);

/// Appends the entries in one step. Throws UserError as read_blind_log() does, and if an entry repeats an earlier
/// question (the same records, kind and knowledge) with the same answers.
void append_to_blind_log(const std::filesystem::path& file, const std::vector<BlindEntry>& entries);

/// Says before a long prediction that it would be useless because the same commit has already predicted the same
/// records. Nothing for a commit with changes.
std::optional<Mistake> repeated_question(const std::vector<BlindEntry>& log, const std::string& records,
                                         const std::string& commit);

/// The table in README as Markdown, the newest entry last. Files of one source that were predicted by one commit on one
/// day make one row: points are added up, figures are means over the files.
std::string blind_table(const std::vector<BlindEntry>& log);

/// The same as JSON, {"format": "ddlsim-blind", "version": 1, "entries": [...]}; an entry has the fields of a line of
/// the log except its checksum.
std::string blind_json(const std::vector<BlindEntry>& log);

} // namespace ddlsim
