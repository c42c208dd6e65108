#include "trainer/program/profile_command.hpp"

#include "trainer/files/output_file.hpp"
#include "trainer/models/catalogue.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace ddltrain {

void profile_command(const ProfileOptions& options) {
  const CatalogueEntry& entry = find_model(options.step.model);
  const GpuRates gpu = gpu_rates(options.platforms, options.step.gpu, options.step.precision);
  const FoundStep step = find_published_step(options.platforms, options.step);
  const Profile profile = split_by_roofline(describe(*entry.make()), gpu, step, options.step);
  fmt::print(stderr, "{}: forward {:.4g} ms, backward {:.4g} ms in {} layers; {}\n", profile.model,
             1e3 * forward_s(profile), 1e3 * backward_s(profile), profile.layers.size(), step.source);
  write_output_file(options.output_file.empty() ? "/dev/stdout" : options.output_file, profile_json(profile));
}

} // namespace ddltrain
