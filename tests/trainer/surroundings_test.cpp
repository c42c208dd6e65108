// What records say of where they were measured.
#include "sim/base/error.hpp"
#include "tests/trainer/check_records.hpp"
#include "trainer/records/record_file.hpp"
#include "trainer/records/surroundings.hpp"

#include <catch2/catch.hpp>

#include <fstream>

using namespace ddltrain;

TEST_CASE("Settings are what steers MPI, NCCL, UCX and OpenMP, without what mpirun notes for its own ranks") {
  const Facts facts =
      steering_variables({"OMPI_MCA_btl=self,vader", "OMPI_MCA_orte_hnp_uri=120;tcp://x", "HOME=/root",
                          "OMPI_MCA_ess_base_jobid=12", "NCCL_ALGO=Ring", "UCX_TLS=rc", "OMP_NUM_THREADS=1"});
  CHECK(facts ==
        Facts{{"OMPI_MCA_btl", "self,vader"}, {"NCCL_ALGO", "Ring"}, {"UCX_TLS", "rc"}, {"OMP_NUM_THREADS", "1"}});
  const Facts here = settings_of_run();
  CHECK(here.count("cores_per_rank") == 1);
  CHECK(here.count("kernel") == 1);
}

TEST_CASE("A node's facts name it, unless that is not wanted") {
  CHECK(facts_of_node(false).count("host") == 1);
  CHECK(facts_of_node(true).count("host") == 0);
  const Facts facts = {{"host", "node7"}, {"gpu0", "a=b, 1 MHz"}};
  CHECK(facts_in(text_of(facts)) == facts);
  CHECK(text_of({{"x", "two\nlines"}}) == "x=two lines\n");
}

TEST_CASE("The driver's name of a GPU is the catalogue's, in other words") {
  CHECK(is_same_gpu("V100-SXM2-16GB", "Tesla V100-SXM2-16GB"));
  CHECK(is_same_gpu("A100-PCIe-80GB", "NVIDIA A100 80GB PCIe"));
  CHECK(is_same_gpu("H100-SXM5-80GB", "NVIDIA H100 80GB HBM3"));
  CHECK(is_same_gpu("H200-SXM-141GB", "NVIDIA H200"));
  CHECK(is_same_gpu("K40", "Tesla K40m"));
  CHECK(is_same_gpu("RTX-2080-Ti", "NVIDIA GeForce RTX 2080 Ti"));
  CHECK(is_same_gpu("Titan-X-Pascal", "NVIDIA TITAN X (Pascal)"));
  CHECK_FALSE(is_same_gpu("V100-SXM2-16GB", "Tesla V100-SXM2-32GB"));
  CHECK_FALSE(is_same_gpu("V100-SXM2-16GB", "Tesla V100-PCIE-16GB"));
  CHECK_FALSE(is_same_gpu("V100", "Tesla V100S-PCIE-32GB"));
  CHECK_FALSE(is_same_gpu("GTX-1080", "GeForce GTX 1080 Ti"));
  CHECK_FALSE(is_same_gpu("A100", "NVIDIA A10"));
}

TEST_CASE("Records of a GPU come from that GPU") {
  CHECK_NOTHROW(check_gpu("", "cpu", ""));
  CHECK_NOTHROW(check_gpu("K80", "cuda", ""));
  CHECK_NOTHROW(check_gpu("K80", "cuda", "Tesla K80"));
  CHECK_THROWS_WITH(check_gpu("V100-SXM2-16GB", "cpu", ""),
                    Catch::Contains("--gpu V100-SXM2-16GB found with --device cpu") &&
                        Catch::Contains("leave --gpu out"));
  CHECK_THROWS_WITH(check_gpu("V100-SXM2-16GB", "cuda", "Tesla K80"), Catch::Contains("the driver says \"Tesla K80\""));
}

TEST_CASE("The MPI library is known by its own words") {
  CHECK(mpi_library_name("Open MPI 4.1.4") == "open-mpi");
  CHECK(mpi_library_name("MPICH Version: 4.0.2") == "mpich");
  CHECK(mpi_library_name("Intel(R) MPI Library 2021.9 for Linux* OS") == "intel-mpi");
  CHECK(mpi_library_name("MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)") == "cray-mpich");
  CHECK(mpi_library_name("Our MPI 1.0") == "unknown");
}

