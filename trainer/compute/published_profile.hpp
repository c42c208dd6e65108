#pragma once
// Makes a profile of a GPU one does not have, from what was published about it.

#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/names.hpp"
#include "trainer/compute/profile.hpp"
#include "trainer/describe/layer_table.hpp"

namespace ddltrain {

/// What is looked for in the records.
struct PublishedStep {
  std::string model;
  std::string gpu;
  std::string precision = "fp32";
  double batch = 0; ///< batch; 0: the only one that there is
};

struct FoundStep {
  double batch = 0;
  double iteration_s = 0; ///< median of the records that were found
  std::string source;     ///< number of records, and their files
};

/// Returns the measured training iteration of one GPU without synchronisation, over all platforms/*/measurements.
/// Throws ddlsim::UserError when there is none, when there are several batches and none was chosen, or for a file with
/// mistakes.
FoundStep find_published_step(const std::filesystem::path& platforms, const PublishedStep& wanted);

/// Returns the precision of that name. Throws ddlsim::UserError for another text.
ddlsim::Precision precision_named(const std::string& text);

/// Returns the layers as the simulator has them.
ddlsim::Model model_of(const LayerTable& table);

/// Divides an iteration among the layers, each pass by its time in the simulator's roofline
/// (ddlsim::roofline_layer_times). The times are scaled so that their sum is the iteration, so launching and the update
/// are spread over the layers too. Throws ddlsim::UserError when the catalogue has no peak rate of the precision.
Profile split_by_roofline(const LayerTable& table, const ddlsim::Gpu& gpu, const FoundStep& step,
                          const PublishedStep& wanted);

} // namespace ddltrain
