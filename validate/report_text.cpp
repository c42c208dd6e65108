#include "sim/base/error.hpp"
#include "sim/base/table.hpp"
#include "validate/report.hpp"
#include "validate/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace ddlsim {
namespace {

constexpr std::size_t methods_side_by_side = 6;
constexpr std::size_t cluster_width = 28;
constexpr std::size_t least_method_width = 10;

using Scores = std::vector<const SplitScore*>;

std::string percent(double ratio) {
  return fmt::format("{:.1f}", 100 * ratio);
}

/// The width of a column, which is that of its method's name.
std::size_t column_width(const SplitScore& score) {
  return std::max(least_method_width, score.method.size());
}

std::string row_of(const std::string& title, const std::string& count, const Scores& scores,
                   const std::function<std::string(const SplitScore&)>& cell) {
  auto line = fmt::format("{:<{}} {:>7}", cut_in_the_middle(title, cluster_width), cluster_width, count);
  for (const auto* score : scores) line += fmt::format(" {:>{}}", cell(*score), column_width(*score));
  return line + "\n";
}

const Score* of_cluster(const SplitScore& score, const std::string& cluster) {
  const auto found = score.by_cluster.find(cluster);
  return found == score.by_cluster.end() ? nullptr : &found->second;
}

std::set<std::string> clusters_of(const Scores& scores) {
  std::set<std::string> clusters;
  for (const auto* score : scores)
    for (const auto& [cluster, one] : score->by_cluster) clusters.insert(cluster);
  return clusters;
}

int most_points(const Scores& scores, const std::function<int(const SplitScore&)>& points) {
  int most = 0;
  for (const auto* score : scores) most = std::max(most, points(*score));
  return most;
}

/// The cell of a score. A star marks a method that answered fewer points than the row counts.
std::string cell_of(const Score* score, int points) {
  if (score == nullptr || score->points == 0) return "-";
  return percent(score->mean_error) + (score->points < points ? "*" : "");
}

std::string cluster_rows(const Scores& scores) {
  std::string text;
  for (const auto& cluster : clusters_of(scores)) {
    const int points = most_points(scores, [&](const SplitScore& s) {
      const auto* one = of_cluster(s, cluster);
      return one == nullptr ? 0 : one->points;
    });
    text += row_of(cluster, fmt::format("{}", points), scores,
                   [&](const SplitScore& s) { return cell_of(of_cluster(s, cluster), points); });
  }
  return text;
}

std::string mean_row(const std::string& title, const Scores& scores,
                     const std::function<const Score&(const SplitScore&)>& part) {
  const int points = most_points(scores, [&](const SplitScore& s) { return part(s).points; });
  if (points == 0) return "";
  return row_of(title, fmt::format("{}", points), scores,
                [&](const SplitScore& s) { return cell_of(&part(s), points); });
}

std::string overall_row(const std::string& title, const Scores& scores,
                        const std::function<std::string(const Score&)>& figure) {
  return row_of(title, "", scores,
                [&](const SplitScore& s) { return s.overall.points == 0 ? std::string("-") : figure(s.overall); });
}

/// A row with one figure of the 90 % intervals. A cell is "-" if the method states no interval and no other cluster
/// gives one.
std::string interval_row(const std::string& title, const Scores& scores, double Score::*figure) {
  return row_of(title, "", scores, [&](const SplitScore& s) {
    return s.overall.points_with_interval == 0 ? std::string("-") : percent(s.overall.*figure);
  });
}

/// Writes a range, as in "4.9 to 8.2"; from ten on without decimals.
std::string range_text(const Range& range) {
  constexpr double ten = 0.0995; // the smallest ratio that is printed as 10.0
  const auto figure = [](double ratio) { return ratio < ten ? percent(ratio) : fmt::format("{:.0f}", 100 * ratio); };
  return figure(range.low) + " to " + figure(range.high);
}

int most_sites(const Scores& scores) {
  int most = 0;
  for (const auto* score : scores) most = std::max(most, score->overall.sites);
  return most;
}

/// The range of a mean over resampled sites, which is printed below the mean.
std::string range_row(const Scores& scores, std::optional<Range> Score::*range) {
  if (most_sites(scores) < fewest_sites) return "";
  return row_of("  90 % of resampled sites", "", scores, [&](const SplitScore& s) {
    const auto& known = s.overall.*range;
    return known ? range_text(*known) : std::string("-");
  });
}

std::string few_sites_row(const Scores& scores) {
  const int sites = most_sites(scores);
  if (sites == 0 || sites >= fewest_sites) return "";
  return fmt::format("no range of error and coverage: {} site{} say nothing of others, {} would\n", sites,
                     sites == 1 ? "" : "s", fewest_sites);
}

std::string overall_rows(const Scores& scores) {
  const bool sites = is_new_site(scores.front()->split);
  auto text = mean_row(sites ? "mean of sites" : "mean of clusters", scores,
                       [](const SplitScore& s) -> const Score& { return s.overall; });
  text += range_row(scores, &Score::mean_error_range);
  text += mean_row("  classes A and B only", scores, [](const SplitScore& s) -> const Score& { return s.classes_a_b; });
  for (const char grade : {'A', 'B', 'C'}) {
    text += mean_row(fmt::format("  class {}", grade), scores,
                     [grade](const SplitScore& s) -> const Score& { return s.by_class.at(grade); });
  }
  if (std::any_of(scores.begin(), scores.end(), [](const SplitScore* s) { return s->overall.refused > 0; }))
    text += overall_row("refused, %", scores, [](const Score& s) { return percent(1.0 * s.refused / s.points); });
  text += overall_row("median point", scores, [](const Score& s) { return percent(s.median_error); });
  text += overall_row("worst point", scores, [](const Score& s) { return percent(s.worst_error); });
  text += interval_row("covered by 90 %, %", scores, &Score::coverage);
  text += range_row(scores, &Score::coverage_range);
  text += interval_row("half-width, %", scores, &Score::half_width);
  text += interval_row("interval score x 100", scores, &Score::interval_score);
  return text + few_sites_row(scores);
}

bool is_shown(const Scores& scores, const std::string& method) {
  return std::any_of(scores.begin(), scores.end(), [&](const auto* s) { return s->method == method; });
}

std::string difference_rows(const ValidationResult& result, const Scores& scores, const std::string& split) {
  std::string text;
  for (const auto& one : result.differences) {
    if (one.split == split && one.points > 0 && is_shown(scores, one.baseline)) {
      text += fmt::format("  {} against {}: {:+.1f} points", one.method, one.baseline, 100 * one.difference);
      if (one.clusters > 1) // with one cluster every resample is the same
        text += fmt::format(" [{:+.1f}, {:+.1f}]", 100 * one.range.low, 100 * one.range.high);
      text += fmt::format(", {} points on {} cluster{}\n", one.points, one.clusters, one.clusters == 1 ? "" : "s");
    }
  }
  return text.empty() ? text : "mean error less a baseline's, with 90 % of a bootstrap over clusters:\n" + text;
}

std::string ranking_rows(const ValidationResult& result, const Scores& scores, const std::string& split) {
  std::string text;
  for (const auto& one : result.rankings) {
    if (one.split == split && one.pairs > 0 && is_shown(scores, one.method)) {
      text += fmt::format("  {}: {:.0f} % of {} pairs (persistence {:.0f} %)\n", one.method, 100 * one.right, one.pairs,
                          100 * one.persistence);
    }
  }
  return text.empty() ? text : "schedules put in the right order at the largest shared scale:\n" + text;
}

bool say_the_same(const SplitScore& one, const SplitScore& other) {
  const auto same = [](const Score& a, const Score& b) {
    return a.points == b.points && a.mean_error == b.mean_error && a.interval_score == b.interval_score;
  };
  return same(one.overall, other.overall) &&
         std::equal(one.by_cluster.begin(), one.by_cluster.end(), other.by_cluster.begin(), other.by_cluster.end(),
                    [&](const auto& a, const auto& b) { return a.first == b.first && same(a.second, b.second); });
}

/// Methods with the same scores share a column: with one visible scale most laws are the straight line. Methods without
/// answers have no column, except the reference. `note` names them.
Scores distinct(const Scores& all, const std::string& reference, std::string& note) {
  Scores kept;
  std::vector<std::string> silent;
  for (const auto* score : all) {
    if (score->overall.points == 0) {
      silent.push_back(score->method);
      if (score->method == reference) kept.push_back(score);
      continue;
    }
    const auto twin = std::find_if(kept.begin(), kept.end(), [&](const auto* k) { return say_the_same(*k, *score); });
    if (twin == kept.end()) {
      kept.push_back(score);
    } else {
      note += fmt::format("{} says the same as {} at every point\n", score->method, (*twin)->method);
    }
  }
  if (!silent.empty()) note += fmt::format("no answer to any point: {}\n", join_names(silent));
  return kept;
}

std::string split_block(const ValidationResult& result, const std::string& split) {
  Scores of_split;
  for (const auto& score : result.scores)
    if (score.split == split) of_split.push_back(&score);
  if (of_split.empty()) return "";
  std::string note;
  const auto all = distinct(of_split, result.reference, note);
  auto text = split_title(split) + "\n";
  for (std::size_t first = 0; first < all.size(); first += methods_side_by_side) {
    const auto count = std::min(methods_side_by_side, all.size() - first);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    const Scores some(begin, begin + static_cast<std::ptrdiff_t>(count));
    text += row_of("mean error, %", "points", some, [](const SplitScore& s) { return s.method; });
    text += cluster_rows(some) + overall_rows(some);
  }
  return text + note + difference_rows(result, all, split) + ranking_rows(result, all, split) +
         explained_text(result, split) + "\n";
}

std::string series_lines(const ValidationResult& result) {
  std::map<char, int> grades;
  int in_tiers = 0, in_transfer_only = 0, in_none = 0;
  for (const auto& one : result.series) {
    if (one.splits.empty()) {
      ++in_none;
      continue;
    }
    ++grades[one.noise.grade];
    const bool tier = std::any_of(one.splits.begin(), one.splits.end(), [](const auto& s) {
      return s.size() == 2 || is_new_site(s) || s.starts_with("layouts-");
    });
    ++(tier ? in_tiers : in_transfer_only);
  }
  return fmt::format("{} series: {} in tiers, {} within one node (in no tier), {} with nothing to predict\n"
                     "noise classes of those that take part: {} A, {} B, {} C\n"
                     "* not every point answered\n\n",
                     result.series.size(), in_tiers, in_transfer_only, in_none, grades['A'], grades['B'], grades['C']);
}

} // namespace

