#include "sim/answer/text_numbers.hpp"
#include "validate/report.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

constexpr std::size_t line_width = 110;

std::string cut(const std::string& text, std::size_t most) {
  constexpr const char* dots = "...";
  return text.size() <= most ? text : text.substr(0, most - 3) + dots;
}

std::string shares_text(const ForecastParts& parts) {
  const auto share = [&](const char* name, double part_s) {
    return fmt::format("{} {:.0f} %", name, 100 * part_s / parts.predicted_s);
  };
  return share("compute", parts.compute_s) + ", " + share("communication", parts.communication_s) + ", " +
         share("synchronisation", parts.synchronisation_s) + ", " + share("straggling", parts.straggling_s) + ", " +
         share("input", parts.input_s);
}

std::string block(const ExplainedSeries& one) {
  const auto& parts = one.why.points.back();
  const auto indent = [](const std::string& text) { return "    " + cut(text, line_width - 4) + "\n"; };
  return "  " + cut(one.series, line_width - 2) + "\n" +
         indent(fmt::format("{:.1f} % off; {} GPUs: measured {}, {} says {}, most of it {}", 100 * one.mean_error,
                            parts.gpus, seconds_text(parts.measured_s), one.method, seconds_text(parts.predicted_s),
                            parts.bottleneck)) +
         indent(shares_text(parts)) + indent(remedy_text(one.why.remedy));
}

} // namespace

std::string remedy_text(const Remedy& remedy) {
  if (remedy.parameter.empty()) return "no single parameter mends it";
  const std::string unit = remedy.unit == "1" || remedy.unit.empty() ? "" : " " + remedy.unit;
  return fmt::format("{} {:.3g}{} instead of {:.3g} (at {:+.1f} prior widths, not {:+.1f}) leaves {:.1f} %",
                     remedy.parameter, remedy.needed, unit, remedy.believed, remedy.needed_at, remedy.believed_at,
                     100 * remedy.remaining_error);
}

std::string explained_text(const ValidationResult& result, const std::string& split) {
  std::string text;
  for (const auto& one : result.explained)
    if (one.split == split && !one.why.points.empty()) text += block(one);
  if (text.empty()) return text;
  return fmt::format("series more than {:.0f} % off: their largest scale taken apart, and what would have to differ:\n",
                     100 * explained_error) +
         text;
}

} // namespace ddlsim
