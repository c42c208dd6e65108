#include "sim/predict/predict.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

struct AskedAndMeasured {
  SmallCluster small;
  Scenario scenario;
  std::vector<StepRecord> records;

  StepRecord record(int gpus, double iteration_s) const {
    StepRecord step;
    step.head.series = "one";
    step.head.transport = "nccl-tcp";
    step.model = small.model.name;
    step.preset = small.preset.name;
    step.batch_per_gpu = 10;
    step.strategy.name = StrategyName::all_reduce;
    step.algorithm = "unknown";
    step.gpus = gpus;
    step.nodes = gpus;
    step.data = "synthetic";
    step.iteration_s = iteration_s;
    return step;
  }

  std::vector<PredictedPoint> points() const {
    Curve curve{small.setup(StrategyName::ring, 1), small.sample, {}, 1, 64, EvidenceLabel::calibrated};
    std::vector<PredictedPoint> points;
    for (const int gpus : {1, 4, 8}) {
      PredictedPoint point;
      point.gpus = point.nodes = gpus;
      point.algorithm = "ring";
      point.iteration_s_low = 0.9;
      point.iteration_s_high = 1.1;
      points.push_back(point);
    }
    add_measured(points, scenario, curve, records);
    return points;
  }
};

} // namespace

TEST_CASE("a record of the same question stands beside its point, and the interval holds it or not") {
  AskedAndMeasured asked;
  asked.records = {asked.record(4, 1.0), asked.record(8, 1.2)};
  const auto points = asked.points();
  CHECK_FALSE(points[0].measured);
  REQUIRE(points[1].measured);
  CHECK(points[1].measured->iteration_s == 1.0);
  CHECK(position_in(points[1], *points[1].measured) == PositionInInterval::inside);
  REQUIRE(points[2].measured);
  CHECK(position_in(points[2], *points[2].measured) == PositionInInterval::slower);
  CHECK(position_in(points[2], {0.5}) == PositionInInterval::faster);
}

TEST_CASE("a record of another question does not") {
  const AskedAndMeasured plain;
  const auto is_shown = [&](const std::function<void(AskedAndMeasured&, StepRecord&)>& change) {
    AskedAndMeasured asked;
    auto record = asked.record(4, 1.0);
    change(asked, record);
    asked.records = {record};
    return asked.points()[1].measured.has_value();
  };
  CHECK(is_shown([](auto&, auto&) {}));
  CHECK_FALSE(is_shown([](auto&, auto& one) { one.model = "other"; }));
  CHECK_FALSE(is_shown([](auto&, auto& one) { one.batch_per_gpu = 20; }));
  CHECK_FALSE(is_shown([](auto&, auto& one) { one.precision = Precision::amp; }));
  CHECK_FALSE(is_shown([](auto&, auto& one) { one.preset = "other"; }));
  CHECK_FALSE(is_shown([](auto&, auto& one) { one.mode = RunMode::forward; }));
  CHECK_FALSE(is_shown([](auto&, auto& one) { one.nodes = 1; }));
  CHECK_FALSE(is_shown([](auto&, auto& one) { one.head.transport = "nccl-ib"; }));
  CHECK(is_shown([](auto&, auto& one) { one.head.transport = "unknown"; }));
  CHECK_FALSE(is_shown([](auto&, auto& one) { one.strategy.name = StrategyName::ps; }));
  CHECK_FALSE(is_shown([](auto&, auto& one) { one.algorithm = "tree"; }));
  CHECK_FALSE(is_shown([](auto&, auto& one) { one.head.gpu = "K80"; }));
  CHECK_FALSE(is_shown([](auto& asked, auto&) { asked.scenario.series = "two"; }));
  CHECK_FALSE(is_shown([](auto& asked, auto&) { asked.scenario.software = "TensorFlow"; }));
}

TEST_CASE("of several the median, and those without doubt and of the same kind of data go first") {
  AskedAndMeasured asked;
  asked.records = {asked.record(4, 1.0), asked.record(4, 2.0), asked.record(4, 4.0)};
  CHECK(asked.points()[1].measured->iteration_s == 2.0);
  CHECK(asked.points()[1].measured->records == 3);
  asked.records[0].head.suspect = asked.records[1].head.suspect = true;
  CHECK(asked.points()[1].measured->iteration_s == 4.0);
  CHECK_FALSE(asked.points()[1].measured->suspect);
  asked.records[2].head.suspect = true;
  CHECK(asked.points()[1].measured->suspect);
  asked.records = {asked.record(4, 1.0), asked.record(4, 3.0)};
  asked.records[0].data = "real";
  CHECK(asked.points()[1].measured->iteration_s == 3.0);
  asked.scenario.input.loader_samples_per_s = 100;
  CHECK(asked.points()[1].measured->iteration_s == 1.0);
}

TEST_CASE("one GPU is predicted without synchronisation: a record with it says something else") {
  AskedAndMeasured asked;
  asked.records = {asked.record(1, 1.0)};
  CHECK_FALSE(asked.points()[0].measured);
  asked.records[0].synchronised = false;
  asked.records[0].head.transport = "unknown";
  CHECK(asked.points()[0].measured);
}

} // namespace ddlsim
