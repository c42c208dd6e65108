#include "sim/base/error.hpp"
#include "sim/base/table.hpp"
#include "sim/base/units.hpp"
#include "sim/predict/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

constexpr double giga = 1e9;

std::string algorithm_and_protocol_text(const PredictedAllReduce& point) {
  return point.protocol.empty() ? point.algorithm : point.algorithm + ", " + point.protocol;
}

std::string bus_rate_text(double rate_Bps) {
  return fmt::format("{:.3g}", rate_Bps / giga);
}

/// A sentence on the bandwidth at the largest size, and on the size from which half of it is reached.
std::string all_reduces_sentence(const std::vector<PredictedAllReduce>& points, int gpus) {
  const PredictedAllReduce* largest = nullptr;
  for (const auto& point : points)
    if (point.gpus == gpus) largest = &point;
  const auto half = std::find_if(points.begin(), points.end(), [&](const PredictedAllReduce& point) {
    return point.gpus == gpus && point.bus_Bps >= largest->bus_Bps / 2;
  });
  return to_lines(
      fmt::format("{} GPUs on {} {}: {} GB/s of bus bandwidth (90 %: {} .. {}) at {}, half of that from {} on.", gpus,
                  largest->nodes, largest->nodes == 1 ? "node" : "nodes", bus_rate_text(largest->bus_Bps),
                  bus_rate_text(largest->bus_Bps_low), bus_rate_text(largest->bus_Bps_high),
                  binary_size(largest->size_bytes), binary_size(half->size_bytes)));
}

std::string all_reduces_table(const std::vector<PredictedAllReduce>& points) {
  std::vector<IntervalText> times;
  for (const auto& point : points) times.push_back(seconds_interval(point.time.s, point.time.s_low, point.time.s_high));
  const auto cells = align_intervals(times);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& point = points[i];
    rows.push_back({fmt::format("{}", point.gpus), fmt::format("{}", point.nodes), binary_size(point.size_bytes),
                    cells[i], bus_rate_text(point.bus_Bps),
                    fmt::format("({}..{})", bus_rate_text(point.bus_Bps_low), bus_rate_text(point.bus_Bps_high)),
                    algorithm_and_protocol_text(point)});
  }
  return to_table({{"GPUs"},
                   {"nodes"},
                   {"size"},
                   {"time (90 %)", Align::left},
                   {"bus GB/s"},
                   {"(90 %)", Align::left},
                   {"runs as", Align::left}},
                  rows);
}

/// A sentence on the scales of this cluster's tables on which the answer rests.
std::string measured_sentence(const std::vector<Scale>& measured) {
  std::vector<std::string> scales;
  for (const auto& one : measured)
    scales.push_back(fmt::format("{} ranks on {} {}", one.gpus, one.nodes, one.nodes == 1 ? "node" : "nodes"));
  return fmt::format("Corrected by all-reduces measured here: {}.", join_names(scales));
}

std::string all_reduces_section(const CollectiveAnswer& answer) {
  std::string text = to_lines(fmt::format("{} with {} over {}, {}{}", to_text(answer.strategy), answer.preset,
                                          answer.transport, answer.library, answer.library_stated ? "" : " (assumed)"));
  if (!answer.measured.empty()) text += to_lines(measured_sentence(answer.measured));
  int gpus = 0;
  for (const auto& point : answer.points) {
    if (point.gpus != gpus) text += all_reduces_sentence(answer.points, point.gpus);
    gpus = point.gpus;
  }
  for (const auto& error : answer.errors) text += to_lines(error);
  return answer.points.empty() ? text : text + all_reduces_table(answer.points);
}

} // namespace

std::string binary_size(double size_bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; size_bytes >= 1024 && unit + 1 < std::size(units); ++unit) size_bytes /= 1024;
  return fmt::format("{:.4g} {}", size_bytes, units[unit]);
}

std::string to_terminal_text(const CollectivePrediction& prediction) {
  const auto& scenario = prediction.scenario;
  std::string text =
      to_lines(fmt::format("{}: all-reduce on {}, nothing else running", scenario.name, scenario.cluster));
  for (const auto& warning : prediction.warnings) text += to_lines("Note: " + warning + ".");
  for (const auto& answer : prediction.answers) text += "\n" + all_reduces_section(answer);
  return text;
}

std::string to_csv_text(const CollectivePrediction& prediction) {
  std::string text = "strategy,preset,transport,library,gpus,nodes,size_bytes,time_s,time_s_low,time_s_high,bus_Bps,"
                     "bus_Bps_low,bus_Bps_high,algorithm,protocol\n";
  for (const auto& answer : prediction.answers)
    for (const auto& point : answer.points)
      text += fmt::format("\"{}\",{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{},{}\n",
                          to_text(answer.strategy), answer.preset, answer.transport, answer.library, point.gpus,
                          point.nodes, point.size_bytes, point.time.s, point.time.s_low, point.time.s_high,
                          point.bus_Bps, point.bus_Bps_low, point.bus_Bps_high, point.algorithm, point.protocol);
  return text;
}

} // namespace ddlsim
