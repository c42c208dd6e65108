#pragma once
// A small validation made by hand: two clusters, one method that answers all but one point, one that answers all.

#include "tests/validate/records.hpp"
#include "validate/validation.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim::test {

/// Says `s` whatever it is asked, nothing at 32 GPUs, and that compute is all of it.
class FixedAnswer final : public Method {
public:
  explicit FixedAnswer(double seconds) : seconds_(seconds) {}
  std::string name() const override { return "ddlsim"; }
  void prepare(const Evidence&) override {}
  std::optional<Forecast> forecast(const Question& question) const override {
    if (question.gpus == 32) return {};
    return Forecast{seconds_, 0.8 * seconds_, 1.25 * seconds_};
  }
  std::optional<Explanation> explain(const std::vector<Answered>& targets) const override {
    Explanation why;
    for (const auto& [question, measured_s] : targets)
      why.points.push_back({question.gpus, measured_s, seconds_, seconds_, 0, 0, 0, 0, "compute", 1});
    why.explanation = {"nic_efficiency", "1", 0.8, 0.5, 0.4, -2, 0.3, 0.02};
    return why;
  }

private:
  double seconds_;
};

inline ValidationResult small_result(double says_s, const ValidationOptions& options = {}) {
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(std::make_unique<FixedAnswer>(says_s));
  auto odd = curve_file("b<&>\"'", "g", {2.01, 2.02, 2.03, 2.14, 2.35, 2.96});
  return validate_measurements({curve_file("a", "f", {1.01, 1.02, 1.03, 1.04, 1.05, 1.06}), odd}, methods, options);
}

} // namespace ddlsim::test
