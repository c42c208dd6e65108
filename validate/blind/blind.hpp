#pragma once
// Blind scores: predictions of measured runs that no fit and no prior has used. They are made with what a new user
// would have, and scored before anybody looks at them.

#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
#include "validate/method.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Which measurements of the cluster the prediction may use besides its cluster file.
enum class BlindKnowledge { nothing, one_gpu, one_node };

std::string to_text(BlindKnowledge known); ///< returns "nothing", "one GPU" or "one node"

/// The errors of the predictions of one kind of record. An error is |ln(predicted / measured)|; a refusal counts as an
/// error of 0.5 outside the interval.
struct BlindScore {
  std::string kind; ///< "training steps", "layouts", "all_reduce below 4 MiB" or "all_reduce from 4 MiB"
  BlindKnowledge known = BlindKnowledge::nothing;
  int points = 0; ///< number of all points, predicted or refused
  int refused = 0;
  double mean_error = 0; ///< mean over the points of a series, then over series
  double median_error = 0;
  double bias = 0; ///< mean of ln(predicted / measured) over answered points; positive: predicted times are too long
  double held = 0; ///< share of measured times inside the 90 % interval
  double half_width = 0;                     ///< mean half of ln(high / low)
  std::map<std::string, double> baselines{}; ///< mean error of each baseline that answered every point, by name
  std::string answers{};                     ///< checksum of all predictions, which changes with the model
};

/// The records to predict, which are all from one experimenter, and the shipped records.
struct BlindQuestion {
  std::vector<MeasurementFile> shipped;
  MeasurementFile file;
};

/// Finds records of the file that are also among the shipped ones: they agree in kind, model or operation, scale, batch
/// or size, and value to six digits. Returns one mistake for the first of them in each shipped file. If there is none,
/// no fit or prior has used the file.
std::vector<Mistake> find_learnt_records(const BlindQuestion& question);

/// Scores training steps for each entry of `known` that leaves points to predict, and collectives where nothing is
/// known. The cluster and its models must be in `data`. `threads` threads share the samples of a forecast. Throws
/// UserError if no file has the cluster, or if nothing in the file can be predicted.
std::vector<BlindScore> score_blind(const DataFolder& data, const BlindQuestion& question,
                                    const std::vector<BlindKnowledge>& known, int threads = 1);

// Functions that the scoring of steps and of collectives share.

/// A point with its prediction. `predicted` is empty if the prediction was refused.
struct BlindPoint {
  std::string series;
  double measured_s = 0;
  std::optional<Forecast> predicted;
};

/// Returns the score of one kind of record. There must be at least one point.
BlindScore blind_score(const std::string& kind, BlindKnowledge known, const std::vector<BlindPoint>& points);

/// Scores the collectives of `file`, by operation and class of size. Every point of an operation that `predict
/// --collective` does not answer counts as a refusal.
void score_collectives(const ReferenceData& reference, const MeasurementFile& file, std::vector<BlindScore>& scores);

} // namespace ddlsim
