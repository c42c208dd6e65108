#include "sim/compute/compute_priors.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace ddlsim {
namespace {

/// How the variance of ln(true / estimated) of a time that was not measured here is divided. One share is an error of
/// all models of a stack on a GPU, one an error of all batches of a model, and the rest is each batch's own. The shares
/// are from the MPT models on A100 and H100 (mosaicml), where stacks are 0 to 25 % off, models within a stack 10 % and
/// batches of a model 3 to 6 %.
constexpr double share_of_stack = 0.6;
constexpr double share_of_model = 0.3;
constexpr double least_share_of_batch = 0.1;

/// Returns whether the time was not measured with this stack on this GPU in this cluster. Then a run here also corrects
/// the stack's other models and batches.
bool is_measured_elsewhere(const std::string& evidence) {
  static constexpr std::string_view kinds[]{"compute_transferred", "compute_other_stack", "compute_other_gpus",
                                            "compute_anchored",    "compute_scaled",      "compute_roofline"};
  return std::any_of(std::begin(kinds), std::end(kinds),
                     [&](std::string_view kind) { return evidence.starts_with(kind); });
}

/// Returns the width that workloads of a stack share: their own width rounded down in steps of ln, and at most the
/// usual width of that evidence. Workloads whose widths differ a little then share one parameter with one prior.
double shared_width(double usual, double own) {
  constexpr double step = 0.2; // width of a step in ln
  return usual * std::min(1.0, std::exp(step * std::floor(std::log(own / usual) / step)));
}

Prior named_prior(Prior prior, const std::string& parameter, double width) {
  prior.parameter = parameter;
  prior.width = width;
  return prior;
}

} // namespace

double width_of_estimate(const OneGpuEstimate& evidence, const std::vector<Prior>& priors) {
  const double stated = std::max(evidence.stated_width, evidence.blend_width);
  if (stated > 0) return stated;
  double variance = evidence.disagreement * evidence.disagreement;
  for (const auto& source : evidence.error_sources) {
    const double width = find_prior(priors, source, "", "").width;
    variance += width * width;
  }
  return std::sqrt(variance);
}

std::vector<Prior> widen_priors(std::vector<Prior> priors, const OneGpuEstimate& evidence) {
  const auto usual = find_prior(priors, evidence.prior, "", "");
  auto together = named_prior(usual, evidence.prior, width_of_estimate(evidence, priors));
  for (std::size_t i = 1; i < evidence.error_sources.size(); ++i)
    together.source += "; and " + evidence.error_sources[i];
  std::erase_if(priors, [&](const Prior& prior) { return prior.parameter == evidence.prior; });
  if (is_measured_elsewhere(evidence.prior)) {
    const double width = shared_width(usual.width, together.width);
    const double shared = width * width;
    priors.push_back(named_prior(usual, "compute_stack", std::sqrt(share_of_stack * shared)));
    priors.push_back(named_prior(usual, "compute_model", std::sqrt(share_of_model * shared)));
    const double all = together.width * together.width;
    together.width = std::sqrt(std::max(least_share_of_batch * all, all - (share_of_stack + share_of_model) * shared));
  }
  priors.push_back(together);
  return priors;
}

} // namespace ddlsim