TEST_CASE("A transport is known where the settings leave one only") {
  const auto open_mpi = [](int nodes, const std::string& btl) {
    return known_transport("open-mpi", nodes, {{"OMPI_MCA_pml", "ob1"}, {"OMPI_MCA_btl", btl}});
  };
  CHECK(open_mpi(1, "self,vader") == "shm");
  CHECK(open_mpi(1, "tcp,self") == "mpi-tcp"); // over loopback, or between namespaces
  CHECK(open_mpi(2, "tcp,self") == "mpi-tcp");
  CHECK(open_mpi(2, "tcp,vader,self") == "mpi-tcp");
  CHECK(open_mpi(2, "openib,self") == "unknown");
  CHECK(open_mpi(2, "^openib") == "unknown");
  CHECK(known_transport("open-mpi", 1, {}) == "unknown");
  CHECK(known_transport("open-mpi", 2, {{"OMPI_MCA_pml", "ucx"}, {"UCX_TLS", "rc_x,sm,self"}}) == "mpi-ib");
  CHECK(known_transport("open-mpi", 2, {{"OMPI_MCA_pml", "ucx"}, {"UCX_TLS", "rc,tcp"}}) == "unknown");
  CHECK(known_transport("mpich", 1, {{"OMPI_MCA_pml", "ob1"}, {"OMPI_MCA_btl", "self,vader"}}) == "unknown");
  CHECK(known_transport("nccl", 1, {}) == "unknown");
}

TEST_CASE("NCCL's own words say how GPUs are connected") {
  CHECK(nccl_connections("a:1:2 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/IB/0/GDRDMA\n"
                         "a:1:2 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>\n"
                         "a:1:2 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
                         "a:1:2 [0] NCCL INFO Channel 00/0 : 6[6] -> 7[7] [receive] via NET/IB/1(3)/GDRDMA/Shared\n") ==
        "NET/IB P2P");
  CHECK(nccl_connections("a:1:2 [0] NCCL INFO Channel 00 : 0[1a000] -> 1[af000] via direct shared memory\n") == "SHM");
  CHECK(nccl_connections("NCCL INFO Channel 00 : 0[1] -> 8[1] [send] via NET/AWS Libfabric/0/GDRDMA\n") ==
        "NET/AWS_Libfabric");
  CHECK(nccl_connections("NCCL INFO Using network Socket\n").empty());
  CHECK(nccl_transport({"P2P", "NET/IB P2P", "NET/IB SHM"}) == "nccl-ib");
  CHECK(nccl_transport({"NET/Socket", "SHM"}) == "nccl-tcp");
  CHECK(nccl_transport({"SHM", "SHM"}) == "shm");
  CHECK(nccl_transport({"SHM", "P2P SHM"}) == "unknown");
  CHECK(nccl_transport({"NET/IB", "NET/Socket"}) == "unknown");
  CHECK(nccl_transport({"NET/AWS_Libfabric"}) == "unknown");
  CHECK(nccl_transport({"", ""}) == "unknown");
}

TEST_CASE("What this program has NCCL write is no setting of the user's") {
  using Environment = std::vector<std::string>;
  CHECK(steering_variables(Environment{"NCCL_DEBUG=INFO", "NCCL_ALGO=Ring"}).size() == 2);
  CHECK(steering_variables(Environment{"NCCL_VERSION=2.28.3-1"}).empty()); // of NVIDIA's container images
  const ddlsim::Facts own = {{"NCCL_ALGO", "Ring"}};
  CHECK(steering_variables(Environment{"NCCL_DEBUG=INFO", "NCCL_DEBUG_FILE=/proc/self/fd/5", "NCCL_ALGO=Ring",
                                       "DDLTRAIN_NCCL_LOG=1"}) == own);
}

TEST_CASE("Every record of a file says on what device and host it was measured") {
  const TemporaryFile file("measured_on.jsonl");
  ddlsim::Context context;
  context.cluster = "testbed";
  context.machine = context.software = context.who = context.source_title = "x";
  context.date = "2026-01-01";
  context.settings = {{"OMP_NUM_THREADS", "1"}};
  context.nodes = {{{"host", "node7"}}};
  {
    StepRecord step = plain_step(own_head("s"));
    step.model = "lenet5";
    step.preset = "ddltrain";
    step.batch_per_gpu = 1;
    step.iteration_s = 0.1;
    RecordFile(file.path, context, {"cpu", "node7"}).add(step);
  }
  const auto read = ddlsim::read_measurements(file.path);
  CHECK(read.context.settings == context.settings);
  CHECK(read.context.nodes == context.nodes);
  REQUIRE(read.records.size() == 1);
  CHECK(ddlsim::head_of(read.records[0]).device == "cpu");
  CHECK(ddlsim::head_of(read.records[0]).host == "node7");
  check_with_ddlsim(file.path);
}
