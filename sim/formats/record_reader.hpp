#pragma once
// Reads the lines of a measurement file one at a time; check_file() looks up their names during the reading.

#include "sim/base/json.hpp"
#include "sim/formats/record.hpp"

#include <nlohmann/json.hpp>

#include <functional>

namespace ddlsim {

/// Functions that are called for every line that is an object of its kind, even with mistakes; they may note more.
struct LineChecks {
  std::function<void(const Context&, const JsonNode&)> context;
  std::function<void(const Record&, const JsonNode&)> record;
  /// Returns true for a line that is not needed, from its text; such lines are neither read nor checked. The text of a
  /// record's line is followed by the fields that it shares with its neighbours. An empty function skips no line.
  std::function<bool(const std::string& line)> passes_over{};
};

MeasurementFile read_measurements(const std::filesystem::path& file, const LineChecks& checks);

Context context_from(const JsonNode& line);

/// Fields that apply to the next records unless a record states them itself.
struct CommonFields {
  int line = 0; ///< number of the "common" line
  long records_left = 0;
  nlohmann::json fields;
  std::string text; ///< the fields as text
};

/// Reads a line "common".
CommonFields common_fields_from(const JsonNode& node, int line);

/// The file's part of a record: name and line are stored in its head.
struct LineOrigin {
  const Context* context;
  std::string file;
  int line;
};

/// Returns nothing when "record" is missing or names no kind.
std::optional<Record> record_from(const JsonNode& line, const LineOrigin& origin);

/// Old name of the kind `layers`, from when each pass of a layer had a line of its own.
inline constexpr const char* kOldLayersName = "layer";

/// A line of the old format has one pass of one layer. It is read as a table with only that time; LayerRows combines
/// the tables of a file.
bool is_layer_row(const JsonNode& line);
LayersRecord layer_row_from(const JsonNode& line, const LineOrigin& origin);

/// The units of a time that "unit" may name.
const std::vector<std::string>& time_units();

} // namespace ddlsim
