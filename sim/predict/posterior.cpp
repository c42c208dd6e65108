#include "sim/predict/posterior.hpp"

#include "sim/base/linear_algebra.hpp"
#include "sim/predict/residual_process.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ddlsim {
namespace {

int fields_named(const CalibrationScope& scope) {
  return static_cast<int>(!scope.transport.empty()) + static_cast<int>(!scope.preset.empty()) +
         static_cast<int>(scope.precision.has_value()) + static_cast<int>(!scope.model.empty()) +
         static_cast<int>(scope.batch_per_gpu > 0) + static_cast<int>(!scope.evidence.empty());
}

double correlation_of(const Calibration& calibration, std::size_t a, std::size_t b) {
  if (a == b) return 1;
  return calibration.correlation[std::max(a, b)][std::min(a, b)];
}

/// Lower Cholesky factor. The file has four digits of a correlation, so after rounding the matrix may not be a
/// covariance. Its diagonal is then raised until it is one.
Eigen::MatrixXd factor_of(const Eigen::MatrixXd& covariance) {
  constexpr double least = 1e-6;
  constexpr double next = 10;
  for (double raised = least;; raised *= next) {
    Eigen::MatrixXd sum = covariance;
    sum.diagonal() *= 1 + raised;
    sum.diagonal().array() += least * raised; // raised from `least`, because an error may be written as 0
    if (const auto factor = cholesky_factor(sum)) return *factor;
  }
}

/// Whether two priors are the same within the nine digits that a file has.
bool same_distribution(const Prior& a, const Prior& b) {
  constexpr double rounding = 1e-6;
  const auto same = [](double x, double y) { return std::abs(x - y) <= rounding * std::max(std::abs(x), std::abs(y)); };
  return a.scale == b.scale && same(a.median, b.median) && same(a.width, b.width) && a.highest == b.highest;
}

/// Whether the fitted value of field k applies to the question.
bool holds(const CalibratedParameter& one, const PosteriorQuestion& question, std::size_t k) {
  return one.identified || question.fit_priors.empty() || same_distribution(one.prior, question.fit_priors[k]);
}

/// Covariance of the z-scores of all calibrated parameters.
Eigen::MatrixXd covariance_of(const Calibration& calibration) {
  const auto count = static_cast<Eigen::Index>(calibration.parameters.size());
  Eigen::MatrixXd covariance(count, count);
  for (Eigen::Index i = 0; i < count; ++i)
    for (Eigen::Index j = 0; j < count; ++j) {
      const auto a = static_cast<std::size_t>(i);
      const auto b = static_cast<std::size_t>(j);
      covariance(i, j) =
          calibration.parameters[a].error * calibration.parameters[b].error * correlation_of(calibration, a, b);
    }
  return covariance;
}

/// A field, and the calibrated parameter that applies to it.
struct CalibratedField {
  std::size_t field = 0;     ///< index in parameter_fields()
  std::size_t parameter = 0; ///< index among the calibration's parameters
};

std::vector<CalibratedField> calibrated_fields(const Calibration& calibration, const PosteriorQuestion& question,
                                               const std::vector<int>& found) {
  std::vector<CalibratedField> calibrated;
  for (std::size_t k = 0; k < found.size(); ++k)
    if (found[k] >= 0 && holds(calibration.parameters[static_cast<std::size_t>(found[k])], question, k))
      calibrated.push_back({k, static_cast<std::size_t>(found[k])});
  return calibrated;
}

/// Moves these fields, in the order of the list, from their priors to the calibration's mode and to its draws.
void move(Posterior& posterior, const Calibration& calibration, const std::vector<CalibratedField>& calibrated) {
  const auto fields = parameter_fields();
  const auto draws = posterior_draws(calibration);
  for (const auto& [k, at] : calibrated) {
    const auto& one = calibration.parameters[at];
    posterior.mode.*fields[k].value = prior_value(one.prior, one.z_score);
    for (std::size_t w = 0; w < posterior.samples.values.size(); ++w) {
      const double z_score = draws[w % draws.size()][at];
      posterior.samples.values[w].*fields[k].value = prior_value(one.prior, z_score);
      posterior.samples.z_scores[w][k] = z_score;
    }
  }
}

/// Gives the fields whose fitted value does not apply today's prior, with the same z-scores as drawn.
void put_todays_priors(Posterior& posterior, const Calibration& calibration, const PosteriorQuestion& question,
                       const std::vector<int>& found) {
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k] < 0 || holds(calibration.parameters[static_cast<std::size_t>(found[k])], question, k)) continue;
    const auto value = parameter_fields()[k].value;
    posterior.mode.*value = question.fit_priors[k].median;
    for (std::size_t w = 0; w < posterior.samples.values.size(); ++w)
      posterior.samples.values[w].*value = prior_value(question.fit_priors[k], posterior.samples.z_scores[w][k]);
  }
}

std::size_t field_of(double Parameters::*value) {
  const auto fields = parameter_fields();
  return static_cast<std::size_t>(
      std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.value == value; }) -
      fields.begin());
}

/// The fit's estimate for one batch without its prior, which is divided out.
KnownResidual without_prior(const CalibratedParameter& one) {
  const double narrowed = 1 - one.error * one.error; // share of the prior's variance that the records removed
  const double variance = one.prior.width * one.prior.width;
  return {{1, 1, 0, 0, one.scope.batch_per_gpu},
          one.prior.width * one.z_score / narrowed,
          std::sqrt(variance * (1 - narrowed) / narrowed)};
}

