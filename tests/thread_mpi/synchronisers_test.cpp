// Every way in which the trainer synchronises over the host, with all its threads, on ranks that are threads of this
// process. The thread sanitizer (preset `tsan`) then sees what threads of one rank share. Gradients are whole numbers,
// so that sums are exact in any order, and equal runs give equal bits.
#include "tests/thread_mpi/ranks.hpp"
#include "tests/thread_mpi/whole_numbers.hpp"
#include "tests/trainer/host_link.hpp"
#include "trainer/communication/ring.hpp"
#include "trainer/communication/watchdog.hpp"
#include "trainer/run_error.hpp"
#include "trainer/synchronisation/fusion_synchroniser.hpp"
#include "trainer/synchronisation/parameter_server.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <thread>

using namespace ddltrain;
using namespace ddltrain_test;

namespace {

Reduce reduce_by(MpiCommunicator& group, bool ring) {
  const std::shared_ptr<MpiCommunicator> own = group.duplicate();
  if (!ring) return [own](float* data, std::size_t count) { own->all_reduce(data, count); };
  const auto scratch = std::make_shared<std::vector<float>>();
  return [own, scratch](float* data, std::size_t count) { ring_all_reduce(*own, data, count, *scratch); };
}

[[noreturn]] void fail_never(const std::exception_ptr& failure) {
  std::rethrow_exception(failure);
}

using MakeSynchroniser = std::function<std::unique_ptr<Synchroniser>(Model& model, MpiCommunicator& world)>;

/// Parameters by rank, in the order created; a watchdog looks on.
std::vector<std::vector<float>> trained(int ranks, WaitPolicy policy, const MakeSynchroniser& make) {
  std::vector<std::vector<float>> parameters(static_cast<std::size_t>(ranks));
  ddlsim_test::run_ranks(ranks, [&](int rank) {
    MpiCommunicator world(MPI_COMM_WORLD, policy);
    Watchdog watchdog(world, std::vector<std::string>(static_cast<std::size_t>(ranks), "here"), {}, Steps::together,
                      fail_never);
    Model model(sgd_options(0.5));
    const auto synchroniser = make(model, world);
    train(rank, model, *synchroniser, world, static_cast<std::size_t>(rank), &watchdog);
    parameters[static_cast<std::size_t>(rank)] = model.created();
  });
  return parameters;
}

const auto any_policy = [] { return Catch::Generators::values({WaitPolicy::in_mpi, WaitPolicy::share_cores}); };

} // namespace

TEST_CASE("All-reduces, beside backward or after it, give every rank the same parameters", "[thread-mpi]") {
  const int ranks = GENERATE(2, 3, 4);
  const WaitPolicy policy = GENERATE(any_policy());
  const bool ring = GENERATE(true, false);
  const Grouping grouping = GENERATE(Grouping::buckets, Grouping::per_tensor, Grouping::single);
  const bool overlapped = GENERATE(true, false);
  const auto parameters = trained(ranks, policy, [&](Model& model, MpiCommunicator& world) {
    Reduce reduce = reduce_by(world, ring);
    return all_reduce_synchroniser(model.layout, model.gradients.data(), grouping, overlapped,
                                   overlapped ? reduce_beside(std::move(reduce)) : reduce_at_once(std::move(reduce)),
                                   update_of(model));
  });
  check_all(parameters, expected(ranks, 0.5));
}

TEST_CASE("Horovod's way does, whatever order gradients are ready in", "[thread-mpi]") {
  const int ranks = GENERATE(2, 3, 4);
  const WaitPolicy policy = GENERATE(any_policy());
  const auto parameters = trained(ranks, policy, [](Model& model, MpiCommunicator& world) {
    FusionOptions options;
    options.buffer_bytes = 4000; // several buffers a step, and tensors that are larger
    options.cycle_s = 0.0005;
    return fusion_synchroniser(model.layout, model.gradients.data(), world, reduce_by(world, true), update_of(model),
                               options);
  });
  check_all(parameters, expected(ranks, 0.5));
}

TEST_CASE("So does synchronisation through a host's memory", "[thread-mpi]") {
  const int ranks = GENERATE(2, 4);
  const bool fused = GENERATE(true, false);
  const auto parameters = trained(ranks, WaitPolicy::in_mpi, [fused](Model& model, MpiCommunicator& world) {
    const auto link = std::make_shared<HostLink>();
    float* const host = link->host_memory(model.gradients.size());
    Update after = [&model, link, host] {
      link->store(model.gradients.data(), host, model.gradients.size());
      update_of(model)();
    };
    FusionOptions options;
    options.cycle_s = 0.0005;
    auto inner = fused ? fusion_synchroniser(
                             model.layout, host, world, reduce_by(world, false), [] {}, options)
                       : all_reduce_synchroniser(model.layout, host, Grouping::per_tensor, true,
                                                 reduce_beside(reduce_by(world, true)), [] {});
    return staged_synchroniser(model.layout, model.gradients.data(), host, link, std::move(inner), std::move(after));
  });
  check_all(parameters, expected(ranks, 0.5));
}

