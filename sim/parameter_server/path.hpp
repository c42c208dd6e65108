#pragma once
// Paths inside a node, each of which carries one message at a time.

#include <cstddef>
#include <vector>

namespace ddlsim {

struct PathMessage {
  std::size_t path = 0;
  double ready_s = 0;
  double size_bytes = 0;
};

/// When each message has passed; a path takes its messages in the order given, each once it is ready:
///   passed(k) = max(ready(k), passed(k-1)) + size / rate
std::vector<double> pass_paths(const std::vector<PathMessage>& messages, double rate_Bps);

} // namespace ddlsim