/// The prior of the factor of a batch that was not measured, given the factors of the same model's other batches. Two
/// batches are correlated more, the closer they are.
Prior beside_other_batches(Prior prior, const Calibration& calibration, const CalibrationScope& requested) {
  // least share of the variance that must be removed; a smaller reduction says nothing
  constexpr double least_narrowed = 0.05;
  std::vector<KnownResidual> known;
  for (const auto& one : calibration.parameters) {
    auto like_it = requested;
    like_it.batch_per_gpu = one.scope.batch_per_gpu;
    like_it.one_gpu_s = one.scope.one_gpu_s;
    if (one.name == "compute_factor" && covers(one.scope, like_it) && 1 - one.error * one.error > least_narrowed)
      known.push_back(without_prior(one));
  }
  if (known.empty()) return prior;
  ResidualProcess process;
  process.spread = prior.width;
  const auto found = estimate_residual(process, known, {1, 1, 0, 0, requested.batch_per_gpu});
  prior.median *= std::exp(found.mean);
  prior.width = found.spread;
  return prior;
}

bool is_choice(const std::vector<LikelyChoice>& all, const std::string& name) {
  return std::any_of(all.begin(), all.end(), [&](const LikelyChoice& one) { return one.name == name; });
}

/// The calibration's choice if the preset allows it, else the preset's likeliest one.
std::string likeliest(const std::vector<LikelyChoice>& allowed, bool servers, const Calibration* calibration,
                      const PosteriorQuestion& question) {
  std::string name = allowed.front().name;
  if (calibration == nullptr || servers != question.servers) return name;
  for (const auto& choice : calibration->choices)
    if (choice.servers == servers && covers(choice.scope, question.scope) && is_choice(allowed, choice.name))
      name = choice.name;
  return name;
}

void put_choices(Posterior& posterior, const Calibration* calibration, const PosteriorQuestion& question) {
  const auto libraries = libraries_over(question.preset, question.scope.transport);
  const auto library = library_version_from(likeliest(libraries, false, calibration, question));
  std::optional<Sharding> sharding;
  if (!question.preset.shardings.empty())
    sharding = value_named<Sharding>(likeliest(question.preset.shardings, true, calibration, question));
  const auto put = [&](Parameters& sample) {
    sample.library = library;
    sample.sharding = sharding;
  };
  put(posterior.mode);
  for (auto& sample : posterior.samples.values) put(sample);
}

} // namespace

CalibrationScope of_servers(CalibrationScope of_stack, const Preset& preset) {
  of_stack.preset = servers_preset(preset, of_stack.preset);
  return of_stack;
}

std::vector<int> calibrated_fields(const Calibration& calibration, const PosteriorQuestion& question) {
  using Rank = std::pair<int, bool>; // number of scope fields that are named, and whether the prior is the same
  const auto& fit_priors = question.fit_priors;
  const auto with_servers = of_servers(question.scope, question.preset);
  std::vector<int> found;
  for (const auto& field : parameter_fields()) {
    const std::size_t k = found.size();
    const auto& requested = field.scope.servers ? with_servers : question.scope;
    int best = -1;
    Rank highest{-1, false};
    for (std::size_t i = 0; i < calibration.parameters.size(); ++i) {
      const auto& one = calibration.parameters[i];
      if (one.name != field.name || !covers(one.scope, requested)) continue;
      const Rank rank{fields_named(one.scope), !fit_priors.empty() && same_distribution(one.prior, fit_priors[k])};
      if (rank <= highest) continue;
      best = static_cast<int>(i);
      highest = rank;
    }
    found.push_back(best);
  }
  return found;
}

std::vector<std::vector<double>> all_posterior_draws(const Calibration& calibration) {
  // the seed is fixed, because a fit stores which of these draws contradict its measurements
  constexpr std::uint64_t seed = 1;
  const auto count = static_cast<Eigen::Index>(calibration.parameters.size());
  const auto factor = factor_of(covariance_of(calibration));
  auto draws = stratified_normals(posterior_draw_count, calibration.parameters.size(), seed);
  for (auto& draw : draws) {
    Eigen::Map<Eigen::VectorXd> normals(draw.data(), count);
    normals = (factor * normals).eval();
    for (std::size_t i = 0; i < draw.size(); ++i) draw[i] += calibration.parameters[i].z_score;
  }
  return draws;
}

std::vector<std::vector<double>> posterior_draws(const Calibration& calibration) {
  const auto all = all_posterior_draws(calibration);
  std::vector<std::vector<double>> kept;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!std::binary_search(calibration.contradicted_draws.begin(), calibration.contradicted_draws.end(),
                            static_cast<int>(i)))
      kept.push_back(all[i]);
  return kept.empty() ? all : kept;
}

Posterior find_posterior(const std::vector<Prior>& priors, const Calibration* calibration,
                         const PosteriorQuestion& question, int count, std::uint64_t seed) {
  auto of_fields = priors_of_stack(priors, question.compute_prior, question.scope.transport, question.preset);
  const auto batch = field_of(&Parameters::compute_factor);
  const auto found = calibration == nullptr ? std::vector<int>{} : calibrated_fields(*calibration, question);
  if (calibration != nullptr && found[batch] < 0)
    of_fields[batch] = beside_other_batches(of_fields[batch], *calibration, question.scope);
  Posterior posterior{median_parameters(of_fields), draw_parameters(of_fields, count, seed)};
  put_choices(posterior, calibration, question);
  if (calibration == nullptr) return posterior;
  const auto calibrated = calibrated_fields(*calibration, question, found);
  if (!calibrated.empty()) move(posterior, *calibration, calibrated);
  put_todays_priors(posterior, *calibration, question, found);
  return posterior;
}

} // namespace ddlsim
