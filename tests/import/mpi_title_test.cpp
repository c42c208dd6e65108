// Every number of the tables is typed here, none is measured.
#include "import/mpi_title.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace {

using ddlsim::Imported;
using ddlsim::read_imb_title;
using ddlsim::read_osu_title;
using ddlsim::test::collectives_of;
using ddlsim::test::import_text;
using ddlsim::test::on_iris;

Imported import_tables(const std::string& text, std::map<std::string, std::string> given) {
  auto stated = on_iris();
  stated.given = std::move(given);
  return import_text("mpi-benchmarks", text, stated);
}

std::string imb_table(const std::string& name, int processes) {
  return fmt::format("# Benchmarking {} \n# #processes = {} \n# ( 6 additional processes waiting in MPI_Barrier)\n"
                     "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
                     "         1024         1000        10.00        12.00        11.00\n\n",
                     name, processes);
}

} // namespace

TEST_CASE("titles of the OSU benchmarks of all versions, devices and libraries") {
  for (const char* device : {"MPI", "MPI-CUDA", "MPI-ROCM", "MPI-OPENACC", "MPI-CUDA MANAGED", "NCCL", "RCCL-ROCM"}) {
    INFO(device);
    const auto title = [&](const char* name) { return read_osu_title(fmt::format("OSU {} {}", device, name)); };
    CHECK(title("Allreduce Latency Test v7.3").operation == "all_reduce");
    CHECK(title("Allgather Latency Test").operation == "all_gather");
    CHECK(title("Allgatherv Latency Test v5.6.2").operation == "all_gather");
    CHECK(title("All-to-All Personalized Exchange Latency Test v5.3").operation == "all_to_all");
    CHECK(title("All-to-Allv Personalized Exchange Latency Test v7.5").operation == "all_to_all");
    CHECK(title("Broadcast Latency Test v6.2").operation == "broadcast");
    CHECK(title("Reduce Latency Test v6.2").operation == "reduce");
    CHECK(title("Reduce_scatter_block Latency Test v7.4").operation == "reduce_scatter");
    CHECK(title("Latency Test v7.4").operation == ddlsim::one_way_message);
    CHECK(title("Gather Latency Test v7.4").operation.empty());
    CHECK(title("Multi Latency Test v5.0").operation.empty());
    CHECK(title("Bandwidth Test v5.0").operation.empty());
    CHECK_THAT(title("Non-blocking Allreduce Latency Test v7.4").why_left_out, Catch::Contains("beside computation"));
  }
  CHECK(read_osu_title("OSU NCCL-CUDA Allreduce Latency Test v7.4").library == "nccl");
  CHECK(read_osu_title("OSU").operation.empty());
}

TEST_CASE("a size of the OSU and Intel benchmarks may be one rank's part") {
  CHECK_FALSE(read_osu_title("OSU MPI Reduce_scatter Latency Test v7.3").is_part);
  CHECK(read_osu_title("OSU MPI All-to-All Personalized Exchange Latency Test v7.3").is_part);
  CHECK(read_imb_title("Reduce_scatter", 2021).is_part);
  CHECK_FALSE(read_imb_title("Reduce_scatter", 2018).is_part);
  CHECK_THAT(read_imb_title("Reduce_scatter", 0).why_left_out, Catch::Contains("depends on the version"));
  CHECK(read_imb_title("Alltoallv", 0).operation == "all_to_all");
  CHECK(read_imb_title("Iallreduce_pure", 2019).operation.empty());
  const std::string version = "#    Intel(R) MPI Benchmarks {}, MPI-1 part\n";
  const auto size = [&](const char* year) {
    return collectives_of(import_tables(fmt::format(fmt::runtime(version), year) + imb_table("Reduce_scatter", 4),
                                        {{"nodes", "2"}}))[0]
        .size_bytes;
  };
  CHECK(size("2021.7") == 4096);
  CHECK(size("2019 Update 6") == 4096);
  CHECK(size("2018") == 1024);
}

TEST_CASE("tables of several numbers of processes: those that can be on the nodes are read, the rest is reported") {
  const auto text = imb_table("Allreduce", 1) + imb_table("Allreduce", 2) + imb_table("Allreduce", 4) +
                    imb_table("Alltoall", 8) + imb_table("Gather", 8);
  auto imported = import_tables(text, {{"nodes", "4"}});
  REQUIRE(collectives_of(imported).size() == 2);
  CHECK(collectives_of(imported)[0].ranks == 4);
  CHECK(collectives_of(imported)[1].size_bytes == 8192);
  REQUIRE(imported.notes.size() == 4);
  CHECK_THAT(imported.notes[0], Catch::Contains("2 processes cannot be on 4 nodes"));
  CHECK_THAT(imported.notes[1], Catch::Contains("one process communicates with nobody"));
  CHECK_THAT(imported.notes[2], Catch::Contains("\"Gather\" were left out: records have no such times"));
  CHECK_THAT(imported.notes[3], Catch::Contains("tables of 4 processes were taken to be on 4 nodes"));
  imported = import_tables(text, {{"nodes", "2"}, {"ranks", "8"}});
  REQUIRE(collectives_of(imported).size() == 1);
  CHECK(collectives_of(imported)[0].ranks == 8);
  CHECK_THAT(imported.notes.back(), !Catch::Contains("were taken to be"));
}

TEST_CASE("srun -l labels empty lines, too") {
  const auto text = ddlsim::test::replaced_all("\n" + imb_table("Allreduce", 4) + imb_table("Bcast", 4), "\n", "\n0: ");
  CHECK(collectives_of(import_tables(text, {{"nodes", "2"}})).size() == 2);
}

TEST_CASE("a table again for another type of data is its own series") {
  const std::string rows = "# Size       Avg Latency(us)        Validation\n1024   10.0   Pass\n";
  const auto imported = import_tables("# OSU MPI-CUDA Allreduce Latency Test v7.4\n# Datatype: MPI_INT.\n" + rows +
                                          "# Datatype: MPI_FLOAT.\n" + rows,
                                      {{"nodes", "2"}, {"ranks", "4"}});
  REQUIRE(collectives_of(imported).size() == 2);
  CHECK(collectives_of(imported)[0].head.series == "all_reduce-line1");
  CHECK(collectives_of(imported)[1].head.series == "all_reduce-line6");
}
