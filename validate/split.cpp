#include "validate/split.hpp"

#include "validate/unseen_workloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <functional>
#include <map>
#include <set>
#include <string_view>

namespace ddlsim {
namespace {

/// A record with what the rules of the splits need: its step, if it has one, and its cluster.
struct LocatedRecord {
  const Record* record = nullptr;
  const StepRecord* step = nullptr; ///< null for records of other kinds
  std::string cluster;
};

std::vector<LocatedRecord> locate(const std::vector<MeasurementFile>& files) {
  std::vector<LocatedRecord> all;
  for (const auto& file : files) {
    for (const auto& record : file.records)
      all.push_back({&record, std::get_if<StepRecord>(&record), file.context.cluster});
  }
  return all;
}

/// The fields in which the records of one experiment agree, across files.
struct Experiment {
  std::string cluster;
  std::string gpu;
  std::string model;
  Precision precision = {};
  double batch_per_gpu = 0;
  std::string data;
  StrategyName strategy = {};
  std::string preset;
  std::string transport;
  auto operator<=>(const Experiment&) const = default;
};

Experiment experiment_of(const LocatedRecord& at) {
  const auto& step = *at.step;
  return {at.cluster, step.head.gpu,      step.model,  step.precision,     step.batch_per_gpu,
          step.data,  step.strategy.name, step.preset, step.head.transport};
}

/// The scales on several nodes of every experiment, ascending.
std::map<Experiment, std::set<int>> multi_node_scales(const std::vector<LocatedRecord>& records) {
  std::map<Experiment, std::set<int>> scales;
  for (const auto& at : records)
    if (at.step != nullptr && at.step->nodes > 1) scales[experiment_of(at)].insert(at.step->gpus);
  return scales;
}

std::vector<bool> tier_mask(const std::vector<LocatedRecord>& records, int multi_node_scales_shown) {
  const auto scales = multi_node_scales(records);
  std::vector<bool> visible(records.size(), true);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto* step = records[i].step;
    if (step == nullptr || step->nodes <= 1) continue;
    const auto& own = scales.at(experiment_of(records[i]));
    const auto rank = std::distance(own.begin(), own.find(step->gpus));
    visible[i] = rank < multi_node_scales_shown;
  }
  return visible;
}

using Matches = std::function<bool(const LocatedRecord&)>;

std::vector<bool> transfer_mask(const std::vector<LocatedRecord>& records, const Matches& left_out,
                                bool link_facts_too) {
  std::vector<bool> visible(records.size(), true);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& at = records[i];
    if (!left_out(at)) continue;
    const bool link_fact = std::holds_alternative<CollectiveRecord>(*at.record) ||
                           std::holds_alternative<PointToPointRecord>(*at.record) ||
                           std::holds_alternative<ServerRecord>(*at.record) ||
                           std::holds_alternative<InputRecord>(*at.record);
    if (at.step != nullptr ? at.step->gpus > 1 : link_facts_too && link_fact) visible[i] = false;
  }
  return visible;
}

bool all_visible(const SeriesPoint& point, const std::vector<bool>& visible) {
  return std::all_of(point.records.begin(), point.records.end(), [&](RecordIndex i) { return visible[i]; });
}

Split make_split(const std::string& name, const std::string& left_out, std::vector<bool> visible,
                 const std::vector<Series>& series) {
  Split split{name, left_out, std::move(visible), {}, MaskedPriors::of_site};
  for (std::size_t s = 0; s < series.size(); ++s) {
    if (is_model_parallel(series[s].strategy_name)) continue;
    SplitPart part{s, {}, {}};
    for (std::size_t p = 0; p < series[s].points.size(); ++p)
      (all_visible(series[s].points[p], split.visible_records) ? part.visible : part.targets).push_back(p);
    const bool has_evidence = !part.visible.empty() || series[s].one_gpu_s;
    if (has_evidence && !part.targets.empty()) split.parts.push_back(std::move(part));
  }
  return split;
}

