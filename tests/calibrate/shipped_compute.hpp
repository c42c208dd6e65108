#pragma once
// One-GPU records as shipped, for tests of what they teach.

#include "calibrate/fit/prior_widths.hpp"
#include "sim/compute/other_clusters.hpp"

namespace ddlsim::test {

/// Records stay with the curves that point to them.
struct ShippedCompute {
  std::vector<StepRecord> records;
  ComputeMaterial material;
};

/// Of all clusters, or of the shelf of single GPUs alone, whose records no validation asks for.
inline ShippedCompute shipped_compute(bool shelf_only) {
  const DataFolder data{DDLSIM_SOURCE_DIR};
  const auto shelf = read_compute_shelf(data, {});
  ShippedCompute shipped;
  for (const auto& record : shelf.records)
    if (!shelf_only || record.head.file.find("/single-gpu/") != std::string::npos) shipped.records.push_back(record);
  shipped.material.gpus = shelf.gpus;
  shipped.material.sizes = shelf.models;
  for (const auto& name : list_models(data)) shipped.material.models.emplace(name, load_model(data, name));
  shipped.material.curves = compute_curves(shipped.records, shelf.gpus, shelf.models, "");
  return shipped;
}

} // namespace ddlsim::test
