#include "sim/predict/collectives.hpp"
#include "sim/predict/measured_all_reduces.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

/// Rules of a job whose GPUs have no timing.
LibraryRules over(CollectiveLibrary library) {
  LibraryRules rules;
  rules.library.library = library;
  return rules;
}

constexpr double mebi = 1 << 20;

CollectiveCurve curve_of(const std::string& transport, const std::string& library, const std::string& algorithm) {
  CollectiveCurve curve;
  curve.key = {"test", transport, library, "all_reduce", algorithm, "planted", 8, 8};
  curve.latency_s.value = 1e-3;
  curve.rate_Bps.value = 1e9;
  curve.points = {{mebi, 0.1}, {16 * mebi, -0.2}};
  curve.noise = 0.02;
  return curve;
}

/// Rings of one sample, on a cluster where tables were measured.
Curve curve_knowing(const SmallCluster& small, const std::vector<MeasuredAllReduce>& all_reduces) {
  Curve curve{small.setup(StrategyName::ring, 1), small.sample, {}, 1, 64, EvidenceLabel::calibrated};
  curve.samples.values.assign(20, small.sample);
  curve.samples.z_scores.assign(20, std::vector<double>(parameter_fields().size(), 0.0));
  curve.calibration.all_reduces = all_reduces;
  return curve;
}

/// Two sizes of eight ranks that take `factor` times what the model says.
std::vector<MeasuredAllReduce> planted(const SmallCluster& small, double factor,
                                       std::optional<StrategyName> algorithm = {}) {
  std::vector<MeasuredAllReduce> all_reduces;
  for (const double size_bytes : {mebi, 16 * mebi}) {
    const double model_s = lone_all_reduce_s(small.setup(StrategyName::ring, 8), small.sample, size_bytes);
    all_reduces.push_back({{8, 8, size_bytes}, factor * model_s, 0, algorithm, 0});
  }
  return all_reduces;
}

} // namespace

TEST_CASE("a calibration's curves give the times that were measured, of the transport and library asked for") {
  const std::vector<CollectiveCurve> curves{curve_of("mpi-tcp", "open-mpi", "ring"),
                                            curve_of("mpi-ib", "open-mpi", "ring"),
                                            curve_of("mpi-tcp", "mpich", "unknown")};
  const auto all_reduces = measured_all_reduces(curves, {"mpi-tcp", "nic"}, CollectiveLibrary::open_mpi);
  REQUIRE(all_reduces.size() == 2);
  CHECK(all_reduces[0].time_s == Approx(collective_time_s(curves[0], mebi)).epsilon(1e-12));
  CHECK(all_reduces[1].time_s == Approx(collective_time_s(curves[0], 16 * mebi)).epsilon(1e-12));
  CHECK(all_reduces[1].at.size_bytes == 16 * mebi);
  CHECK(all_reduces[0].noise == 0.02);
  CHECK(all_reduces[0].algorithm == StrategyName::ring);
  CHECK(!measured_all_reduces(curves, {"mpi-tcp", "nic"}, CollectiveLibrary::mpich)[0].algorithm); // the library chose
  CHECK(measured_all_reduces(curves, {"nccl-tcp", "nic"}, CollectiveLibrary::nccl).empty());
}

TEST_CASE("tables of NCCL inside one node need not name the transport") {
  auto curve = curve_of("unknown", "nccl", "unknown");
  curve.key.nodes = 1;
  CHECK(measured_all_reduces({curve}, {"nccl-ib", "nic"}, CollectiveLibrary::nccl).size() == 2);
  curve.key.nodes = 2;
  CHECK(measured_all_reduces({curve}, {"nccl-ib", "nic"}, CollectiveLibrary::nccl).empty());
}

TEST_CASE("a measured size comes back, and between two the correction is straight in the logarithm") {
  const auto process = all_reduce_process(ModelConstants{}, over(CollectiveLibrary::nccl));
  const std::vector<MeasuredAllReduce> known{{{8, 8, mebi}, std::exp(0.3), 0, {}, 0},
                                             {{8, 8, 16 * mebi}, std::exp(-0.1), 0, {}, 0}};
  const auto one = [](const MeasuredAllReduce&) { return 1.0; };
  const auto at = [&](double size_bytes) {
    return ln_correction(correction_at(process, known, {8, 8, size_bytes}), one);
  };
  CHECK(at(mebi) == Approx(0.3).epsilon(1e-9));
  CHECK(at(16 * mebi) == Approx(-0.1).epsilon(1e-9));
  // Of an Ornstein-Uhlenbeck process with correlation c to either end: c (0.3 - 0.1) / (1 + c^2), c = 0.7^2.
  const double c = process.per_doubling * process.per_doubling;
  CHECK(at(4 * mebi) == Approx(c * 0.2 / (1 + c * c)).epsilon(1e-9));
  CHECK(at(64 * mebi) == Approx(-0.1 * c).epsilon(1e-9)); // beyond, it fades
}

