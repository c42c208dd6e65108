#include "trainer/timing/measure_options.hpp"

#include "trainer/files/error.hpp"
#include "trainer/records/machine.hpp"

#include <fmt/format.h>

#include <array>
#include <regex>
#include <sstream>

namespace ddltrain {
namespace {

constexpr std::int64_t kElement_bytes = 4; ///< fp32
constexpr std::int64_t kLargest = std::int64_t{1} << 40;

std::int64_t unit_bytes(const std::string& unit) {
  if (unit == "KiB") return std::int64_t{1} << 10;
  if (unit == "MiB") return std::int64_t{1} << 20;
  if (unit == "GiB") return std::int64_t{1} << 30;
  return 1;
}

} // namespace

std::int64_t byte_size(const std::string& text) {
  static const std::regex form("([0-9]{1,9}) ?(B|KiB|MiB|GiB|)");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) {
    throw UsageError("\"" + text + "\" is no size; write bytes, or 64KiB, 16MiB, 1GiB");
  }
  const std::int64_t bytes = std::stoll(parts[1]) * unit_bytes(parts[2]);
  if (bytes == 0 || bytes % kElement_bytes != 0 || bytes > kLargest) {
    throw UsageError("\"" + text + "\" is not a number of whole fp32 elements up to 1 TiB; give a multiple of 4 bytes");
  }
  return bytes;
}

std::vector<std::int64_t> byte_sizes(const std::string& text) {
  std::vector<std::int64_t> sizes;
  if (const auto dots = text.find(".."); dots != std::string::npos) {
    const std::int64_t last = byte_size(text.substr(dots + 2));
    for (std::int64_t size = byte_size(text.substr(0, dots)); size <= last; size *= 2) sizes.push_back(size);
    if (sizes.empty()) throw UsageError("\"" + text + "\" is empty: the last size is below the first");
    return sizes;
  }
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) sizes.push_back(byte_size(word));
  if (sizes.empty()) throw UsageError("no sizes were given");
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

ContextRecord context_of(const MeasureOptions& options, const std::string& title, const std::string& software) {
  ContextRecord context;
  context.cluster = options.cluster;
  context.gpu = options.gpu;
  context.machine = machine_text(this_machine(), !options.anonymous);
  const std::string driver = nvidia_driver_version();
  context.software = join_parts({software, driver.empty() ? "" : "NVIDIA driver " + driver});
  context.date = today();
  context.title = title;
  return context;
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
