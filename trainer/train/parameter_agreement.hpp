#pragma once
#include "trainer/communication/mpi_communicator.hpp"

namespace ddltrain {

/// FNV-1a over the bytes (Fowler, Noll, Vo), 64 bits.
std::uint64_t checksum(const void* bytes, std::size_t count);

/// Compares the ranks' parameters by checksum. Throws RunError naming the ranks whose differ from rank 0's. Collective.
void check_agreement(MpiCommunicator& ranks, const std::vector<float>& parameters);

} // namespace ddltrain