std::string split_title(const std::string& split) {
  static const std::map<std::string, std::string> titles{
      {"new-T1", "new-T1: a new site, calibrated on one node; priors and switches that the site shaped taken away"},
      {"new-T2", "new-T2: a new site, calibrated up to its first multi-node scale"},
      {"new-T3", "new-T3: a new site, calibrated up to its second multi-node scale"},
      {"as-shipped",
       "as-shipped: asked of the shipped calibrations for the points that made them; this measures memory"},
      {"as-shipped-without", "as-shipped-without: the same, the point's own experiment hidden"},
      {"new-batch", "new-batch: a batch of a known model that the site never ran, its time on one GPU hidden too"},
      {"new-model", "new-model: a model that the site never ran, its times on one GPU hidden too"},
      {"T1", "T1: calibrated on one node; every larger scale predicted"},
      {"T2", "T2: calibrated up to the first multi-node scale"},
      {"T3", "T3: calibrated up to the second multi-node scale"},
      {"leave-one-model-out", "leave-one-model-out: a model family keeps its one-GPU times only"},
      {"leave-one-strategy-out", "leave-one-strategy-out: a schedule keeps its one-GPU times only"},
      {"leave-one-cluster-out", "leave-one-cluster-out: a cluster keeps its one-GPU times only"},
      {"layouts-unseen", "layouts-unseen: model parallelism, no run of it shown"},
      {"layouts-smallest", "layouts-smallest: model parallelism, the fewest GPUs of each series shown"}};
  const auto found = titles.find(split);
  return found == titles.end() ? split : found->second;
}

