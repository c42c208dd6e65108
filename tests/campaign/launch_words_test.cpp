// The words that start ranks, by MPI; pure text.
#include "sim/base/error.hpp"
#include "trainer/campaign/launch_words.hpp"
#include "trainer/campaign/launcher.hpp"
#include "trainer/campaign/slurm_launcher.hpp"
#include "trainer/run_error.hpp"
#include "work_folder.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

using namespace ddltrain;
using ddltrain_test::has;

namespace {

/// Open MPI asks root for this word.
const std::string root_option = ::geteuid() == 0 ? " --allow-run-as-root" : "";

RankLaunch launch_of(Mpirun mpirun, RanksOn where, int cores_per_rank) {
  RankLaunch launch;
  launch.mpirun = mpirun;
  launch.where = where;
  launch.hosts = {"a", "b", "c"};
  launch.nodes = where == RanksOn::this_machine ? 1 : 2;
  launch.ranks_per_node = 4;
  launch.cores_per_rank = cores_per_rank;
  launch.environment = {"OMP_NUM_THREADS=1"};
  launch.forwarded = {"NCCL_DEBUG", "OMPI_MCA_btl"};
  return launch;
}

std::string line_of(const RankLaunch& launch) {
  return shell_line(mpirun_words(launch));
}

LaunchJob job_of(std::int64_t nodes, std::int64_t ranks_per_node) {
  LaunchJob job;
  job.words = {"ddltrain", "train"};
  job.nodes = nodes;
  job.ranks_per_node = ranks_per_node;
  return job;
}

} // namespace

TEST_CASE("launch words: every MPI's mpirun is known by what it says of itself") {
  CHECK(mpirun_named("mpirun (Open MPI) 4.1.4\n\nReport bugs to") == Mpirun::open_mpi_4);
  CHECK(mpirun_named("mpirun (Open MPI) 5.0.3\n") == Mpirun::open_mpi_5);
  CHECK(mpirun_named("HYDRA build details:\n    Version:                                 4.0.2\n") == Mpirun::mpich);
  CHECK(mpirun_named("Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 20230307\n") == Mpirun::intel_mpi);
  CHECK_THROWS_WITH(mpirun_named("yarun 1.0\nmore"), Catch::Contains("says of itself \"yarun 1.0\"; Open MPI, MPICH"));
}

TEST_CASE("launch words: ranks share the cores, and are not bound where they exceed them") {
  CHECK(cores_of_rank(28, 4, 0) == 7);
  CHECK(cores_of_rank(2, 2, 0) == 1);
  CHECK(cores_of_rank(2, 3, 0) == 0);
  CHECK(cores_of_rank(28, 4, 2) == 2);
  CHECK_THROWS_WITH(cores_of_rank(8, 4, 3), Catch::Contains("3 cores for each of 4 ranks found, a node has 8; give at "
                                                            "most 2"));
}

TEST_CASE("launch words: on one machine Open MPI talks through shared memory, each rank on its own cores") {
  CHECK(line_of(launch_of(Mpirun::open_mpi_4, RanksOn::this_machine, 2)) ==
        "mpirun -np 4" + root_option +
            " --map-by ppr:4:node:PE=2 --bind-to core --oversubscribe --mca plm isolated --mca oob_tcp_if_include lo "
            "--mca btl self,vader --mca btl_vader_single_copy_mechanism none --mca pml ob1 --mca mpi_yield_when_idle 0 "
            "-x OMP_NUM_THREADS=1");
  CHECK(line_of(launch_of(Mpirun::open_mpi_5, RanksOn::this_machine, 0)) ==
        "mpirun -np 4" + root_option +
            " --map-by ppr:4:node:OVERSUBSCRIBE --bind-to none --prtemca prte_if_include lo --mca btl self,sm --mca "
            "smsc '^cma,knem,xpmem' --mca pml ob1 --mca mpi_yield_when_idle 1 -x OMP_NUM_THREADS=1");
}

TEST_CASE("launch words: the job of a command and a campaign's local launcher start ranks alike") {
  Site site;
  site.node = {8, 1};
  const std::string line = shell_line(local_launcher({}, site)->words(job_of(2, 2)));
  RankLaunch launch = launch_of(Mpirun::open_mpi_4, RanksOn::this_machine, 2);
  launch.environment = rank_environment();
  CHECK(line == line_of(launch) + " ddltrain train");
}

TEST_CASE("launch words: on hosts ranks fill nodes, and get the variables that steer them") {
  CHECK(line_of(launch_of(Mpirun::open_mpi_4, RanksOn::hosts, 7)) ==
        "mpirun -np 8" + root_option +
            " --host a:4,b:4 --map-by ppr:4:node:PE=7 --bind-to core -x OMP_NUM_THREADS=1 -x NCCL_DEBUG");
  CHECK(line_of(launch_of(Mpirun::mpich, RanksOn::hosts, 7)) ==
        "mpirun -hosts a,b -ppn 4 -np 8 -bind-to core:7 -genvall -genv OMP_NUM_THREADS 1");
  CHECK(line_of(launch_of(Mpirun::mpich, RanksOn::allocation, 0)) ==
        "mpirun -ppn 4 -np 8 -bind-to none -genvall -genv OMP_NUM_THREADS 1");
  RankLaunch intel = launch_of(Mpirun::intel_mpi, RanksOn::allocation, 7);
  intel.threads_per_core = 2;
  CHECK(line_of(intel) == "mpirun -ppn 4 -np 8 -genv I_MPI_PIN 1 -genv I_MPI_PIN_DOMAIN 14:compact -genvall -genv "
                          "OMP_NUM_THREADS 1");
  CHECK(line_of(launch_of(Mpirun::intel_mpi, RanksOn::hosts, 7)) ==
        "mpirun -hosts a,b -ppn 4 -np 8 -genv I_MPI_PIN 1 -genv I_MPI_PIN_DOMAIN 7:compact -genvall -genv "
        "OMP_NUM_THREADS 1");
  CHECK(line_of(launch_of(Mpirun::intel_mpi, RanksOn::this_machine, 0)) ==
        "mpirun -launcher fork -hosts localhost -ppn 4 -np 4 -genv I_MPI_PIN 0 -genvall -genv OMP_NUM_THREADS 1");
}

