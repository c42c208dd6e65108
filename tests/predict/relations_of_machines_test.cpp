// What a planner takes for granted of two machines that differ in one thing, over drawn questions.

#include "tests/predict/relations.hpp"

namespace ddlsim {
namespace {

/// NCCL from 2.4 on chooses by its own estimate, which a faster link may turn to the slower way: a version before it.
Scenario with_choice_by_size(Scenario scenario) {
  const auto cluster = load_cluster(shipped_data, scenario.cluster);
  const auto preset = find_preset(load_presets(shipped_data), scenario.preset);
  const auto* transport = transport_for(cluster, preset, scenario.transport);
  if (transport == nullptr || carrier_of(likeliest_library(preset, transport->name).library) != Carrier::nccl)
    return scenario;
  for (auto& strategy : scenario.strategies)
    if (!is_parameter_server(strategy.name)) strategy.library = LibraryVersion{CollectiveLibrary::nccl, 2, 3, 0};
  return scenario;
}

/// Share by which a faster link may cost time. In a node of GPUs from compute capability 8.0 on, NCCL's protocols cross
/// where its own estimate says, whatever its version, and a faster link moves the crossing. Of 30 pairs 0.3 % is most.
double share_of_crossing(const Scenario& scenario) {
  const auto cluster = load_cluster(shipped_data, scenario.cluster);
  const auto& name = scenario.gpu.empty() ? cluster.gpu : scenario.gpu;
  const bool is_timed = find_device(load_gpus(shipped_data), name).compute_capability >= 80;
  return is_timed ? 0.005 : 0;
}

/// The same question on the cluster as it is and with another value in its file.
void check_better_machine(const std::function<bool(const Scenario&)>& usable, const std::string& pointer,
                          const std::function<nlohmann::json(const Cluster&)>& better) {
  for_questions(pairs_wanted, usable, [&](RandomQuestion& question) {
    const auto scenario = with_choice_by_size(question.scenario);
    OneClusterFolder folder(scenario.cluster);
    const auto before = points_of(scenario, folder.data());
    folder.set(pointer, better(load_cluster(folder.data(), scenario.cluster)));
    check_never_slower(scenario, points_of(scenario, folder.data()), before, share_of_crossing(scenario));
  });
}

std::string rate_text(double rate_Bps) {
  return fmt::format("{:.17g} B/s", rate_Bps);
}

std::string seconds_as_text(double time_s) {
  return fmt::format("{:.17g} s", time_s);
}

} // namespace

TEST_CASE("NICs twice as fast are never slower", "[relations]") {
  check_better_machine(any, "/node/nics/0/bandwidth",
                       [](const Cluster& cluster) { return rate_text(2 * cluster.nics[0].bandwidth_Bps); });
}

TEST_CASE("paths inside nodes twice as fast are never slower", "[relations]") {
  check_better_machine(is_all_reduce_on_nodes, "/node/intra/bandwidth",
                       [](const Cluster& cluster) { return rate_text(2 * cluster.intra.bandwidth_Bps); });
}

TEST_CASE("a third of the latency inside nodes is never slower", "[relations]") {
  check_better_machine(is_all_reduce_on_nodes, "/node/intra/latency",
                       [](const Cluster& cluster) { return seconds_as_text(cluster.intra.latency_s / 3); });
}

TEST_CASE("switches without latency are never slower", "[relations]") {
  const auto no_servers = [](const Scenario& scenario) { return !has_servers(scenario); };
  check_better_machine(no_servers, "/fabric/hop_latency", [](const Cluster&) { return seconds_as_text(0); });
}

TEST_CASE("leaves that do not block are never slower", "[relations]") {
  for_questions(pairs_wanted, any, [&](RandomQuestion& question) {
    OneClusterFolder folder(question.scenario.cluster);
    nlohmann::json fabric{
        {"kind", "fat-tree"}, {"nodes_per_leaf", 1 + question.below(4)}, {"blocking", 2}, {"hop_latency", "1 us"}};
    folder.set("/fabric", fabric);
    const auto before = points_of(question.scenario, folder.data());
    folder.set("/fabric/blocking", 1);
    check_never_slower(question.scenario, points_of(question.scenario, folder.data()), before);
  });
}

} // namespace ddlsim
