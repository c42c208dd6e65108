#include "sim/formats/stand_in_preset.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>

namespace ddlsim {

Preset stand_in_preset(const std::string& name) {
  constexpr double mebi = 1024.0 * 1024.0;
  Preset preset;
  preset.name = name;
  preset.title = "A framework that nobody named: all-reduces as DistributedDataParallel groups them";
  preset.first_bucket_bytes = mebi; // both sizes are those of pytorch-ddp
  preset.bucket_bytes = 25 * mebi;
  preset.shardings = {{"bytes", 1}};
  preset.transports = {"nccl-ib", "nccl-tcp", "mpi-ib", "mpi-tcp", "gloo-tcp", "shm"};
  preset.source = "assumed: the rule of the framework that most people use";
  return preset;
}

const Preset& preset_or_stand_in(const std::vector<Preset>& presets, const std::string& name,
                                 std::shared_ptr<const Preset>& made) {
  if (const auto* preset = preset_named(presets, name)) return *preset;
  made = std::make_shared<const Preset>(stand_in_preset(name));
  return *made;
}

std::string stand_in_text(const std::string& name) {
  return fmt::format(
      "{} is no preset: all-reduces beside backward, in buckets of 25 MiB, are taken for what it does, as "
      "a stack of its own",
      in_quotes(name));
}

} // namespace ddlsim
