#include "sim/compute/deviation.hpp"

#include <cmath>

namespace ddlsim {
namespace {

// ln of the ratio of two batches at which the correlation of their deviations is 1/e. Judgement: what a batch has in
// common with its double is one thing, and which kernels a library happens to choose near it another.
constexpr double batch_reach = 1.5;
constexpr double workload_reach = 0.3;
/// Standard deviation of ln time between a GPU of unknown rates and the GPU whose rates stand in for it.
constexpr double unknown_gpu_size = 3;

/// Returns the sum over parts of size^2 x share x share.
double parts_shared(const DeviationSizes& sizes, const TimedWorkload& a, const TimedWorkload& b) {
  double sum = 0;
  for (std::size_t p = 0; p < step_part_count; ++p)
    sum += sizes.of_part[p] * sizes.of_part[p] * a.shares[p] * b.shares[p];
  return sum;
}

double faded(const TimedWorkload& a, const TimedWorkload& b, double reach) {
  return std::exp(-std::abs(a.ln_batch - b.ln_batch) / reach);
}

bool is_same(int a, int b) {
  return a == b && a >= 0;
}

/// How much two workloads share of each scope.
class SharedScopes {
public:
  void add(DeviationScope scope, double correlation = 1) { shared_[static_cast<std::size_t>(scope)] = correlation; }
  const ScopeCorrelations& all() const { return shared_; }

private:
  ScopeCorrelations shared_{};
};

void add_machine(SharedScopes& shared, const TimedWorkload& a, const TimedWorkload& b) {
  if (is_same(a.architecture, b.architecture)) shared.add(DeviationScope::architecture);
  if (is_same(a.gpu, b.gpu)) shared.add(DeviationScope::gpu);
}

void add_software(SharedScopes& shared, const TimedWorkload& a, const TimedWorkload& b) {
  const bool stack = is_same(a.stack, b.stack);
  if (stack) shared.add(DeviationScope::stack);
  if (is_same(a.family, b.family)) shared.add(DeviationScope::family);
  if (is_same(a.family, b.family) && stack) shared.add(DeviationScope::stack_family);
  if (!is_same(a.model, b.model)) return;
  shared.add(DeviationScope::model);
  if (stack) shared.add(DeviationScope::batch, faded(a, b, batch_reach));
}

void add_site(SharedScopes& shared, const TimedWorkload& a, const TimedWorkload& b) {
  const bool same_stack_here =
      is_same(a.site, b.site) && is_same(a.gpu, b.gpu) && is_same(a.stack, b.stack) && a.precision == b.precision;
  if (!same_stack_here) return;
  shared.add(DeviationScope::site_stack);
  if (!is_same(a.model, b.model)) return;
  shared.add(DeviationScope::site_model);
  shared.add(DeviationScope::workload, faded(a, b, workload_reach));
}

double square_of(double x) {
  return x * x;
}

/// A name, and the figure of DeviationSizes that it means.
struct NamedSize {
  std::string name;
  double* size = nullptr;
};

std::vector<NamedSize> named_sizes(DeviationSizes& sizes) {
  static const std::array<const char*, deviation_scope_count> scopes{
      "unit",         "architecture", "gpu",        "stack", "site-stack", "family",
      "stack-family", "model",        "site-model", "batch", "workload"};
  static const std::array<const char*, step_part_count> parts{"convolution", "product", "attention", "memory",
                                                              "launch"};
  std::vector<NamedSize> named;
  for (std::size_t i = 0; i < scopes.size(); ++i)
    named.push_back({std::string("scope-") + scopes[i], &sizes.of_scope[i]});
  for (std::size_t i = 0; i < parts.size(); ++i) named.push_back({std::string("part-") + parts[i], &sizes.of_part[i]});
  return named;
}

} // namespace

std::vector<std::string> deviation_names() {
  DeviationSizes sizes;
  std::vector<std::string> names;
  for (const auto& one : named_sizes(sizes)) names.push_back(one.name);
  return names;
}

void leave_out_deviation(DeviationSizes& sizes, const std::string& name) {
  for (const auto& one : named_sizes(sizes))
    if (one.name == name) *one.size = 0;
}

ScopeCorrelations scopes_shared(const TimedWorkload& a, const TimedWorkload& b) {
  SharedScopes shared;
  if (a.unit != b.unit) return shared.all();
  shared.add(DeviationScope::unit);
  add_machine(shared, a, b);
  add_software(shared, a, b);
  add_site(shared, a, b);
  return shared.all();
}

double shared_deviation(const DeviationSizes& sizes, const TimedWorkload& a, const TimedWorkload& b) {
  const bool same_unknown = a.unknown_gpu && b.unknown_gpu && is_same(a.gpu, b.gpu);
  const double of_gpu = same_unknown ? square_of(unknown_gpu_size) : 0;
  if (a.unit != b.unit) return of_gpu;
  const auto shared = scopes_shared(a, b);
  double scopes = 0;
  for (std::size_t s = 0; s < deviation_scope_count; ++s) scopes += square_of(sizes.of_scope[s]) * shared[s];
  return of_gpu + scopes * parts_shared(sizes, a, b);
}

} // namespace ddlsim
