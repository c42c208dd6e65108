#pragma once
// Step records of one GPU, gathered into curves: iteration time over batch, all else the same.

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
  double time_s = 0;                         ///< of the record in the middle
  const StepRecord* record = nullptr;        ///< that record
  std::vector<const StepRecord*> duplicates; ///< all at this batch, fastest first
  /// The record's batch and time.
  BatchTime measured() const {
    return {batch, time_s, record != nullptr && record->host_paced, record == nullptr || record->optimizer};
  }
};

/// One GPU training one model in one precision under one stack with the same switches, batches ascending.
struct BatchCurve {
  std::string gpu; ///< the catalogue's name where it has one
  std::string model;
  Precision precision = Precision::fp32;
  std::string preset;
  std::string data;          ///< synthetic, real
  bool synchronised = false; ///< one GPU under the framework's synchronisation
  bool optimizer = true;     ///< the times have the optimizer's update in them
  std::vector<CurvePoint> points;
  std::optional<LineFit> line; ///< with two batches and more
};

/// Sizes of models by name, for the fixed part that is expected.
using ModelSizes = std::map<std::string, ModelSize>;

/// "resnet50-b64-line12" -> "resnet50-b*-line*": series of one table that differ in batch (or in the line they stand
/// in) only are one curve.
std::string series_stem(const std::string& series);

/// The catalogue's name for a GPU or one of its aliases; `name` itself where the catalogue has none.
std::string catalogue_name(const std::vector<Gpu>& gpus, const std::string& name);

/// Expected fixed part on that GPU; nothing for a model without layer table.
std::optional<FixedTime> expected_fixed(const ModelSizes& models, const std::vector<Gpu>& gpus,
                                        const std::string& model, const std::string& gpu);

/// The fixed part that is expected of a model without layer table, as if it had a hundred layers. It counts weakly.
inline constexpr FixedTime usual_fixed{0.02, 0};

/// Curves of all records that are of one GPU, training, and not suspect, in the order of first appearance; the records
/// must outlive them. Records that name no GPU are of `unnamed_gpu`; with that empty they are left out.
std::vector<BatchCurve> compute_curves(const std::vector<StepRecord>& records, const std::vector<Gpu>& gpus,
                                       const ModelSizes& models, const std::string& unnamed_gpu);

std::vector<BatchTime> batch_times(const BatchCurve& curve); ///< every record

/// Whether the record is of one GPU, of training, and not suspect.
bool is_one_gpu_training(const StepRecord& record);

/// One worker with a parameter server: its time has pushes and pulls in it.
bool has_server(const StepRecord& record);
/// The same, over a network. A run without synchronisation needs no server, whatever strategy its series has.
bool has_server_elsewhere(const StepRecord& record);

} // namespace ddlsim
