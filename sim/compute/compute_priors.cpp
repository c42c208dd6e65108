#include "sim/compute/compute_priors.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double least_width = 1e-3; ///< so that a z-score has a meaning

/// Returns a width that workloads of a stack may share, rounded down in steps of ln: workloads whose widths differ a
/// little then share one parameter with the same prior.
double rounded_down(double width) {
  constexpr double step = 0.2; // of ln
  return width > least_width ? std::exp(step * std::floor(std::log(width) / step)) : 0;
}

Prior compute_prior(const std::string& parameter, double width) {
  Prior prior;
  prior.parameter = parameter;
  prior.median = 1;
  prior.width = std::max(least_width, width);
  prior.unit = "1";
  prior.source = "the estimate of the one-GPU time";
  return prior;
}

double squared_width(double x) {
  return x * x;
}

} // namespace

double width_of_estimate(const OneGpuEstimate& estimate) {
  return std::hypot(estimate.stack_width, estimate.model_width, estimate.batch_width);
}

std::vector<Prior> with_compute_priors(std::vector<Prior> priors, const OneGpuEstimate& estimate) {
  if (estimate.prior == compute_measured) {
    auto measured = find_prior(priors, compute_measured, "", "");
    measured.width =
        estimate.stated_width > 0 ? estimate.stated_width : std::hypot(measured.width, estimate.disagreement);
    std::erase_if(priors, [](const Prior& one) { return one.parameter == compute_measured; });
    priors.push_back(measured);
    return priors;
  }
  const double stack = rounded_down(estimate.stack_width);
  const double model = rounded_down(estimate.model_width);
  const double rest = squared_width(width_of_estimate(estimate)) - squared_width(stack) - squared_width(model);
  // A factor that a stack or a model does not share has no prior, and is 1.
  if (stack > 0) priors.push_back(compute_prior("compute_stack", stack));
  if (model > 0) priors.push_back(compute_prior("compute_model", model));
  priors.push_back(compute_prior(estimate.prior, std::sqrt(std::max(0.0, rest))));
  return priors;
}

} // namespace ddlsim