TEST_CASE("nothing measured: no correction, and all of a transfer's spread stays open") {
  const auto correction =
      correction_at(all_reduce_process(ModelConstants{}, over(CollectiveLibrary::nccl)), {}, {8, 8, mebi});
  CHECK(ln_correction(correction, [](const MeasuredAllReduce&) { return 1.0; }) == 0);
  CHECK(correction.of.spread == ModelConstants{}.transfer_noise);
  CHECK(
      correction_at(all_reduce_process(ModelConstants{}, over(CollectiveLibrary::gloo)), {}, {8, 8, mebi}).of.spread ==
      ModelConstants{}.host_all_reduce_noise);
}

TEST_CASE("where latency and rate take as long most stays open, and a size there says little of others") {
  const auto process = all_reduce_process(ModelConstants{}, over(CollectiveLibrary::nccl));
  const auto spread = [&](double mix) { return correction_at(process, {}, {8, 8, mebi, mix}).of.spread; };
  CHECK(spread(1) == Approx(std::hypot(ModelConstants{}.transfer_noise, ModelConstants{}.latency_bandwidth_noise)));
  CHECK(spread(0.5) < spread(1));
  const std::vector<MeasuredAllReduce> known{{{8, 8, mebi, 1}, std::exp(0.3), 0, {}, 0}};
  const auto one = [](const MeasuredAllReduce&) { return 1.0; };
  const double ratio = spread(0) / spread(1); // of a process as wide as it is at each size
  CHECK(ln_correction(correction_at(process, known, {8, 8, mebi / 2, 0}), one) ==
        Approx(0.3 * process.per_doubling * ratio));
}

TEST_CASE("balance of an all-reduce: 1 where latency and rate take equally long, 0 where one of them decides") {
  const SmallCluster small;
  const auto setup = small.setup(StrategyName::ring, 8);
  const auto mix = [&](double size_bytes) { return latency_bandwidth_mix(setup, small.sample, size_bytes); };
  const double latency_s = lone_all_reduce_s(setup, small.sample, 1);
  const double rate_Bps = 1e9 / (lone_all_reduce_s(setup, small.sample, 1e9 + 1) - latency_s);
  CHECK(mix(1) == 0);
  CHECK(mix(latency_s * rate_Bps) == Approx(1).epsilon(1e-4));
  CHECK(mix(1000 * latency_s * rate_Bps) == Approx(4 * 1000.0 / (1001.0 * 1001.0)).epsilon(1e-3));
}

TEST_CASE("of each table the two neighbouring sizes count") {
  std::vector<MeasuredAllReduce> known;
  for (std::size_t table = 0; table < 2; ++table)
    for (double size_bytes = 1024; size_bytes <= mebi; size_bytes *= 2)
      known.push_back({{8, 8, size_bytes}, 1, 0.02, {}, table});
  const auto correction =
      correction_at(all_reduce_process(ModelConstants{}, over(CollectiveLibrary::nccl)), known, {8, 8, 3000});
  REQUIRE(correction.neighbours.size() == 4);
  for (const auto& one : correction.neighbours) CHECK((one.at.size_bytes == 2048 || one.at.size_bytes == 4096));
}

TEST_CASE("a measured all-reduce is predicted as it was measured, its neighbours nearly so") {
  const SmallCluster small;
  const auto plain = curve_knowing(small, {});
  const auto slow = curve_knowing(small, planted(small, 1.5));
  const auto ratio = [&](int gpus, double size_bytes) {
    return predict_collective(slow, gpus, size_bytes).time.s / predict_collective(plain, gpus, size_bytes).time.s;
  };
  CHECK(ratio(8, mebi) == Approx(1.5).epsilon(1e-9));
  CHECK(ratio(8, 4 * mebi) > 1.25);
  CHECK(ratio(16, mebi) > 1.35);
  CHECK(ratio(64, mebi) < ratio(16, mebi));
  const auto measured = predict_collective(slow, 8, mebi).time;
  const auto unmeasured = predict_collective(plain, 8, mebi).time;
  CHECK(measured.s_high / measured.s_low < std::sqrt(unmeasured.s_high / unmeasured.s_low));
}

TEST_CASE("where the library chooses, what it chose counts before the same algorithm by another program") {
  const SmallCluster small;
  auto all_reduces = planted(small, 1.5, StrategyName::ring);
  auto curve = curve_knowing(small, all_reduces);
  curve.setup.strategy.name = StrategyName::automatic;
  const double forced_s = predict_collective(curve, 8, mebi).time.s;
  for (auto one : planted(small, 1.2)) {
    one.table = 1;
    all_reduces.push_back(one);
  }
  curve.calibration.all_reduces = all_reduces;
  CHECK(predict_collective(curve, 8, mebi).time.s == Approx(1.2 / 1.5 * forced_s).epsilon(1e-9));
}

TEST_CASE("a table of another algorithm corrects nothing") {
  const SmallCluster small;
  const auto plain = curve_knowing(small, {});
  const auto of_ring = curve_knowing(small, planted(small, 1.5, StrategyName::ring));
  const auto of_tree = curve_knowing(small, planted(small, 1.5, StrategyName::tree));
  const double plain_s = predict_collective(plain, 8, mebi).time.s;
  CHECK(predict_collective(of_ring, 8, mebi).time.s == Approx(1.5 * plain_s).epsilon(1e-9));
  CHECK(predict_collective(of_tree, 8, mebi).time.s == plain_s);
}

} // namespace ddlsim
