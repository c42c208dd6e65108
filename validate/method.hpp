#pragma once
// A method of prediction, behind one interface: the simulator and the baselines it is compared with. One file a method
// in validate/methods/.

#include "calibrate/data/series.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Which priors a split masks before it predicts a cluster: none, or all that records of a cluster of its site shaped.
enum class MaskedPriors { none, of_site };

/// What a split shows to a method. Record indices in `series` are those of all files, hidden records counted.
struct Evidence {
  std::string split;                         ///< as-shipped, ..., leave-one-cluster-out
  std::string left_out;                      ///< model family, schedule or cluster; "" for a tier
  const std::vector<MeasurementFile>& files; ///< visible records of every kind
  const std::vector<Series>& series;         ///< all series, each with its visible points only
  MaskedPriors masked_priors = MaskedPriors::of_site;
};

/// One point to predict: the measured time is not in it.
struct Question {
  const Series& known; ///< cluster, model, batch, preset, transport, visible points, one-GPU time
  int gpus = 0;
  int nodes = 0;
  int gpus_per_node = 0;
  Strategy strategy;
};

/// Iteration time. A method without an interval of its own leaves low_s and high_s 0: the protocol then draws one from
/// the method's residuals on the other clusters.
struct Forecast {
  double predicted_s = 0;
  double low_s = 0;      ///< 5 %
  double high_s = 0;     ///< 95 %
  std::string refusal{}; ///< not empty: why there is no answer; the times are then 0, and the point counts as missed
  std::string
      scenario{}; ///< the JSON of a scenario that `ddlsim predict` answers with the same digits; "": there is none
};

/// A question with its answer, shown to a method only after it was scored.
struct Answered {
  Question question;
  double measured_s = 0;
};

/// The method's own answer to one question, split into parts that add up to predicted_s.
struct ForecastParts {
  int gpus = 0;
  double measured_s = 0;
  double predicted_s = 0;
  double compute_s = 0;
  double communication_s = 0; ///< what is exposed beyond compute, after overlap
  double synchronisation_s = 0;
  double straggling_s = 0;
  double input_s = 0;
  std::string bottleneck;     ///< largest part
  double unexplained_s = 0;   ///< what the residual factor adds to the parts above, or takes away
  double residual_factor = 1; ///< estimated from the residuals at the series' smaller scales
};

/// The one parameter whose change alone brings a series' mean error to the least.
struct ParameterExplanation {
  std::string parameter; ///< as in priors.json; "" when none of them helps
  std::string unit;
  double fitted = 0;    ///< its value in the prediction, SI
  double fitted_at = 0; ///< the same in standard deviations of its prior, from the prior's median
  double needed = 0;    ///< the value that helps most, SI
  double needed_at = 0;
  double mean_error = 0; ///< of the series as predicted
  double remaining_error = 0;
};

/// Why a series is far off.
struct Explanation {
  std::vector<ForecastParts> points; ///< one a target, ascending by gpus
  ParameterExplanation explanation;
};

class Method {
public:
  Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;

  virtual std::string name() const = 0;
  /// Whether answers of one split save it work in the next: one process then runs all its splits.
  virtual bool remembers() const { return false; }
  /// Called once a split, before its questions. It must drop whatever came from an earlier split.
  virtual void prepare(const Evidence& evidence) = 0;
  /// Nothing where the method does not apply: two scales needed, one given. A method that ought to answer and cannot
  /// returns a refusal.
  virtual std::optional<Forecast> forecast(const Question& question) const = 0;
  /// Targets of one series, after they were scored. Nothing from a method without parts.
  virtual std::optional<Explanation> explain(const std::vector<Answered>&) const { return {}; }
};

} // namespace ddlsim
