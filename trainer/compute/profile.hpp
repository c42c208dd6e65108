#pragma once
// How long each layer of a model takes on one GPU: what a replay waits for.

#include <filesystem>
#include <string>
#include <vector>

namespace ddltrain {

struct LayerTime {
  std::string layer; ///< as in the layer table
  double forward_s = 0;
  double backward_s = 0;
};

struct Profile {
  std::string model;
  std::string gpu; ///< its name in platforms/gpus.json; empty for a processor
  std::string precision = "fp32";
  double batch = 0;              ///< samples a GPU
  std::string source;            ///< where the times are from and by what rule
  std::vector<LayerTime> layers; ///< forward order
};

/// Reads a profile of `ddltrain profile`, or a measurement file with a table of `model`'s layers at one batch, as
/// `ddltrain layers` writes it; of a file with several batches, `batch`. A layer without a time of a pass takes
/// none in it. Throws UserError when the file has no such layers, has several batches and none is chosen (batch 0), or
/// has several timings at that batch.
Profile read_profile(const std::filesystem::path& file, const std::string& model, double batch = 0);

/// The profile as JSON, one layer a line.
std::string profile_json(const Profile& profile);

double forward_s(const Profile& profile);
double backward_s(const Profile& profile);

} // namespace ddltrain
