#include "sim/base/error.hpp"
#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/cuda/device.hpp"
#include "trainer/cuda/nccl.hpp"
#include "trainer/cuda/rank_gpu.hpp"
#include "trainer/run_error.hpp"

#include <ATen/Context.h>
#include <catch2/catch.hpp>

#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
static_assert(static_cast<int>(cudaSuccess) == ddltrain::cuda_success);
static_assert(static_cast<int>(cudaErrorInsufficientDriver) == ddltrain::cuda_insufficient_driver);
static_assert(static_cast<int>(cudaDevAttrComputeCapabilityMajor) == ddltrain::cuda_capability_major);
static_assert(static_cast<int>(cudaDevAttrComputeCapabilityMinor) == ddltrain::cuda_capability_minor);
static_assert(static_cast<int>(cudaMemcpyHostToDevice) == ddltrain::cuda_host_to_device);
static_assert(static_cast<int>(cudaMemcpyDeviceToHost) == ddltrain::cuda_device_to_host);
static_assert(cudaStreamNonBlocking == ddltrain::cuda_stream_non_blocking);
static_assert(sizeof(cudaError_t) == sizeof(ddltrain::CudaStatus));
static_assert(sizeof(cudaStream_t) == sizeof(void*) && sizeof(cudaEvent_t) == sizeof(void*));
#if __has_include(<nccl.h>)
#include <nccl.h>
static_assert(static_cast<int>(ncclSuccess) == ddltrain::nccl_success);
static_assert(static_cast<int>(ncclInProgress) == ddltrain::nccl_in_progress);
static_assert(static_cast<int>(ncclFloat) == ddltrain::nccl_float);
static_assert(static_cast<int>(ncclSum) == ddltrain::nccl_sum);
static_assert(sizeof(ncclUniqueId) == sizeof(ddltrain::NcclId));
static_assert(sizeof(ncclResult_t) == sizeof(ddltrain::NcclStatus));
#endif
#endif

namespace {

/// What opening says, "" when it succeeds.
template <class Open> std::string complaint(Open open) {
  try {
    open();
  } catch (const ddltrain::RunError& error) {
    return error.what();
  }
  return "";
}

bool has_gpu() {
  return complaint([] { const ddltrain::CudaRuntime cuda; }).empty();
}

} // namespace

TEST_CASE("Without a GPU, CUDA says what is missing") {
  if (has_gpu()) {
    WARN("skipped: there is a GPU");
    return;
  }
  const std::string said = complaint([] { ddltrain::open_device("cuda", 1); });
  CHECK_THAT(said, Catch::Contains("no GPU can be used") &&
                       (Catch::Contains("the CUDA runtime is missing") || Catch::Contains("found no device") ||
                        Catch::Contains("no NVIDIA driver")));
}

TEST_CASE("LibTorch's code runs on GPUs of its major version from its minor one, as PTX on all later ones") {
  const auto all = ddltrain::architectures_in(
      "  - CUDA Runtime 12.6\n  - NVCC architecture flags: "
      "-gencode;arch=compute_70,code=sm_70;-gencode;arch=compute_86,"
      "code=sm_86;-gencode;arch=compute_90a,code=sm_90a;-gencode;arch=compute_120,code=compute_120\n");
  REQUIRE(all.size() == 4);
  const auto run_on = [&](const ddltrain::Capability& gpu) {
    std::string which;
    for (const auto& code : all) which += ddltrain::runs_on(code, gpu) ? 'y' : 'n';
    return which;
  };
  CHECK(run_on({6, 1}) == "nnnn");
  CHECK(run_on({7, 0}) == "ynnn");
  CHECK(run_on({7, 5}) == "ynnn");
  CHECK(run_on({8, 0}) == "nnnn");
  CHECK(run_on({8, 9}) == "nynn");
  CHECK(run_on({9, 0}) == "nnyn");
  CHECK(run_on({10, 3}) == "nnnn");
  CHECK(run_on({12, 0}) == "nnny");
  CHECK(run_on({13, 0}) == "nnny");
  CHECK(ddltrain::architectures_in("PyTorch built with:\n  - GCC 12.2\n").empty());
}

