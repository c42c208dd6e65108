#include "sim/base/error.hpp"
#include "sim/compute/layer_times.hpp"
#include "validate/methods/baselines.hpp"

namespace ddlsim {
namespace {

/// Share of the peak that a transformer is commonly assumed to reach before any measurement. It is between the 38 to 43
/// % that Llama 3 405B reached (The Llama 3 Herd of Models, 2024, table 4) and the 35 to 50 % of Megatron-LM's tables.
constexpr double usual_utilisation = 0.40;
constexpr double passes = 3; ///< backward counts as two forwards (Kaplan et al. 2020, section 2.1)

class MfuRule final : public Method {
public:
  explicit MfuRule(const ReferenceData& reference) : reference_(reference) {}
  std::string name() const override { return "mfu-40"; }
  void prepare(const Evidence& /*evidence*/) override {}
  std::optional<Forecast> forecast(const Question& question) const override {
    const auto model = reference_.models.find(question.known.model);
    const auto gpu = std::find_if(reference_.gpus.begin(), reference_.gpus.end(),
                                  [&](const Gpu& one) { return one.name == question.known.gpu; });
    if (model == reference_.models.end() || gpu == reference_.gpus.end()) return {};
    if (model->second.tokens_per_sample() == 0) return {}; // the rule is for transformers only
    try {
      const double peak = wide_unit(*gpu, question.known.precision).peak_flop_per_s;
      const double flop = passes * model->second.forward_flop_per_sample() * question.known.batch_per_gpu;
      return Forecast{flop / (usual_utilisation * peak)};
    } catch (const UserError&) {
      return {}; // the catalogue has no peak rate of that precision
    }
  }

private:
  const ReferenceData& reference_;
};

} // namespace

std::unique_ptr<Method> make_mfu_rule(const ReferenceData& reference) {
  return std::make_unique<MfuRule>(reference);
}

} // namespace ddlsim