std::string validation_text(const ValidationResult& result) {
  auto text = series_lines(result);
  for (const auto& split : split_names()) text += split_block(result, split);
  return text;
}

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
         share("input", parts.input_s) + ", " + share("unexplained", parts.unexplained_s);
}

std::string block(const ExplainedSeries& one) {
  const auto& parts = one.why.points.back();
  const auto indent = [](const std::string& text) { return "    " + cut(text, line_width - 4) + "\n"; };
  return "  " + cut_in_the_middle(one.series, line_width - 2) + "\n" +
         indent(fmt::format("{:.1f} % off; {} GPUs: measured {}, {} says {}, most of it {}", 100 * one.mean_error,
                            parts.gpus, seconds_text(parts.measured_s), one.method, seconds_text(parts.predicted_s),
                            parts.bottleneck)) +
         indent(shares_text(parts)) + indent(explanation_text(one.why.explanation));
}

} // namespace

std::string explanation_text(const ParameterExplanation& explanation) {
  if (explanation.parameter.empty()) return "no single parameter mends it";
  const std::string unit = explanation.unit == "1" || explanation.unit.empty() ? "" : " " + explanation.unit;
  return fmt::format("{} {:.3g}{} instead of {:.3g} (at {:+.1f} prior widths, not {:+.1f}) leaves {:.1f} %",
                     explanation.parameter, explanation.needed, unit, explanation.fitted, explanation.needed_at,
                     explanation.fitted_at, 100 * explanation.remaining_error);
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
