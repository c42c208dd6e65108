#include "validate/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>

namespace ddlsim {
namespace {

/// Share by which two predictions must differ, or they count as equal.
constexpr double tie = 1e-9;

/// The fields in which compared schedules agree.
struct Contest {
  std::string file;
  std::string cluster;
  std::string gpu;
  std::string model;
  Precision precision = {};
  double batch_per_gpu = 0;
  std::string data;
  std::string transport;
  auto operator<=>(const Contest&) const = default;
};

Contest contest_of(const Series& one) {
  return {one.file, one.cluster, one.gpu, one.model, one.precision, one.batch_per_gpu, one.data, one.transport};
}

bool same_schedule(const Series& one, const Series& other) {
  return one.strategy == other.strategy && one.preset == other.preset;
}

std::map<int, double> times_of(const Series& series) {
  std::map<int, double> times;
  for (const auto& point : series.points)
    if (point.gpus > 1) times[point.gpus] = point.iteration_s;
  return times;
}

/// The largest scale that both series have, with ln of the ratio of their times there; 0 GPUs if they have none in
/// common.
std::pair<int, double> largest_shared(const Series& one, const Series& other) {
  const auto a = times_of(one), b = times_of(other);
  std::pair<int, double> largest{0, 0};
  for (const auto& [gpus, time_s] : a) {
    const auto found = b.find(gpus);
    if (found != b.end()) largest = {gpus, std::log(time_s / found->second)};
  }
  return largest;
}

double agreement(double stated, double measured) {
  if (std::abs(stated) < tie) return 0.5;
  return (stated > 0) == (measured > 0) ? 1 : 0;
}

/// The visible points of each series in the split. If several parts of the split show a series, the last one counts; a
/// series is a target in one part only.
std::map<std::size_t, Series> shown(const std::vector<Series>& series, const std::vector<Split>& splits,
                                    const std::string& name) {
  std::map<std::size_t, Series> visible;
  for (const auto& split : splits) {
    if (split.name == name)
      for (const auto& part : split.parts) visible[part.series] = visible_series(series[part.series], part);
  }
  return visible;
}

} // namespace

std::vector<RankedPair> ranked_pairs(const std::vector<Series>& series) {
  std::map<Contest, std::vector<std::size_t>> contests;
  for (std::size_t i = 0; i < series.size(); ++i)
    if (!series[i].points.empty()) contests[contest_of(series[i])].push_back(i);
  std::vector<RankedPair> pairs;
  for (const auto& [contest, members] : contests) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (std::size_t j = i + 1; j < members.size(); ++j) {
        const auto& one = series[members[i]];
        const auto& other = series[members[j]];
        if (same_schedule(one, other)) continue;
        const auto [gpus, ln_ratio] = largest_shared(one, other);
        if (gpus > 0 && std::abs(ln_ratio) > smallest_ranked_difference)
          pairs.push_back({members[i], members[j], gpus, ln_ratio});
      }
    }
  }
  return pairs;
}

RankingScore score_ranking(const std::vector<RankedPair>& pairs, const std::vector<Series>& series,
                           const std::vector<Split>& splits, const std::vector<ScoredPoint>& points,
                           const std::string& split, const std::string& method) {
  std::map<std::pair<std::string, int>, double> predicted;
  for (const auto& point : points) {
    if (const auto found = point.forecasts.find(method); point.split == split && found != point.forecasts.end())
      predicted[{point.series, point.gpus}] = found->second.predicted_s;
  }
  const auto visible = shown(series, splits, split);
  RankingScore score{split, method};
  for (const auto& pair : pairs) {
    const auto a = predicted.find({series[pair.first].id, pair.gpus});
    const auto b = predicted.find({series[pair.second].id, pair.gpus});
    if (a == predicted.end() || b == predicted.end()) continue;
    ++score.pairs;
    score.right += agreement(std::log(a->second / b->second), pair.ln_ratio);
    score.persistence +=
        agreement(largest_shared(visible.at(pair.first), visible.at(pair.second)).second, pair.ln_ratio);
  }
  if (score.pairs > 0) {
    score.right /= score.pairs;
    score.persistence /= score.pairs;
  }
  return score;
}

} // namespace ddlsim
