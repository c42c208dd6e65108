#include "calibrate/data/fit_data.hpp"
#include "calibrate/data/transfer_series.hpp"
#include "sim/network/machine.hpp"
#include "sim/parameter_server/exchange.hpp"

namespace ddlsim {
namespace {

StepSetup at_point(StepSetup setup, const DataPoint& point) {
  setup.gpus = point.gpus;
  setup.gpus_per_node = point.gpus_per_node;
  return setup;
}

/// Time of a message between nodes. A message has the NIC of its node for itself, so the machine is built with one rank
/// a node.
double message_s(const StepSetup& setup, const DataPoint& point, const Parameters& sample) {
  const auto machine = build_machine(setup.cluster, setup.transport, sample, point.nodes, 1);
  if (point.nodes > 1) return machine.net_latency_s + point.size_bytes / machine.nic_Bps;
  return machine.intra_latency_s + point.size_bytes / machine.intra_Bps;
}

/// Time of one tensor that all workers push and all pull.
double push_pull_s(const StepSetup& setup, const DataPoint& point, const Parameters& sample) {
  const bool copies_only = point.nodes == 1; // the job needs memory copies only, and neither socket nor RPC
  const int per_node = copies_only ? point.gpus : 1;
  const auto machine = build_machine(setup.cluster, setup.transport, sample, point.gpus, per_node);
  ServerMachine server{1, !copies_only, 0, 0};
  ServerExchange exchange;
  exchange.shards = {Shard{0, 0, point.size_bytes}};
  exchange.ready_s = {0};
  exchange.messages_per_node = per_node;
  if (!copies_only) {
    server.process_Bps = sample.server_process_Bps;
    server.connection_Bps = sample.server_connection_Bps;
    exchange.message_cost_s = sample.server_message_cost_s;
  }
  return server_exchange_closed_form(machine, server, exchange).end_s;
}

} // namespace

double transfer_time_s(Measured measured, const StepSetup& setup, const DataPoint& point, const Parameters& sample) {
  switch (measured) {
  case Measured::message:
    return message_s(setup, point, sample);
  case Measured::push:
  case Measured::pull:
    return push_pull_s(setup, point, sample) / 2;
  case Measured::push_pull:
    return push_pull_s(setup, point, sample);
  case Measured::all_reduce:
  case Measured::all_gather:
  case Measured::reduce_scatter:
  case Measured::all_to_all:
  case Measured::step:
    break;
  }
  return collective_alone_s(at_point(setup, point), sample, measured, point.size_bytes);
}

CachedStep::CachedStep(const SeriesData& fit_data, const DataPoint& point)
    : setup_(setup_at(fit_data, point)), measured_(fit_data.measured), point_(point) {}

double CachedStep::time_s(const Parameters& sample) {
  memory_.stores = true;
  return run(sample);
}

double CachedStep::time_without_caching_s(const Parameters& sample) {
  memory_.stores = false;
  return run(sample);
}

double CachedStep::run(const Parameters& sample) {
  if (measured_ != Measured::step) return transfer_time_s(measured_, setup_, point_, sample);
  return time_step(setup_, sample, Fidelity::formula, memory_).iteration_s;
}

double predicted_over_formula(const SeriesData& fit_data, const DataPoint& point, const Parameters& sample) {
  if (fit_data.measured != Measured::step) return 1;
  const auto setup = setup_at(fit_data, point);
  const auto by_formula = time_step(setup, sample, Fidelity::formula);
  if (by_formula.choice.is_exact) return 1;
  return time_step(setup, sample, Fidelity::by_default).iteration_s / by_formula.iteration_s;
}

} // namespace ddlsim
