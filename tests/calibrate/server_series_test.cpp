#include "calibrate/data/fit_data.hpp"
#include "calibrate/data/transfer_series.hpp"
#include "calibrate/fit/step_fit.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

ServerRecord exchange(const std::string& what, int workers, int nodes, double size_bytes, double time_s) {
  ServerRecord record;
  record.head.series = "server-" + what;
  record.head.transport = "mpi-ib";
  record.what = what;
  record.workers = workers;
  record.nodes = nodes;
  record.size_bytes = size_bytes;
  record.rate_Bps = size_bytes * workers * (what == "push-pull" ? 2 : 1) / time_s;
  return record;
}

PointToPointRecord message(double size_bytes, double time_s, int nodes) {
  PointToPointRecord record{{}, size_bytes, time_s, nodes};
  record.head.series = "one-way";
  record.head.transport = "mpi-ib";
  return record;
}

std::vector<SeriesData> series_of(const ReferenceData& reference, std::vector<Record> records) {
  return server_series(reference, priors_for(reference.priors), reference.clusters.at("planted"),
                       {planted_file(std::move(records))});
}

constexpr double mega = 1 << 20;

/// Exchanges with a server and messages, as the model times them in the sample that `change` makes of the medians.
template <class Change> std::vector<Record> planted_transfers(const ReferenceData& reference, const Change& change) {
  const auto& cluster = reference.clusters.at("planted");
  const auto& transport = *transport_named(cluster, "mpi-ib");
  const auto time_s = [&](Measured measured, const DataPoint& point) {
    const auto series =
        empty_transfer_series(reference, priors_for(reference.priors), cluster, transport, "", measured);
    Parameters sample;
    const auto fields = parameter_fields();
    for (std::size_t k = 0; k < fields.size(); ++k) sample.*fields[k].value = series.priors[k].median;
    change(sample);
    return model_time_s(series, point, sample);
  };
  std::vector<Record> records;
  for (double size_bytes = mega / 16; size_bytes <= 64 * mega; size_bytes *= 4) {
    DataPoint point{2, 2, 1, {}, 0, 0, false, size_bytes};
    records.emplace_back(message(size_bytes, time_s(Measured::message, point), 2));
    for (const int workers : {1, 3}) {
      point.gpus = workers;
      point.nodes = workers + 1;
      records.emplace_back(exchange("push-pull", workers, workers + 1, size_bytes, time_s(Measured::push_pull, point)));
      records.emplace_back(exchange("push", workers, workers + 1, size_bytes, time_s(Measured::push, point)));
    }
  }
  return records;
}

const CalibratedParameter& found(const Calibration& calibration, const std::string& name) {
  const auto one = std::find_if(calibration.parameters.begin(), calibration.parameters.end(),
                                [&](const CalibratedParameter& parameter) { return parameter.name == name; });
  REQUIRE(one != calibration.parameters.end());
  return *one;
}

double fitted(const Calibration& calibration, const std::string& name) {
  const auto& one = found(calibration, name);
  return prior_value(one.prior, one.z_score);
}

} // namespace

TEST_CASE("a server's records become a series each work and number of workers, its points sizes") {
  const auto reference = planted_reference();
  const auto all =
      series_of(reference, {exchange("push", 1, 2, mega, 0.010), exchange("push", 1, 2, 4 * mega, 0.040),
                            exchange("push", 3, 4, mega, 0.030), exchange("push-pull", 1, 2, mega, 0.020)});
  REQUIRE(all.size() == 3);
  CHECK(all[0].id == "planted/planted/server-push: push of 1 worker and one server");
  REQUIRE(all[0].points.size() == 2);
  CHECK(all[0].points[1].size_bytes == 4 * mega);
  CHECK(all[0].points[1].measured_s == Approx(0.040).epsilon(1e-12)); // through a rate and back
  CHECK(all[0].scope == CalibrationScope{"mpi-ib", "", {}, "", 0});
  CHECK(all[1].points.at(0).gpus == 3);
  CHECK(all[1].points.at(0).nodes == 4);
  CHECK(all[2].measured == Measured::push_pull);
  CHECK(all[2].points.at(0).measured_s == Approx(0.020).epsilon(1e-12));
}

TEST_CASE("records of one size are one point, the middle of their times") {
  const auto reference = planted_reference();
  const auto all = series_of(reference, {exchange("pull", 1, 2, mega, 0.010), exchange("pull", 1, 2, mega, 0.013),
                                         exchange("pull", 1, 2, mega, 0.011)});
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].points.size() == 1);
  CHECK(all[0].points[0].measured_s == Approx(0.011).epsilon(1e-12));
}

