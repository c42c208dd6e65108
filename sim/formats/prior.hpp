#pragma once
// The distribution of a parameter before anything is measured on the cluster of the question.

#include "sim/formats/names.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Log-normal unless `scale` is linear (normal, cut at 0) or heavy_log (ln x is median + width x Student's t with 2
/// degrees of freedom: most values are close together and a few are far off). A value above `highest` is replaced by
/// it. `width` is the standard deviation of ln x (or of x).
struct Prior {
  std::string parameter; ///< "nic_efficiency", "step_latency", "forward_share", ...
  std::string transport; ///< "": all transports
  std::string preset;    ///< "": all presets
  double median = 0;     ///< in SI units
  double width = 0;
  PriorScale scale = PriorScale::log;
  std::string unit; ///< "s", "1", "B/s"
  std::string source;
  std::vector<std::string> shaped_by; ///< sites whose measurements shaped it
  std::optional<double> highest{};    ///< upper limit, such as 1 for a share of a stated rate
  std::optional<NicPath> path{};      ///< path of the transport's NIC; nothing: all paths
};

/// The cases that share one prior: a transport and path, and a stack. Empty fields mean all.
struct PriorClass {
  std::string parameter;
  std::string transport{};
  std::string preset{};
  std::optional<NicPath> path{};

  auto operator<=>(const PriorClass&) const = default;
};

PriorClass class_of(const Prior& prior);

/// "nic_efficiency, nccl-tcp, virtual-switch"
std::string to_text(const PriorClass& of);

/// Returns the most specific prior that matches: by transport and preset, by transport, by preset, by neither; the
/// first of several. Throws UserError when there is none.
const Prior& find_prior(const std::vector<Prior>& priors, const std::string& parameter, const std::string& transport,
                        const std::string& preset);

/// Returns the value of a prior at a z-score.
double prior_value(const Prior& prior, double z_score);

} // namespace ddlsim
