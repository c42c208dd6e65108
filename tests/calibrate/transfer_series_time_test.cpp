#include "calibrate/data/transfer_series.hpp"
#include "sim/collective/collective.hpp"
#include "sim/network/machine.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

constexpr double size_bytes = 4 << 20;

/// One transfer of the planted cluster over NCCL, and the median sample of its priors.
struct TimedTransfer {
  ReferenceData reference = planted_reference();
  SeriesData series;
  DataPoint point;
  Parameters sample;

  TimedTransfer(Measured measured, int ranks, int nodes, const std::string& transport = "nccl-ib")
      : series(empty_transfer_series(reference, priors_for(reference.priors), reference.clusters.at("planted"),
                                     *transport_named(reference.clusters.at("planted"), transport), "", measured)) {
    point.gpus = ranks;
    point.nodes = nodes;
    point.gpus_per_node = 1;
    point.size_bytes = size_bytes;
    const auto fields = parameter_fields();
    for (std::size_t k = 0; k < fields.size(); ++k) sample.*fields[k].value = series.priors[k].median;
  }
  double time_s() const { return model_time_s(series, point, sample); }
  Machine machine(int ranks, int per_node) const {
    return build_machine(series.setup.cluster, series.setup.transport, sample, ranks, per_node);
  }
};

} // namespace

TEST_CASE("a message between nodes takes a crossing and its bytes over the NIC, inside a node the node's path") {
  const TimedTransfer far(Measured::message, 2, 2);
  const auto two = far.machine(2, 1);
  CHECK(far.time_s() == Approx(two.net_latency_s + size_bytes / two.nic_Bps).epsilon(1e-12));
  const TimedTransfer near(Measured::message, 2, 1);
  const auto one = near.machine(2, 2);
  CHECK(near.time_s() == Approx(one.intra_latency_s + size_bytes / one.intra_Bps).epsilon(1e-12));
}

TEST_CASE("over MPI a message inside a node has the NIC for itself, where two ranks' edges share it") {
  const TimedTransfer alone(Measured::message, 2, 1, "mpi-ib");
  const auto shared = alone.machine(2, 2);
  const double rate_Bps = 2 * shared.intra_Bps;
  CHECK(alone.time_s() == Approx(shared.intra_latency_s + size_bytes / rate_Bps).epsilon(1e-12));
}

TEST_CASE("an all-reduce alone costs one operation and its ring") {
  TimedTransfer ring(Measured::all_reduce, 8, 2);
  ring.point.strategy.name = StrategyName::ring;
  ring.point.strategy.library = LibraryVersion{CollectiveLibrary::grpc}; // without NCCL's protocols
  ring.point.gpus_per_node = 4;
  CHECK(ring.time_s() ==
        Approx(ring.sample.operation_cost_s + all_reduce_s(ring.machine(8, 4), size_bytes, Algorithm::ring)));
}

TEST_CASE("workers share the server's narrowest place, each message costs, and a push is half of push and pull") {
  for (const int workers : {1, 2, 5}) {
    for (const double process_Bps : {4e8, 1e12}) {
      for (const double connection_Bps : {3e8, 1e12}) {
        TimedTransfer both(Measured::push_pull, workers, workers + 1);
        both.sample.server_process_Bps = process_Bps;
        both.sample.server_connection_Bps = connection_Bps;
        const auto machine = both.machine(workers, 1);
        const double rate_Bps = std::min({machine.nic_Bps, process_Bps, workers * connection_Bps});
        const double one_message_s =
            machine.net_latency_s + workers * (size_bytes / rate_Bps + both.sample.server_message_cost_s);
        INFO(workers << " workers, process " << process_Bps << ", connection " << connection_Bps);
        CHECK(both.time_s() ==
              Approx(2 * one_message_s).epsilon(1e-9)); // the fluid ends a message at 1e-12 of its bytes
        for (const Measured half : {Measured::push, Measured::pull}) {
          both.series.measured = half;
          CHECK(both.time_s() == Approx(one_message_s).epsilon(1e-9));
        }
      }
    }
  }
}

TEST_CASE("one tensor is never pushed and pulled at once: both directions of a link have no part in it") {
  TimedTransfer both(Measured::push_pull, 3, 4);
  const double before_s = both.time_s();
  both.sample.server_duplex = 0.5;
  CHECK(both.time_s() == before_s);
}

TEST_CASE("a server on its workers' node copies memory: no socket, no process, no message") {
  TimedTransfer both(Measured::push_pull, 3, 1);
  both.sample.server_process_Bps = 1;
  both.sample.server_connection_Bps = 1;
  both.sample.server_message_cost_s = 1;
  const auto machine = both.machine(3, 3);
  CHECK(both.time_s() == Approx(2 * (machine.intra_latency_s + 3 * size_bytes / machine.intra_Bps)).epsilon(1e-9));
}
