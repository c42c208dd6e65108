#pragma once
// All-to-all: every rank sends a part of its data to every other rank.

#include "sim/network/machine.hpp"

namespace ddlsim {

/// Time of one all-to-all, seconds. Each rank starts with `size_bytes`, cut into one equal part for each rank including
/// itself. All messages leave at the same time (NCCL's grouped ncclSend and ncclRecv). The links of a rank inside its
/// node, the NICs of a node and the uplinks of a leaf carry their bytes in parallel. The time is that of the slowest of
/// them plus one latency.
double all_to_all_s(const Machine& machine, double size_bytes);

} // namespace ddlsim
