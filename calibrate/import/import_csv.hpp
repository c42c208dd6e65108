#pragma once
// `ddlsim import csv FILE`: a table of training rates that a person typed. The format is described in
// docs/calibration.md.

#include "calibrate/import/imported.hpp"

#include <filesystem>

namespace ddlsim {

/// One step record a row. What the command line says (`said`) comes before what "# key: value" lines say; a cell comes
/// before both. Throws UserError with every mistake of the file, each as FILE:LINE and column.
Imported import_csv(const std::filesystem::path& file, const ImportContext& stated);

} // namespace ddlsim
