#pragma once
// How long each layer of a model takes on one GPU: what a replay waits for.

#include <filesystem>
#include <string>
#include <vector>

namespace ddltrain {

struct LayerTime {
  std::string layer; ///< name in the layer table
  double forward_s = 0;
  double backward_s = 0;
};

struct Profile {
  std::string model;
  std::string gpu; ///< GPU's name in platforms/gpus.json; "" for a processor
  std::string precision = "fp32";
  double batch = 0;              ///< samples of a GPU
  std::string source;            ///< source of the times, and the rule by which they were computed
  std::vector<LayerTime> layers; ///< layers in the order of forward
};

/// Reads a profile of `ddltrain profile`, or a measurement file with a table of `model`'s layers, as `ddltrain layers`
/// writes it. If the file has several batches, `batch` chooses one. A layer without a time for a pass takes no time in
/// it. Throws UserError when the file has no such layers, has several batches and none is chosen (batch 0), or has
/// several timings at that batch.
Profile read_profile(const std::filesystem::path& file, const std::string& model, double batch = 0);

/// Returns the profile as JSON, one layer a line.
std::string profile_json(const Profile& profile);

double forward_s(const Profile& profile);
double backward_s(const Profile& profile);

} // namespace ddltrain
