#include "sim/formats/prior.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace ddlsim {

PriorClass class_of(const Prior& prior) {
  return {prior.parameter, prior.transport, prior.preset, prior.path, prior.inside, prior.from_capability};
}

std::string to_text(const PriorClass& of) {
  std::vector<std::string> words{of.parameter};
  for (const auto& part : {of.transport, of.preset, to_text(of.path), of.inside ? to_text(*of.inside) : "",
                           of.from_capability > 0 ? fmt::format("GPUs from {:.1f}", of.from_capability / 10.0) : ""})
    if (!part.empty()) words.push_back(part);
  return join_names(words);
}

const Prior& find_prior(const std::vector<Prior>& priors, const std::string& parameter, const std::string& transport,
                        const std::string& preset) {
  const std::pair<std::string, std::string> most_special_first[] = {
      {transport, preset}, {transport, ""}, {"", preset}, {"", ""}};
  for (const auto& [for_transport, for_preset] : most_special_first) {
    for (const auto& prior : priors)
      if (prior.parameter == parameter && prior.transport == for_transport && prior.preset == for_preset) return prior;
  }
  std::set<std::string> known;
  for (const auto& prior : priors) known.insert(prior.parameter);
  if (known.count(parameter) > 0) {
    throw UserError("", "",
                    fmt::format("no prior of {} holds for transport {} and preset {}; add one without them",
                                in_quotes(parameter), in_quotes(transport), in_quotes(preset)));
  }
  const std::vector<std::string> names(known.begin(), known.end());
  throw UserError("", "", unknown_name_text("prior", parameter, names, names));
}

namespace {

/// Converts a standard normal z to Student's t with 2 degrees of freedom at the same probability p; the quantile is (2
/// p - 1) / sqrt(2 p (1 - p)). The result is about 0.9 z near 0, and 2.9 at the 95th percentile.
double heavy_tailed(double z) {
  constexpr double farthest = 8; // beyond it, 1 - p is lost in rounding
  const double upper = normal_cdf(std::clamp(z, -farthest, farthest));
  const double lower = normal_cdf(std::clamp(-z, -farthest, farthest));
  return (upper - lower) / std::sqrt(2 * upper * lower);
}

double value_without_bound(const Prior& prior, double z_score) {
  switch (prior.scale) {
  case PriorScale::linear:
    return std::max(0.0, prior.median + prior.width * z_score);
  case PriorScale::heavy_log:
    return prior.median * std::exp(prior.width * heavy_tailed(z_score));
  case PriorScale::log:
    break;
  }
  return prior.median * std::exp(prior.width * z_score);
}

} // namespace

double prior_value(const Prior& prior, double z_score) {
  const double value = value_without_bound(prior, z_score);
  return prior.highest ? std::min(value, *prior.highest) : value;
}

} // namespace ddlsim
