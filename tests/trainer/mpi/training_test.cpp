// Every strategy and grouping trains to what one process reaches on the union of the batches.
#include "sim/base/error.hpp"
#include "tests/trainer/host_link.hpp"
#include "trainer/models/catalogue.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/timing/layer_timer.hpp"
#include "trainer/train/job.hpp"
#include "trainer/train/training.hpp"
#include "trainer/train/training_step.hpp"

#include <ATen/Context.h>
#include <catch2/catch.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace ddltrain;
using ddltrain_test::HostLink;

namespace {

constexpr std::size_t samples_a_step = 24; ///< samples of all workers a step: 1, 2, 3 and 4 workers divide it

TrainOptions options_for(int workers) {
  TrainOptions options;
  options.data = "digits";
  options.train_samples = 240;
  options.test_samples = 20;
  options.most_steps = 6;
  options.batch_per_worker = samples_a_step / static_cast<std::size_t>(workers);
  options.sgd.weight_decay = 0.01;
  options.schedule.every = 0.3; // of an epoch of 10 steps
  options.schedule.factor = 0.5;
  return options;
}

TrainResult result_of(MpiCommunicator& ranks, const TrainOptions& options, const LinkMaker& make_link = {}) {
  const auto fail = [](const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    std::abort(); // mpirun ends the others
  };
  const Device device = open_device("cpu", 1);
  return train(
      make_job(ranks, options.strategy, "here", fail), options, device, [](const EpochReport&) {}, make_link);
}

std::vector<float> trained(MpiCommunicator& ranks, const TrainOptions& options, const LinkMaker& make_link = {}) {
  return result_of(ranks, options, make_link).parameters;
}

const std::vector<float>& one_process() {
  static const std::vector<float> parameters = [] {
    MpiCommunicator self(MPI_COMM_SELF);
    TrainOptions options = options_for(1);
    options.strategy.exchange = Exchange::none;
    return trained(self, options);
  }();
  return parameters;
}

/// Largest difference over the largest parameter.
double distance(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double difference = 0;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, static_cast<double>(std::abs(a[i] - b[i])));
    largest = std::max(largest, static_cast<double>(std::abs(a[i])));
  }
  return difference / largest;
}

/// Six steps round differently (fp32, 2^-24 each) in sums over samples that are associated differently; the parameters
/// move by some 1e-2 of the largest, so a lost or doubled gradient shows ten thousand times above this.
constexpr double sum_rounding = 2e-6;

void check(const TrainStrategy& strategy, const std::string& what) {
  MpiCommunicator world(MPI_COMM_WORLD);
  const bool extra = strategy.exchange == Exchange::servers && strategy.dedicated;
  const int workers = world.size() - (extra ? strategy.servers : 0);
  if (workers < 1) return;
  TrainOptions options = options_for(workers);
  options.strategy = strategy;
  INFO(what << ", " << world.size() << " ranks");
  CHECK(distance(trained(world, options), one_process()) < sum_rounding);
}

std::string text(const TrainStrategy& strategy) {
  return "grouping " + std::to_string(static_cast<int>(strategy.grouping)) +
         (strategy.overlapped ? " overlapped " : " ") + strategy.sharding + " " + std::to_string(strategy.servers) +
         (strategy.dedicated ? " dedicated" : " colocated");
}

} // namespace