TEST_CASE(
    "launch words: on hosts Open MPI 5 has the words of 4, and its own variables are not forwarded a second time") {
  RankLaunch launch = launch_of(Mpirun::open_mpi_5, RanksOn::hosts, 7);
  launch.forwarded = {"NCCL_DEBUG", "OMPI_MCA_btl", "PRTE_MCA_plm_rsh_agent"};
  launch.options = {"--tag-output"};
  CHECK(line_of(launch) ==
        "mpirun -np 8" + root_option +
            " --host a:4,b:4 --map-by ppr:4:node:PE=7 --bind-to core -x OMP_NUM_THREADS=1 -x NCCL_DEBUG --tag-output");
  launch.where = RanksOn::allocation;
  launch.cores_per_rank = 0;
  CHECK(line_of(launch) == "mpirun -np 8" + root_option +
                               " --map-by ppr:4:node --bind-to none -x OMP_NUM_THREADS=1 -x NCCL_DEBUG --tag-output");
}

TEST_CASE("launch words: what steers MPI, NCCL and UCX is forwarded, and nothing else") {
  CHECK(forwarded_names({"UCX_TLS=rc", "HOME=/root", "PATH=/bin", "NCCL_DEBUG=INFO", "OMPI_MCA_btl=self",
                         "OMPI_COMM_WORLD_RANK=1", "LD_LIBRARY_PATH=/x=y"}) ==
        std::vector<std::string>{"LD_LIBRARY_PATH", "NCCL_DEBUG", "OMPI_MCA_btl", "PATH", "UCX_TLS"});
}

TEST_CASE("launch words: srun binds each rank to its cores and its GPU, or sees all GPUs where that is asked") {
  LauncherChoice choice;
  choice.node_gpus = 4;
  choice.srun = {"--network=sn_all"};
  Site site;
  site.node = {28, 1};
  CHECK(shell_line(slurm_launcher(choice, site)->words(job_of(2, 4))) ==
        "srun --mpi=pmix --nodes=2 --ntasks-per-node=4 --kill-on-bad-exit=1 --export=ALL --cpus-per-task=7 "
        "--cpu-bind=cores --gpus-per-node=4 --gpu-bind=map_gpu:0,1,2,3 --network=sn_all ddltrain train");
  choice.gpu_binding = GpuBinding::none;
  CHECK(has(shell_line(slurm_launcher(choice, site)->words(job_of(2, 4))), "--gpu-bind=none"));
  CHECK(has(shell_line(slurm_launcher(choice, site)->words(job_of(1, 29))), "--overcommit --cpu-bind=none"));
  choice.start = "mpirun";
  CHECK(has(shell_line(slurm_launcher(choice, site)->words(job_of(2, 4))),
            "--map-by ppr:4:node:PE=7 --bind-to core -x OMP_NUM_THREADS=1"));
}

TEST_CASE("launch words: Slurm's processors are cores or hardware threads") {
  CHECK(cores_in_slurm("56", {28, 2}).cores == 28);
  CHECK(cores_in_slurm("56", {28, 2}).threads_per_core == 2);
  CHECK(cores_in_slurm("28", {28, 2}).cores == 28); // configured by cores
  CHECK(cores_in_slurm("28", {28, 2}).threads_per_core == 1);
  CHECK(cores_in_slurm("", {28, 2}).cores == 28);
}

TEST_CASE("launch words: the batch script, whole") {
  LauncherChoice choice;
  choice.node_gpus = 4;
  choice.partition = "gpu";
  choice.job_time_limit_s = 5400;
  choice.sbatch = {"--account=me"};
  choice.before = {"module load OpenMPI"};
  SlurmJob job;
  job.name = "j";
  job.nodes = 2;
  job.ranks_per_node = 4;
  job.folder = "/a b";
  job.log = "/a b/100%/\"x\".log";
  job.words = {"ddltrain", "measure", "--only", "it's"};
  job.environment = {"HOME=/root", "UCX_TLS=rc,self", "PATH=/opt/my tools:/bin"};
  CHECK(slurm_script(choice, job) == R"(#!/bin/bash -l
#SBATCH --job-name=j
#SBATCH --dependency=singleton
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --gpus-per-node=4
#SBATCH --time=01:30:00
#SBATCH --signal=B:USR1@60
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="/a b/100%%/\"x\".log"
#SBATCH --partition=gpu
#SBATCH --account=me
export PATH='/opt/my tools:/bin'
export UCX_TLS=rc,self
export DDLTRAIN_SLURM_JOB=$SLURM_JOB_ID
cd '/a b' || exit
module load OpenMPI
exec ddltrain measure --only 'it'\''s'
)");
}

TEST_CASE("launch words: an allocation that a person works in is no batch job of ours") {
  ::setenv("SLURM_JOB_ID", "17", 1);
  CHECK_FALSE(inside_slurm_job());
  ::setenv("DDLTRAIN_SLURM_JOB", "16", 1); // of a job that submitted this one
  CHECK_FALSE(inside_slurm_job());
  ::setenv("DDLTRAIN_SLURM_JOB", "17", 1);
  CHECK(inside_slurm_job());
  ::unsetenv("DDLTRAIN_SLURM_JOB");
  ::unsetenv("SLURM_JOB_ID");
}
