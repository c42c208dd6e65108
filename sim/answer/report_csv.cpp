#include "sim/answer/report.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

/// Always in quotes (RFC 4180): names of strategies hold commas.
std::string quoted(const std::string& text) {
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

std::string to_row(const StrategyAnswer& answer, const PredictedPoint& point) {
  std::string row = fmt::format("{},{},{},{},{}", quoted(to_text(answer.strategy)), answer.transport, point.gpus,
                                point.nodes, point.server_nodes);
  if (!point.error.empty()) return row + std::string(13, ',') + ",,," + quoted(point.error) + "\n";
  for (const double number :
       {point.iteration_s, point.iteration_s_low, point.iteration_s_high, point.samples_per_s, point.samples_per_s_low,
        point.samples_per_s_high, point.efficiency, point.efficiency_low, point.efficiency_high, point.compute_s,
        point.exposed_communication_s, point.synchronisation_s, point.straggling_s})
    row += fmt::format(",{:.9g}", number);
  return row + fmt::format(",{},{},{},\n", point.bottleneck, point.evidence, point.fidelity);
}

} // namespace

std::string to_csv_text(const Prediction& prediction) {
  std::string text = "strategy,transport,gpus,nodes,server_nodes,iteration_s,iteration_s_low,iteration_s_high,samples_"
                     "per_s,samples_per_s_low,"
                     "samples_per_s_high,efficiency,efficiency_low,efficiency_high,compute_s,exposed_communication_s,"
                     "synchronisation_s,straggling_s,"
                     "bottleneck,evidence,fidelity,error\n";
  for (const auto& answer : prediction.strategies)
    for (const auto& point : answer.points) text += to_row(answer, point);
  return text;
}

} // namespace ddlsim
