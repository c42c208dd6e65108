#include "calibrate/step_fit.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr int seeds = 10;
#else
constexpr int seeds = 200;
#endif

struct Tally {
  int known = 0;
  int covered = 0;
  double error = 0;   ///< sum of (fitted - true) / error
  double shrunk = 0;  ///< sum of fitted - true
  double squares = 0; ///< of (fitted - true) / error
  double errors = 0;
};

} // namespace

TEST_CASE("planted parameters come back within their intervals, nine of ten times") {
  const auto shelf = planted_shelf();
  auto series = planted_evidence(shelf, {"small", "middle", "large"});
  const auto latents = find_latents(series);
  const StepFitOptions options;
  std::map<std::string, Tally> tallies;
  Tally all;
  double fit_error = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Normals normal(static_cast<std::uint64_t>(seed));
    const auto truth = plant(series, options.law, normal);
    const auto fit = fit_steps(series, options);
    fit_error += fit.quality.fit_error;
    for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
      const auto& one = fit.parameters[i];
      if (!one.identified) continue;
      const double off = one.coordinate - truth(static_cast<Eigen::Index>(i));
      for (auto* tally : {&all, &tallies[one.name]}) {
        ++tally->known;
        tally->covered += std::abs(off) <= 1.645 * one.error ? 1 : 0;
        tally->error += off / one.error;
        tally->shrunk += off;
        tally->squares += off * off / one.error / one.error;
        tally->errors += one.error;
      }
    }
  }
  tallies["ALL"] = all;
  for (const auto& [name, t] : tallies)
    printf("%-24s n %4d covered %.3f mean z %+.3f rms z %.3f mean off %+.3f mean error %.3f\n", name.c_str(), t.known,
           double(t.covered) / t.known, t.error / t.known, std::sqrt(t.squares / t.known), t.shrunk / t.known,
           t.errors / t.known);
  printf("fit error %.4f\n", fit_error / seeds);
}
