#include "validate/unseen_workloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <optional>
#include <set>
#include <utility>

namespace ddlsim {
namespace {

/// number of fits of a cluster, each of which knows about four fifths of the workloads
constexpr int parts_of_workloads = 5;

/// A workload whose records are hidden together. Where a whole model is hidden, it has no preset and no batch.
struct HiddenWorkload {
  std::string site;
  std::string family; ///< model family, because variants of a model would give each other away
  std::string preset;
  double batch = 0;
  auto operator<=>(const HiddenWorkload&) const = default;
};

using Sites = std::map<std::string, std::string>;

HiddenWorkload workload_of(const StepRecord& step, const std::string& cluster, const Sites& site_of) {
  const auto site = site_of.find(cluster);
  return {site == site_of.end() ? cluster : site->second, model_family(step.model), step.preset, step.batch_per_gpu};
}

HiddenWorkload without_batch(HiddenWorkload workload) {
  workload.batch = 0;
  return workload;
}

HiddenWorkload model_alone(const HiddenWorkload& workload) {
  return {workload.site, workload.family, "", 0};
}

/// Returns the workload of each record; nothing for a record that is no training.
std::vector<std::optional<HiddenWorkload>> workloads_of(const std::vector<MeasurementFile>& files,
                                                        const Sites& site_of) {
  std::vector<std::optional<HiddenWorkload>> all;
  for (const auto& file : files)
    for (const auto& record : file.records) {
      const auto* step = std::get_if<StepRecord>(&record);
      const bool trains = step != nullptr && step->mode == RunMode::train;
      all.push_back(trains ? std::optional(workload_of(*step, file.context.cluster, site_of)) : std::nullopt);
    }
  return all;
}

/// For each workload, the part that hides it. The members of a group are assigned to the parts in turn. A group of one
/// is never hidden, because nothing else would be known about it.
using PartOf = std::map<HiddenWorkload, int>;

PartOf assign_parts(const std::map<HiddenWorkload, std::set<HiddenWorkload>>& groups) {
  PartOf part_of;
  int first = 0; // shifted from group to group, so that a site does not lose one batch of every model at once
  for (const auto& [group, members] : groups) {
    int next = first++;
    if (members.size() > 1)
      for (const auto& member : members) part_of[member] = next++ % parts_of_workloads;
  }
  return part_of;
}

/// What a cluster must show of a workload at a batch other than the predicted one.
struct Kind {
  std::string cluster;
  std::string gpu;
  std::string model;
  Precision precision = {};
  std::string preset;
  auto operator<=>(const Kind&) const = default;
};

/// The training records that a split shows.
struct VisibleTraining {
  std::set<Kind> workloads;
  std::set<std::string> on_several_gpus; ///< clusters with records on several GPUs
  std::set<std::string> on_several_nodes;
};

VisibleTraining visible_training_of(const std::vector<MeasurementFile>& files, const std::vector<bool>& visible) {
  VisibleTraining shown;
  RecordIndex index = 0;
  for (const auto& file : files)
    for (const auto& record : file.records) {
      const auto* step = std::get_if<StepRecord>(&record);
      if (!visible[index++] || step == nullptr || step->mode != RunMode::train) continue;
      const auto& cluster = file.context.cluster;
      shown.workloads.insert({cluster, step->head.gpu, step->model, step->precision, step->preset});
      if (step->gpus > 1) shown.on_several_gpus.insert(cluster);
      if (step->nodes > 1) shown.on_several_nodes.insert(cluster);
    }
  return shown;
}

bool is_known(const VisibleTraining& shown, const Series& series, const SeriesPoint& point, bool by_batch) {
  const auto& clusters = point.nodes > 1 ? shown.on_several_nodes : shown.on_several_gpus;
  if (clusters.count(series.cluster) == 0) return false;
  return !by_batch ||
         shown.workloads.count({series.cluster, series.gpu, series.model, series.precision, series.preset}) > 0;
}

bool is_hidden(const SeriesPoint& point, const std::vector<bool>& visible) {
  return std::none_of(point.records.begin(), point.records.end(), [&](RecordIndex i) { return visible[i]; });
}

void add_targets(Split& split, const std::vector<MeasurementFile>& files, const std::vector<Series>& series,
                 bool by_batch) {
  const auto shown = visible_training_of(files, split.visible_records);
  for (std::size_t s = 0; s < series.size(); ++s) {
    if (is_model_parallel(series[s].strategy_name)) continue;
    SplitPart part{s, {}, {}};
    for (std::size_t p = 0; p < series[s].points.size(); ++p) {
      const auto& point = series[s].points[p];
      const bool is_target = is_target_as_shipped(point) && is_hidden(point, split.visible_records);
      if (is_target && is_known(shown, series[s], point, by_batch)) part.targets.push_back(p);
    }
    if (!part.targets.empty()) split.parts.push_back(std::move(part));
  }
}

/// Adds the splits of one name. Each hides the workloads of its part.
void add_splits(std::vector<Split>& splits, const std::string& name, const PartOf& part_of,
                const std::vector<std::optional<HiddenWorkload>>& workloads, const std::vector<MeasurementFile>& files,
                const std::vector<Series>& series, bool by_batch) {
  for (int part = 0; part < parts_of_workloads; ++part) {
    Split split{name, fmt::format("part {} of {}", part + 1, parts_of_workloads), {}, {}, MaskedPriors::of_site};
    for (const auto& workload : workloads) {
      const auto found = workload ? part_of.find(by_batch ? *workload : model_alone(*workload)) : part_of.end();
      split.visible_records.push_back(found == part_of.end() || found->second != part);
    }
    add_targets(split, files, series, by_batch);
    splits.push_back(std::move(split));
  }
}

} // namespace

std::vector<Split> unseen_workload_splits(const std::vector<MeasurementFile>& files, const std::vector<Series>& series,
                                          const std::map<std::string, std::string>& site_of) {
  const auto workloads = workloads_of(files, site_of);
  std::map<HiddenWorkload, std::set<HiddenWorkload>> batches, models;
  for (const auto& workload : workloads)
    if (workload) {
      batches[without_batch(*workload)].insert(*workload);
      models[{workload->site, "", "", 0}].insert(model_alone(*workload));
    }
  std::vector<Split> splits;
  add_splits(splits, "new-batch", assign_parts(batches), workloads, files, series, true);
  add_splits(splits, "new-model", assign_parts(models), workloads, files, series, false);
  return splits;
}

} // namespace ddlsim