/// Removes the series that lack one of the scales on several nodes that the tier shows. Such a scale may belong to
/// another series of the same experiment.
void keep_complete_parts(Split& tier, const std::vector<Series>& series, int multi_node_scales_shown) {
  const auto incomplete = [&](const SplitPart& part) {
    const auto& points = series[part.series].points;
    const auto shown =
        std::count_if(part.visible.begin(), part.visible.end(), [&](auto p) { return points[p].nodes > 1; });
    return shown < multi_node_scales_shown;
  };
  tier.parts.erase(std::remove_if(tier.parts.begin(), tier.parts.end(), incomplete), tier.parts.end());
}

/// Names of the clusters with visible steps on several GPUs, and of those with visible steps on several nodes.
struct ObservedScales {
  std::set<std::string> several_gpus;
  std::set<std::string> several_nodes;
};

ObservedScales observed_scales(const std::vector<LocatedRecord>& records, const std::vector<bool>& visible) {
  ObservedScales seen;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto* step = records[i].step;
    if (step == nullptr || !visible[i]) continue;
    if (step->gpus > 1) seen.several_gpus.insert(records[i].cluster);
    if (step->nodes > 1) seen.several_nodes.insert(records[i].cluster);
  }
  return seen;
}

/// Removes targets to which no other visible training can be transferred. A target needs another model or schedule of
/// the same cluster, or else the split would test an unseen cluster. A target across nodes needs a visible step across
/// nodes.
void drop_untransferable(Split& split, const std::vector<LocatedRecord>& records, const std::vector<Series>& series) {
  const auto seen = observed_scales(records, split.visible_records);
  for (auto& part : split.parts) {
    const auto& of = series[part.series];
    std::erase_if(part.targets, [&](std::size_t p) {
      const auto& where = of.points[p].nodes > 1 ? seen.several_nodes : seen.several_gpus;
      return where.count(of.cluster) == 0;
    });
  }
  std::erase_if(split.parts, [](const SplitPart& part) { return part.targets.empty(); });
}

/// Adds a split for every value of `what` among records of training on several GPUs.
void add_transfer(std::vector<Split>& splits, const std::string& name, const std::vector<LocatedRecord>& records,
                  const std::vector<Series>& series, const std::function<std::string(const LocatedRecord&)>& what) {
  std::set<std::string> values;
  for (const auto& at : records)
    if (at.step != nullptr && at.step->gpus > 1) values.insert(what(at));
  const bool whole_cluster = name == "leave-one-cluster-out";
  for (const auto& value : values) {
    const auto left_out = [&](const LocatedRecord& at) { return what(at) == value; };
    splits.push_back(make_split(name, value, transfer_mask(records, left_out, whole_cluster), series));
    if (!whole_cluster) drop_untransferable(splits.back(), records, series);
  }
}

/// A split in which all records are visible, and every point of several GPUs is a target.
Split split_as_shipped(std::size_t records, const std::vector<Series>& series) {
  Split split{"as-shipped", "", std::vector<bool>(records, true), {}, MaskedPriors::none};
  for (std::size_t s = 0; s < series.size(); ++s) {
    if (is_model_parallel(series[s].strategy_name)) continue;
    SplitPart part{s, {}, {}};
    for (std::size_t p = 0; p < series[s].points.size(); ++p) {
      part.visible.push_back(p);
      if (is_target_as_shipped(series[s].points[p])) part.targets.push_back(p);
    }
    if (!part.targets.empty()) split.parts.push_back(std::move(part));
  }
  return split;
}

/// The fields in which two publications of the same figures agree. Their words for data, precision and transport may
/// differ.
struct Publication {
  std::string cluster;
  std::string model;
  double batch_per_gpu = 0;
  StrategyName strategy = {};
  std::string preset;
  auto operator<=>(const Publication&) const = default;
};

Publication publication_of(const LocatedRecord& at) {
  return {at.cluster, at.step->model, at.step->batch_per_gpu, at.step->strategy.name, at.step->preset};
}

