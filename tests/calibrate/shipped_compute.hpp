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

/// Of all clusters, or of the reference data of single GPUs alone, whose records no validation asks for.
inline ShippedCompute shipped_compute(bool reference_only) {
  const DataFolder data{DDLSIM_SOURCE_DIR};
  const auto reference = read_other_cluster_times(data, {});
  ShippedCompute shipped;
  for (const auto& record : reference.records)
    if (!reference_only || record.head.file.find("/single-gpu/") != std::string::npos)
      shipped.records.push_back(record);
  shipped.material.gpus = reference.gpus;
  shipped.material.sizes = reference.models;
  for (const auto& name : list_models(data)) shipped.material.models.emplace(name, load_model(data, name));
  shipped.material.curves = compute_curves(shipped.records, reference.gpus, reference.models, "");
  return shipped;
}

} // namespace ddlsim::test
