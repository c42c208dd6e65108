#pragma once
// The interface that all prediction methods share: the simulator, and the baselines with which it is compared. Each
// method has one file in validate/methods/.

#include "calibrate/data/series.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// The priors that a split leaves out before it predicts a cluster: none, or all that were estimated with records of
/// the cluster's site.
enum class MaskedPriors { none, of_site };

/// What a split shows to a method. Record indices in `series` count all records of all files, hidden ones included.
struct Evidence {
  std::string split;                         ///< name of the split: "as-shipped" to "leave-one-cluster-out"
  std::string left_out;                      ///< the model family, schedule or cluster that is left out; "" for a tier
  const std::vector<MeasurementFile>& files; ///< the visible records of every kind
  const std::vector<Series>& series;         ///< all series, each with its visible points only
  MaskedPriors masked_priors = MaskedPriors::of_site;
};

/// One point to predict, without its measured time.
struct Question {
  const Series& known; ///< the series with cluster, model, batch, preset, transport, visible points and one-GPU time
  int gpus = 0;
  int nodes = 0;
  int gpus_per_node = 0;
  Strategy strategy;
};

/// A predicted iteration time. A method without an interval of its own leaves low_s and high_s 0. The protocol then
/// derives an interval from the method's residuals on the other clusters.
struct Forecast {
  double predicted_s = 0;
  double low_s = 0;  ///< 5 % quantile of the time
  double high_s = 0; ///< 95 % quantile of the time
  /// why there is no answer; "" if there is one; without an answer the times are 0 and the point counts as missed
  std::string refusal{};
  std::string
      scenario{}; ///< JSON of a scenario to which `ddlsim predict` answers with the same digits; "": there is none
};

/// A question with its measured time. A method sees the time only after its answer was scored.
struct Answered {
  Question question;
  double measured_s = 0;
};

/// The method's own answer to one question, divided into parts that add up to predicted_s.
struct ForecastParts {
  int gpus = 0;
  double measured_s = 0;
  double predicted_s = 0;
  double compute_s = 0;
  double communication_s = 0; ///< time of communication that does not overlap with compute
  double synchronisation_s = 0;
  double straggling_s = 0;
  double input_s = 0;
  std::string bottleneck;     ///< name of the largest part
  double unexplained_s = 0;   ///< part of predicted_s that the residual factor adds to the parts above
  double residual_factor = 1; ///< factor that was estimated from the residuals at smaller scales of the series
};

/// The parameter that lowers a series' mean error most if it alone is changed.
struct ParameterExplanation {
  std::string parameter; ///< name as in priors.json; "" if no parameter helps
  std::string unit;
  double fitted = 0;    ///< value in the prediction, in SI units
  double fitted_at = 0; ///< distance of the fitted value from the prior's median, in standard deviations of the prior
  double needed = 0;    ///< the value with the least mean error, in SI units
  double needed_at = 0;
  double mean_error = 0; ///< mean error of the series as it was predicted
  double remaining_error = 0;
};

/// An explanation of a large error of a series.
struct Explanation {
  std::vector<ForecastParts> points; ///< one entry for each target, ascending by gpus
  ParameterExplanation explanation;
};

class Method {
public:
  Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;

  virtual std::string name() const = 0;
  /// Whether answers in one split save work in the next one. One process then runs all splits of a cluster.
  virtual bool remembers() const { return false; }
  /// Called once for each split, before its questions. It must forget everything from an earlier split.
  virtual void prepare(const Evidence& evidence) = 0;
  /// Returns nothing if the method does not apply, for example if it needs two scales and only one is visible. A method
  /// that should answer but cannot returns a refusal.
  virtual std::optional<Forecast> forecast(const Question& question) const = 0;
  /// Explains the targets of one series after they were scored. Returns nothing if the method has no parts.
  virtual std::optional<Explanation> explain(const std::vector<Answered>&) const { return {}; }
};

} // namespace ddlsim
