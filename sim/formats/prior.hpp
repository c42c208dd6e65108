#pragma once
// The distribution of a parameter before any measurement of the cluster at hand.

#include "sim/formats/names.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Log-normal unless `scale` is linear (then normal, cut at 0) or heavy_log (ln x is median + width x Student's t with
/// 2 degrees of freedom: most values are alike, and a few are far off); what lies above `highest` counts there. `width` is the
/// standard deviation of ln x (or of x).
struct Prior {
  std::string parameter; ///< "nic_efficiency", "step_latency", "forward_share", ...
  std::string transport; ///< "" when it holds for all
  std::string preset;    ///< "" when it holds for all
  double median = 0;     ///< SI
  double width = 0;
  PriorScale scale = PriorScale::log;
  std::string unit; ///< "s", "1", "B/s"
  std::string source;
  std::vector<std::string> shaped_by; ///< sites whose measurements shaped it
  std::optional<double> highest{};    ///< no value is above it: a share of a stated rate
  std::optional<NicPath> path{};      ///< of the transport's NIC; none: it holds for all
};

/// What shares a prior: those over one transport and path, of one stack. Empty texts hold for all.
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

/// The most special prior that fits: transport and preset, transport, preset, neither; the first of equals. Throws
/// UserError when there is none.
const Prior& find_prior(const std::vector<Prior>& priors, const std::string& parameter, const std::string& transport,
                        const std::string& preset);

/// Value of a prior at a z-score.
double prior_value(const Prior& prior, double z_score);

} // namespace ddlsim
