#pragma once
// A profile of a GPU one does not have, from what was published about it.

#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/names.hpp"
#include "trainer/compute/profile.hpp"
#include "trainer/describe/layer_table.hpp"

namespace ddltrain {

/// What is asked of the records.
struct PublishedStep {
  std::string model;
  std::string gpu;
  std::string precision = "fp32";
  double batch = 0; ///< 0: the one batch there is
};

struct FoundStep {
  double batch = 0;
  double iteration_s = 0; ///< median of the records found
  std::string source;     ///< how many records, from which files
};

/// The training iteration of one GPU without synchronisation, measured, over all platforms/*/measurements. Throws
/// ddlsim::UserError when there is none, several batches and none was chosen, or a file with mistakes.
FoundStep find_published_step(const std::filesystem::path& platforms, const PublishedStep& wanted);

/// Throws ddlsim::UserError for a text that names none.
ddlsim::Precision precision_named(const std::string& text);

/// The layers as the simulator has them.
ddlsim::Model model_of(const LayerTable& table);

/// Splits an iteration over the layers, each pass by its time in the simulator's roofline
/// (ddlsim::roofline_layer_times). The times are scaled to sum to the iteration, so launching and the update are spread
/// over the layers too. Throws ddlsim::UserError when the catalogue has no peak rate of the precision.
Profile split_by_roofline(const LayerTable& table, const ddlsim::Gpu& gpu, const FoundStep& step,
                          const PublishedStep& wanted);

} // namespace ddltrain