TEST_CASE("All-reduces train as one process does") {
  for (const Exchange exchange : {Exchange::ring, Exchange::all_reduce}) {
    for (const Grouping grouping : {Grouping::buckets, Grouping::per_tensor, Grouping::single, Grouping::fusion}) {
      for (const bool overlapped : {true, false}) {
        TrainStrategy strategy;
        strategy.exchange = exchange;
        strategy.grouping = grouping;
        strategy.overlapped = overlapped || grouping == Grouping::fusion;
        strategy.fusion = {100'000, 0.001}; // LeNet-5 in several buffers
        check(strategy, "exchange " + std::to_string(static_cast<int>(exchange)) + " " + text(strategy));
      }
    }
  }
}

TEST_CASE("Parameter servers train as one process does") {
  for (const bool dedicated : {true, false}) {
    for (const int servers : {1, 2}) {
      for (const Grouping grouping : {Grouping::buckets, Grouping::per_tensor, Grouping::single}) {
        TrainStrategy strategy;
        strategy.exchange = Exchange::servers;
        strategy.grouping = grouping;
        strategy.overlapped = grouping != Grouping::single;
        strategy.servers = servers;
        strategy.dedicated = dedicated;
        strategy.sharding = servers == 1 ? "bytes" : (dedicated ? "round-robin" : "hash");
        check(strategy, text(strategy));
      }
    }
  }
}

TEST_CASE("The step that `layers` times is the step of `train`") {
  MpiCommunicator self(MPI_COMM_SELF);
  TrainOptions options;
  options.batch_per_worker = 4;
  options.most_steps = 3;
  options.strategy.exchange = Exchange::none;
  const std::vector<float> by_train = trained(self, options);

  const Device device = open_device("cpu", 1);
  at::manual_seed(options.seed); // draws as train draws
  const auto network = find_model(options.model).make();
  LoneWorker worker(network, device, options.precision, options.sgd);
  at::manual_seed(options.seed + 1);
  const Batch batch = network->random_batch(4);
  LayerTimer timer(*network, worker, batch, *device.marks);
  std::vector<LayerStepTimes> layers;
  timer.plain_step();
  timer.observed_step(layers);
  timer.plain_step();
  CHECK(worker.model().parameters() == by_train);
}

TEST_CASE("Staged through another memory, training is the same") {
  MpiCommunicator world(MPI_COMM_WORLD);
  const auto link = [](std::size_t) { return std::make_shared<HostLink>(); };
  for (const Exchange exchange : {Exchange::ring, Exchange::all_reduce, Exchange::servers}) {
    for (const Grouping grouping : {Grouping::buckets, Grouping::single, Grouping::fusion}) {
      if (exchange == Exchange::servers && grouping == Grouping::fusion) continue;
      TrainOptions options = options_for(world.size());
      options.most_steps = 3;
      options.strategy.exchange = exchange;
      options.strategy.grouping = grouping;
      options.strategy.overlapped = grouping != Grouping::single;
      options.strategy.dedicated = false;
      INFO("exchange " << static_cast<int>(exchange) << " " << text(options.strategy));
      // Fusion makes buffers of what is ready in a cycle, so its sums may be associated differently; servers update on
      // the host in both, and after an all-reduce the device's update may round otherwise.
      const double most = exchange == Exchange::servers ? 0 : sum_rounding;
      CHECK(distance(trained(world, options, link), trained(world, options)) <= most);
    }
  }
}

TEST_CASE("Asynchronous servers learn, and all ranks are left with their parameters") {
  MpiCommunicator world(MPI_COMM_WORLD);
  for (const bool dedicated : {true, false}) {
    TrainOptions options = options_for(1);
    options.batch_per_worker = 8;
    options.most_steps = 20;
    options.epochs = 20;
    options.strategy.exchange = Exchange::servers;
    options.strategy.grouping = Grouping::per_tensor;
    options.strategy.asynchronous = true;
    options.strategy.dedicated = dedicated;
    const std::vector<float> parameters = trained(world, options); // compares the ranks'
    const double moved = distance(parameters, one_process());
    CHECK(std::isfinite(moved));
    CHECK(moved > sum_rounding); // a different way was taken
  }
}

TEST_CASE("Asynchronous servers apply each push in full, synchronous ones the mean") {
  MpiCommunicator world(MPI_COMM_WORLD);
  TrainOptions options = options_for(world.size());
  options.most_steps = 1; // all workers push gradients at the same parameters, and the order does not matter
  options.sgd.momentum = 0;
  options.sgd.weight_decay = 0;
  options.strategy.exchange = Exchange::servers;
  options.strategy.grouping = Grouping::per_tensor;
  options.strategy.dedicated = false;
  TrainOptions asynchronous = options;
  asynchronous.strategy.asynchronous = true;
  asynchronous.sgd.learning_rate = options.sgd.learning_rate / world.size();
  CHECK(distance(trained(world, asynchronous), trained(world, options)) < sum_rounding);
}

namespace {

/// Of MobileNetV2 after so many steps that leave the parameters as they are.
std::vector<float> running_statistics(MpiCommunicator& world, std::size_t steps, bool broadcast,
                                      const LinkMaker& link) {
  TrainOptions options;
  options.model = "mobilenet_v2";
  options.batch_per_worker = 2;
  options.most_steps = steps;
  options.sgd.learning_rate = 1e-30; // lost in the rounding of every parameter
  options.strategy.broadcast_buffers = broadcast;
  return result_of(world, options, link).buffers;
}

} // namespace

TEST_CASE("Before each forward pass rank 0's running statistics become everybody's, where that is asked for") {
  // A step makes of statistics b, with this rank's batch's s, which is the same in every step: 0.9 b + 0.1 s.
  constexpr float kept = 0.9F;
  constexpr float rounding = 1e-5F; // of values around 1
  MpiCommunicator world(MPI_COMM_WORLD);
  if (world.size() > 2) return; // a large model: once is enough
  const std::vector<float> once = running_statistics(world, 1, true, {});
  std::vector<float> of_rank_0 = once;
  world.broadcast(of_rank_0.data(), of_rank_0.size(), 0);
  REQUIRE(once.size() == 34112); // 2 of each of 17056 channels
  CHECK((world.rank() == 0) == (once == of_rank_0));
  const LinkMaker staged = [](std::size_t) { return std::make_shared<HostLink>(); };
  for (const LinkMaker& link : {LinkMaker(), staged}) {
    const std::vector<float> shared = running_statistics(world, 2, true, link);
    const std::vector<float> own = running_statistics(world, 2, false, link);
    for (std::size_t i = 0; i < once.size(); ++i) {
      const float expected = kept * of_rank_0[i] + (own[i] - kept * once[i]);
      if (std::abs(shared[i] - expected) > rounding * std::max(1.0F, std::abs(expected))) {
        FAIL("statistic " << i << " is " << shared[i] << ", expected " << expected);
      }
    }
    if (world.rank() != 0) CHECK(shared != own);
  }
}

TEST_CASE("Ranks with different parameters are reported") {
  MpiCommunicator world(MPI_COMM_WORLD);
  const std::vector<float> parameters = {1, world.rank() == 1 ? 2.5F : 2.0F};
  CHECK_THROWS_WITH(check_agreement(world, parameters), Catch::Contains("parameters of ranks 1 differ"));
  CHECK_NOTHROW(check_agreement(world, {1, 2}));
}

TEST_CASE("Servers need ranks to live on") {
  MpiCommunicator world(MPI_COMM_WORLD);
  TrainStrategy strategy;
  strategy.exchange = Exchange::servers;
  strategy.servers = world.size();
  CHECK_THROWS_AS(make_job(world, strategy, "here", {}), ddlsim::UserError);
  strategy.servers = world.size() + 1;
  strategy.dedicated = false;
  CHECK_THROWS_AS(make_job(world, strategy, "here", {}), ddlsim::UserError);
}
