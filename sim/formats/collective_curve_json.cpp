#include "sim/base/json.hpp"
#include "sim/formats/collective_curve.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace ddlsim {
namespace {

using nlohmann::ordered_json;

/// Returns false and notes a mistake when the node is no object; also notes unknown keys.
bool is_object_of(const JsonNode& node, std::span<const std::string_view> known) {
  if (!node.is_object()) return false;
  node.allow_only(known);
  return true;
}

AlphaBetaConstant constant_from(const JsonNode& parent, const std::string& key) {
  static constexpr std::string_view known[]{"value", "error", "identified"};
  AlphaBetaConstant constant;
  const JsonNode node = parent.at(key);
  if (!is_object_of(node, known)) return constant;
  constant.value = node.positive("value");
  constant.error = node.number("error", 0, unbounded);
  constant.identified = node.boolean("identified");
  return constant;
}

double digits(double value) {
  constexpr int kept = 6; // no transfer time repeats to a thousandth
  return rounded_to(value, kept);
}

double residual(double value) {
  constexpr double units = 1e3;                   // a logarithm is stored to a thousandth
  return std::round(value * units) / units + 0.0; // zero has no sign
}

ordered_json constant_json(const AlphaBetaConstant& constant) {
  return {{"value", digits(constant.value)}, {"error", digits(constant.error)}, {"identified", constant.identified}};
}

std::array<double, 3> correlation_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"latency_rate", "latency_pipelining", "rate_pipelining"};
  const JsonNode pairs = node.at("correlation");
  if (!is_object_of(pairs, known)) return {};
  return {pairs.number(known[0], -1, 1), pairs.number(known[1], -1, 1), pairs.number(known[2], -1, 1)};
}

std::vector<CollectivePoint> points_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"size_bytes", "residual"};
  std::vector<CollectivePoint> points;
  for (const auto& one : node.list("points")) {
    if (!is_object_of(one, known)) continue;
    const CollectivePoint point{one.positive("size_bytes"), one.number("residual", -unbounded, unbounded)};
    if (!points.empty() && point.size_bytes <= points.back().size_bytes) {
      one.mistake_at("size_bytes", fmt::format("{} found after {}; give sizes in ascending order, each once",
                                               point.size_bytes, points.back().size_bytes));
    }
    points.push_back(point);
  }
  return points;
}

std::vector<CurveJump> jumps_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"from_bytes", "to_bytes", "factor"};
  std::vector<CurveJump> jumps;
  for (const auto& one : node.list("jumps")) {
    if (!is_object_of(one, known)) continue;
    jumps.push_back({one.positive("from_bytes"), one.positive("to_bytes"), one.positive("factor")});
  }
  return jumps;
}

CollectiveKey key_from(const JsonNode& node) {
  CollectiveKey key;
  key.cluster = node.text("cluster");
  key.series = node.text_or("series", "");
  key.transport = node.text("transport");
  key.library = node.text("library");
  key.operation = node.text("operation");
  key.algorithm = node.text("algorithm");
  key.ranks = static_cast<int>(node.integer("ranks", 1, most_ranks));
  key.nodes = static_cast<int>(node.integer("nodes", 0, most_ranks));
  return key;
}

constexpr std::string_view curve_keys[]{"cluster",
                                        "series",
                                        "transport",
                                        "library",
                                        "operation",
                                        "algorithm",
                                        "ranks",
                                        "nodes",
                                        "latency_s",
                                        "rate_Bps",
                                        "pipelining",
                                        "correlation",
                                        "points",
                                        "noise",
                                        "wander",
                                        "fit_spread",
                                        "mean_leave_one_out_error",
                                        "worst_leave_one_out_error",
                                        "leave_one_out_points",
                                        "jumps",
                                        "sources"};

ordered_json key_json(const CollectiveKey& key) {
  return {{"cluster", key.cluster}, {"series", key.series},       {"transport", key.transport},
          {"library", key.library}, {"operation", key.operation}, {"algorithm", key.algorithm},
          {"ranks", key.ranks},     {"nodes", key.nodes}};
}

} // namespace

CollectiveCurve collective_curve_from(const JsonNode& node) {
  CollectiveCurve curve;
  if (!is_object_of(node, curve_keys)) return curve;
  curve.key = key_from(node);
  curve.latency_s = constant_from(node, "latency_s");
  curve.rate_Bps = constant_from(node, "rate_Bps");
  curve.pipelining = constant_from(node, "pipelining");
  curve.correlation = correlation_from(node);
  curve.points = points_from(node);
  curve.noise = node.number("noise", 0, unbounded);
  curve.wander = node.number("wander", 0, unbounded);
  curve.fit_spread = node.number("fit_spread", 0, unbounded);
  curve.mean_leave_one_out_error = node.number("mean_leave_one_out_error", 0, unbounded);
  curve.worst_leave_one_out_error = node.number("worst_leave_one_out_error", 0, unbounded);
  curve.leave_one_out_points = static_cast<int>(node.integer("leave_one_out_points", 0, most_ranks));
  curve.jumps = jumps_from(node);
  curve.sources = node.texts_or_none("sources");
  return curve;
}

ordered_json collective_curve_json(const CollectiveCurve& curve) {
  ordered_json json = key_json(curve.key);
  json["latency_s"] = constant_json(curve.latency_s);
  json["rate_Bps"] = constant_json(curve.rate_Bps);
  json["pipelining"] = constant_json(curve.pipelining);
  json["correlation"] = {{"latency_rate", digits(curve.correlation[0])},
                         {"latency_pipelining", digits(curve.correlation[1])},
                         {"rate_pipelining", digits(curve.correlation[2])}};
  json["points"] = ordered_json::array();
  for (const auto& point : curve.points)
    json["points"].push_back({{"size_bytes", point.size_bytes}, {"residual", residual(point.residual)}});
  json["noise"] = digits(curve.noise);
  json["wander"] = digits(curve.wander);
  json["fit_spread"] = digits(curve.fit_spread);
  json["mean_leave_one_out_error"] = digits(curve.mean_leave_one_out_error);
  json["worst_leave_one_out_error"] = digits(curve.worst_leave_one_out_error);
  json["leave_one_out_points"] = curve.leave_one_out_points;
  json["jumps"] = ordered_json::array();
  for (const auto& jump : curve.jumps)
    json["jumps"].push_back(
        {{"from_bytes", jump.from_bytes}, {"to_bytes", jump.to_bytes}, {"factor", digits(jump.factor)}});
  json["sources"] = curve.sources;
  return json;
}

} // namespace ddlsim
