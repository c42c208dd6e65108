// Every check of the fake CUDA runtime finds its planted fault, and finds nothing where all is right.

#include "tests/fake_cuda/machine.hpp"
#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/cuda/nccl.hpp"
#include "trainer/run_error.hpp"

#include <ATen/ops/zeros.h>
#include <catch2/catch.hpp>

#include <array>
#include <cstdlib>

extern "C" int cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind);

using Catch::Contains;
using ddltrain::CudaRuntime;
using fake_cuda::Machine;

namespace {

constexpr std::size_t vector_elements = 1000;
constexpr std::size_t vector_bytes = vector_elements * sizeof(float);

/// A GPU's memory with a pinned counterpart, and a stream beside the default one.
struct Scene {
  CudaRuntime cuda;
  float* device = static_cast<float*>(cuda.allocate(vector_bytes));
  float* host = static_cast<float*>(cuda.allocate_host(vector_bytes));
  CudaRuntime::Stream stream = cuda.create_stream();
  CudaRuntime::Event event = cuda.create_event();
  at::Tensor computed = at::zeros({static_cast<std::int64_t>(vector_elements)}); ///< by LibTorch

  float* at_computed() { return computed.data_ptr<float>(); }

  Scene() { std::fill_n(host, vector_elements, 1.0F); }
  ~Scene() {
    Machine::get().take_complaint();
    cuda.finish(stream);
    cuda.finish(nullptr);
    cuda.destroy_event(event);
    cuda.destroy_stream(stream);
    cuda.free_host(host);
    cuda.free(device);
    Machine::get().take_complaint(); // of what a case destroyed itself
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
};

/// One rank's sums by NCCL: nothing is exchanged, but streams must be in order.
struct Alone {
  std::shared_ptr<CudaRuntime> cuda = std::make_shared<CudaRuntime>();
  std::shared_ptr<ddltrain::Nccl> nccl = std::make_shared<ddltrain::Nccl>();
  ddltrain::NcclAllReduce all_reduce{cuda, nccl, 0, nccl->new_id(), 0, 1};
  at::Tensor gradients = at::zeros({static_cast<std::int64_t>(vector_elements)});
};

} // namespace

TEST_CASE("A stream that waits for an event sees what was done before it") {
  Scene on;
  on.cuda.copy_to_device(on.device, on.host, vector_bytes);
  on.cuda.record(on.event, nullptr);
  on.cuda.wait_for(on.stream, on.event);
  std::fill_n(on.host, vector_elements, 0.0F);
  on.cuda.start_copy_to_host(on.host, on.device, vector_bytes, on.stream);
  on.cuda.finish(on.stream);
  CHECK(on.host[0] == 1);
  CHECK(on.host[vector_elements - 1] == 1);
  CHECK(Machine::get().take_complaint().empty());
}

TEST_CASE("A stream that reads what another wrote without waiting for it is found") {
  Scene on;
  on.computed.fill_(2);
  CHECK_THROWS_WITH(on.cuda.start_copy_to_host(on.host, on.at_computed(), vector_bytes, on.stream),
                    Contains("stream") && Contains("of GPU 0 reads 0x") &&
                        Contains("the default stream of GPU 0 wrote") && Contains("without waiting for it"));
  CHECK_THROWS_WITH(on.cuda.finish(on.stream), Contains("without waiting for it")); // and so does every later call
}

TEST_CASE("An event recorded too early orders nothing that comes after it") {
  Scene on;
  on.cuda.record(on.event, nullptr);
  on.computed.fill_(2);
  on.cuda.wait_for(on.stream, on.event);
  CHECK_THROWS_WITH(on.cuda.start_copy_to_host(on.host, on.at_computed(), vector_bytes, on.stream),
                    Contains("without waiting"));
}

TEST_CASE("The host's waits order streams too") {
  Scene on;
  on.computed.fill_(2);
  on.cuda.finish(nullptr);
  CHECK_NOTHROW(on.cuda.start_copy_to_host(on.host, on.at_computed(), vector_bytes, on.stream));
  on.cuda.finish(on.stream);
  CHECK(on.host[0] == 2);
}

TEST_CASE("A copy from pageable memory may not be there yet when the call returns") {
  Scene on;
  const std::vector<float> pageable(vector_elements, 2.0F);
  SECTION("as CUDA has it") {
    REQUIRE(cudaMemcpy(on.device, pageable.data(), vector_bytes, ddltrain::cuda_host_to_device) == 0);
    CHECK_THROWS_WITH(on.cuda.start_copy_to_host(on.host, on.device, vector_bytes, on.stream),
                      Contains("without waiting"));
  }
  SECTION("the trainer waits for it") {
    on.cuda.copy_to_device(on.device, pageable.data(), vector_bytes);
    on.cuda.start_copy_to_host(on.host, on.device, vector_bytes, on.stream);
    on.cuda.finish(on.stream);
    CHECK(on.host[0] == 2);
  }
}

TEST_CASE("Memory that another stream still reads may not be written") {
  Scene on;
  on.cuda.copy_to_device(on.device, on.host, vector_bytes);
  on.cuda.start_copy_to_host(on.host, on.device, vector_bytes, on.stream);
  CHECK_THROWS_WITH(on.cuda.copy_to_device(on.device, on.host, vector_bytes), Contains("without waiting for it"));
}

TEST_CASE("What LibTorch does is work of the default stream") {
  Alone one;
  one.gradients.fill_(1);
  one.all_reduce.start(one.gradients.data_ptr<float>(), vector_elements);
  SECTION("in order") {
    one.all_reduce.finish();
    CHECK(one.gradients.sum().item<float>() == vector_elements);
    CHECK(Machine::get().take_complaint().empty());
  }
  SECTION("an update that does not wait for the sum is found") {
    one.gradients.mul_(0.5);
    CHECK_THAT(Machine::get().take_complaint(),
               Contains("the default stream of GPU 0 writes") && Contains("without waiting") && Contains("aten::mul_"));
    one.all_reduce.finish();
  }
  SECTION("other tensors are free") {
    const at::Tensor other = at::zeros({10});
    CHECK(other.add(1).sum().item<float>() == 10);
    CHECK(Machine::get().take_complaint().empty());
    one.all_reduce.finish();
  }
  one.cuda->finish(nullptr);
}

TEST_CASE("A sum that does not wait for LibTorch's gradients is found") {
  Alone one;
  one.gradients.fill_(1);
  CHECK_THROWS_WITH(one.all_reduce.all_reduce_now(one.gradients.data_ptr<float>(), vector_elements),
                    Contains("the default stream of GPU 0 wrote") && Contains("ncclAllReduce"));
  Machine::get().take_complaint();
}

TEST_CASE("Memory is freed once, by its own function, and used neither after it nor beyond its end") {
  Scene on;
  SECTION("twice") {
    void* const memory = on.cuda.allocate(vector_bytes);
    on.cuda.free(memory);
    on.cuda.free(memory);
    CHECK_THAT(Machine::get().take_complaint(), Contains("a second time"));
  }
  SECTION("by the other function") {
    on.cuda.free(on.host);
    CHECK_THAT(Machine::get().take_complaint(), Contains("which it is not"));
  }
  SECTION("what was never allocated") {
    on.cuda.free(&on);
    CHECK_THAT(Machine::get().take_complaint(), Contains("no allocation"));
  }
  SECTION("used after it") {
    void* const memory = on.cuda.allocate(vector_bytes);
    on.cuda.free(memory);
    CHECK_THROWS_WITH(on.cuda.copy_to_device(memory, on.host, vector_bytes), Contains("was freed"));
  }
  SECTION("beyond its end") {
    CHECK_THROWS_WITH(on.cuda.copy_to_device(on.device + 1, on.host, vector_bytes), Contains("beyond the end"));
  }
  SECTION("while in use") {
    on.cuda.copy_to_device(on.device, on.host, vector_bytes);
    on.cuda.start_copy_to_host(on.host, on.device, vector_bytes, on.stream);
    on.cuda.free(on.device);
    CHECK_THAT(Machine::get().take_complaint(), Contains("may still use"));
  }
  SECTION("pageable memory for a copy beside other work") {
    std::vector<float> pageable(vector_elements);
    CHECK_THROWS_WITH(on.cuda.start_copy_to_host(pageable.data(), on.device, vector_bytes, on.stream),
                      Contains("not pinned"));
  }
}

TEST_CASE("What is destroyed is not used, and nothing is destroyed twice") {
  Scene on;
  const CudaRuntime::Stream stream = on.cuda.create_stream();
  const CudaRuntime::Event event = on.cuda.create_event();
  on.cuda.destroy_stream(stream);
  on.cuda.destroy_event(event);
  SECTION("stream used") {
    CHECK_THROWS_WITH(on.cuda.finish(stream), Contains("none any more"));
  }
  SECTION("event used") {
    CHECK_THROWS_WITH(on.cuda.record(event, nullptr), Contains("none any more"));
  }
  SECTION("stream twice") {
    on.cuda.destroy_stream(stream);
    CHECK_THAT(Machine::get().take_complaint(), Contains("destroyed that is none"));
  }
  SECTION("event twice") {
    on.cuda.destroy_event(event);
    CHECK_THAT(Machine::get().take_complaint(), Contains("destroyed that is none"));
  }
}

TEST_CASE("An event of one GPU is not recorded on a stream of another") {
  Scene on;
  on.cuda.use_device(1); // as in a thread that forgot which GPU is its rank's
  CHECK_THROWS_WITH(on.cuda.record(on.event, nullptr),
                    Contains("an event of GPU 0 is recorded on the default stream of GPU 1"));
  Machine::get().take_complaint();
  on.cuda.use_device(0);
}

TEST_CASE("Times between events are of work that is done") {
  Scene on;
  const CudaRuntime::Event later = on.cuda.create_event();
  CHECK_THROWS_WITH(on.cuda.seconds_between(on.event, later), Contains("invalid resource handle"));
  on.cuda.record(on.event, nullptr);
  on.cuda.record(later, nullptr);
  on.cuda.finish_event(later);
  CHECK(on.cuda.seconds_between(on.event, later) >= 0);
  on.cuda.destroy_event(later);
}

TEST_CASE("What is left behind is reported at the end",
          "[.leak]") { // fake_gpu_test.py runs it: the program ends with 86
  const CudaRuntime cuda;
  CHECK(cuda.allocate(vector_bytes) != nullptr);
  CHECK(cuda.create_stream() != nullptr);
}

TEST_CASE("A fault that nobody was informed of is reported at the end", "[.fault]") {
  CudaRuntime cuda;
  cuda.free(&cuda);
}

TEST_CASE("A GPU that LibTorch was not built for is refused with what it was built for") {
  const CudaRuntime cuda; // its GPUs have 9.0
  CHECK(cuda.capability(3) == ddltrain::Capability{9, 0});
  CHECK_NOTHROW(ddltrain::check_capability(cuda, 1, ""));
  CHECK_NOTHROW(ddltrain::check_capability(cuda, 1, "arch=compute_80,code=sm_80;arch=compute_90,code=sm_90"));
  CHECK_NOTHROW(ddltrain::check_capability(cuda, 1, "arch=compute_80,code=sm_80;arch=compute_80,code=compute_80"));
  CHECK_THROWS_WITH(
      ddltrain::check_capability(cuda, 1, "arch=compute_75,code=sm_75;arch=compute_100,code=compute_100"),
      "GPU 1 has compute capability 9.0, and this LibTorch was built for 7.5, 10.0 and later; use a LibTorch "
      "built for it, or another GPU");
  CHECK_THROWS_WITH(cuda.capability(9), Contains("cudaDeviceGetAttribute failed: invalid device ordinal"));
}
