#include "sim/base/statistics.hpp"
#include "tests/diagnose/planted.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

// Healthy clusters are to be left alone, planted faults named, with chances that are right as often as they say. The
// tables that are printed stand in docs/diagnosis.md.

namespace ddlsim_test {
namespace {

using namespace ddlsim;

/// 0 to 1.
double share_from(Normals& normal) {
  return normal_cdf(normal());
}

/// As the diagnosis takes them to be distributed: equally likely in the logarithm.
double severity_from(const FaultKind& kind, Normals& normal) {
  const auto& all = kind.severities;
  const double share = share_from(normal);
  return all.front() * std::pow(all.back() / all.front(), share);
}

std::size_t place_of(Fault fault, const Diagnosis& diagnosis) {
  const auto& all = diagnosis.causes;
  return static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [&](const Cause& one) { return one.row.fault == fault; }) - all.begin());
}

struct Named {
  int planted = 0;
  int not_normal = 0;
  int first = 0;
  int first_or_second = 0;
};

/// A severity at which some time is twice as slow or more; nothing where none is found.
std::optional<double> doubling_severity(const PlantedClusters& clusters, const FaultKind& kind, Normals& normal) {
  constexpr int tries = 12;
  for (int i = 0; i < tries; ++i) {
    const double severity = severity_from(kind, normal);
    if (clusters.effect(kind, severity) >= 2) return severity;
  }
  return std::nullopt;
}

void plant(const PlantedClusters& clusters, int cases, Normals& normal, std::map<std::string, Named>& table) {
  for (const auto& hypothesis : clusters.hypotheses().faults) {
    const auto& kind = hypothesis.kind;
    if (kind.row.fault == Fault::none_of_these) continue;
    auto& row = table[kind.row.name];
    for (int i = 0; i < cases; ++i) {
      const auto severity = doubling_severity(clusters, kind, normal);
      if (!severity) break;
      const auto diagnosis = clusters.diagnosed(clusters.times(i, &kind, *severity, normal));
      ++row.planted;
      if (diagnosis.verdict != Verdict::not_normal) continue;
      ++row.not_normal;
      const auto place = place_of(kind.row.fault, diagnosis);
      if (place < 1) ++row.first;
      if (place < 2) ++row.first_or_second;
    }
  }
}

void print(const std::map<std::string, Named>& table) {
  fmt::print("fault         planted  not normal  first  first or second\n");
  for (const auto& [name, row] : table)
    fmt::print("{:<13} {:7} {:11} {:6} {:8}\n", name, row.planted, row.not_normal, row.first, row.first_or_second);
}

constexpr std::array<double, 8> edges{0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0001};

struct Bin {
  int stated = 0;
  int true_ones = 0;
  double sum = 0; ///< of the chances stated
};

/// A cause that the table lacks: two faults at once, or a factor for each time.
Eigen::VectorXd unknown_fault(const PlantedClusters& clusters, int draw, Normals& normal) {
  Eigen::VectorXd ln_times = clusters.times(draw, nullptr, 1, normal);
  const double spread = std::array{0.25, 0.5, 1.0}[static_cast<std::size_t>(draw % 3)];
  for (auto& value : ln_times) value += spread * std::abs(normal());
  return ln_times;
}

void calibrate(const PlantedClusters& clusters, int cases, Normals& normal, std::array<Bin, 7>& bins) {
  const auto& faults = clusters.hypotheses().faults;
  for (int i = 0; i < cases; ++i) {
    double share = share_from(normal);
    std::size_t planted = 0;
    while (planted + 1 < faults.size() && share > faults[planted].kind.weight) share -= faults[planted++].kind.weight;
    const auto& kind = faults[planted].kind;
    const auto ln_times = kind.row.fault == Fault::none_of_these
                              ? unknown_fault(clusters, i, normal)
                              : clusters.times(i, &kind, severity_from(kind, normal), normal);
    const auto diagnosis = clusters.diagnosed(ln_times);
    if (diagnosis.verdict != Verdict::not_normal) continue;
    for (const auto& cause : diagnosis.causes) {
      const auto bin = std::upper_bound(edges.begin(), edges.end(), cause.chance) - edges.begin() - 1;
      auto& one = bins[static_cast<std::size_t>(bin)];
      ++one.stated;
      one.sum += cause.chance;
      if (cause.row.fault == kind.row.fault) ++one.true_ones;
    }
  }
}

} // namespace

