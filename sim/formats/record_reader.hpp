#pragma once
// Lines of a measurement file, one at a time; check_file looks their names up while they are read.

#include "sim/base/json.hpp"
#include "sim/formats/record.hpp"

#include <nlohmann/json.hpp>

#include <functional>

namespace ddlsim {

/// Called for every line that is an object of its kind, also one with mistakes; may note more.
struct LineChecks {
  std::function<void(const Context&, const JsonNode&)> context;
  std::function<void(const Record&, const JsonNode&)> record;
  /// Lines that nobody asks for, of what they look like: they are neither read nor checked. A record's line has the
  /// fields that it shares with its neighbours behind it. None where it is empty.
  std::function<bool(const std::string& line)> passes_over{};
};

MeasurementFile read_measurements(const std::filesystem::path& file, const LineChecks& checks);

Context context_from(const JsonNode& line);

/// Fields that the next records have, unless they state them.
struct CommonFields {
  int line = 0; ///< where they stand
  long records_left = 0;
  nlohmann::json fields;
  std::string text; ///< of the fields
};

/// A line `common`.
CommonFields common_fields_from(const JsonNode& node, int line);

/// What a record takes from its file: name and line go into its head.
struct LineOrigin {
  const Context* context;
  std::string file;
  int line;
};

/// Nothing when "record" is missing or names no kind.
std::optional<Record> record_from(const JsonNode& line, const LineOrigin& origin);

/// What `layers` was called when each pass of a layer had a line of its own.
inline constexpr const char* kOldLayersName = "layer";

/// A line of the old form says one pass of one layer. It is read as a table of that time alone;
/// LayerRows puts those of a file together.
bool is_layer_row(const JsonNode& line);
LayersRecord layer_row_from(const JsonNode& line, const LineOrigin& origin);

/// Units of a time in "unit".
const std::vector<std::string>& time_units();

} // namespace ddlsim
