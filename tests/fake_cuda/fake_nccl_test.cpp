// The fake NCCL between two ranks, which are threads with a GPU each here and processes in fake_gpu_test.py.

#include "tests/fake_cuda/machine.hpp"
#include "trainer/cuda/nccl.hpp"
#include "trainer/run_error.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <functional>
#include <thread>

using Catch::Contains;
using ddltrain::CudaRuntime;
using ddltrain::Nccl;
using fake_cuda::Machine;

namespace {

constexpr int rank_count = 2;
constexpr std::size_t gathered_elements = 6;

struct Rank {
  int number = 0;
  CudaRuntime cuda;
  Nccl nccl;
  CudaRuntime::Stream stream = nullptr;
  Nccl::Handle communicator = nullptr;
  float* data = nullptr;
  float* own = nullptr;

  Rank(const std::string& id, int number_, int gpu) : number(number_) {
    cuda.use_device(gpu);
    communicator = nccl.join(id, number, rank_count);
    stream = cuda.create_stream();
    data = static_cast<float*>(cuda.allocate(gathered_elements * sizeof(float)));
    own = static_cast<float*>(cuda.allocate(gathered_elements * sizeof(float)));
    set(data, {1, 2, 3, 4, 5, 6});
    if (number == 1) set(data, {10, 20, 30, 40, 50, 60});
  }
  ~Rank() {
    nccl.leave(communicator);
    cuda.free(data);
    cuda.free(own);
    cuda.destroy_stream(stream);
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  void set(float* to, const std::vector<float>& values) {
    cuda.copy_to_device(to, values.data(), values.size() * sizeof(float));
  }
  std::vector<float> result(const float* from, std::size_t count) {
    cuda.finish(stream);
    return {from, from + count}; // a fake GPU's memory is the host's
  }
};

/// What a rank throws is its text, "" when it throws nothing.
std::array<std::string, rank_count> on_both(const std::function<void(Rank&)>& work,
                                            const std::array<int, rank_count>& gpus = {0, 1}) {
  const std::string id = Nccl().new_id();
  std::array<std::string, rank_count> said;
  std::array<std::thread, rank_count> threads;
  for (std::size_t i = 0; i < rank_count; ++i) {
    threads[i] = std::thread([&, i] {
      try {
        Rank rank(id, static_cast<int>(i), gpus[i]);
        work(rank);
      } catch (const ddltrain::RunError& error) {
        said[i] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return said;
}

using Values = std::vector<float>;

} // namespace

TEST_CASE("Collectives of two ranks have NCCL's results") {
  std::array<std::vector<Values>, rank_count> results;
  const auto said = on_both([&](Rank& rank) {
    auto& mine = results[static_cast<std::size_t>(rank.number)];
    rank.nccl.reduce_scatter(rank.communicator, rank.data, rank.own, gathered_elements / rank_count, rank.stream);
    mine.push_back(rank.result(rank.own, gathered_elements / rank_count));
    rank.nccl.all_reduce(rank.communicator, rank.data, gathered_elements, rank.stream);
    mine.push_back(rank.result(rank.data, gathered_elements));
    rank.set(rank.own, rank.number == 0 ? Values{1, 2} : Values{3, 4});
    rank.nccl.all_gather(rank.communicator, rank.own, rank.data, 2, rank.stream);
    mine.push_back(rank.result(rank.data, 4));
    rank.nccl.broadcast(rank.communicator, rank.own, 2, /*root=*/1, rank.stream);
    mine.push_back(rank.result(rank.own, 2));
    rank.nccl.check_communicator(rank.communicator);
  });
  CHECK(said == std::array<std::string, rank_count>{});
  CHECK(results[0] == std::vector<Values>{{11, 22, 33}, {11, 22, 33, 44, 55, 66}, {1, 2, 3, 4}, {3, 4}});
  CHECK(results[1] == std::vector<Values>{{44, 55, 66}, {11, 22, 33, 44, 55, 66}, {1, 2, 3, 4}, {3, 4}});
  CHECK(Machine::get().take_complaint().empty());
}

TEST_CASE("Two ranks on one GPU are refused") {
  const auto said = on_both([](Rank&) {}, {1, 1});
  CHECK_THAT(said[0], Contains("two ranks use GPU 1"));
  CHECK_THAT(said[1], Contains("two ranks use GPU 1"));
}

TEST_CASE("Ranks that ask for different sums are found") {
  const auto said = on_both(
      [](Rank& rank) { rank.nccl.all_reduce(rank.communicator, rank.data, rank.number == 0 ? 3 : 4, rank.stream); });
  CHECK(said == std::array<std::string, rank_count>{}); // the calls return: it is found when the ranks meet
  CHECK_THAT(Machine::get().take_complaint(),
             Contains("rank 1 asks for all-reduce of 4 floats, root 0, call 1, rank 0 for all-reduce of 3 floats"));
}

TEST_CASE("A rank that leaves is an asynchronous error on the other, which hangs till it gives up") {
  std::string heard;
  on_both([&](Rank& rank) {
    if (rank.number == 1) return; // and is destroyed
    rank.nccl.all_reduce(rank.communicator, rank.data, gathered_elements, rank.stream);
    while (heard.empty()) {
      try {
        rank.nccl.check_communicator(rank.communicator);
        std::this_thread::yield();
      } catch (const ddltrain::RunError& error) {
        heard = error.what();
      }
    }
  });
  CHECK_THAT(heard, Contains("remote process exited"));
  CHECK(Machine::get().take_complaint().empty());
}
