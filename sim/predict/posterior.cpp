#include "sim/predict/posterior.hpp"

#include "sim/base/linear_algebra.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ddlsim {
namespace {

int fields_named(const CalibrationScope& scope) {
  return static_cast<int>(!scope.transport.empty()) + static_cast<int>(!scope.preset.empty()) +
         static_cast<int>(scope.precision.has_value()) + static_cast<int>(!scope.model.empty()) +
         static_cast<int>(scope.batch_per_gpu > 0);
}

/// The calibrated parameters of a question, by index, and their joint distribution.
struct Joint {
  std::vector<std::size_t> fields;     ///< of parameter_fields()
  std::vector<std::size_t> parameters; ///< of the calibration
  Eigen::VectorXd mean;
  Eigen::MatrixXd factor;                        ///< lower Cholesky factor of the covariance
  const std::vector<std::vector<double>>& draws; ///< of all the calibration's parameters, where no normal stands

  /// The parameters of one sample: where there are draws, one of them; else from standard normals.
  Eigen::VectorXd sample(std::size_t number, const Eigen::VectorXd& normals) const {
    if (draws.empty()) return mean + factor * normals;
    Eigen::VectorXd picked(mean.size());
    const auto& draw = draws[number % draws.size()];
    for (Eigen::Index i = 0; i < picked.size(); ++i) picked(i) = draw[parameters[static_cast<std::size_t>(i)]];
    return picked;
  }
};

double correlation_of(const Calibration& calibration, std::size_t a, std::size_t b) {
  if (a == b) return 1;
  return calibration.correlation[std::max(a, b)][std::min(a, b)];
}

/// Lower Cholesky factor. The file has four digits of a correlation; rounding may leave a matrix that is no covariance,
/// and then the diagonal is raised by as little as makes it one.
Eigen::MatrixXd factor_of(const Eigen::MatrixXd& covariance) {
  constexpr double least = 1e-6;
  constexpr double next = 10;
  for (double raised = least;; raised *= next) {
    Eigen::MatrixXd sum = covariance;
    sum.diagonal() *= 1 + raised;
    sum.diagonal().array() += least * raised; // an error may be written as 0
    if (const auto factor = cholesky_factor(sum)) return *factor;
  }
}

/// A file has nine digits of a prior.
bool same_distribution(const Prior& a, const Prior& b) {
  constexpr double rounding = 1e-6;
  const auto same = [](double x, double y) { return std::abs(x - y) <= rounding * std::max(std::abs(x), std::abs(y)); };
  return a.scale == b.scale && same(a.median, b.median) && same(a.width, b.width) && a.highest == b.highest;
}

/// Whether what the fit made of field k holds for the question.
bool holds(const CalibratedParameter& one, const PosteriorQuestion& question, std::size_t k) {
  return one.identified || question.fit_priors.empty() || same_distribution(one.prior, question.fit_priors[k]);
}

/// Fields that do not hold are left out, which leaves the others' own spreads as they are.
Joint joint_of(const Calibration& calibration, const PosteriorQuestion& question, const std::vector<int>& found) {
  Joint joint{{}, {}, {}, {}, calibration.form.draws};
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k] < 0 || !holds(calibration.parameters[static_cast<std::size_t>(found[k])], question, k)) continue;
    joint.fields.push_back(k);
    joint.parameters.push_back(static_cast<std::size_t>(found[k]));
  }
  const auto count = static_cast<Eigen::Index>(joint.fields.size());
  joint.mean.resize(count);
  Eigen::MatrixXd covariance(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const std::size_t at = joint.parameters[static_cast<std::size_t>(i)];
    const auto& one = calibration.parameters[at];
    joint.mean(i) = one.z_score;
    for (Eigen::Index j = 0; j <= i; ++j) {
      const std::size_t other = joint.parameters[static_cast<std::size_t>(j)];
      covariance(i, j) = covariance(j, i) =
          one.error * calibration.parameters[other].error * correlation_of(calibration, at, other);
    }
  }
  joint.factor = factor_of(covariance);
  return joint;
}

void move(Posterior& posterior, const Joint& joint, const std::vector<Prior>& priors) {
  const auto fields = parameter_fields();
  const auto count = static_cast<Eigen::Index>(joint.fields.size());
  const auto set = [&](Parameters& sample, Eigen::Index i, double z_score) {
    const std::size_t k = joint.fields[static_cast<std::size_t>(i)];
    sample.*fields[k].value = prior_value(priors[k], z_score);
  };
  for (Eigen::Index i = 0; i < count; ++i) set(posterior.median, i, joint.mean(i));
  for (std::size_t w = 0; w < posterior.samples.values.size(); ++w) {
    Eigen::VectorXd drawn(count);
    for (Eigen::Index i = 0; i < count; ++i)
      drawn(i) = posterior.samples.z_scores[w][joint.fields[static_cast<std::size_t>(i)]];
    const Eigen::VectorXd moved = joint.sample(w, drawn);
    for (Eigen::Index i = 0; i < count; ++i) {
      set(posterior.samples.values[w], i, moved(i));
      posterior.samples.z_scores[w][joint.fields[static_cast<std::size_t>(i)]] = moved(i);
    }
  }
}

