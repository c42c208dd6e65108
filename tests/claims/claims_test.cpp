// What published measurements are known for must come out of the model with the catalogue's priors alone: nothing here
// was fitted to these clusters, and priors that they shaped are left out.

#include "sim/compute/layer_times.hpp"
#include "sim/compute/one_gpu_estimate.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/iteration/step.hpp"
#include "sim/predict/ask.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace ddlsim {
namespace {

/// A shipped scenario, looked up as `ddlsim predict` does, but without what its own site says of priors.
struct Question {
  explicit Question(const std::string& name, const std::string& preset_name = "")
      : data{DDLSIM_SOURCE_DIR}, scenario(read_scenario(data.scenarios() / (name + ".json"))),
        model(load_model(data, scenario.model)), cluster(load_cluster(data, scenario.cluster)),
        gpu(find_gpu(load_gpus(data), cluster.gpu)),
        preset(find_preset(load_presets(data), preset_name.empty() ? scenario.preset : preset_name)),
        transport(choose_transport(scenario, cluster, preset)) {
    const auto own = records_of<StepRecord>(read_cluster_measurements(data.platforms(), scenario.cluster));
    const auto compute = find_compute({model, gpu, scenario.precision, scenario.batch_per_gpu, preset.name}, own,
                                      borrowed_steps(data, cluster));
    one_gpu_s = compute.one_gpu_s;
    median = median_parameters(
        priors_of_stack(priors_for(load_priors(data), cluster.site), compute.prior, transport.name, preset));
  }

  StepTime step(const Strategy& strategy, int gpus, Fidelity fidelity) const {
    StepSetup setup{model, gpu, cluster, preset, transport, strategy};
    setup.batch_per_gpu = scenario.batch_per_gpu;
    setup.one_gpu_s = one_gpu_s;
    setup.gpus = gpus;
    setup.gpus_per_node = std::min(gpus, cluster.gpus_per_node);
    setup.synchronised = gpus > 1;
    return time_step(setup, median, fidelity);
  }

  double samples_per_s(const Strategy& strategy, int gpus, Fidelity fidelity) const {
    return gpus * scenario.batch_per_gpu / step(strategy, gpus, fidelity).iteration_s;
  }

  double efficiency(const Strategy& strategy, int gpus, Fidelity fidelity) const {
    return one_gpu_s / step(strategy, gpus, fidelity).iteration_s;
  }

  DataFolder data;
  Scenario scenario;
  Model model;
  Cluster cluster;
  Gpu gpu;
  Preset preset;
  Transport transport;
  double one_gpu_s = 0;
  Parameters median; ///< of the priors; a test may change it
};

constexpr Fidelity closed = Fidelity::formula;

/// The shipped question's parameter servers.
const Strategy& servers_of(const Question& question) {
  const auto& all = question.scenario.strategies;
  return *std::find_if(all.begin(), all.end(), [](const Strategy& one) { return is_parameter_server(one.name); });
}

/// The same, with tensors placed by another rule.
Strategy placed_by(const Question& question, Sharding sharding) {
  Strategy strategy = servers_of(question);
  strategy.sharding = sharding;
  return strategy;
}

double largest_tensor_bytes(const Model& model) {
  double largest_bytes = 0;
  for (const auto& layer : model.layers)
    for (const auto& tensor : layer.tensors) largest_bytes = std::max(largest_bytes, tensor.size_bytes);
  return largest_bytes;
}

} // namespace

// E. Bugliarello, Distributed TensorFlow, CSCS 2017 (platforms/ec2-p2.xlarge): 0.84, 0.51 and 0.28 of linear at 32, 64
// and 128 workers.
TEST_CASE("K80 parameter servers lose linearity between 32 and 128 workers", "[claims]") {
  const Question question("k80-inception-ps");
  const Strategy& servers = servers_of(question);
  CHECK(question.efficiency(servers, 16, closed) > 0.85); // synchronisation costs a share of compute
  CHECK(question.efficiency(servers, 32, closed) == Approx(0.84).epsilon(0.15));
  // Without what this site says, servers are expected to be faster than its were: linearity is lost, and later.
  CHECK(question.efficiency(servers, 64, closed) < 0.95);
  CHECK(question.efficiency(servers, 128, closed) < 0.7);
  const int workers = std::min(32, most_ranks);
  CHECK(question.efficiency(servers, workers, Fidelity::full) ==
        Approx(question.efficiency(servers, workers, closed))
            .epsilon(0.01)); // one server is so full that it alone counts
}

