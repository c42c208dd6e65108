#include "sim/parameter_server/path.hpp"

#include <algorithm>

namespace ddlsim {

std::vector<double> pass_paths(const std::vector<PathMessage>& messages, double rate_Bps) {
  std::vector<double> free_s;
  std::vector<double> passed_s;
  passed_s.reserve(messages.size());
  for (const PathMessage& message : messages) {
    if (message.path >= free_s.size()) free_s.resize(message.path + 1, 0);
    double& path_free_s = free_s[message.path];
    path_free_s = std::max(path_free_s, message.ready_s) + message.size_bytes / rate_Bps;
    passed_s.push_back(path_free_s);
  }
  return passed_s;
}

} // namespace ddlsim
