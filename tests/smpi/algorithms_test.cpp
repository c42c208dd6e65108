// Collectives by the algorithms of other people: Open MPI's and MPICH's, as SimGrid's authors ported them into SMPI,
// against ours. The network is the same, so that what differs is the algorithm; and Open MPI's table of them.

#include "sim/collective/all_to_all.hpp"
#include "sim/formats/names.hpp"
#include "sim/library/library_rules.hpp"
#include "sim/simgrid/executor.hpp"
#include "tests/smpi/smpirun.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>

using ddlsim::Algorithm;
using ddlsim::all_reduce_by;
using ddlsim::CollectiveKind;
using ddlsim::CollectiveOperation;
using namespace ddlsim_test;

namespace {

/// A call of MPI, by one of the algorithms that SMPI lists for it, or by a table of them.
double theirs_s(int ranks, int floats, const std::string& collective, const std::string& by) {
  return simulated_s({ranks, rate_Bps, latency_s, 0}, "collective " + collective + " " + std::to_string(floats),
                     "--cfg=smpi/" + by);
}

/// Messages of a rank one after another, each with its envelope. Ranks beyond a power of two give their vector to
/// others first, and take the sum last.
int messages_in_turn(int ranks, const CollectiveKind& collective) {
  if (collective.operation != CollectiveOperation::all_reduce) return ranks - 1;
  if (collective.algorithm == Algorithm::ring) return 2 * (ranks - 1);
  const int doublings = std::ilogb(ranks);
  const int handed = ranks == 1 << doublings ? 0 : 2;
  return handed + (collective.algorithm == Algorithm::halving_doubling ? 2 : 1) * doublings;
}

double ours_s(int ranks, int floats, const CollectiveKind& collective) {
  const double size_bytes = floats * float_bytes;
  const auto simulated = executor_of(ddlsim::Engine::full).collectives(star_of(ranks), {size_bytes}, collective);
  return simulated.times_s.front() + messages_in_turn(ranks, collective) * envelope_bytes / rate_Bps;
}

} // namespace

TEST_CASE("Open MPI's and MPICH's rings and doublings take as long as ours", "[smpi]") {
  const int ranks = GENERATE(2, 3, 4, 6, 8, 16, 31, 64);
  const int floats_per_rank = GENERATE(4, 3000); // all latency; mostly bytes. Equal parts, also of a power of two
  const int floats = ranks * floats_per_rank * 4;
  INFO(ranks << " ranks, " << floats << " floats");
  CHECK(theirs_s(ranks, floats, "all-reduce", "allreduce:lr") ==
        Approx(ours_s(ranks, floats, all_reduce_by(Algorithm::ring))).epsilon(rounding));
  CHECK(theirs_s(ranks, floats, "all-reduce", "allreduce:rdb") ==
        Approx(ours_s(ranks, floats, all_reduce_by(Algorithm::recursive_doubling))).epsilon(rounding));
  CHECK(theirs_s(ranks, floats, "all-reduce", "allreduce:rab_rdb") ==
        Approx(ours_s(ranks, floats, all_reduce_by(Algorithm::halving_doubling))).epsilon(rounding));
}

TEST_CASE("Open MPI's halves of a ring take as long as ours, and messages to all at once", "[smpi]") {
  const int ranks = GENERATE(2, 3, 4, 6, 8, 16, 31, 64);
  const int floats = ranks * GENERATE(4, 3000);
  INFO(ranks << " ranks, " << floats << " floats");
  CHECK(theirs_s(ranks, floats, "reduce-scatter", "reduce_scatter:ompi_ring") ==
        Approx(ours_s(ranks, floats, {CollectiveOperation::reduce_scatter, Algorithm::ring})).epsilon(rounding));
  CHECK(theirs_s(ranks, floats, "all-gather", "allgather:ring") ==
        Approx(ours_s(ranks, floats, {CollectiveOperation::all_gather, Algorithm::ring})).epsilon(rounding));
  const double all_to_all_s = ddlsim::all_to_all_s(star_of(ranks), floats * float_bytes);
  CHECK(theirs_s(ranks, floats, "all-to-all", "alltoall:basic_linear") ==
        Approx(all_to_all_s + (ranks - 1) * envelope_bytes / rate_Bps).epsilon(rounding));
}

TEST_CASE("Open MPI 4.1 takes the algorithm that our table of it says", "[smpi]") {
  const int ranks = GENERATE(2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64);
  // On both sides of the table's 4, 8, 16 and 256 KiB, in equal parts for all these ranks
  const int floats = GENERATE(192, 960, 1152, 1920, 2112, 4032, 4224, 65472, 65664, 100032);
  const ddlsim::LibraryVersion open_mpi_4_1{ddlsim::CollectiveLibrary::open_mpi, 4, 1, 0};
  const Algorithm algorithm = ddlsim::mpi_choice(open_mpi_4_1, ranks, floats * float_bytes);
  INFO(ranks << " ranks, " << floats << " floats, ours by " << ddlsim::to_text(algorithm));
  CHECK(theirs_s(ranks, floats, "all-reduce", "allreduce:ompi") ==
        Approx(ours_s(ranks, floats, all_reduce_by(algorithm))).epsilon(rounding));
}