TEST_CASE("records that do not say what the simulator needs, or what it cannot time, are left out") {
  const auto reference = planted_reference();
  const auto good = exchange("push", 2, 3, mega, 0.01);
  CHECK(series_of(reference, {good}).size() == 1);
  const auto left_out = [&](const auto& change) {
    auto record = good;
    change(record);
    return series_of(reference, {record}).empty();
  };
  CHECK(left_out([](ServerRecord& one) { one.workers = 0; }));
  CHECK(left_out([](ServerRecord& one) { one.nodes = 0; }));
  CHECK(left_out([](ServerRecord& one) { one.size_bytes = 0; }));
  CHECK(left_out([](ServerRecord& one) { one.size_bytes = 1024; })); // messages with a protocol of their own
  CHECK(left_out([](ServerRecord& one) { one.nodes = 2; }));         // the server with one of its two workers
  CHECK(left_out([](ServerRecord& one) { one.what = "channel"; }));
  CHECK(left_out([](ServerRecord& one) { one.what = kServerInTraining; })); // workers compute meanwhile
  CHECK(left_out([](ServerRecord& one) { one.head.transport = "grpc"; }));
  CHECK(left_out([](ServerRecord& one) { one.head.suspect = true; }));
}

TEST_CASE("transfer series are selected with the parameters that each depends on") {
  const auto reference = planted_reference();
  auto file = planted_file(
      {message(mega, 0.01, 2), message(mega, 0.001, 1), message(mega, 0.01, 0), exchange("push", 1, 2, mega, 0.01)});
  const auto selected = select_fit_data(reference, "planted", {}, {file});
  REQUIRE(selected.fit_data.size() == 3); // a message that does not say where it went is no evidence
  const auto free_parameters = find_free_parameters(selected.fit_data);
  const auto depends = [&](std::size_t series, const std::string& name) {
    const auto fields = parameter_fields();
    for (std::size_t k = 0; k < fields.size(); ++k)
      if (fields[k].name == name) return free_parameters.of_series[series][k] >= 0;
    return false;
  };
  CHECK(selected.fit_data[0].measured == Measured::message);
  CHECK(selected.fit_data[2].measured == Measured::push);
  for (const std::size_t series : {0, 1, 2}) {
    CHECK(depends(series, "nic_efficiency"));
    CHECK(depends(series, "server_process_rate") == (series == 2));
    CHECK(depends(series, "server_connection_rate") == (series == 2));
    for (const char* never : {"server_duplex", "operation_cost", "interference", "compute_factor", "sync_share"})
      CHECK_FALSE(depends(series, never));
  }
}

TEST_CASE("a message faster than the wire is left out") {
  const auto reference = planted_reference(); // 1.25 GB/s
  const auto sizes = [&](int nodes) {
    const auto file =
        planted_file({message(mega, 0.5 * mega / 1.25e9, nodes), message(4 * mega, 4.1 * mega / 1.25e9, nodes)});
    return select_fit_data(reference, "planted", {}, {file}).fit_data.at(0).points.size();
  };
  CHECK(sizes(2) == 1);
  CHECK(sizes(1) == 2); // inside a node there is none
}

TEST_CASE("what was planted in messages and exchanges with a server comes back") {
  const auto reference = planted_reference();
  constexpr double process_Bps = 5e8; // narrower than the NIC, so that it shows
  const auto records = planted_transfers(reference, [&](Parameters& sample) {
    sample.nic_efficiency = 0.9;
    sample.net_latency_s = 2e-5;
    sample.server_process_Bps = process_Bps;
  });
  const auto selected = select_fit_data(reference, "planted", {}, {planted_file(records)});
  const auto calibration = fit_steps(selected.fit_data, {});
  CHECK(calibration.series.empty()); // a transfer alone has no iteration to carry residuals to
  CHECK(calibration.quality.points == 30);
  CHECK(found(calibration, "nic_efficiency").identified);
  CHECK(found(calibration, "server_process_rate").identified);
  for (const auto& [name, truth] : {std::pair{"nic_efficiency", 0.9}, std::pair{"server_process_rate", process_Bps}}) {
    const auto& one = found(calibration, name);
    INFO(name << " " << fitted(calibration, name));
    // Without noise the prior alone pulls, by less than one error of the fit.
    CHECK(std::abs(std::log(fitted(calibration, name) / truth)) < one.error * one.prior.width);
  }
}
