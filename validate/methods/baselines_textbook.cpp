#include "validate/methods/baselines.hpp"

#include <algorithm>
#include <compare>

namespace ddlsim {
namespace {

/// Bytes that one GPU's link inside a node, and one node's link between nodes, carry in an iteration.
struct Load {
  double inside = 0;
  double between = 0;
};

/// Seconds for each byte. `between` is unknown until a point on several nodes or a line rate gives it.
struct Cost {
  double inside = 0;
  std::optional<double> between;
};

double ring_share(double ranks) {
  return ranks > 1 ? 2 * (ranks - 1) / ranks : 0;
}

/// Bytes of pushing and pulling all gradients: those that every node sends (every GPU, without a sum inside the node),
/// or those through the busiest server.
double server_share(const Question& at) {
  const int workers = at.strategy.on_node_reduce ? at.nodes : at.gpus;
  const int stated = server_count(at.strategy.servers, workers, at.nodes);
  const double servers = stated > 0 ? stated : workers;
  const double a_node = static_cast<double>(workers) / at.nodes;
  return 2 * std::max(a_node, workers / servers);
}

/// The traffic of a strategy as a multiple of one all-reduce. fsdp gathers parameters twice and scatters gradients
/// once, or gathers only once. Each of these is half an all-reduce.
double rings_of(const Strategy& strategy) {
  const bool gathers_twice = strategy.name == StrategyName::fsdp && strategy.sharded.reshard_after_forward;
  return gathers_twice ? 1.5 : 1;
}

Load load_of(const Question& at, double bytes) {
  const double local = std::max(1.0, static_cast<double>(at.gpus) / std::max(1, at.nodes));
  const double rings = rings_of(at.strategy);
  Load load{rings * ring_share(local) * bytes, 0};
  if (at.nodes > 1)
    load.between = bytes * (is_parameter_server(at.strategy.name) ? server_share(at) : rings * ring_share(at.nodes));
  return load;
}

Question question_at(const Series& known, const SeriesPoint& point) {
  return {known, point.gpus, point.nodes, point.gpus_per_node, point.strategy};
}

/// The key of series that share the cost of a link.
struct Pool {
  std::string cluster;
  std::string transport;
  std::string model; ///< set only if the bytes of the model are not known
  auto operator<=>(const Pool&) const = default;
};

class Textbook final : public Method {
public:
  explicit Textbook(TextbookFacts facts) : facts_(std::move(facts)) {}
  std::string name() const override { return "textbook"; }
  void prepare(const Evidence& evidence) override;
  std::optional<Forecast> forecast(const Question& question) const override;

private:
  /// Bytes of the model. Models without a layer table cannot share a bandwidth, so their bytes are set to one and each
  /// is fitted alone.
  double bytes_of(const Series& series) const;
  Pool pool_of(const Series& series) const;

  TextbookFacts facts_;
  std::map<Pool, Cost> costs_;
};

double Textbook::bytes_of(const Series& series) const {
  const auto found = facts_.model_bytes.find(series.model);
  if (found == facts_.model_bytes.end()) return 1;
  const bool is_16_bit = series.wire_precision == WirePrecision::fp16 || series.wire_precision == WirePrecision::bf16;
  return is_16_bit ? 0.5 * found->second : found->second;
}

Pool Textbook::pool_of(const Series& series) const {
  return {series.cluster, series.transport, facts_.model_bytes.count(series.model) > 0 ? "" : series.model};
}

void Textbook::prepare(const Evidence& evidence) {
  std::map<Pool, std::vector<Equation>> pools;
  costs_.clear();
  for (const auto& series : evidence.series) {
    const auto alone = one_gpu_time(series);
    if (!alone) continue;
    for (const auto& point : series.points) {
      if (point.gpus < 2) continue;
      const auto load = load_of(question_at(series, point), bytes_of(series));
      pools[pool_of(series)].push_back(
          {load.inside, load.between, point.iteration_s - *alone, 1 / (point.iteration_s * point.iteration_s)});
    }
  }
  for (const auto& [pool, equations] : pools) {
    const auto fitted = solve_non_negative(equations);
    const bool crossed = std::any_of(equations.begin(), equations.end(), [](const auto& e) { return e.second > 0; });
    costs_[pool] = {fitted.first, crossed ? std::optional<double>(fitted.second) : std::nullopt};
  }
}

std::optional<Forecast> Textbook::forecast(const Question& question) const {
  const auto& known = question.known;
  const auto curve = curve_points(known);
  if (curve.empty()) return std::nullopt;
  const auto found = costs_.find(pool_of(known));
  auto cost = found == costs_.end() ? Cost{} : found->second;
  const auto rate = facts_.node_rate_Bps.find({known.cluster, known.transport});
  const bool bytes_known = facts_.model_bytes.count(known.model) > 0;
  if (!cost.between && bytes_known && rate != facts_.node_rate_Bps.end()) cost.between = 1 / rate->second;
  const auto seconds = [&](const Load& load) {
    return load.inside * cost.inside + load.between * cost.between.value_or(0);
  };
  const auto load = load_of(question, bytes_of(known));
  if (load.between > 0 && !cost.between) return std::nullopt;
  if (load.between == 0 && found == costs_.end()) return std::nullopt;
  const auto& base = curve.front();
  const double base_seconds = seconds(load_of(question_at(known, base), bytes_of(known)));
  const double compute = std::max(0.0, base.iteration_s - base_seconds);
  const double predicted = compute + seconds(load);
  return predicted > 0 ? std::optional<Forecast>(Forecast{predicted}) : std::nullopt;
}

} // namespace

std::unique_ptr<Method> make_textbook(TextbookFacts facts) {
  return std::make_unique<Textbook>(std::move(facts));
}

std::vector<std::unique_ptr<Method>> make_baselines(TextbookFacts facts) {
  std::vector<std::unique_ptr<Method>> baselines;
  baselines.push_back(make_straight_line());
  baselines.push_back(make_throughput_line());
  baselines.push_back(make_linear());
  baselines.push_back(make_amdahl());
  baselines.push_back(make_usl());
  baselines.push_back(make_textbook(std::move(facts)));
  return baselines;
}

} // namespace ddlsim
