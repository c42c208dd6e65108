// Ranks on hosts that this machine imitates: network namespaces with limited links, and Open MPI over TCP between them.
#include "trainer/campaign/child.hpp"
#include "trainer/campaign/host_network.hpp"
#include "trainer/campaign/launcher.hpp"
#include "trainer/run_error.hpp"

namespace ddltrain {
namespace {

/// Options of Open MPI without which the testbed would measure something else. Their effects were measured on 2 cores
/// with 4 hosts of 1 Gbit/s.
const std::vector<std::string>& mpi_options() {
  static const std::vector<std::string> options = {
      "--mca",    "pml",
      "ob1", //
      "--mca",    "btl",
      "tcp,self", // no shared memory, because hosts of a testbed have none in common
      "--mca",    "btl_tcp_if_include",
      "eth0", //
      "--mca",    "oob_tcp_if_include",
      "eth0", //
      "--mca",    "plm",
      "rsh", //
      "--mca",    "plm_rsh_no_tree_spawn",
      "1", //
      "--mca",    "mpi_yield_when_idle",
      "1", // together with the library that turns the yield into a wait
      "--mca",    "opal_event_include",
      "epoll", // the wait needs this event loop
      "--mca",    "btl_tcp_flags",
      "1", // send only; with PUT, replies wait behind bulk data, so that a link works in one direction at a time
      "--mca",    "btl_tcp_sndbuf",
      "131072", // deeper buffers delay small messages behind large ones
      "--mca",    "btl_tcp_rcvbuf",
      "131072"};
  return options;
}

class TestbedLauncher final : public Launcher {
public:
  explicit TestbedLauncher(const LauncherChoice& choice) : choice_(choice) {
    if (installed_mpirun() != Mpirun::open_mpi_4) {
      throw RunError("the testbed needs Open MPI 4 (Debian: openmpi-bin): it shapes that library's TCP");
    }
    if (const std::string cause = no_network_because(); !cause.empty()) {
      throw RunError(
          "network namespaces cannot be made here (root and a kernel with veth, bridge and tbf are needed): " + cause);
    }
  }

  void prepare(const LaunchJob& job, const SignalWatch& signals) override {
    const double rate_Bps = job.rate_Bps > 0 ? job.rate_Bps : choice_.rate_Bps;
    if (!network_ || network_->hosts() != job.nodes || rate_Bps != rate_Bps_) {
      network_.reset();
      const LinkShape shape = {rate_Bps, choice_.largest_packet_bytes, choice_.burst_bytes, choice_.queue_bytes};
      network_ = std::make_unique<HostNetwork>(job.nodes, shape, signals);
      rate_Bps_ = rate_Bps;
    }
  }

  std::vector<std::string> words(const LaunchJob& job) const override {
    const std::string prefix = network_ ? network_->prefix() : "PREFIX-";
    const std::string enter = beside_program("ddltrain-netns");
    RankLaunch launch; // ranks are not bound, because they imitate more hosts than there are cores
    launch.where = RanksOn::hosts;
    for (std::int64_t i = 0; i < job.nodes; ++i) launch.hosts.push_back("h" + std::to_string(i));
    launch.nodes = job.nodes;
    launch.ranks_per_node = job.ranks_per_node;
    launch.environment = rank_environment();
    launch.environment.push_back("LD_PRELOAD=" + beside_program("libddltrain_block.so"));
    launch.options = {"--mca", "plm_rsh_agent", enter + " --agent " + prefix};
    launch.options.insert(launch.options.end(), mpi_options().begin(), mpi_options().end());
    if (network_) launch.options.insert(launch.options.end(), {"--mca", "orte_tmpdir_base", network_->folder()});
    launch.options.insert(launch.options.end(), choice_.options.begin(), choice_.options.end());
    std::vector<std::string> words = {enter, prefix + "h0", "h0"};
    const std::vector<std::string> mpirun = mpirun_words(launch);
    words.insert(words.end(), mpirun.begin(), mpirun.end());
    words.insert(words.end(), job.words.begin(), job.words.end());
    return words;
  }

  std::vector<std::string> environment() const override { return rank_environment(); }

  // With this, a ring of 4 hosts takes as long beside compilers on both cores as alone, within 1 %; its ranks need 0.3
  // of a core. At usual priority it takes 12 % longer, with 8 times the spread.
  bool goes_first() const override { return true; }
  bool ranks_are_here(std::int64_t /*nodes*/) const override { return true; }

private:
  LauncherChoice choice_;
  std::unique_ptr<HostNetwork> network_;
  double rate_Bps_ = 0; ///< rate of the network's links
};

} // namespace

std::unique_ptr<Launcher> testbed_launcher(const LauncherChoice& choice) {
  return std::make_unique<TestbedLauncher>(choice);
}

} // namespace ddltrain
