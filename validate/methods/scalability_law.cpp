#include "validate/least_squares.hpp"
#include "validate/methods/rivals.hpp"

namespace ddlsim {
namespace {

double contention(int gpus) {
  return gpus - 1.0;
}
double crosstalk(int gpus) {
  return static_cast<double>(gpus) * (gpus - 1.0);
}

/// Both laws are linear in their coefficients once written for time. They are drawn through the smallest visible scale
/// (one GPU as a rule) and fitted to relative residuals at the others; a coefficient is used only when a visible scale
/// remains to determine it.
class ScalabilityLaw final : public Method {
public:
  ScalabilityLaw(std::string name, std::size_t coefficients) : name_(std::move(name)), coefficients_(coefficients) {}
  std::string name() const override { return name_; }
  void prepare(const Evidence& /*evidence*/) override {}

  std::optional<Forecast> forecast(const Question& question) const override {
    const auto curve = curve_points(question.known);
    if (curve.empty()) return std::nullopt;
    const auto& base = curve.front();
    const bool two = coefficients_ == 2 && curve.size() > 2;
    std::vector<Equation> equations;
    for (std::size_t i = 1; i < curve.size(); ++i) {
      const double growth = curve[i].iteration_s / base.iteration_s - 1;
      equations.push_back({contention(curve[i].gpus) - contention(base.gpus),
                           two ? crosstalk(curve[i].gpus) - crosstalk(base.gpus) : 0, growth,
                           1 / ((1 + growth) * (1 + growth))});
    }
    const auto law = solve_non_negative(equations);
    return Forecast{base.iteration_s * (1 + law.first * (contention(question.gpus) - contention(base.gpus)) +
                                        law.second * (crosstalk(question.gpus) - crosstalk(base.gpus)))};
  }

private:
  std::string name_;
  std::size_t coefficients_;
};

} // namespace

std::unique_ptr<Method> make_amdahl() {
  return std::make_unique<ScalabilityLaw>("amdahl", 1);
}
std::unique_ptr<Method> make_usl() {
  return std::make_unique<ScalabilityLaw>("usl", 2);
}

} // namespace ddlsim
