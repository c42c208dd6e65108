#pragma once
// The kinds of files that `ddlsim import KIND FILE` can read. Each is one row of importers.def.

#include "import/imported.hpp"
#include "import/log_source.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// What the lines of a kind of file are about. It decides which names `--set` accepts.
enum class LogFigures {
  rates,       ///< rates, as in a table of rates; names are any of its columns
  steps,       ///< steps of one run; names are any columns of a table of rates
  collectives, ///< operations of a library; names are ranks, nodes, transport and others that the reader lists
};

/// How much the text of a file resembles a kind of file: not at all; by the names of columns; by a phrase that several
/// programs print; by words that one program prints; by its structure.
enum class Resemblance { none, columns, phrase, own_words, structure };

/// One kind of file and its importer. `import` throws UserError that lists every mistake of the file as FILE:LINE. The
/// command line overrides what the file states for all its rows; a row's own figure overrides both.
struct Importer {
  std::string kind;  ///< word after `ddlsim import`
  std::string reads; ///< description of such a file for the help: "a table of rates"
  LogFigures figures = LogFigures::steps;
  Imported (*import)(LogSource source, const ImportContext& stated);
  Resemblance (*resembles)(std::string_view text);
};

/// Returns all importers, in the order of the help.
const std::vector<Importer>& importers();

/// Returns the importer of that kind. Throws std::out_of_range for an unknown kind, because the command line was
/// checked before.
const Importer& importer_of(const std::string& kind);

/// Guesses the kind of a file for `ddlsim import FILE` without a kind: one of importers(), or "hf-config"; "" if none
/// fits.
std::string guess_kind(const LogSource& source);

/// Whether the text contains one of these phrases.
bool has_any(std::string_view text, std::initializer_list<std::string_view> phrases);

#define DDLSIM_IMPORTER(name, kind, reads, figures)                                                                    \
  Imported import_##name(LogSource source, const ImportContext& stated);                                               \
  Resemblance resembles_##name(std::string_view text);
#include "import/importers.def"

} // namespace ddlsim
