#include "slurm_cluster.hpp"

#include "trainer/campaign/child.hpp"
#include "trainer/framework/free_ports.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace ddltrain_test {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::milliseconds round_pause(200);
constexpr int most_rounds = 600;

int free_port() {
  return ddltrain::free_ports(1).front();
}

std::string configuration(const std::string& folder) {
  std::string text = fmt::format(R"(ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={1}
AuthType=auth/munge
AuthInfo=socket={0}/munge.socket,cred_expire=5
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={0}/state
SlurmdSpoolDir={0}/spool/%n
SlurmctldPidFile={0}/slurmctld.pid
SlurmdPidFile={0}/slurmd-%n.pid
SlurmctldLogFile={0}/slurmctld.log
SlurmdLogFile={0}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
KillWait=5
SlurmdParameters=config_overrides
TmpFS={0}/tmp/%n
GresTypes=gpu
)",
                                 folder, free_port());
  for (const char* node : {"nodea", "nodeb"}) {
    text +=
        fmt::format("NodeName={} NodeHostname=localhost NodeAddr=127.0.0.1 Port={} CPUs=2 RealMemory=1000 Gres=gpu:2\n",
                    node, free_port());
  }
  return text + "PartitionName=main Nodes=nodea,nodeb Default=YES MaxTime=INFINITE State=UP\n";
}

} // namespace

std::string no_slurm_because() {
  for (const char* program : {"slurmctld", "slurmd", "munged", "sbatch"}) {
    if (!ddltrain::program_exists(program) && !fs::exists(std::string("/usr/sbin/") + program)) {
      return std::string(program) + " is missing (Debian: slurm-wlm and munge)";
    }
  }
  return geteuid() == 0 ? "" : "slurmd starts jobs as root only";
}

SlurmCluster::SlurmCluster() {
  for (const char* name : {"state", "spool/nodea", "spool/nodeb", "tmp/nodea", "tmp/nodeb"}) {
    fs::create_directories(folder_.path(name));
  }
  folder_.write("slurm.conf", configuration(folder_.path("")));
  // Devices that every machine has, in place of GPUs: what is tested is which of them a rank is given.
  folder_.write("gres.conf", "Name=gpu File=/dev/null\nName=gpu File=/dev/zero\n");
  folder_.write("munge.key", std::string(1024, 'k'));
  fs::permissions(folder_.path("munge.key"), fs::perms::owner_read);
  setenv("SLURM_CONF", folder_.path("slurm.conf").c_str(), 1);
  // Open MPI names its shared memory by job and local rank, so two nodes on one machine would use the same.
  setenv("OMPI_MCA_btl", "tcp,self", 1);
  start({"munged", "--foreground", "--force", "--key-file=" + folder_.path("munge.key"),
         "--socket=" + folder_.path("munge.socket"), "--pid-file=" + folder_.path("munge.pid"),
         "--log-file=" + folder_.path("munge.log"), "--seed-file=" + folder_.path("munge.seed")},
        "munged.out");
  for (int i = 0; i < most_rounds && !folder_.exists("munge.socket"); ++i) {
    std::this_thread::sleep_for(round_pause);
  }
  start({"slurmctld", "-D", "-c"}, "slurmctld.out");
  start({"slurmd", "-D", "-N", "nodea"}, "slurmd-a.out");
  start({"slurmd", "-D", "-N", "nodeb"}, "slurmd-b.out");
  for (int i = 0; i < most_rounds && !nodes_are_idle(); ++i) {
    std::this_thread::sleep_for(round_pause);
  }
  if (!nodes_are_idle()) {
    const std::string logs = folder_.read("munged.out") + folder_.read("slurmctld.out") + folder_.read("slurmd-a.out");
    stop();
    throw std::runtime_error("Slurm did not start:\n" + logs);
  }
}

SlurmCluster::~SlurmCluster() {
  run_program({"scancel", "--user=root", "--quiet"});
  wait_until_empty();
  stop();
}

void SlurmCluster::start(const std::vector<std::string>& words, const std::string& log) {
  const char* path = std::getenv("PATH");
  const std::string before = path != nullptr ? path : "";
  setenv("PATH", (before + ":/usr/sbin").c_str(), 1);
  daemons_.push_back(start_program(words, folder_.path(log)));
  setenv("PATH", before.c_str(), 1);
}

void SlurmCluster::stop() {
  std::reverse(daemons_.begin(), daemons_.end());
  for (const auto daemon : daemons_) {
    kill(daemon, SIGTERM);
    wait_for_end(daemon);
  }
  daemons_.clear();
  unsetenv("SLURM_CONF");
  unsetenv("OMPI_MCA_btl");
}

bool SlurmCluster::nodes_are_idle() const {
  return run_program({"sinfo", "--noheader", "--format=%T %D"}).output == "idle 2\n";
}

std::string SlurmCluster::state() const {
  return run_program({"squeue"}).output + run_program({"sinfo", "--long"}).output + folder_.read("slurmctld.log") +
         folder_.read("slurmd-nodea.log");
}

bool SlurmCluster::wait_until_empty() const {
  for (int i = 0; i < most_rounds; ++i) {
    const Ended queue = run_program({"squeue", "--noheader"});
    if (queue.status == 0 && queue.output.empty()) {
      return true;
    }
    std::this_thread::sleep_for(round_pause);
  }
  return false;
}

} // namespace ddltrain_test