TEST_CASE("a slow link is named by logs of nccl-tests, and healthy clusters are left alone") {
  const PlantedClusters clusters(planted_questions()[1]);
  const auto& faults = clusters.hypotheses().faults;
  const auto link = std::find_if(faults.begin(), faults.end(),
                                 [](const Hypothesis& one) { return one.kind.row.fault == Fault::link; });
  REQUIRE(link != faults.end());
  Normals normal(2026);
  int named = 0;
  int not_normal = 0;
  constexpr int cases = 20;
  for (int i = 0; i < cases; ++i) {
    const auto diagnosis = clusters.diagnosed(clusters.times(i, &link->kind, 3, normal));
    if (diagnosis.verdict == Verdict::not_normal && place_of(Fault::link, diagnosis) < 2) ++named;
    if (clusters.diagnosed(clusters.times(i, nullptr, 1, normal)).verdict == Verdict::not_normal) ++not_normal;
  }
  CHECK(named >= 17);
  CHECK(not_normal <= 3);
}

TEST_CASE("a healthy cluster is called not normal as seldom as the level says", "[.planted]") {
  Normals normal(2027);
  int all = 0;
  int not_normal = 0;
  for (const auto& question : planted_questions()) {
    const PlantedClusters clusters(question);
    constexpr int cases = 200;
    int here = 0;
    for (int i = 0; i < cases; ++i)
      if (clusters.diagnosed(clusters.times(i, nullptr, 1, normal)).verdict == Verdict::not_normal) ++here;
    fmt::print("{:<40} {:4} of {} healthy clusters called not normal\n", question.name, here, cases);
    CHECK(here <= 20); // 10 expected, standard deviation 3
    all += cases;
    not_normal += here;
  }
  CHECK(not_normal <= 0.06 * all);
}

TEST_CASE("planted faults of twice or more that are called not normal are named first or second", "[.planted]") {
  Normals normal(2028);
  std::map<std::string, Named> table;
  for (const auto& question : planted_questions()) {
    std::map<std::string, Named> here;
    plant(PlantedClusters(question), 25, normal, here);
    fmt::print("{}\n", question.name);
    print(here);
    for (const auto& [name, row] : here) {
      auto& sum = table[name];
      sum.planted += row.planted;
      sum.not_normal += row.not_normal;
      sum.first += row.first;
      sum.first_or_second += row.first_or_second;
    }
  }
  fmt::print("all\n");
  print(table);
  Named sum;
  for (const auto& [name, row] : table) {
    CAPTURE(name, row.planted, row.not_normal, row.first_or_second);
    CHECK(row.first_or_second >= 0.9 * row.not_normal - 1);
    sum.planted += row.planted;
    sum.first_or_second += row.first_or_second;
  }
  // what is not known of a cluster hides the rest: twice as slow is then inside what is healthy
  CHECK(sum.first_or_second >= 0.85 * sum.planted);
}

TEST_CASE("chances of causes are right as often as they say", "[.planted]") {
  Normals normal(2029);
  std::array<Bin, 7> bins;
  for (const auto& question : planted_questions()) calibrate(PlantedClusters(question), 200, normal, bins);
  fmt::print("chance stated    causes   mean stated   true\n");
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const auto& one = bins[i];
    const double mean = one.stated > 0 ? one.sum / one.stated : 0;
    const double right = one.stated > 0 ? static_cast<double>(one.true_ones) / one.stated : 0;
    fmt::print("{:3.0f} to {:3.0f} %  {:8} {:10.0f} % {:6.0f} %\n", 100 * edges[i], 100 * std::min(1.0, edges[i + 1]),
               one.stated, 100 * mean, 100 * right);
    if (one.stated >= 50) CHECK(std::abs(right - mean) <= 0.1);
  }
}

} // namespace ddlsim_test