TEST_CASE("NCCL is there with a version, or is reported missing") {
  std::string version;
  const std::string said = complaint([&] { version = ddltrain::Nccl().version(); });
  if (said.empty()) {
    CHECK_THAT(version, Catch::StartsWith("NCCL 2."));
  } else {
    CHECK_THAT(said, Catch::Contains("NCCL is missing") && Catch::Contains("libnccl.so.2"));
  }
}

TEST_CASE("Ranks that NCCL would refuse for one GPU are named") {
  const auto rank = [](const std::string& host, const std::string& host_id, int gpu, const std::string& bus_id,
                       bool shares = false) {
    return ddltrain::RankGpu{host, host_id, gpu, bus_id, shares};
  };
  const auto said = [](const std::vector<ddltrain::RankGpu>& gpus) {
    return complaint([&] { ddltrain::check_rank_gpus(gpus); });
  };
  CHECK(said({rank("a", "", 0, "1"), rank("a", "", 1, "2"), rank("b", "", 0, "1")}).empty());
  CHECK(said({rank("a", "", 0, "1"), rank("a", "", 0, "2")}).empty()); // a launcher shows each rank its own
  CHECK_THAT(
      said({rank("a", "", 0, "1"), rank("a", "", 1, "2"), rank("a", "", 0, "1"), rank("a", "", 1, "2"),
            rank("a", "", 0, "1")}),
      Catch::StartsWith("ranks 0, 2 and 4 share GPU 0 (1), ranks 1 and 3 share GPU 1 (2) of host a, and NCCL takes "
                        "one rank a GPU"));
  CHECK_THAT(said({rank("a", "same", 0, "1"), rank("a", "same", 0, "1")}), Catch::Contains("share GPU 0"));
  CHECK(said({rank("a", "one", 0, "1"), rank("a", "other", 0, "1")}).empty());
  CHECK(said({rank("a", "one", 0, "1", true), rank("a", "other", 0, "1", true)}).empty());
  const auto own = rank("a", "", 3, "0000:19:00.0", true);
  CHECK(ddltrain::text_of(ddltrain::rank_gpu_in(ddltrain::text_of(own))) == ddltrain::text_of(own));
}

TEST_CASE("TF32 is on only where it was asked for, and the settings are reported for a GPU's records") {
  ddltrain::Device gpu; // its name is all that is looked at
  gpu.name = "cuda";
  CHECK(ddltrain::choose_math(gpu, ddlsim::Precision::tf32, true) == "TF32 on, cuDNN benchmark on");
  CHECK(at::globalContext().allowTF32CuDNN());
  CHECK(at::globalContext().allowTF32CuBLAS());
  for (const auto precision : {ddlsim::Precision::fp32, ddlsim::Precision::amp, ddlsim::Precision::bf16}) {
    CHECK(ddltrain::choose_math(gpu, precision, true) == "TF32 off, cuDNN benchmark on");
    CHECK_FALSE(at::globalContext().allowTF32CuDNN());
    CHECK_FALSE(at::globalContext().allowTF32CuBLAS());
    CHECK(at::globalContext().benchmarkCuDNN());
  }
  CHECK(ddltrain::choose_math(gpu, ddlsim::Precision::amp, false) == "TF32 off, cuDNN benchmark off");
  CHECK_FALSE(at::globalContext().benchmarkCuDNN());
  CHECK(ddltrain::choose_math(ddltrain::open_device("cpu", 1), ddlsim::Precision::fp32, true).empty());
  CHECK(ddltrain::least_warm_up("cuda") >= 10);
}

TEST_CASE("Half precision and unknown devices are refused on a processor") {
  const auto cpu = ddltrain::open_device("cpu", 1);
  for (const auto precision : {ddlsim::Precision::amp, ddlsim::Precision::bf16, ddlsim::Precision::tf32}) {
    CHECK_THROWS_WITH(ddltrain::check_precision(cpu, precision), Catch::Contains("needs a GPU"));
  }
  CHECK_NOTHROW(ddltrain::check_precision(cpu, ddlsim::Precision::fp32));
  CHECK_THROWS_AS(ddltrain::open_device("tpu", 1), ddlsim::UserError);
}
