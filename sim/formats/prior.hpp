#pragma once
// The distribution of a parameter before anything is measured on the cluster of the question.

#include "sim/formats/names.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// The distribution is log-normal with median `median`; `width` is the standard deviation of ln x. If `scale` is
/// linear, it is normal, cut at 0, and `width` is the standard deviation of x. If `scale` is heavy_log, ln x is its
/// median + width x Student's t with 2 degrees of freedom, so that most values are close together and a few are far
/// off. A value above `highest` is replaced by it.
struct Prior {
  std::string parameter; ///< name of the parameter: "nic_efficiency", "step_latency", "forward_share", ...
  std::string transport; ///< transport; "": all transports
  std::string preset;    ///< preset; "": all presets
  double median = 0;     ///< median in the SI unit of the parameter
  double width = 0;
  PriorScale scale = PriorScale::log;
  std::string unit; ///< SI unit: "s", "1", "B/s"
  std::string source;
  std::vector<std::string> shaped_by; ///< sites whose measurements shaped it
  std::optional<double> highest{};    ///< upper limit, such as 1 for a share of a stated rate
  std::optional<NicPath> path{};      ///< path of the transport's NIC; nothing: all paths
  std::optional<IntraKind> inside{};  ///< links between GPUs of a node; nothing: all kinds
  int from_capability = 0;            ///< ten times the least compute capability of the GPU; 0: all GPUs
};

/// The cases that share one prior: a transport and path, a stack, links inside a node, and later GPUs. Empty fields mean
/// all.
struct PriorClass {
  std::string parameter;
  std::string transport{};
  std::string preset{};
  std::optional<NicPath> path{};
  std::optional<IntraKind> inside{};
  int from_capability = 0;

  auto operator<=>(const PriorClass&) const = default;
};

PriorClass class_of(const Prior& prior);

/// Returns a text such as "nic_efficiency, nccl-tcp, virtual-switch".
std::string to_text(const PriorClass& of);

/// Returns the most specific prior that matches: by transport and preset, by transport, by preset, by neither; the
/// first of several. Throws UserError when there is none.
const Prior& find_prior(const std::vector<Prior>& priors, const std::string& parameter, const std::string& transport,
                        const std::string& preset);

/// Returns the value of a prior at a z-score.
double prior_value(const Prior& prior, double z_score);

} // namespace ddlsim
