#include "validate/methods/baselines.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

class Linear final : public Method {
public:
  std::string name() const override { return "linear"; }
  void prepare(const Evidence& /*evidence*/) override {}
  std::optional<Forecast> forecast(const Question& question) const override {
    const auto curve = curve_points(question.known);
    if (curve.empty()) return std::nullopt;
    return Forecast{curve.front().iteration_s};
  }
};

} // namespace

std::unique_ptr<Method> make_linear() {
  return std::make_unique<Linear>();
}

namespace {

class StraightLine final : public Method {
public:
  std::string name() const override { return "straight-line"; }
  void prepare(const Evidence& /*evidence*/) override {}
  std::optional<Forecast> forecast(const Question& question) const override {
    const auto curve = curve_points(question.known);
    if (curve.empty()) return std::nullopt;
    return Forecast{curve.back().iteration_s};
  }
};

} // namespace

std::unique_ptr<Method> make_straight_line() {
  return std::make_unique<StraightLine>();
}

namespace {

/// Least share of the last throughput that is predicted. A falling line would reach zero throughput, and so an endless
/// iteration.
constexpr double floor_share = 0.1;

double throughput(const SeriesPoint& point) {
  return point.gpus / point.iteration_s;
}

class ThroughputLine final : public Method {
public:
  std::string name() const override { return "throughput-line"; }
  void prepare(const Evidence& /*evidence*/) override {}
  std::optional<Forecast> forecast(const Question& question) const override {
    const auto curve = curve_points(question.known);
    if (curve.empty()) return std::nullopt;
    const auto& last = curve.back();
    if (curve.size() == 1 || curve[curve.size() - 2].gpus == last.gpus) return Forecast{last.iteration_s};
    const auto& before = curve[curve.size() - 2];
    const double slope = (throughput(last) - throughput(before)) / (last.gpus - before.gpus);
    const double line = throughput(last) + slope * (question.gpus - last.gpus);
    return Forecast{question.gpus / std::max(line, floor_share * throughput(last))};
  }
};

} // namespace

std::unique_ptr<Method> make_throughput_line() {
  return std::make_unique<ThroughputLine>();
}

} // namespace ddlsim
