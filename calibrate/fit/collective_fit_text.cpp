#include "calibrate/fit/collective_fit.hpp"
#include "sim/base/table.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ddlsim {
namespace {

std::string range_text(const CollectiveFit& fit) {
  const auto& samples = fit.samples;
  if (samples.empty()) return "no sizes";
  if (samples.size() == 1) return size_text(samples.front().size_bytes) + " only";
  return fmt::format("{} sizes, {} to {}", samples.size(), size_text(samples.front().size_bytes),
                     size_text(samples.back().size_bytes));
}

std::string note_lines(const std::vector<Excluded>& notes) {
  std::string text;
  for (const auto& note : notes) text += fmt::format("  excluded or unreliable: {}: {}\n", note.what, note.why);
  return text;
}

} // namespace

std::string size_text(double size_bytes) {
  constexpr double kibi = 1024;
  const char* names[] = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  double value = size_bytes;
  while (unit + 1 < std::size(names) && value >= kibi && std::fmod(value, kibi) == 0) {
    value /= kibi;
    ++unit;
  }
  if (value >= kibi || value != std::floor(value)) return print_quantity(size_bytes, Dimension::size);
  return fmt::format("{:.0f} {}", value, names[unit]);
}

std::string collectives_table(const CollectiveFits& fits) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& fit : fits.fits) {
    const auto& curve = fit.curve;
    const bool known = curve.leave_one_out_points > 0;
    rows.push_back({curve_name(curve.key), range_text(fit), known ? percent_text(curve.mean_leave_one_out_error) : "-",
                    known ? percent_text(curve.worst_leave_one_out_error) : "-",
                    fmt::format("{}", curve.jumps.size())});
  }
  const std::vector<Column> columns{{"curve", Align::left},
                                    {"measured", Align::left},
                                    {"left out: mean", Align::right},
                                    {"worst", Align::right},
                                    {"jumps", Align::right}};
  return to_table(columns, rows) + note_lines(fits.excluded);
}

} // namespace ddlsim
