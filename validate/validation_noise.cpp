#include "sim/base/statistics.hpp"
#include "validate/validation.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <optional>
#include <string_view>

namespace ddlsim {
namespace {

constexpr int repeats_that_count = 3;

/// The series that one person measured on one machine.
struct Set {
  std::string file;
  std::string cluster;
  std::string transport;
  auto operator<=>(const Set&) const = default;
};

Set set_of(const Series& series) {
  return {series.file, series.cluster, series.transport};
}

double largest_spread(const Series& series) {
  double largest = 0;
  for (const auto& point : series.points)
    if (point.gpus > 1) largest = std::max(largest, point.relative_spread);
  return largest;
}

/// The fields in which two sibling models agree.
struct SiblingKey {
  Set set;
  std::string depth; ///< depth of the model, without its version
  Precision precision = {};
  double batch_per_gpu = 0;
  std::string data;
  std::string strategy;
  std::string preset;
  auto operator<=>(const SiblingKey&) const = default;
};

/// The depth of a ResNet: "50" for resnet50_v1 and resnet50_v2; "" for every other model.
std::string residual_depth(const std::string& model) {
  constexpr std::string_view family = "resnet";
  const auto last = model.rfind("_v");
  if (!model.starts_with(family) || last == std::string::npos || last <= family.size()) return "";
  const auto version = model.substr(last + 2);
  const auto depth = model.substr(family.size(), last - family.size());
  const bool is_number = depth.find_first_not_of("0123456789") == std::string::npos;
  return is_number && (version == "1" || version == "2") ? depth : "";
}

/// The key that the two siblings of a pair share; nothing for a model without a sibling.
std::optional<SiblingKey> sibling_key(const Series& series) {
  const std::string depth = residual_depth(series.model);
  if (depth.empty()) return {};
  return SiblingKey{set_of(series), depth,           series.precision, series.batch_per_gpu,
                    series.data,    series.strategy, series.preset};
}

/// The noise at every scale that both series have: |d - median d| / sqrt 2, with d the difference of their ln times.
std::vector<double> sibling_noise(const Series& one, const Series& other) {
  std::vector<double> differences;
  for (const auto& a : one.points) {
    for (const auto& b : other.points) {
      if (a.gpus > 1 && a.gpus == b.gpus && a.nodes == b.nodes)
        differences.push_back(std::log(a.iteration_s / b.iteration_s));
    }
  }
  const double centre = median(differences);
  for (auto& d : differences) d = std::abs(d - centre) / std::sqrt(2.0);
  // Two values are equally far from their median, whatever the noise is. The scatter shows from three values on.
  return differences.size() < 3 ? std::vector<double>{} : differences;
}

std::map<Set, double> noise_from_siblings(const std::vector<Series>& series) {
  std::map<SiblingKey, std::vector<const Series*>> pairs;
  for (const auto& one : series)
    if (const auto key = sibling_key(one)) pairs[*key].push_back(&one);
  std::map<Set, std::vector<double>> of_set;
  for (const auto& [key, members] : pairs) {
    if (members.size() != 2 || members[0]->model == members[1]->model) continue;
    for (const double d : sibling_noise(*members[0], *members[1])) of_set[set_of(*members[0])].push_back(d);
  }
  std::map<Set, double> noise;
  for (const auto& [set, values] : of_set)
    if (!values.empty()) noise[set] = mean(values);
  return noise;
}

std::map<Set, double> noise_of_sets(const std::vector<Series>& series) {
  std::map<Set, std::vector<double>> spreads;
  for (const auto& one : series)
    if (const double spread = largest_spread(one); spread > 0) spreads[set_of(one)].push_back(spread);
  std::map<Set, double> noise;
  for (const auto& [set, values] : spreads) noise[set] = median(values);
  return noise;
}

Noise graded(double relative, const std::string& basis) {
  return {relative <= class_a_noise ? 'A' : relative <= class_b_noise ? 'B' : 'C', relative, basis};
}

Noise not_stated(const Series& series) {
  const bool repeated = !series.points.empty() &&
                        std::all_of(series.points.begin(), series.points.end(),
                                    [](const auto& p) { return p.gpus == 1 || p.repeats >= repeats_that_count; });
  return repeated ? Noise{'B', 0, "repeats without a spread"} : Noise{'C', 0, "unknown"};
}

} // namespace

std::vector<Noise> noise_of(const std::vector<Series>& series) {
  const auto siblings = noise_from_siblings(series);
  const auto sets = noise_of_sets(series);
  std::vector<Noise> all;
  for (const auto& one : series) {
    const auto set = set_of(one);
    if (const double stated = largest_spread(one); stated > 0) {
      all.push_back(graded(stated, "stated spread"));
    } else if (siblings.count(set) > 0) {
      all.push_back(graded(siblings.at(set), "siblings"));
    } else if (sets.count(set) > 0) {
      all.push_back(graded(sets.at(set), "spread of the same set"));
    } else {
      all.push_back(not_stated(one));
    }
  }
  return all;
}

} // namespace ddlsim
