#pragma once
// Decides what a method may see and what it must predict, in tiers and transfer splits. The rules look at the records
// alone.

#include "calibrate/data/series.hpp"
#include "validate/method.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// One series in a split. Positions are indices in Series::points.
struct SplitPart {
  std::size_t series = 0;
  std::vector<std::size_t> visible;
  std::vector<std::size_t> targets; ///< points to predict; never empty
};

struct Split {
  std::string name;                  ///< name of the split, one of split_names()
  std::string left_out;              ///< the model family, strategy, cluster or part that is left out; "" for a tier
  std::vector<bool> visible_records; ///< whether each record is visible, by RecordIndex
  std::vector<SplitPart> parts;
  MaskedPriors masked_priors = MaskedPriors::of_site;
};

/// Names of the splits in the order of reports.
const std::vector<std::string>& split_names();

/// The splits in this order: new-T1 to new-T3, as-shipped, as-shipped-without, new-batch, new-model, T1 to T3, then one
/// split for each model family, strategy and cluster left out. A split without targets is not in the list. A point that
/// its source marks as suspect is no target of any split. All splits but as-shipped and as-shipped-without mask the
/// priors that the target's site shaped. `site_of` has the site of each cluster; a cluster that is not in it is a site
/// of its own. An experiment is what agrees in cluster, GPU, model, precision, batch, data, strategy name, preset and
/// transport, in whatever files.
///
/// as-shipped: all records are visible, and every point of several GPUs is a target, as in a user's question.
/// as-shipped-without: each experiment (here: what agrees in cluster, model, batch, strategy name and preset) is a
/// target of one of five splits. That split hides its points of several GPUs, and those of the cluster's other
/// experiments of the same fifth; all else is visible.
/// T1, T2, T3 (tiers): T1 shows an experiment's points of one node, T2 also its first multi-node scale, T3 also the
/// second. Larger scales are hidden, and are the targets. A series that lacks one of the scales shown takes no part in
/// that tier. new-T1 to new-T3: the same tiers, for means over sites.
/// leave-one-...-out (transfer): what is left out keeps its one-GPU times only. A cluster left out loses its
/// collective, point-to-point, server and input records too. A series with nothing visible, or no targets, takes no
/// part. layouts-unseen, layouts-smallest: model parallelism, whose model or batch changes with scale, takes part in
/// these two only. The first shows none of its runs, the second those of the fewest GPUs of each series' name, whatever
/// their models and batches.
/// new-batch, new-model: see unseen_workload_splits().
std::vector<Split> make_splits(const std::vector<MeasurementFile>& files, const std::vector<Series>& series,
                               const std::map<std::string, std::string>& site_of = {});

/// Whether a point is a target of the split as-shipped: it has several GPUs and is not suspect.
bool is_target_as_shipped(const SeriesPoint& point);

/// Whether the split predicts sites of which only the visible records are known.
bool is_new_site(const std::string& split);

/// Returns the family of a model: resnet50_v1, _v1.5 and _v2 are one family, and so are sequence lengths and variants
/// of frameworks. A visible model of the same family would give the answer away.
std::string model_family(const std::string& model);

/// Returns what "leave one strategy out" hides together: all-reduce, ps or ps-async as one framework preset runs it,
/// for example "ps by byteps".
std::string schedule_of(StrategyName strategy, const std::string& preset);

/// Returns the files without the records that the split hides. Contexts stay.
std::vector<MeasurementFile> visible_files(const std::vector<MeasurementFile>& files, const Split& split);

/// Returns the series without the points that the split hides.
Series visible_series(const Series& series, const SplitPart& part);

} // namespace ddlsim