/// For each experiment, the part that hides its points on several GPUs. A cluster's experiments are assigned to the
/// parts in turn.
std::map<Publication, int> parts_of_experiments(const std::vector<LocatedRecord>& records, int parts) {
  std::map<Publication, int> part_of;
  for (const auto& at : records)
    if (at.step != nullptr && at.step->gpus > 1) part_of.emplace(publication_of(at), 0);
  std::map<std::string, int> seen; // number of experiments seen of each cluster
  for (auto& [experiment, part] : part_of) part = seen[experiment.cluster]++ % parts;
  return part_of;
}

void add_shipped_without(std::vector<Split>& splits, const std::vector<LocatedRecord>& records,
                         const std::vector<Series>& series) {
  constexpr int parts = 5; // number of fits of a cluster, each of which knows four fifths of the other experiments
  const auto part_of = parts_of_experiments(records, parts);
  for (int part = 0; part < parts; ++part) {
    std::vector<bool> visible(records.size(), true);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto& at = records[i];
      if (at.step != nullptr && at.step->gpus > 1) visible[i] = part_of.at(publication_of(at)) != part;
    }
    auto split = make_split("as-shipped-without", fmt::format("part {} of {}", part + 1, parts), visible, series);
    split.masked_priors = MaskedPriors::none;
    for (auto& one : split.parts)
      std::erase_if(one.targets, [&](std::size_t p) { return !is_target_as_shipped(series[one.series].points[p]); });
    splits.push_back(std::move(split));
  }
}

void add_tiers(std::vector<Split>& splits, const std::string& prefix, const std::vector<LocatedRecord>& records,
               const std::vector<Series>& series) {
  for (int tier = 1; tier <= 3; ++tier) {
    splits.push_back(make_split(fmt::format("{}{}", prefix, tier), "", tier_mask(records, tier - 1), series));
    keep_complete_parts(splits.back(), series, tier - 1);
  }
}

bool runs_layout(const LocatedRecord& at) {
  return at.step != nullptr && is_model_parallel(at.step->strategy.name);
}

/// The fewest GPUs of each table of layouts. Cluster and series name identify a table.
std::map<std::pair<std::string, std::string>, int> smallest_of_layouts(const std::vector<LocatedRecord>& records) {
  std::map<std::pair<std::string, std::string>, int> smallest;
  for (const auto& at : records) {
    if (!runs_layout(at)) continue;
    const auto [place, fresh] = smallest.emplace(std::pair{at.cluster, at.step->head.series}, at.step->gpus);
    if (!fresh) place->second = std::min(place->second, at.step->gpus);
  }
  return smallest;
}

/// Returns a split whose parts are the series of model parallelism, including series without a visible point.
Split split_of_layouts(const std::string& name, std::vector<bool> visible, const std::vector<Series>& series) {
  Split split{name, "", std::move(visible), {}, MaskedPriors::of_site};
  for (std::size_t s = 0; s < series.size(); ++s) {
    if (!is_model_parallel(series[s].strategy_name)) continue;
    SplitPart part{s, {}, {}};
    for (std::size_t p = 0; p < series[s].points.size(); ++p)
      (all_visible(series[s].points[p], split.visible_records) ? part.visible : part.targets).push_back(p);
    if (!part.targets.empty()) split.parts.push_back(std::move(part));
  }
  return split;
}

void add_layouts(std::vector<Split>& splits, const std::vector<LocatedRecord>& records,
                 const std::vector<Series>& series) {
  const auto smallest = smallest_of_layouts(records);
  std::vector<bool> none(records.size(), true);
  std::vector<bool> first(records.size(), true);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& at = records[i];
    if (!runs_layout(at)) continue;
    none[i] = false;
    first[i] = at.step->gpus == smallest.at({at.cluster, at.step->head.series});
  }
  splits.push_back(split_of_layouts("layouts-unseen", std::move(none), series));
  splits.push_back(split_of_layouts("layouts-smallest", std::move(first), series));
}

