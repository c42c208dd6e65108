#include "sim/formats/data_folder.hpp"
#include "tests/validate/result.hpp"
#include "validate/methods/simulator.hpp"
#include "validate/report.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

const ReferenceData& reference() {
  static const ReferenceData all = read_reference_data({DDLSIM_SOURCE_DIR});
  return all;
}

/// A ring over slow Ethernet on the shipped EC2 cluster, where communication is what costs.
SeriesData planted_series() {
  auto series = known_series({{1, 0.2}});
  series.cluster = "ec2-p2.xlarge";
  series.model = "vgg16";
  series.precision = Precision::fp32;
  series.wire_precision = WirePrecision::fp32;
  series.batch_per_gpu = 32;
  series.strategy = "ring";
  series.preset = "horovod";
  series.transport.clear();
  auto alone = one_gpu_step(32, 0.5);
  alone.model = series.model;
  alone.preset = series.preset;
  const auto one_gpu_times = one_gpu_times_of(reference(), reference().clusters.at(series.cluster),
                                              {file_of(series.cluster, "alone", {alone})});
  auto evidence = series_data(reference(), priors_for(reference().priors), series, *one_gpu_times);
  REQUIRE(evidence);
  return *evidence;
}

Parameters median_sample(const SeriesData& evidence) {
  Parameters sample;
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k) sample.*fields[k].value = evidence.priors[k].median;
  return sample;
}

std::size_t field_named(const std::string& name) {
  const auto fields = parameter_fields();
  std::size_t k = 0;
  while (k < fields.size() && fields[k].name != name) ++k;
  return k;
}

/// Points "measured" in a sample that differs from the expected one in one parameter.
std::vector<ExplainedPoint> planted_points(const SeriesData& evidence, const std::string& parameter, double at) {
  const auto expected = median_sample(evidence);
  auto truth = expected;
  const auto k = field_named(parameter);
  truth.*parameter_fields()[k].value = prior_value(evidence.priors[k], at);
  std::vector<ExplainedPoint> points;
  for (const int nodes : {2, 4, 16}) {
    DataPoint point{nodes, nodes, 1, evidence.setup.strategy, 1, 0, false};
    point.measured_s = model_time_s(evidence, point, truth);
    points.push_back({point, expected});
  }
  return points;
}

} // namespace

TEST_CASE("a planted value of one parameter is found again") {
  const auto evidence = planted_series();
  const auto why = explain_points(evidence, planted_points(evidence, "sync_share", 2.6));
  CHECK(why.explanation.parameter == "sync_share"); // the second node's jump would have to move further
  CHECK(why.explanation.fitted_at == Approx(0).margin(1e-9));
  CHECK(why.explanation.needed_at ==
        Approx(2.6).margin(0.06)); // eight golden sections of two steps: 2 x 0.618^8 = 0.043
  CHECK(why.explanation.remaining_error < 0.01);
  CHECK(why.explanation.mean_error > 0.1);
}

TEST_CASE("the parts of a prediction add up to it") {
  const auto evidence = planted_series();
  const auto why = explain_points(evidence, planted_points(evidence, "second_node_jump", 2.6));
  REQUIRE(why.points.size() == 3);
  for (const auto& parts : why.points) {
    CHECK(parts.compute_s + parts.communication_s + parts.synchronisation_s + parts.straggling_s + parts.input_s +
              parts.unexplained_s ==
          Approx(parts.predicted_s));
    CHECK(parts.communication_s > 0);
  }
}

TEST_CASE("what is right needs no other parameter") {
  const auto evidence = planted_series();
  const auto why = explain_points(evidence, planted_points(evidence, "second_node_jump", 0));
  CHECK(why.explanation.parameter.empty());
  CHECK(why.explanation.remaining_error == Approx(0).margin(1e-12));
}

TEST_CASE("series far off in a tier are explained, the worst first, and others are not asked") {
  const auto far = small_result(1.2);
  REQUIRE_FALSE(far.explained.empty());
  for (const auto& one : far.explained) {
    CHECK(one.split.size() == 2); // T1, T2, T3
    CHECK(one.mean_error > explained_error);
  }
  CHECK(far.explained.at(0).cluster != "a"); // 1.2 is nearer to 1.05 than to 2.35
  CHECK(small_result(1.05).explained.size() < far.explained.size());
}

TEST_CASE("the explanation is in the text and in the JSON") {
  const auto result = small_result(1.2);
  const auto text = validation_text(result);
  CHECK(text.find("compute 100 %") != std::string::npos);
  CHECK(text.find("nic_efficiency 0.4 instead of 0.8 (at -2.0 prior widths, not +0.5) leaves 2.0 %") !=
        std::string::npos);
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) CHECK(line.size() <= 110);
  const auto json = nlohmann::json::parse(validation_json(result)).at("explained").at(0);
  CHECK(json.at("explanation").at("needed_at") == -2);
  CHECK(json.at("points").at(0).at("bottleneck") == "compute");
}

TEST_CASE("only the wanted series are scored") {
  ValidationOptions options;
  options.wanted = [](const Series& series) { return series.cluster == "a"; };
  const auto result = small_result(1.2, options);
  REQUIRE_FALSE(result.points.empty());
  for (const auto& point : result.points) CHECK(point.cluster == "a");
  CHECK(result.series.size() == 1);
}

} // namespace ddlsim
