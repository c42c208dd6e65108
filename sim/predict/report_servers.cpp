#include "sim/base/table.hpp"
#include "sim/base/units.hpp"
#include "sim/predict/prediction_sentences.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace ddlsim {
namespace {

/// Groups the scales for which the same fact is true, in order of first appearance.
class ScalesOf {
public:
  void add(const std::string& fact, int gpus) {
    for (auto& [known, scales] : facts_)
      if (known == fact) {
        scales += fmt::format(", {}", gpus);
        return;
      }
    facts_.emplace_back(fact, fmt::format("{}", gpus));
  }

  /// Pairs of a fact and its scales.
  const std::vector<std::pair<std::string, std::string>>& all() const { return facts_; }

private:
  std::vector<std::pair<std::string, std::string>> facts_;
};

/// Returns a figure of each point for which nodes are bought for servers, as in "60.0 % (54..66) at 8, 40.0 % (30..50)
/// at 16".
template <class Figure> std::string where_hosts_are_bought(const StrategyAnswer& answer, const Figure& figure) {
  std::string list;
  for (const auto& point : answer.points) {
    if (!point.error.empty() || point.server_nodes == 0) continue;
    const auto [value, bounds] = figure(point);
    list += fmt::format("{}{} {} at {}", list.empty() ? "" : ", ", value, bounds, point.gpus);
  }
  return list;
}

std::string lines_of_bought_hosts(const StrategyAnswer& answer) {
  const auto shares = where_hosts_are_bought(answer, [](const PredictedPoint& point) {
    return percent_interval(point.efficiency_per_gpu_bought, point.efficiency_per_gpu_bought_low,
                            point.efficiency_per_gpu_bought_high);
  });
  if (shares.empty()) return "";
  const auto rates = where_hosts_are_bought(answer, [](const PredictedPoint& point) {
    return rate_interval(point.samples_per_s_per_node_bought, point.samples_per_s_per_node_bought_low,
                         point.samples_per_s_per_node_bought_high);
  });
  return to_lines("Efficiency per GPU bought, those of server nodes too: " + shares + " GPUs.") +
         to_lines("Samples/s per node bought, server nodes too: " + rates + " GPUs.");
}

std::string kind_in_words(const Strategy& strategy) {
  return fmt::format("{}, {}", to_text(strategy.placement), to_text(strategy.sharding));
}

/// Returns the chosen servers, as in "1 at 8, 16 at 16 GPUs (colocated, pieces)". A placement and sharding that several
/// scales share is named once.
std::string lines_of_best_servers(const StrategyAnswer& answer) {
  std::vector<std::pair<std::string, std::string>> kinds; // pairs of placement and sharding, and of the counts by scale
  for (const auto& point : answer.points) {
    if (!point.best_servers) continue;
    const auto kind = kind_in_words(*point.best_servers);
    const auto count = fmt::format("{} at {}", point.best_servers->servers.value, point.gpus);
    if (kinds.empty() || kinds.back().first != kind) {
      kinds.emplace_back(kind, count);
    } else {
      kinds.back().second += ", " + count;
    }
  }
  std::string list;
  for (const auto& [kind, counts] : kinds)
    list += fmt::format("{}{} GPUs ({})", list.empty() ? "" : "; ", counts, kind);
  return list.empty() ? "" : to_lines("Best servers, by samples/s per node bought: " + list + ".");
}

std::string sentence_of(const PredictedPoint& point) {
  const auto& tensor = *point.unsplit_tensor;
  return fmt::format("one tensor, {} of {:.3g} MB, is on one server, which bounds the step; split it or take pieces.",
                     tensor.name, tensor.size_bytes / 1e6);
}

std::string lines_of_unsplit_tensors(const StrategyAnswer& answer) {
  ScalesOf sentences;
  for (const auto& point : answer.points)
    if (point.unsplit_tensor) sentences.add(sentence_of(point), point.gpus);
  std::string text;
  for (const auto& [sentence, scales] : sentences.all())
    text += to_lines(fmt::format("At {} GPUs {}", scales, sentence));
  return text;
}

} // namespace

std::string servers_in_words(const Strategy& strategy) {
  return fmt::format("{} {}", strategy.servers.value, kind_in_words(strategy));
}

std::string server_lines(const StrategyAnswer& answer) {
  return lines_of_best_servers(answer) + lines_of_bought_hosts(answer) + lines_of_unsplit_tensors(answer);
}

} // namespace ddlsim