constexpr const char* new_site_prefix = "new-T";

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Whether the last word of a model's name is a variant of its family: v1, v1.5, seq128, tf, mxnet or aux.
bool names_variant(std::string_view word) {
  if (word == "tf" || word == "mxnet" || word == "aux") return true;
  if (word.starts_with("seq")) return is_number(word.substr(3));
  if (!word.starts_with("v")) return false;
  const auto point = std::min(word.find('.'), word.size());
  return is_number(word.substr(1, point - 1)) && (point == word.size() || is_number(word.substr(point + 1)));
}

} // namespace

bool is_target_as_shipped(const SeriesPoint& point) {
  return point.gpus > 1 && !point.suspect;
}

const std::vector<std::string>& split_names() {
  static const std::vector<std::string> names{"new-T1",
                                              "new-T2",
                                              "new-T3",
                                              "as-shipped",
                                              "as-shipped-without",
                                              "new-batch",
                                              "new-model",
                                              "T1",
                                              "T2",
                                              "T3",
                                              "leave-one-model-out",
                                              "leave-one-strategy-out",
                                              "leave-one-cluster-out",
                                              "layouts-unseen",
                                              "layouts-smallest"};
  return names;
}

bool is_new_site(const std::string& split) {
  return split.starts_with(new_site_prefix);
}

std::string model_family(const std::string& model) {
  std::string family = model;
  for (auto last = family.rfind('_'); last != std::string::npos; last = family.rfind('_')) {
    if (!names_variant(std::string_view(family).substr(last + 1))) break;
    family.resize(last);
  }
  return family;
}

std::string schedule_of(StrategyName strategy, const std::string& preset) {
  const bool all_reduces = family_of(strategy) == StrategyFamily::all_reduce || strategy == StrategyName::none;
  return fmt::format("{} by {}", to_text(all_reduces ? StrategyName::all_reduce : strategy), preset);
}

namespace {

/// Removes targets that their source marks as suspect, because predictions cannot be scored against them.
void drop_suspect_targets(Split& split, const std::vector<Series>& series) {
  for (auto& part : split.parts)
    std::erase_if(part.targets, [&](std::size_t p) { return series[part.series].points[p].suspect; });
  std::erase_if(split.parts, [](const SplitPart& part) { return part.targets.empty(); });
}

} // namespace

std::vector<Split> make_splits(const std::vector<MeasurementFile>& files, const std::vector<Series>& series,
                               const std::map<std::string, std::string>& site_of) {
  const auto records = locate(files);
  std::vector<Split> splits;
  add_tiers(splits, new_site_prefix, records, series);
  splits.push_back(split_as_shipped(records.size(), series));
  add_shipped_without(splits, records, series);
  for (auto& split : unseen_workload_splits(files, series, site_of)) splits.push_back(std::move(split));
  add_tiers(splits, "T", records, series);
  add_transfer(splits, "leave-one-model-out", records, series,
               [](const LocatedRecord& at) { return at.step == nullptr ? "" : model_family(at.step->model); });
  add_transfer(splits, "leave-one-strategy-out", records, series, [](const LocatedRecord& at) {
    return at.step == nullptr ? "" : schedule_of(at.step->strategy.name, at.step->preset);
  });
  add_transfer(splits, "leave-one-cluster-out", records, series, [](const LocatedRecord& at) { return at.cluster; });
  add_layouts(splits, records, series);
  for (auto& split : splits) drop_suspect_targets(split, series);
  std::erase_if(splits, [](const Split& split) { return split.parts.empty(); });
  return splits;
}

std::vector<MeasurementFile> visible_files(const std::vector<MeasurementFile>& files, const Split& split) {
  std::vector<MeasurementFile> visible;
  RecordIndex index = 0;
  for (const auto& file : files) {
    MeasurementFile kept{file.file, file.context, {}};
    for (const auto& record : file.records)
      if (split.visible_records[index++]) kept.records.push_back(record);
    visible.push_back(std::move(kept));
  }
  return visible;
}

Series visible_series(const Series& series, const SplitPart& part) {
  Series visible = series;
  visible.points.clear();
  for (const auto position : part.visible) visible.points.push_back(series.points[position]);
  return visible;
}

} // namespace ddlsim
