#pragma once
// The log of blind scores: validate/blind.jsonl. It only grows.

#include "validate/blind/blind.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// The suffix of a commit if the tree had changes beyond it.
inline constexpr const char* with_changes = "+changes";

/// One line: what was predicted by which program, and how large its errors were.
struct BlindEntry {
  std::string date;           ///< 2026-11-29
  std::string commit;         ///< of the program, with with_changes where the tree held more than it
  std::string source;         ///< title and repository of the records
  std::string file;           ///< name, without folders
  std::string records;        ///< checksum of the file
  bool form_in_sight = false; ///< whether the model's form was chosen by somebody who knew these figures
  BlindScore score;
};

/// Every line, in order. Each states a checksum of all lines before it and of itself. Throws UserError with the first
/// line whose checksum is not that: a line was changed, moved or taken out. No file gives no entries.
std::vector<BlindEntry> read_blind_log(const std::filesystem::path& file);

/// Writes the entries below those that are there, in one step. Throws UserError as read_blind_log() does, and where one
/// of them asks what was asked before with the same answers: the same records, kind and knowledge.
void append_to_blind_log(const std::filesystem::path& file, const std::vector<BlindEntry>& entries);

/// Why a prediction is of no use, before it takes time: the same commit has predicted the same records. Nothing for a
/// commit with changes.
std::optional<Mistake> repeated_question(const std::vector<BlindEntry>& log, const std::string& records,
                                         const std::string& commit);

/// A table in Markdown, the newest last: what README shows. Files of one source that were asked of one commit on one
/// day are a row: points are added up, figures are means over the files.
std::string blind_table(const std::vector<BlindEntry>& log);

/// The same as JSON, {"format": "ddlsim-blind", "version": 1, "entries": [...]}; an entry has the fields of a line of
/// the log but for its chain.
std::string blind_json(const std::vector<BlindEntry>& log);

} // namespace ddlsim
