#include "calibrate/fit/algorithm_choice.hpp"
#include "calibrate/fit/step_fit.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

/// A shelf whose one preset leaves the all-reduce open.
Shelf open_shelf() {
  auto shelf = planted_shelf();
  shelf.presets[0].all_reduce = {{"ring", 0.6}, {"tree", 0.3}, {"hierarchical-ring", 0.1}};
  return shelf;
}

} // namespace

TEST_CASE("a preset that knows its all-reduce leaves nothing open") {
  const auto shelf = planted_shelf();
  const auto series = planted_evidence(shelf, {"small", "middle"});
  const Forms forms(series);
  CHECK(forms.count() == 0);
  CHECK(forms.draw_of(0) == 0);
  CHECK(forms.calibrated().empty());
}

TEST_CASE("series on one transport share one choice, another transport has its own") {
  const auto shelf = open_shelf();
  auto series = planted_evidence(shelf, {"small", "middle"});
  CHECK(Forms(series).count() == 1);
  series[1].scope.transport = "mpi-ib";
  CHECK(Forms(series).count() == 2);
}

TEST_CASE("one GPU tells nothing of an all-reduce") {
  const auto shelf = open_shelf();
  auto series = planted_evidence(shelf, {"small"});
  series[0].points.resize(1);
  series[0].points[0].gpus = 1;
  CHECK(Forms(series).count() == 0);
}

TEST_CASE("what is chosen is what worlds of that draw do") {
  const auto shelf = open_shelf();
  const auto series = planted_evidence(shelf, {"small"});
  Forms forms(series);
  const auto& choices = shelf.presets[0].all_reduce;
  CHECK(choice_at(choices, forms.draw_of(0)) == "ring"); // starts at the likeliest
  for (std::size_t c = 0; c < choices.size(); ++c) {
    forms.choose(0, c);
    CHECK(choice_at(choices, forms.draw_of(0)) == choices[c].name);
  }
}

TEST_CASE("weights are the preset's times exp of a quarter of what a choice costs more") {
  const auto shelf = open_shelf();
  const auto series = planted_evidence(shelf, {"small"});
  Forms forms(series);
  CHECK(forms.calibrated().empty()); // nothing tried
  forms.set_cost(0, 0, 18);
  forms.set_cost(0, 1, 10);
  CHECK(forms.weight(0, 1) == Approx(0.3));
  CHECK(forms.weight(0, 0) == Approx(0.6 * std::exp(-2.0)));
  CHECK(forms.weight(0, 2) == 0); // not tried
  const auto calibrated = forms.calibrated();
  REQUIRE(calibrated.size() == 1);
  CHECK(calibrated[0].scope == CalibrationScope{"nccl-ib", "", "", "", 0});
  CHECK_FALSE(calibrated[0].servers);
  REQUIRE(calibrated[0].choices.size() == 3);
  CHECK(calibrated[0].choices[0].name == "tree");
  CHECK(calibrated[0].choices[0].weight == Approx(0.3 / (0.3 + 0.6 * std::exp(-2.0))));
  CHECK(calibrated[0].choices[0].weight + calibrated[0].choices[1].weight == Approx(1));
}

TEST_CASE("servers and all-reduces are chosen apart") {
  auto shelf = open_shelf();
  shelf.presets[0].shardings = {{"bytes", 0.5}, {"round-robin", 0.5}};
  auto series = planted_evidence(shelf, {"small", "middle"});
  series[1].setup.strategy.name = "ps";
  Forms forms(series);
  REQUIRE(forms.count() == 2);
  CHECK(forms.choices(0).size() == 3);
  CHECK(forms.choices(1).size() == 2);
  forms.set_cost(1, 0, 1);
  REQUIRE(forms.calibrated().size() == 1);
  CHECK(forms.calibrated()[0].servers);
}

TEST_CASE("an all-reduce is believed more where the times were made with it") {
  const auto shelf = open_shelf();
  auto series = planted_evidence(shelf, {"small", "middle", "large"});
  for (auto& one : series) {
    one.setup.strategy.name = "all-reduce"; // a record that does not say which
    for (auto& point : one.points) point.strategy.name = "all-reduce";
  }
  const auto latents = find_latents(series);
  const Eigen::VectorXd truth = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(latents.all.size()));
  const auto believed = [&](std::size_t planted, const std::string& name) {
    Forms forms(series);
    forms.choose(0, planted);
    for (std::size_t s = 0; s < series.size(); ++s) {
      auto world = world_at(latents, series[s], s, truth);
      world.form_draw = forms.draw_of(s);
      for (auto& point : series[s].points) point.measured_s = model_time_s(series[s], point, world);
    }
    const auto fit = fit_steps(series, {});
    REQUIRE(fit.forms.size() == 1);
    for (const auto& choice : fit.forms[0].choices)
      if (choice.name == name) return choice.weight;
    return 0.0;
  };
  CHECK(believed(0, "ring") > 0.6); // the preset's own
  CHECK(believed(1, "tree") > 0.3);
  CHECK(believed(1, "tree") > believed(0, "tree"));
}
