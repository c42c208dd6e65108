#include "plan/epochs.hpp"
#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace ddlsim {
namespace {

const DataFolder shipped_data{DDLSIM_SOURCE_DIR};

EpochLaw fitted(const std::string& name) {
  return fit_epochs(load_convergence(shipped_data, name).points);
}

Workload to_target(const std::string& model, const std::string& convergence) {
  Workload work;
  work.model = model;
  work.convergence = convergence;
  return work;
}

} // namespace

TEST_CASE("epochs that follow the law are reported as they are, and their doubt is that of a run") {
  std::vector<ConvergencePoint> points; // 30 epochs, twice as many at 15,000 samples an iteration
  for (const double batch : {1000.0, 4000.0, 9000.0, 30'000.0}) points.push_back({batch, 30 + batch / 500, 0, 5});
  const auto law = fit_epochs(points);
  CHECK(law.least_epochs == Approx(30));
  CHECK(law.epochs_a_sample == Approx(1.0 / 500));
  CHECK(law.law_error < 1e-12);
  CHECK(law.run_spread == 0);
  CHECK(epochs_at(law, 15'000) == Approx(60));
}

TEST_CASE("planted runs: the fit finds the law within what their noise lets it") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 0.04);
  int near = 0;
  constexpr int draws = 200;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<ConvergencePoint> points;
    for (double batch = 512; batch <= 65'536; batch *= 2)
      points.push_back({batch, (20 + batch / 1000) * std::exp(noise(random)), 0, 2});
    const double fitted_epochs = epochs_at(fit_epochs(points), 20'000);
    if (std::abs(std::log(fitted_epochs / 40)) < 0.04) ++near; // eight points: the mean is surer than one of them
  }
  CHECK(near > 0.95 * draws);
}

TEST_CASE("a batch that informs of nothing, or of all: neither part of the law is below 0") {
  const auto flat = fit_epochs({{100, 12, 0, 1}, {200, 11, 0, 1}, {400, 10, 0, 1}});
  CHECK(flat.epochs_a_sample == 0);
  CHECK(epochs_at(flat, 150) == Approx(epochs_at(flat, 400)));
  const auto steep = fit_epochs({{100, 1, 0, 1}, {200, 3, 0, 1}, {400, 9, 0, 1}});
  CHECK(steep.least_epochs == 0);
  CHECK(epochs_at(steep, 400) == Approx(2 * epochs_at(steep, 200)));
}

// Each batch left out of the fit in turn; the figures are those of docs/planning.md.
TEST_CASE("the shipped runs follow the law within a tenth") {
  CHECK(fitted("resnet50-imagenet").law_error == Approx(0.046).epsilon(0.01));
  CHECK(fitted("bert-wikipedia").law_error == Approx(0.0736).epsilon(0.01));
  CHECK(fitted("maskrcnn-coco").law_error == Approx(0.0435).epsilon(0.01));
}

TEST_CASE("a batch that no run had is refused") {
  const auto law = fitted("resnet50-imagenet");
  CHECK_THROWS_WITH(epochs_at(law, 1024), "1024 samples an iteration, and epochs are known from 1632 to 67840");
  CHECK_THROWS_AS(epochs_at(law, 65'536.0 * 128), UserError);
  CHECK_NOTHROW(epochs_at(law, 67'840));
}

TEST_CASE("runs of another model inform nothing") {
  CHECK_THROWS_AS(training_length(to_target("vgg16", "resnet50-imagenet"), shipped_data), UserError);
  CHECK_THROWS_AS(training_length(to_target("resnet50_v1.5", "imagenet"), shipped_data), UserError);
  CHECK(training_length(to_target("resnet50_v1.5", "resnet50-imagenet"), shipped_data).samples == 1'281'167);
}

TEST_CASE("drawn lengths have the width of law and run together, and are the same for the same batch") {
  const auto length = training_length(to_target("resnet50_v1.5", "resnet50-imagenet"), shipped_data);
  constexpr std::size_t count = 400;
  const auto drawn = drawn_lengths(length, 4096, 1, count);
  std::vector<double> logs;
  for (const double factor : drawn) logs.push_back(std::log(factor));
  CHECK(std::abs(mean(logs)) < 1e-9);
  CHECK(standard_deviation(logs) == Approx(std::hypot(length.law->law_error, length.law->run_spread)).epsilon(0.01));
  CHECK(drawn == drawn_lengths(length, 4096, 1, count));
  CHECK(drawn != drawn_lengths(length, 8192, 1, count));
  Workload given;
  given.epochs = 90;
  CHECK(drawn_lengths(training_length(given, shipped_data), 4096, 1, 3) == std::vector<double>{1, 1, 1});
}

} // namespace ddlsim
