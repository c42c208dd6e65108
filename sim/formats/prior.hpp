#pragma once
// The distribution of a parameter before any measurement of the cluster at hand: platforms/priors.json.

#include "sim/formats/names.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// Of priors.json. 2: `shaped_by` has this name.
inline constexpr int priors_version = 2;

/// What the measurements of one site say of a parameter.
struct PriorSite {
  std::string site;
  double value = 0; ///< SI
  double error = 0; ///< standard deviation of ln x
};

/// Log-normal unless `scale` is linear (then normal, cut at 0); what lies above `highest` counts there. `width` is the
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
  std::vector<std::string> shaped_by; ///< clusters that shaped it: dropped when one of them is under test
  std::optional<double> highest{};    ///< no value is above it: a share of a stated rate
  std::optional<NicPath> path{};      ///< of the transport's NIC; none: it holds for all
  std::vector<PriorSite> sites{};     ///< that `ddlsim calibrate --priors` learnt it from; none: judged
};

/// Whether the later of two in a file is never taken: the first that fits is, and a later one counts only where the
/// earlier is dropped, its cluster being under test. A judged one may stand behind what was learnt from it in any case.
bool hides(const Prior& earlier, const Prior& later);

std::vector<Prior> read_priors(const std::filesystem::path& file);

/// The text of a priors file; read_priors() reads back what was written.
std::string priors_json(const std::vector<Prior>& priors);

/// The most special prior that fits: transport and preset, transport, preset, neither; the first of equals. Throws
/// UserError when there is none.
const Prior& find_prior(const std::vector<Prior>& priors, const std::string& parameter, const std::string& transport,
                        const std::string& preset);

/// Value of a prior at a z-score.
double prior_value(const Prior& prior, double z_score);

} // namespace ddlsim
