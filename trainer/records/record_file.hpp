#pragma once

#include "trainer/records/record.hpp"

#include <filesystem>
#include <string>

namespace ddltrain {
/// The record as one line of JSON without its end of line, keys in a fixed order, times in seconds and rates in B/s.
/// Throws std::logic_error when the record holds a figure that no reader takes: a time that is not above zero, or not
/// finite.
std::string record_line(const ContextRecord& context);
std::string record_line(const StepRecord& record);
std::string record_line(const CollectiveRecord& record);
std::string record_line(const PointToPointRecord& record);
std::string record_line(const LayerRecord& record);
std::string record_line(const ServerRecord& record);
std::string record_line(const InputRecord& record);
std::string record_line(const LossRecord& record);

// A file of records that grows while the measurement runs: what was measured before a fault stays.

/// Writes a measurement file line by line. Each line is whole and handed to the system before the next call returns; a
/// line that does not fit on a full disk is taken back, so the file stays readable. An existing regular file is
/// replaced.
class RecordFile {
public:
  /// Opens the file and writes the context. Throws RunError naming the file and the cause.
  RecordFile(const std::filesystem::path& file, const ContextRecord& context);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// Any record with a `record_line`. Throws RunError when it cannot be written.
  template <class Record> void add(const Record& record) { write_line(record_line(record)); }

private:
  void write_line(const std::string& line);
  [[noreturn]] void fail(int error);

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::int64_t written_bytes_ = 0;
};

} // namespace ddltrain
