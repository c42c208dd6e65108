#pragma once

#include "sim/formats/record.hpp"

#include <filesystem>
#include <string>

namespace ddltrain {

// What is measured, in the records of the simulator (sim/formats/record.hpp).

using ddlsim::CollectiveRecord;
using ddlsim::InputRecord;
using ddlsim::LayersRecord;
using ddlsim::LossRecord;
using ddlsim::PointToPointRecord;
using ddlsim::RecordHead;
using ddlsim::ServerRecord;
using ddlsim::StepRecord;

/// The value of a name that the command line has checked before.
template <class Name> Name named_value(const std::string& text) {
  return ddlsim::value_named<Name>(text).value();
}

/// The head of a record of our own: origin "run", statistic "median", transport and library "unknown" until somebody
/// knows them. series: records of one experiment, which differ in scale or size only.
RecordHead own_head(const std::string& series);

/// A step of one GPU without synchronisation, in fp32, of synthetic data, trained; nothing else is known of it yet.
StepRecord plain_step(const RecordHead& head);

/// The record as one line of JSON without its end of line, times in seconds with six digits, samples with four. Throws
/// std::logic_error when the record holds a figure that no reader takes: a time that is not above zero, or not finite.
std::string record_line(const ddlsim::Record& record);

// A file of records that grows while the measurement runs: what was measured before a fault stays.

/// What every record of a file says of where it was measured; "": not stated.
struct MeasuredOn {
  std::string device; ///< cpu, cuda
  std::string host;
};

/// Writes a measurement file line by line. Each line is whole and handed to the system before the next call returns; a
/// line that does not fit on a full disk is taken back, so the file stays readable. An existing regular file is
/// replaced.
class RecordFile {
public:
  /// Opens the file and writes the context. Throws RunError naming the file and the cause.
  RecordFile(const std::filesystem::path& file, const ddlsim::Context& context, MeasuredOn on = {});
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// Throws RunError when it cannot be written.
  void add(ddlsim::Record record);

private:
  void write_line(const std::string& line);
  [[noreturn]] void fail(int error);

  std::filesystem::path file_;
  MeasuredOn on_;
  int descriptor_ = -1;
  std::int64_t written_bytes_ = 0;
};

} // namespace ddltrain
