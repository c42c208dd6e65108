#pragma once

#include "trainer/records/record_file.hpp"
#include "trainer/records/statistics.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ddltrain {
/// "64", "1KiB", "2 MiB", "1GB" in bytes. Throws ddlsim::UserError for what is no size or not whole fp32 elements.
std::int64_t byte_size(const std::string& text);

/// "1KiB..64MiB" as powers of two from the first up to the last, "1KiB,3MiB" as a list.
std::vector<std::int64_t> byte_sizes(const std::string& text);

/// "1 KiB", "1.5 MiB", "12 B".
std::string size_text(std::int64_t bytes);

// What all measuring commands are told, and the context they write.

struct MeasureOptions {
  std::string cluster;     ///< folder under platforms/ the records are of
  std::string gpu;         ///< name in platforms/gpus.json, when the device is one
  std::string output_file; ///< standard output when empty
  std::string series;      ///< front of the records' series
  bool anonymous = false;  ///< leave the host's name out
  bool samples = true;     ///< keep every repetition's time
  RepeatLimits limits;
};

/// The context of records measured now on this machine, its one node. title: the command; software: names and versions.
ddlsim::Context context_of(const MeasureOptions& options, const std::string& title, const std::string& software);

/// device: what computed, cpu or cuda.
MeasuredOn measured_on(const MeasureOptions& options, const std::string& device);

/// The file to write records to: the output file, or standard output.
std::string records_path(const MeasureOptions& options);

/// Fills what repetitions say: statistic, repeats, spread, note, samples. Returns the median.
double put_samples(RecordHead& head, const std::vector<double>& samples_s, const MeasureOptions& options);

} // namespace ddltrain
