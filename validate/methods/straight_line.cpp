#include "validate/methods/rivals.hpp"

namespace ddlsim {
namespace {

class StraightLine final : public Method {
public:
  std::string name() const override { return "straight-line"; }
  void prepare(const Evidence& /*evidence*/) override {}
  std::optional<Forecast> forecast(const Question& question) const override {
    const auto curve = curve_points(question.known);
    if (curve.empty()) return std::nullopt;
    return Forecast{curve.back().iteration_s};
  }
};

} // namespace

std::unique_ptr<Method> make_straight_line() {
  return std::make_unique<StraightLine>();
}

} // namespace ddlsim
