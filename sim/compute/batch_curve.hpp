#pragma once
// Step records of one GPU as curves: iteration time against batch, with everything else equal.

#include "sim/compute/batch_line_fit.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/record.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// One batch of a curve.
struct CurvePoint {
  double batch = 0;
  double time_s = 0;                         ///< time of the record with the median time
  const StepRecord* record = nullptr;        ///< the record with the median time
  std::vector<const StepRecord*> duplicates; ///< all records at this batch, the fastest first
  /// Returns the batch and time of the record.
  BatchTime measured() const {
    return {batch, time_s, record != nullptr && record->host_paced, record == nullptr || record->optimizer};
  }
};

/// Measurements of one GPU that trains one model in one precision under one stack with the same switches. The batches
/// ascend.
struct BatchCurve {
  std::string gpu; ///< the catalogue's name where it has one
  std::string model;
  Precision precision = Precision::fp32;
  std::string preset;
  std::string data;          ///< "synthetic" or "real"
  bool synchronised = false; ///< one GPU, with the framework's synchronisation code running
  bool optimizer = true;     ///< the times include the optimizer's update
  std::vector<CurvePoint> points;
  std::optional<LineFit> line; ///< the fitted line, where there are two batches or more
};

/// Sizes of models by name, from which the expected fixed part follows.
using ModelSizes = std::map<std::string, ModelSize>;

/// Returns the name that the series of a curve share. Series of one table that differ only in the batch, or in their
/// line of the table, are one curve: "resnet50-b64-line12" becomes "resnet50-b*-line*".
std::string series_stem(const std::string& series);

/// Returns the catalogue's name for a GPU or one of its aliases; `name` itself where the catalogue has neither.
std::string catalogue_name(const std::vector<Gpu>& gpus, const std::string& name);

/// Returns the fixed part that is expected on that GPU; nothing for a model without a layer table.
std::optional<FixedTime> expected_fixed(const ModelSizes& models, const std::vector<Gpu>& gpus,
                                        const std::string& model, const std::string& gpu);

/// The expected fixed part for a model without a layer table: that of a model with a hundred layers. It has little
/// weight in a fit.
inline constexpr FixedTime usual_fixed{0.02, 0};

/// Returns the curves of all records of one-GPU training that are not suspect, in the order of first appearance. The
/// records must outlive the curves. A record that names no GPU counts as a record of `unnamed_gpu`; it is left out if
/// `unnamed_gpu` is empty.
std::vector<BatchCurve> compute_curves(const std::vector<StepRecord>& records, const std::vector<Gpu>& gpus,
                                       const ModelSizes& models, const std::string& unnamed_gpu);

/// Returns the batch and time of every record of the curve.
std::vector<BatchTime> batch_times(const BatchCurve& curve);

/// Returns whether the record is of training on one GPU and not suspect.
bool is_one_gpu_training(const StepRecord& record);

/// Returns whether the record is of one worker with a parameter server, so that its time includes pushes and pulls.
bool has_server(const StepRecord& record);
/// Returns whether the record is of one worker whose parameter server is on another host. A run without synchronisation
/// needs no server, whatever strategy its series has.
bool has_server_elsewhere(const StepRecord& record);

} // namespace ddlsim