namespace {

/// How workers meet servers.
struct Served {
  int workers = 1;
  int servers = 1;
  bool dedicated = true; ///< else server s is a thread of rank s
  bool overlapped = true;
  bool asynchronous = false;
  Grouping grouping = Grouping::per_tensor;
  std::string rule = "split";
};

ServerPlan plan_of(const Served& served, double momentum) {
  ServerPlan plan;
  plan.counts = tensor_counts;
  plan.shards = place_shards(tensor_counts, served.servers, served.rule);
  for (int server = 0; server < served.servers; ++server)
    plan.server_ranks.push_back(served.dedicated ? served.workers + server : server);
  plan.workers = served.workers;
  plan.asynchronous = served.asynchronous;
  plan.steps = trained_steps;
  plan.sgd = sgd_options(momentum);
  return plan;
}

/// What servers hold in the end, and what workers do, in the order created.
struct ServedResult {
  std::vector<float> on_servers = std::vector<float>(all_elements());
  std::vector<std::vector<float>> on_workers;
};

void work(int rank, const Served& served, const ServerPlan& plan, MpiCommunicator& meeting, MpiCommunicator& workers,
          std::vector<float>& parameters) {
  Model model(plan.sgd);
  const auto synchroniser =
      server_synchroniser(model.layout, model.memory(), served.grouping, served.overlapped, meeting, plan);
  train(rank, model, *synchroniser, workers, 0, nullptr);
  parameters = model.created();
}

ServedResult served_training(const Served& served, WaitPolicy policy, double momentum) {
  ServedResult result;
  result.on_workers.resize(static_cast<std::size_t>(served.workers));
  const ServerPlan plan = plan_of(served, momentum);
  const int ranks = served.workers + (served.dedicated ? served.servers : 0);
  ddlsim_test::run_ranks(ranks, [&](int rank) {
    MpiCommunicator meeting(MPI_COMM_WORLD, policy);
    const auto group = meeting.split(rank < served.workers ? 0 : 1);
    std::vector<float> start(all_elements());
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = start_of(i);
    const int server = served.dedicated ? rank - served.workers : rank;
    std::unique_ptr<ParameterServer> own;
    if (server >= 0 && server < served.servers) own = std::make_unique<ParameterServer>(meeting, plan, server, start);
    std::thread serving;
    if (own) serving = std::thread([&own] { own->serve(); });
    if (rank < served.workers)
      work(rank, served, plan, meeting, *group, result.on_workers[static_cast<std::size_t>(rank)]);
    if (own) {
      serving.join();
      own->copy_to(result.on_servers); // each its own part
    }
    meeting.barrier();
  });
  return result;
}

} // namespace

TEST_CASE("Servers give every worker the same parameters, by themselves or beside workers", "[thread-mpi]") {
  Served served;
  served.workers = GENERATE(2, 3);
  served.servers = GENERATE(1, 2);
  served.dedicated = GENERATE(true, false);
  served.overlapped = GENERATE(true, false);
  served.grouping = GENERATE(Grouping::per_tensor, Grouping::buckets);
  served.rule = GENERATE("split", "round-robin");
  const WaitPolicy policy = GENERATE(any_policy());
  const ServedResult result = served_training(served, policy, 0.5);
  const std::vector<float> right = expected(served.workers, 0.5);
  CHECK(result.on_servers == right);
  check_all(result.on_workers, right);
}

TEST_CASE("Asynchronous servers apply every push once", "[thread-mpi]") {
  Served served;
  served.asynchronous = true;
  served.workers = GENERATE(1, 3);
  served.servers = GENERATE(1, 2);
  served.dedicated = GENERATE(true, false);
  served.overlapped = GENERATE(true, false);
  if (!served.dedicated && served.servers > served.workers) return;
  const ServedResult result = served_training(served, WaitPolicy::in_mpi, 0); // without momentum order is all the same
  CHECK(result.on_servers == expected(served.workers, 0));
}

TEST_CASE("What fails on the thread beside backward is reported by finish", "[thread-mpi]") {
  Model model(sgd_options(0));
  int calls = 0;
  const auto synchroniser = all_reduce_synchroniser(model.layout, model.gradients.data(), Grouping::per_tensor, true,
                                                    reduce_beside([&calls](float*, std::size_t) {
                                                      if (++calls == 3) throw RunError("a rank is gone");
                                                    }),
                                                    [] {});
  for (std::size_t position = 0; position < model.layout.size(); ++position) synchroniser->gradient_ready(position);
  CHECK_THROWS_AS(synchroniser->finish(), RunError);
  CHECK(calls == 3);
}

TEST_CASE("The watchdog names the rank that all wait for", "[thread-mpi]") {
  constexpr int ranks = 3;
  StallLimits limits;
  limits.least_s = 1;
  std::vector<std::string> message(ranks);
  std::atomic<bool> over = false;
  std::atomic<int> checks = 0;
  ddlsim_test::run_ranks(ranks, [&](int rank) {
    MpiCommunicator world(MPI_COMM_WORLD);
    const auto fail = [&](const std::exception_ptr& failure) {
      try {
        std::rethrow_exception(failure);
      } catch (const RunError& error) {
        message[static_cast<std::size_t>(rank)] = error.what();
      }
      over = true;
    };
    Watchdog watchdog(world, {"a", "b", "c"}, limits, Steps::together, fail);
    watchdog.set_check([&checks] { ++checks; });
    const int steps = rank == 2 ? 3 : 4; // the others go on to a fourth, which rank 2 never ends
    for (int step = 0; step < steps; ++step) {
      watchdog.beat();
      std::this_thread::sleep_for(std::chrono::milliseconds(400)); // longer than between two signs
    }
    while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    watchdog.set_check({});
  });
  CHECK(checks > 0);
  CHECK(message[0].find("rank 2 on host c is behind") != std::string::npos);
  CHECK(message[1].empty());
  CHECK(message[2].empty());
}
