#pragma once
// Lines of a measurement file, one at a time; check_file looks their names up while they are read.

#include "sim/base/json.hpp"
#include "sim/formats/record.hpp"

#include <functional>

namespace ddlsim {

/// Called for every line that is an object of its kind, also one with mistakes; may note more.
struct LineChecks {
  std::function<void(const Context&, const JsonNode&)> context;
  std::function<void(const Record&, const JsonNode&)> record;
  /// Lines that nobody asks for, of what they look like: they are neither read nor checked. None where it is empty.
  std::function<bool(const std::string& line)> passes_over{};
};

MeasurementFile read_measurements(const std::filesystem::path& file, const LineChecks& checks);

Context context_from(const JsonNode& line);

/// What a record takes from its file: name and line go into its head.
struct LineOrigin {
  const Context* context;
  std::string file;
  int line;
};

/// Nothing when "record" is missing or names no kind.
std::optional<Record> record_from(const JsonNode& line, const LineOrigin& origin);
StepRecord step_from(const JsonNode& line, const LineOrigin& origin);
SpeedUpRecord speed_up_from(const JsonNode& line, const LineOrigin& origin);
RecordHead head_from(const JsonNode& line, const LineOrigin& origin);

/// Notes unknown keys; `own` are those of the kind beside the head's. Give the same vector each time: it is called for
/// each line.
void allow_only_with_head(const JsonNode& line, const std::vector<std::string>& own);

/// "value" in the unit of "unit", in SI. `units` are those the record may use.
double value_in(const JsonNode& line, const std::vector<std::string>& units, Dimension dimension);

} // namespace ddlsim
