#pragma once
// A way to predict, behind one interface: the simulator is one, the rivals are the others. One file a method in
// validate/methods/.

#include "calibrate/series.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// What a split lets a method see. Record indices inside `series` are those of the unmasked files.
struct Evidence {
  std::string split;                         ///< T1, ..., leave-one-cluster-out
  std::string left_out;                      ///< model family, schedule or cluster; "" for a tier
  const std::vector<MeasurementFile>& files; ///< visible records of every kind
  const std::vector<Series>& series;         ///< all series, each with its visible points only
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
  double low_s = 0;  ///< 5 %
  double high_s = 0; ///< 95 %
};

class Method {
public:
  Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;

  virtual std::string name() const = 0;
  /// Called once a split, before its questions; whatever was learnt from an earlier split must be forgotten.
  virtual void prepare(const Evidence& evidence) = 0;
  /// Nothing when the method cannot answer: a model without a layer table, a cluster without a rate.
  virtual std::optional<Forecast> forecast(const Question& question) const = 0;
};

} // namespace ddlsim
