#pragma once
// What a method may see and what it must predict: tiers and transfer splits, by rule from the records alone.

#include "calibrate/data/series.hpp"
#include "validate/method.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// One series in a split. Positions are into Series::points.
struct SplitPart {
  std::size_t series = 0;
  std::vector<std::size_t> visible;
  std::vector<std::size_t> targets; ///< never empty
};

struct Split {
  std::string name;                  ///< one of split_names()
  std::string left_out;              ///< the model family, strategy, cluster or part; "" for a tier
  std::vector<bool> visible_records; ///< by RecordIndex
  std::vector<SplitPart> parts;
  MaskedPriors masked_priors = MaskedPriors::of_site;
};

/// Names of the splits in the order of reports.
const std::vector<std::string>& split_names();

/// new-T1 to new-T3, as-shipped, as-shipped-without, new-batch, new-model, T1 to T3, then one split for each model
/// family, strategy and cluster left out. Splits in which nothing is predicted are not there. No split asks a point that
/// its source doubts. All but as-shipped and as-shipped-without take what the site taught the priors away; `site_of` has
/// the site of each cluster, and one that is not there is a site of its own.
/// as-shipped: nothing is hidden and nothing taken away; every point of several GPUs is asked, as a user would ask. as-shipped-without: each experiment (what agrees in cluster, model, batch, strategy name and preset)
/// is asked in one of five splits, which hides its points of several GPUs and those of the cluster's other experiments
/// of that fifth; all else is known.
/// Tiers: an experiment is what agrees in cluster, GPU, model, precision, batch, data,
/// strategy name, preset and transport, in whatever files. T1 shows its points of one node, T2 also its first
/// multi-node scale, T3 also the second; larger scales are hidden and predicted. A series that lacks one of the scales
/// shown takes no part in that tier. Transfer: what is left out keeps its one-GPU times only; a cluster left out loses
/// its collective, point-to-point, server and input records too. A series with nothing visible, or nothing to predict,
/// takes no part. new-T1 to new-T3: the tiers, for means over sites.
/// Model parallelism, whose model or batch changes with scale, has two splits of its own and takes part in no other:
/// layouts-unseen shows none of its runs; layouts-smallest those of the fewest GPUs of each series' name, whatever
/// their models and batches.
/// new-batch and new-model: unseen_workload_splits().
std::vector<Split> make_splits(const std::vector<MeasurementFile>& files, const std::vector<Series>& series,
                               const std::map<std::string, std::string>& site_of = {});

/// The points that are asked where nothing is the matter with them: of several GPUs, and trusted.
bool is_asked_as_shipped(const SeriesPoint& point);

/// Whether a split asks about sites of which nothing but the records shown is known.
bool is_new_site(const std::string& split);

/// resnet50_v1, _v1.5 and _v2 are one family, and so are sequence lengths and framework variants: siblings would give
/// the answer away.
std::string model_family(const std::string& model);

/// What "leave one strategy out" leaves out: all-reduce, ps or ps-async, as one framework preset runs it: "ps by
/// byteps".
std::string schedule_of(StrategyName strategy, const std::string& preset);

/// The files without their hidden records; contexts stay.
std::vector<MeasurementFile> visible_files(const std::vector<MeasurementFile>& files, const Split& split);

/// The series without its hidden points.
Series visible_series(const Series& series, const SplitPart& part);

} // namespace ddlsim
