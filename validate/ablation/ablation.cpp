#include "validate/ablation/ablation.hpp"

#include "sim/base/error.hpp"
#include "sim/compute/deviation.hpp"
#include "sim/formats/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace ddlsim {
namespace {

/// How far a placebo moves a median, in ln. It is far less than the width of any prior.
constexpr double placebo_step = 0.02;

constexpr const char* compute_parameter = "compute_factor";
/// beginning of the names of the priors for each kind of evidence of a one-GPU time
constexpr const char* compute_priors = "compute_";

/// What the kernels of one GPU reach by measured tables; without them the medians of all tables hold.
constexpr const char* kernel_tables = "kernel-tables";

/// A term of the residual and the value of the constant that switches it off.
struct ResidualTerm {
  const char* name;
  double ModelConstants::*constant;
  double off;
};

const std::vector<ResidualTerm>& residual_terms() {
  using C = ModelConstants;
  static const std::vector<ResidualTerm> terms{
      {"line", &C::line_share, 0},
      {"growth", &C::residual_growth, 0},
      {"persistent", &C::residual_persistent_share, 0},
      {"fading", &C::residual_persistent_share, 1},
      {"boundary", &C::residual_across_boundary, 1},
      {"floor-across-nodes", &C::model_form_across_nodes, 0},
      {"other-batches", &C::residual_of_other_batches, 0},
  };
  return terms;
}

bool is_of_parameter(const std::string& parameter, const std::string& name) {
  return name == compute_parameter ? parameter.starts_with(compute_priors) : parameter == name;
}

bool is_neutral(const std::string& parameter) {
  return parameter.starts_with(compute_priors) || parameter == "model_discrepancy";
}

void check_names(const std::vector<std::string>& names) {
  const auto known = names_to_leave_out();
  std::vector<Mistake> mistakes;
  for (const auto& name : names)
    if (!is_in(known, name))
      mistakes.push_back({"--without", "", unknown_name_text("parameter or term of the residual", name, known, known)});
  if (!mistakes.empty()) throw UserError(mistakes);
}

} // namespace

std::vector<std::string> names_to_leave_out() {
  // names of parts, where this one stands for the three compute factors together
  std::vector<std::string> names{compute_parameter};
  for (const auto& field : parameter_fields())
    if (field.use == ParameterUse::fitted && !is_compute_factor(field)) names.emplace_back(field.name);
  for (const auto& term : residual_terms()) names.emplace_back(term.name);
  for (const auto& name : deviation_names()) names.push_back(name);
  names.emplace_back(kernel_tables);
  return names;
}

void leave_out(ReferenceData& reference, const std::string& name) {
  check_names({name});
  for (const auto& prior : reference.priors.expected)
    if (is_of_parameter(prior.parameter, name)) reference.priors.without_width.push_back(prior.parameter);
  for (const auto& term : residual_terms())
    if (name == term.name) reference.constants.*term.constant = term.off;
  if (is_in(deviation_names(), name)) reference.left_out_deviations.push_back(name);
  if (name == kernel_tables) reference.kernels.gpus.clear();
}

void move_medians(ReferenceData& reference, std::uint64_t seed) {
  std::map<PriorClass, double> factors;
  for (const auto& prior : reference.priors.expected) factors[class_of(prior)] = 1;
  for (const auto& site : reference.priors.sites)
    for (const auto& value : site.values) factors[value.of] = 1;
  std::mt19937_64 random(seed);
  for (auto& [of, factor] : factors)
    if (!is_neutral(of.parameter)) factor = std::exp(random() % 2 == 0 ? placebo_step : -placebo_step);
  for (auto& prior : reference.priors.expected) {
    prior.median *= factors.at(class_of(prior));
    if (prior.highest) prior.median = std::min(prior.median, *prior.highest);
  }
  for (auto& site : reference.priors.sites)
    for (auto& value : site.values) value.value *= factors.at(value.of);
}

std::vector<std::unique_ptr<Method>> simulators_without(const ReferenceData& reference,
                                                        const std::vector<std::string>& names, int threads) {
  check_names(names);
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(make_simulator(reference, {.threads = threads}));
  for (const auto& name : names)
    methods.push_back(make_simulator(reference, {.name = "without " + name,
                                                 .change = [name](ReferenceData& known) { leave_out(known, name); },
                                                 .threads = threads}));
  return methods;
}

std::vector<std::unique_ptr<Method>> simulators_with_placebos(const ReferenceData& reference, int count, int threads) {
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(make_simulator(reference, {.threads = threads}));
  for (int i = 1; i <= count; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    methods.push_back(make_simulator(reference, {.name = fmt::format("placebo {}", i),
                                                 .change = [seed](ReferenceData& known) { move_medians(known, seed); },
                                                 .threads = threads}));
  }
  return methods;
}

} // namespace ddlsim
