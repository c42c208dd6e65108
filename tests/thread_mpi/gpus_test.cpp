// The trainer's ways over NCCL and CUDA, with all its threads, on the fake GPUs of tests/fake_cuda: ranks are threads of
// this process with a GPU each. The thread sanitizer (preset `tsan`) sees what threads of a rank share; what streams
// share the fake libraries check by themselves, and are hidden from it (unseen.hpp).
#include "tests/fake_cuda/machine.hpp"
#include "tests/thread_mpi/ranks.hpp"
#include "tests/thread_mpi/whole_numbers.hpp"
#include "trainer/communication/ring.hpp"
#include "trainer/cuda/cuda_link.hpp"
#include "trainer/cuda/nccl.hpp"
#include "trainer/synchronisation/fusion_synchroniser.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

using namespace ddltrain_test;

namespace {

/// What LibTorch would do to so many floats, told as torch_accesses.cpp tells it: after what the default stream has.
void computes(const char* what, const std::vector<float>& all, std::size_t first, std::size_t count, bool writes) {
  fake_cuda::Machine::get().do_on_default_stream(
      what, {{fake_cuda::range_of(all.data() + first, count * sizeof(float)), writes}});
}

/// Sums with momentum, on the default stream.
Update update_on_gpu(Model& model) {
  return [&model, update = update_of(model)] {
    computes("update reads", model.gradients, 0, model.gradients.size(), false);
    computes("update writes", model.parameters, 0, model.parameters.size(), true);
    update();
  };
}

/// Backward is on a thread of its own, as LibTorch's is on one of its pool.
void backward(int rank, Model& model, Synchroniser& synchroniser) {
  std::thread([&] {
    fake_cuda::current_device() = rank;
    for (std::size_t position = 0; position < model.layout.size(); ++position) {
      const TensorPlace& place = model.layout[position];
      computes("backward", model.gradients, place.first, place.count, true);
      for (std::size_t element = 0; element < place.count; ++element)
        model.gradients[place.first + element] = gradient_of(rank, model.step, place.tensor, element);
      synchroniser.gradient_ready(position);
    }
  }).join();
}

void train_on_gpu(int rank, Model& model, Synchroniser& synchroniser, Watchdog& watchdog) {
  for (model.step = 0; model.step < trained_steps; ++model.step) {
    watchdog.beat();
    synchroniser.start_step();
    backward(rank, model, synchroniser);
    synchroniser.finish();
  }
  watchdog.rest();
}

[[noreturn]] void fail_never(const std::exception_ptr& failure) {
  std::rethrow_exception(failure);
}

/// One rank with its GPU. The watchdog asks NCCL now and then whether it has failed.
struct Rank {
  int number = 0;
  MpiCommunicator world{MPI_COMM_WORLD, WaitPolicy::in_mpi};
  Watchdog watchdog;
  std::shared_ptr<const CudaRuntime> cuda = std::make_shared<CudaRuntime>();
  Model model{sgd_options(0.5)};

  Rank(int rank, int ranks)
      : number(rank), watchdog(world, std::vector<std::string>(static_cast<std::size_t>(ranks), "here"), {},
                               Steps::together, fail_never) {
    cuda->use_device(rank);
  }
};

/// Asks again and again while it lives, oftener than the watchdog does.
class RequestingThread {
public:
  explicit RequestingThread(std::function<void()> question)
      : thread_([this, question = std::move(question)] {
          while (!over_) {
            question();
            std::this_thread::yield();
          }
        }) {}
  ~RequestingThread() {
    over_ = true;
    thread_.join();
  }
  RequestingThread(const RequestingThread&) = delete;
  RequestingThread& operator=(const RequestingThread&) = delete;

private:
  std::atomic<bool> over_ = false;
  std::thread thread_; // last: it uses the other
};

using Train = std::function<void(Rank&)>;

/// Parameters by rank, in the order created.
std::vector<std::vector<float>> trained(int ranks, const Train& train) {
  std::vector<std::vector<float>> parameters(static_cast<std::size_t>(ranks));
  ddlsim_test::run_ranks(ranks, [&](int number) {
    Rank rank(number, ranks);
    train(rank);
    rank.world.barrier();
    parameters[static_cast<std::size_t>(number)] = rank.model.created();
  });
  return parameters;
}

} // namespace

TEST_CASE("Sums by NCCL, which a watchdog asks about, give every rank the same parameters", "[thread-mpi]") {
  const int ranks = GENERATE(2, 3, 4);
  const Grouping grouping = GENERATE(Grouping::buckets, Grouping::per_tensor, Grouping::single);
  const bool overlapped = GENERATE(true, false);
  const auto nccl = std::make_shared<const Nccl>();
  const std::string id = nccl->new_id();
  const auto parameters = trained(ranks, [&](Rank& rank) {
    auto own = std::make_unique<NcclAllReduce>(rank.cuda, nccl, rank.number, id, rank.number, ranks);
    NcclAllReduce& reducer = *own;
    const auto synchroniser = all_reduce_synchroniser(rank.model.layout, rank.model.gradients.data(), grouping,
                                                      overlapped, std::move(own), update_on_gpu(rank.model));
    std::atomic<int> asked = 0;
    rank.watchdog.set_check([&] {
      reducer.check();
      ++asked;
    });
    const RequestingThread asker([&reducer] { reducer.check(); });
    train_on_gpu(rank.number, rank.model, *synchroniser, rank.watchdog);
    while (asked == 0) std::this_thread::yield();
    rank.watchdog.set_check({});
    rank.cuda->finish(nullptr);
  });
  check_all(parameters, expected(ranks, 0.5));
  CHECK(fake_cuda::Machine::get().take_complaint().empty());
}

TEST_CASE("Sums through a host's memory, copied beside backward, do as well", "[thread-mpi]") {
  const int ranks = GENERATE(2, 4);
  const bool fused = GENERATE(true, false);
  const auto parameters = trained(ranks, [&](Rank& rank) {
    Model& model = rank.model;
    const auto link = cuda_link(rank.cuda, rank.number, model.layout.size());
    float* const host = link->host_memory(model.gradients.size());
    Update after = [&model, link, host] {
      computes("copy", model.gradients, 0, model.gradients.size(), true);
      link->store(model.gradients.data(), host, model.gradients.size());
      update_on_gpu(model)();
    };
    const auto own = rank.world.duplicate();
    const auto scratch = std::make_shared<std::vector<float>>();
    Reduce reduce = [&own, scratch](float* data, std::size_t count) { ring_all_reduce(*own, data, count, *scratch); };
    FusionOptions options;
    options.cycle_s = 0.0005;
    auto inner =
        fused ? fusion_synchroniser(
                    model.layout, host, rank.world, reduce, [] {}, options)
              : all_reduce_synchroniser(model.layout, host, Grouping::per_tensor, true, reduce_beside(reduce), [] {});
    const auto synchroniser =
        staged_synchroniser(model.layout, model.gradients.data(), host, link, std::move(inner), std::move(after));
    train_on_gpu(rank.number, model, *synchroniser, rank.watchdog);
    rank.cuda->finish(nullptr);
  });
  check_all(parameters, expected(ranks, 0.5));
  CHECK(fake_cuda::Machine::get().take_complaint().empty());
}
