#pragma once
// What of CUDA's and NCCL's binary interfaces this program uses, written down so that it builds without their headers
// and finds the libraries at run time. The tests hold it to the headers where there are any.

#include <cstddef>

namespace ddltrain {

// cuda_runtime_api.h and driver_types.h, CUDA 11 to 13.
using CudaStatus = int;
inline constexpr CudaStatus kCudaSuccess = 0;
inline constexpr int kCudaHostToDevice = 1;
inline constexpr int kCudaDeviceToHost = 2;
inline constexpr unsigned kCudaStreamNonBlocking = 1;

// nccl.h, NCCL 2.
using NcclStatus = int;
using NcclCommunicatorHandle = void*;
inline constexpr NcclStatus kNcclSuccess = 0;
inline constexpr int kNcclFloat = 7;
inline constexpr int kNcclSum = 0;
inline constexpr std::size_t kNcclIdBytes = 128;
struct NcclId {
  char bytes[kNcclIdBytes];
};

} // namespace ddltrain
