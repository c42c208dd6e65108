#include "sim/predict/expert_skew.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace ddlsim {

TEST_CASE("how unevenly tokens choose experts is drawn where nobody states it", "[expert]") {
  Draws samples;
  samples.values.resize(1001);
  const auto skews = [](const Draws& draws) {
    std::vector<double> all;
    for (const auto& sample : draws.values) all.push_back(sample.expert_skew);
    std::sort(all.begin(), all.end());
    return all;
  };
  Strategy strategy;
  strategy.name = StrategyName::model_parallel;
  const auto before = skews(samples);
  draw_expert_skew(samples, strategy, 1); // no experts on several ranks
  CHECK(skews(samples) == before);
  strategy.parallel.expert = 8;
  strategy.parallel.expert_imbalance = 1;
  draw_expert_skew(samples, strategy, 1); // stated
  CHECK(skews(samples) == before);
  strategy.parallel.expert_imbalance = 0;
  draw_expert_skew(samples, strategy, 1);
  const auto drawn = skews(samples);
  CHECK(drawn[500] == Approx(0.1));
  CHECK(drawn[841] == Approx(0.2).epsilon(0.02)); // a standard deviation above
  CHECK(drawn[159] == Approx(0.05).epsilon(0.02));
}

} // namespace ddlsim
