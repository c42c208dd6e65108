#include "validate/methods/rivals.hpp"

namespace ddlsim {
namespace {

class Linear final : public Method {
public:
  std::string name() const override { return "linear"; }
  void prepare(const Evidence& /*evidence*/) override {}
  std::optional<Forecast> forecast(const Question& question) const override {
    const auto curve = curve_points(question.known);
    if (curve.empty()) return std::nullopt;
    return Forecast{curve.front().iteration_s};
  }
};

} // namespace

std::unique_ptr<Method> make_linear() {
  return std::make_unique<Linear>();
}

} // namespace ddlsim