TEST_CASE("the K80 knee is the largest tensor on one server", "[claims]") {
  // From 64 to 128 workers nothing grows but the copies that the server of the largest tensor takes in and gives out.
  Question question("k80-inception-ps");
  question.median.server_connection_Bps = 100e6; // of gRPC before its upgrade of 2017, as users posted it: 100 to 200
  question.median.server_process_Bps = 5e9;      // sums on all its cores
  const Strategy& servers = servers_of(question);
  const double a_worker_s =
      (question.step(servers, 128, closed).iteration_s - question.step(servers, 64, closed).iteration_s) / 64;
  const double process_Bps = question.cluster.cores_per_node * question.median.server_connection_Bps;
  REQUIRE(process_Bps < question.median.server_process_Bps); // its 4 cores are fewer than the process could use
  const double both_ways_s = 2 * largest_tensor_bytes(question.model) / process_Bps;
  CHECK(a_worker_s == Approx(both_ways_s).epsilon(0.05)); // the crumbs beside it: 0.46 MB less at 128 than at 64

  // Even shards have no such knee: what they lose is shared by all servers.
  CHECK(question.efficiency(placed_by(question, Sharding::split), 128, closed) >
        1.5 * question.efficiency(servers, 128, closed));
}

TEST_CASE("the K80 knee is the rate of a server", "[claims]") {
  const Question question("k80-inception-ps");
  const Strategy& servers = servers_of(question);
  Question wire = question; // the wire alone is not the narrow place: one gRPC process is
  for (Nic& nic : wire.cluster.nics) nic.bandwidth_Bps *= 10;
  wire.median.socket_Bps *= 10;
  CHECK(wire.efficiency(servers, 64, closed) == Approx(question.efficiency(servers, 64, closed)).epsilon(1e-3));
  Question all = wire;
  all.median.server_process_Bps *= 10;
  all.median.server_connection_Bps *= 10;
  CHECK(all.efficiency(servers, 128, closed) > 0.8);
}

// Horovod README of September 2017 (platforms/horovod-pascal): 79.5 images/s on 16 GPUs, 130.9 on one; all-reduces of
// the same table 617 to 1,787. Its server count is not stated. A server's process has the rate that these records say;
// the prior of TensorFlow's servers expects more than twice as much, and by it 16 GPUs make 189 images/s. The same
// README's table of August 2017 has 2.3 to 2.4 times the 79.5, so that the records are marked suspect.
TEST_CASE("VGG-16 over parameter servers is slower on 16 GPUs than on one", "[claims]") {
  Question question("pascal-vgg16");
  question.median.server_process_Bps = 1.15e9;
  Strategy servers = servers_of(question);
  const double one_gpu = question.samples_per_s(servers, 1, closed);
  CHECK(question.samples_per_s(servers, 16, Fidelity::full) < one_gpu);
  for (const int count : {1, 2, 4, 8, 16}) {
    servers.servers = {ServerCount::Rule::count, count};
    INFO(count << " servers");
    CHECK(question.samples_per_s(servers, 16, closed) < one_gpu);
  }
  // It is 411 MB of fc6 on one server: cut in 16, it is not so.
  servers.sharding = Sharding::split;
  CHECK(question.samples_per_s(servers, 16, closed) > one_gpu);
}

TEST_CASE("VGG-16 over a ring is not", "[claims]") {
  for (const std::string preset : {"tf-ps", "horovod"}) {
    const Question question("pascal-vgg16", preset);
    const Strategy& ring = question.scenario.strategies.back();
    REQUIRE(ring.name == StrategyName::ring);
    INFO(preset);
    CHECK(question.samples_per_s(ring, 16, Fidelity::full) > 4 * question.samples_per_s(ring, 1, closed));
  }
}

} // namespace ddlsim
