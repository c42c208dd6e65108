#pragma once
#include "trainer/compute/published_profile.hpp"

namespace ddltrain {

struct ProfileOptions {
  PublishedStep step;
  std::filesystem::path platforms = "platforms";
  std::string output_file;
};

/// `ddltrain profile MODEL --gpu NAME`: a profile for `ddltrain train --replay`, from published records, to the output
/// file or to standard output.
void profile_command(const ProfileOptions& options);

} // namespace ddltrain
