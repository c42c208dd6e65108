#pragma once

#include "trainer/records/record_file.hpp"
#include "trainer/records/statistics.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ddltrain {
/// Converts "64", "1KiB", "2 MiB", "1GB" to bytes. Throws ddlsim::UserError for a text that is no size or not a whole
/// number of fp32 elements.
std::int64_t byte_size(const std::string& text);

/// Converts "1KiB..64MiB" to the powers of two from the first to the last, and "1KiB,3MiB" to a list.
std::vector<std::int64_t> byte_sizes(const std::string& text);

/// Returns the size as text: "1 KiB", "1.5 MiB", "12 B".
std::string size_text(std::int64_t bytes);

// Options that all measuring commands share, and the context that they write.

struct MeasureOptions {
  std::string cluster;     ///< folder under platforms/ that the records belong to
  std::string gpu;         ///< name in platforms/gpus.json, when the device is a GPU
  std::string output_file; ///< file of the records; standard output when empty
  std::string series;      ///< start of the records' series names
  bool anonymous = false;  ///< whether the host's name is left out
  bool samples = true;     ///< whether every repetition's time is kept
  RepeatLimits limits;
};

/// Returns the context of records measured now on this machine. title: the command; software: names and versions.
ddlsim::Context context_of(const MeasureOptions& options, const std::string& title, const std::string& software);

/// device: the device that computed, cpu or cuda.
MeasuredOn measured_on(const MeasureOptions& options, const std::string& device);

/// Returns the file to write records to: the output file, or standard output.
std::string records_path(const MeasureOptions& options);

/// Fills in the statistics of the repetitions: statistic, repeats, spread, note, samples. Returns the median.
double put_samples(RecordHead& head, const std::vector<double>& samples_s, const MeasureOptions& options);

} // namespace ddltrain
