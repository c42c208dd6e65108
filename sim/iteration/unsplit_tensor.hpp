#pragma once
// The one tensor that decides how long parameter servers take, where there is one.

#include <optional>
#include <string>

namespace ddlsim {

struct Parameters; // step.hpp has both
struct StepSetup;

struct UnsplitTensor {
  std::string name;
  double size_bytes = 0;              ///< on the wire
  double share_of_busiest_server = 0; ///< of its bytes
};

/// Of several servers the busiest has more than an even share, and at least half of that is one tensor that lies there
/// as a whole: more servers do not help, and cutting it would.
std::optional<UnsplitTensor> find_unsplit_tensor(const StepSetup& setup, const Parameters& sample);

} // namespace ddlsim
