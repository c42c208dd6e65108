#pragma once
// Every rank sends a part of what it has to every other rank.

#include "sim/network/machine.hpp"

namespace ddlsim {

/// Seconds until every rank has its part of what all others have, where each has `size_bytes` for all, its own part
/// among them. All messages leave at once (NCCL's grouped ncclSend and ncclRecv): what a rank sends inside its node, a
/// node over its NICs and a leaf over its uplinks go beside each other, and the longest decides; a message waits for
/// one latency.
double all_to_all_s(const Machine& machine, double size_bytes);

} // namespace ddlsim
