#include "calibrate/scope.hpp"

#include <map>

namespace ddlsim {
namespace {

struct Depends {
  bool transport = false;
  bool preset = false;
  bool precision = false;
  bool model = false; ///< and batch
};

const std::map<std::string, Depends>& dependencies() {
  static const Depends network{true, false, false, false};
  static const Depends stack{true, true, false, false};
  static const Depends node{};
  static const std::map<std::string, Depends> all{
      {"compute_factor", {false, false, true, true}},
      {"forward_share", node},
      {"interference", network},
      {"nic_efficiency", network},
      {"socket_rate", network},
      {"net_latency", network},
      {"link_spread", network},
      {"intra_efficiency", node},
      {"intra_latency_factor", node},
      {"operation_cost", stack},
      {"tensor_cost", stack},
      {"tensor_cost_slope", stack},
      {"sync_on", stack},
      {"second_node_jump", {false, true, true, false}},
      {"step_spread", {false, true, false, false}},
      {"server_process_rate", stack},
      {"server_connection_rate", stack},
      {"server_duplex", stack},
      {"server_message_cost", stack},
  };
  return all;
}

} // namespace

CalibrationScope scope_of(const std::string& parameter, const CalibrationScope& full) {
  const auto depends = dependencies().at(parameter);
  CalibrationScope scope;
  if (depends.transport) scope.transport = full.transport;
  if (depends.preset) scope.preset = full.preset;
  if (depends.precision) scope.precision = full.precision;
  if (depends.model) {
    scope.model = full.model;
    scope.batch_per_gpu = full.batch_per_gpu;
  }
  return scope;
}

} // namespace ddlsim
