#include "trainer/timing/measure_options.hpp"

#include "sim/base/error.hpp"
#include "sim/base/units.hpp"
#include "trainer/records/surroundings.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <sstream>

namespace ddltrain {
namespace {

constexpr double element_bytes = 4; ///< size of an fp32 element
constexpr double largest_bytes = 0x1p40;

/// A number without a unit is in bytes.
double bytes_in(const std::string& text) {
  const bool alone = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return ddlsim::parse_quantity(alone ? text + " B" : text, ddlsim::Dimension::size);
}

} // namespace

std::int64_t byte_size(const std::string& text) {
  const double bytes = bytes_in(text);
  if (!(bytes > 0) || std::fmod(bytes, element_bytes) != 0 || bytes > largest_bytes) {
    throw ddlsim::UserError(
        "", "", "\"" + text + "\" is not a number of whole fp32 elements up to 1 TiB; give a multiple of 4 bytes");
  }
  return static_cast<std::int64_t>(bytes);
}

std::vector<std::int64_t> byte_sizes(const std::string& text) {
  std::vector<std::int64_t> sizes;
  if (const auto dots = text.find(".."); dots != std::string::npos) {
    const std::int64_t last = byte_size(text.substr(dots + 2));
    for (std::int64_t size = byte_size(text.substr(0, dots)); size <= last; size *= 2) sizes.push_back(size);
    if (sizes.empty()) throw ddlsim::UserError("", "", "\"" + text + "\" is empty: the last size is below the first");
    return sizes;
  }
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) sizes.push_back(byte_size(word));
  if (sizes.empty()) throw ddlsim::UserError("", "", "no sizes were given");
  return sizes;
}

std::string size_text(std::int64_t bytes) {
  constexpr std::array<const char*, 4> units{"B", "KiB", "MiB", "GiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, units[unit]);
}

ddlsim::Context context_of(const MeasureOptions& options, const std::string& title, const std::string& software) {
  ddlsim::Context context;
  context.who = "ddltrain";
  context.cluster = options.cluster;
  context.gpu = options.gpu;
  context.machine = machine_text(this_machine());
  const std::string driver = nvidia_driver_version();
  context.software = join_parts({software, driver.empty() ? "" : "NVIDIA driver " + driver});
  context.date = today();
  context.source_title = title;
  context.settings = settings_of_run();
  context.nodes = {facts_of_node(options.anonymous)};
  return context;
}

MeasuredOn measured_on(const MeasureOptions& options, const std::string& device) {
  return {device, options.anonymous ? "" : this_machine().host};
}

std::string records_path(const MeasureOptions& options) {
  return options.output_file.empty() ? "/dev/stdout" : options.output_file;
}

double put_samples(RecordHead& head, const std::vector<double>& samples_s, const MeasureOptions& options) {
  const Summary summary = summarise(samples_s);
  head.statistic = "median";
  head.repeats = summary.count;
  head.relative_spread = summary.standard_deviation / summary.median;
  head.note = join_parts({head.note, spread_text(summary)});
  if (options.samples) head.samples_s = samples_s;
  return summary.median;
}

} // namespace ddltrain