/// The prior of today for what the calibration has and does not hold: as drawn, on that prior's scale.
void put_todays_priors(Posterior& posterior, const Calibration& calibration, const PosteriorQuestion& question,
                       const std::vector<int>& found) {
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k] < 0 || holds(calibration.parameters[static_cast<std::size_t>(found[k])], question, k)) continue;
    const auto value = parameter_fields()[k].value;
    posterior.median.*value = question.fit_priors[k].median;
    for (std::size_t w = 0; w < posterior.samples.values.size(); ++w)
      posterior.samples.values[w].*value = prior_value(question.fit_priors[k], posterior.samples.z_scores[w][k]);
  }
}

/// The quantile, 0 to 1, at which the preset's weights have the choice that the calibrated ones have at `quantile`.
double preset_quantile(const std::vector<LikelyChoice>& before, const std::vector<LikelyChoice>& after,
                       double quantile) {
  const auto& chosen = choice_at(after, quantile);
  double reached = 0;
  for (const auto& choice : before) {
    if (choice.name == chosen) return reached + 0.5 * choice.weight;
    reached += choice.weight;
  }
  return quantile;
}

bool are_choices(const std::vector<LikelyChoice>& some, const std::vector<LikelyChoice>& all) {
  return std::all_of(some.begin(), some.end(), [&](const LikelyChoice& one) {
    return std::any_of(all.begin(), all.end(), [&](const LikelyChoice& other) { return other.name == one.name; });
  });
}

void put_choices(const Preset& preset, const std::vector<LikelyChoice>& libraries, double quantile,
                 Parameters& sample) {
  sample.library = library_version_from(choice_at(libraries, quantile));
  if (!preset.shardings.empty()) sample.sharding = value_named<Sharding>(choice_at(preset.shardings, quantile));
}

/// The algorithms of all samples, by the calibration's weights where it has some and by the preset's elsewhere.
void choose_algorithms(Posterior& posterior, const Calibration* calibration, const PosteriorQuestion& question) {
  const auto libraries = libraries_over(question.preset, question.scope.transport);
  const auto& before = question.servers ? question.preset.shardings : libraries;
  auto quantiles = posterior.samples.algorithm_quantiles;
  double of_median = 0; // the likeliest
  const auto choices = calibration == nullptr ? std::vector<CalibratedChoice>{} : calibration->algorithm_choices;
  for (const auto& choice : choices) {
    const bool covered = choice.servers == question.servers && covers(choice.scope, question.scope);
    if (!covered || !are_choices(choice.choices, before)) continue;
    of_median = preset_quantile(before, choice.choices, 0);
    for (double& quantile : quantiles) quantile = preset_quantile(before, choice.choices, quantile);
  }
  put_choices(question.preset, libraries, of_median, posterior.median);
  for (std::size_t i = 0; i < quantiles.size(); ++i)
    put_choices(question.preset, libraries, quantiles[i], posterior.samples.values[i]);
}

} // namespace

CalibrationScope of_servers(CalibrationScope of_stack, const Preset& preset) {
  of_stack.preset = servers_preset(preset, of_stack.preset);
  return of_stack;
}

std::vector<int> calibrated_fields(const Calibration& calibration, const PosteriorQuestion& question) {
  using Rank = std::pair<int, bool>; // scopes named, from the same prior
  const auto& fit_priors = question.fit_priors;
  const auto with_servers = of_servers(question.scope, question.preset);
  std::vector<int> found;
  for (const auto& field : parameter_fields()) {
    const std::size_t k = found.size();
    const auto& asked = field.scope.servers ? with_servers : question.scope;
    int best = -1;
    Rank highest{-1, false};
    for (std::size_t i = 0; i < calibration.parameters.size(); ++i) {
      const auto& one = calibration.parameters[i];
      if (one.name != field.name || !covers(one.scope, asked)) continue;
      const Rank rank{fields_named(one.scope), !fit_priors.empty() && same_distribution(one.prior, fit_priors[k])};
      if (rank <= highest) continue;
      best = static_cast<int>(i);
      highest = rank;
    }
    found.push_back(best);
  }
  return found;
}

Posterior find_posterior(const std::vector<Prior>& priors, const Calibration* calibration,
                         const PosteriorQuestion& question, int count, std::uint64_t seed) {
  auto of_fields = priors_of_stack(priors, question.compute_prior, question.scope.transport, question.preset);
  Posterior posterior{median_parameters(of_fields), draw_parameters(of_fields, count, seed)};
  choose_algorithms(posterior, calibration, question);
  if (calibration == nullptr) return posterior;
  const auto found = calibrated_fields(*calibration, question);
  const auto joint = joint_of(*calibration, question, found);
  for (std::size_t i = 0; i < joint.fields.size(); ++i)
    of_fields[joint.fields[i]] = calibration->parameters[joint.parameters[i]].prior;
  if (!joint.fields.empty()) move(posterior, joint, of_fields);
  put_todays_priors(posterior, *calibration, question, found);
  return posterior;
}

} // namespace ddlsim
