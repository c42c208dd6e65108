#include "trainer/communication/local_job.hpp"
#include "trainer/communication/node_map.hpp"

#include <catch2/catch.hpp>

using namespace ddltrain;

namespace {

std::string digest(const std::vector<std::string>& lines) {
  MpirunWords words;
  std::string told;
  for (const std::string& line : lines) {
    const std::string text = words.digest(line);
    if (!text.empty()) told += text + "\n";
  }
  return told;
}

const std::string kDashes(74, '-');

} // namespace

TEST_CASE("A killed rank is told in one line") {
  CHECK(digest({kDashes, "Primary job  terminated normally, but 1 process returned",
                "a non-zero exit code. Per user-direction, the job has been aborted.", kDashes, kDashes,
                "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).", kDashes}) ==
        "ddltrain: rank 1 on host vm died of signal 9 (Killed); the job has ended. Records written so far are kept.\n");
}

TEST_CASE("What mpirun tells besides is passed on") {
  CHECK(digest({"ddltrain: no space left", kDashes, "MPI_ABORT was invoked on rank 0", "with errorcode 1.", kDashes,
                "[vm:1] 1 more process has sent help message help-mpi-api.txt / mpi-abort",
                "[vm:1] Set MCA parameter \"orte_base_help_aggregate\" to 0 to see all"}) ==
        "ddltrain: no space left\n");
  CHECK(digest({kDashes, "There are not enough slots", "in the system", kDashes}) ==
        "There are not enough slots\nin the system\n");
}

TEST_CASE("Ranks are grouped by host, in the order hosts come") {
  const NodeMap nodes = map_nodes({"b", "b", "a", "b"});
  CHECK(nodes.nodes == 2);
  CHECK(nodes.most_ranks_per_node == 3);
  CHECK(nodes.node_of_rank == std::vector<int>{0, 0, 1, 0});
}
