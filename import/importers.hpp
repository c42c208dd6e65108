#pragma once
// What `ddlsim import KIND FILE` can read: one row of importers.def a kind of file.

#include "import/imported.hpp"
#include "import/log_source.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// What the lines of a kind of file are about, and so what `--set` may say of them.
enum class LogFigures {
  rates,       ///< a table of rates: any of its columns
  steps,       ///< steps of one run: any column of a table of rates
  collectives, ///< operations of a library: ranks, nodes, transport and what the reader names
};

/// How much a file's text resembles a kind of file: not at all; by column names; by a phrase that several programs
/// print; by words that one program prints; by its structure.
enum class Resemblance { none, columns, phrase, own_words, structure };

/// One kind of file, and how it becomes records. `import` throws UserError with every mistake of the file, each as
/// FILE:LINE. What the command line states comes before what the file states for all its rows; a row's own figure
/// comes before both.
struct Importer {
  std::string kind;  ///< the word after `ddlsim import`
  std::string reads; ///< what such a file is, as the help says it: "a table of rates"
  LogFigures figures = LogFigures::steps;
  Imported (*import)(LogSource source, const ImportContext& stated);
  Resemblance (*resembles)(std::string_view text);
};

/// All importers, in the order of the help.
const std::vector<Importer>& importers();

/// Throws std::out_of_range for a kind that no row has: the command line was checked before.
const Importer& importer_of(const std::string& kind);

/// What kind of file is it? `ddlsim import FILE` without a kind: of importers(), or "hf-config"; "" for none.
std::string guess_kind(const LogSource& source);

/// Whether the text has one of these phrases.
bool has_any(std::string_view text, std::initializer_list<std::string_view> phrases);

#define DDLSIM_IMPORTER(name, kind, reads, figures)                                                                    \
  Imported import_##name(LogSource source, const ImportContext& stated);                                               \
  Resemblance resembles_##name(std::string_view text);
#include "import/importers.def"

} // namespace ddlsim
