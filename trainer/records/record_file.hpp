#pragma once

#include "sim/formats/record.hpp"

#include <filesystem>
#include <string>

namespace ddltrain {

// Measurements as records of the simulator (sim/formats/record.hpp).

using ddlsim::CollectiveRecord;
using ddlsim::InputRecord;
using ddlsim::LayersRecord;
using ddlsim::LossRecord;
using ddlsim::PointToPointRecord;
using ddlsim::RecordHead;
using ddlsim::ServerRecord;
using ddlsim::StepRecord;

/// Returns the value of a name that the command line has already checked.
template <class Name> Name named_value(const std::string& text) {
  return ddlsim::value_named<Name>(text).value();
}

/// Returns the head of a record that ddltrain measured: origin "run", statistic "median", transport and library
/// "unknown" until they are found out. series: the name that records of one experiment share, which differ only in
/// scale or size.
RecordHead own_head(const std::string& series);

/// Returns a training step of one GPU without synchronisation, in fp32, on synthetic data; the other fields are still
/// empty.
StepRecord plain_step(const RecordHead& head);

/// Returns the record as one line of JSON without its end of line, with times in seconds of six digits and samples of
/// four. Throws std::logic_error when the record holds a value that no reader accepts: a time that is not above zero,
/// or not finite.
std::string record_line(const ddlsim::Record& record);

// A file of records that grows during the measurement, so that earlier records survive a failure.

/// Where the records of one file were measured; "": not stated.
struct MeasuredOn {
  std::string device; ///< cpu or cuda
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
