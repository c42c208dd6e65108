#include "sim/base/error.hpp"
#include "trainer/cli/commands.hpp"
#include "trainer/cli/train_records.hpp"
#include "trainer/communication/local_job.hpp"
#include "trainer/communication/mpi_session.hpp"
#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/cuda/device.hpp"
#include "trainer/cuda/nccl.hpp"
#include "trainer/records/record_file.hpp"
#include "trainer/records/surroundings.hpp"
#include "trainer/run_error.hpp"
#include "trainer/timing/collective_backends.hpp"
#include "trainer/timing/communication_measurement.hpp"
#include "trainer/timing/measure_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

namespace ddltrain {
namespace {

/// The job, its file on rank 0, and what its records have in common.
class Measuring {
public:
  Measuring(const MpiSession& mpi, const CommunicationOptions& options, const std::string& command)
      : session(mpi), world(MPI_COMM_WORLD), job{world, map_nodes(world.gather(session.host()))}, options_(options),
        command_(command),
        watchdog(world, job.nodes.host_of_rank, options.stall, Steps::together,
                 [this](const std::exception_ptr& failure) { end_job(session, world.rank(), failure); }) {
    job.watchdog = &watchdog;
    if (world.size() < 2) throw ddlsim::UserError("", "", command + " needs 2 ranks at least");
  }

  /// Opens the file on rank 0. Call it once the request is known to be possible.
  void open(const std::string& more_software) {
    const std::vector<Facts> nodes = gather_facts(world, job.nodes, options_.measure.anonymous);
    if (world.rank() != 0) return;
    const std::string title = fmt::format("{}, {} ranks on {} node{}", command_, world.size(), job.nodes.nodes,
                                          job.nodes.nodes == 1 ? "" : "s");
    ddlsim::Context context = context_of(options_.measure, title, join_parts({session.library(), more_software}));
    context.nodes = nodes;
    const bool nccl = options_.backend == "nccl";
    library_ = nccl ? "nccl" : mpi_library_name(session.library());
    transport_ =
        options_.transport.empty() ? known_transport(library_, job.nodes.nodes, context.settings) : options_.transport;
    file_.emplace(records_path(options_.measure), context, measured_on(options_.measure, nccl ? "cuda" : "cpu"));
  }

  /// Adds a record. All ranks must call it where NCCL sums, because each rank knows its own connections.
  template <class Record> void add(Record record) {
    if (nccl_log != nullptr) {
      const std::string transport = nccl_transport(world.gather(nccl_connections(nccl_log->text())));
      if (options_.transport.empty()) transport_ = transport;
    }
    if (!file_) return;
    record.head.transport = transport_;
    record.head.library = library_;
    file_->add(record);
  }

  bool talks() const { return world.rank() == 0; }

  const MpiSession& session;
  MpiCommunicator world;
  RankedJob job;
  const NcclLog* nccl_log = nullptr; ///< set with NCCL

private:
  const CommunicationOptions& options_;
  std::string command_;
  std::string library_;
  std::string transport_;
  std::optional<RecordFile> file_;

public:
  Watchdog watchdog; // last member, because its thread uses the others
};

int run_job(const CommunicationOptions& options, const std::function<void(const MpiSession& mpi)>& body) {
  if (!started_by_launcher()) return run_local_job(options.ranks, options.arguments, options.cores_per_rank);
  run_as_rank(body);
  return 0;
}

const char* suspect_mark(const RecordHead& head) {
  return head.suspect ? "  suspect" : "";
}

/// Returns the requested kinds of collectives that have the operation. Throws UserError when one that was named does
/// not have it.
std::vector<CollectiveBackend> backends_for(const CommunicationOptions& options,
                                            const std::vector<CollectiveBackend>& all, Collective collective) {
  std::vector<CollectiveBackend> backends;
  for (const CollectiveBackend& backend : all) {
    const bool named =
        std::find(options.backends.begin(), options.backends.end(), backend.label) != options.backends.end();
    const bool has = std::find(backend.has.begin(), backend.has.end(), collective) != backend.has.end();
    if (named && !has) {
      throw ddlsim::UserError("", "",
                              fmt::format("--backends {} has no {}; leave it out", backend.label, text_of(collective)));
    }
    if (has && (named || options.backends.empty() || backend.label == "nccl")) backends.push_back(backend);
  }
  return backends;
}

void time_operation(Measuring& measuring, const std::vector<CollectiveBackend>& backends, Collective collective,
                    const std::vector<std::int64_t>& sizes, const CommunicationOptions& options) {
  if (measuring.talks()) {
    fmt::print(stderr, "{}\n{:>12} {:>8} {:>12} {:>12} {:>12} {:>6}\n", text_of(collective), "size", "backend",
               "time us", "algbw GB/s", "busbw GB/s", "runs");
  }
  for (const std::int64_t size : sizes) {
    for (const CollectiveBackend& backend : backends) {
      const CollectiveRecord record =
          measure_collective(measuring.job, backend, collective, size, options.timing, options.measure);
      measuring.add(record);
      if (!measuring.talks()) continue;
      const Bandwidths bandwidths = bandwidths_of(collective, record.size_bytes, record.time_s, record.ranks);
      fmt::print(stderr, "{:>12} {:>8} {:>12.1f} {:>12.3f} {:>12.3f} {:>6}{}\n", size_text(size), backend.label,
                 1e6 * record.time_s, bandwidths.algorithm_Bps / 1e9, bandwidths.bus_Bps / 1e9, record.head.repeats,
                 suspect_mark(record.head));
    }
  }
}

void time_collectives(const MpiSession& mpi, const CommunicationOptions& options, const NcclLog& nccl_log,
                      const std::vector<std::int64_t>& sizes) {
  const std::int64_t largest = *std::max_element(sizes.begin(), sizes.end());
  Measuring measuring(mpi, options, "ddltrain collectives");
  const auto most_elements =
      std::max(static_cast<std::size_t>(largest) / sizeof(float), static_cast<std::size_t>(measuring.world.size()));
  std::shared_ptr<NcclSide> gpu;
  std::vector<CollectiveBackend> all;
  if (options.backend == "nccl") {
    gpu = std::make_shared<NcclSide>(measuring.world, measuring.job.nodes, most_elements);
    measuring.watchdog.set_check([gpu] { gpu->check(); });
    measuring.nccl_log = &nccl_log;
    all = {gpu->backend()};
    if (!options.measure.gpu.empty()) {
      const int place = place_on_node(measuring.job.nodes, measuring.world.rank());
      check_gpu(options.measure.gpu, "cuda", driver_name_of_gpu(gpu_of(place, CudaRuntime().devices())));
    }
  } else {
    all = host_backends(measuring.world, most_elements);
  }
  for (const std::string& operation : options.operations) backends_for(options, all, collective_named(operation));
  measuring.open(gpu ? gpu->software() : "");
  for (const std::string& operation : options.operations) {
    const Collective collective = collective_named(operation);
    time_operation(measuring, backends_for(options, all, collective), collective, sizes, options);
  }
}

void time_link(const MpiSession& mpi, const CommunicationOptions& options, const std::vector<std::int64_t>& sizes) {
  Measuring measuring(mpi, options, "ddltrain link");
  if (2 * options.traffic.pairs > measuring.world.size()) {
    throw ddlsim::UserError("", "",
                            fmt::format("--pairs {} needs {} ranks; there are {}", options.traffic.pairs,
                                        2 * options.traffic.pairs, measuring.world.size()));
  }
  measuring.open("");
  if (measuring.talks()) fmt::print(stderr, "{:>12} {:>12} {:>12} {:>6}\n", "size", "message us", "GB/s", "runs");
  for (const std::int64_t size : sizes) {
    const PointToPointRecord record = measure_link(measuring.job, options.traffic, size, options.measure);
    measuring.add(record);
    if (!measuring.talks()) continue;
    const double at_once = record.pairs * (record.both_ways ? 2 : 1);
    fmt::print(stderr, "{:>12} {:>12.2f} {:>12.3f} {:>6}{}\n", size_text(size), 1e6 * record.time_s,
               at_once * record.size_bytes / record.time_s / 1e9, record.head.repeats, suspect_mark(record.head));
  }
}

void time_server(const MpiSession& mpi, const CommunicationOptions& options, const std::vector<std::int64_t>& sizes) {
  Measuring measuring(mpi, options, "ddltrain server");
  measuring.open("");
  if (measuring.talks())
    fmt::print(stderr, "{:>12} {:>8} {:>10} {:>10} {:>6}\n", "size", "workers", "what", "GB/s", "runs");
  for (const std::int64_t size : sizes) {
    for (int workers = 1; workers < measuring.world.size(); ++workers) {
      for (const ServerWork work : {ServerWork::push, ServerWork::pull, ServerWork::push_pull}) {
        const ServerRecord record = measure_server(measuring.job, work, workers, size, options.measure);
        measuring.add(record);
        if (!measuring.talks()) continue;
        fmt::print(stderr, "{:>12} {:>8} {:>10} {:>10.3f} {:>6}{}\n", size_text(size), workers, record.what,
                   record.rate_Bps / 1e9, record.head.repeats, suspect_mark(record.head));
      }
    }
  }
}

} // namespace

int collectives_command(const CommunicationOptions& options) {
  const auto sizes = byte_sizes(options.sizes);
  const NcclLog nccl_log(options.backend == "nccl" && started_by_launcher());
  if (options.backend == "nccl") { // a missing part is reported before ranks are started
    const CudaRuntime cuda;
    check_capability(cuda, gpu_of(0, cuda.devices()), "");
    const Nccl nccl;
  }
  // this refuses unknown operations
  for (const std::string& operation : options.operations) collective_named(operation);
  return run_job(options, [&](const MpiSession& mpi) { time_collectives(mpi, options, nccl_log, sizes); });
}

int link_command(const CommunicationOptions& options) {
  const auto sizes = byte_sizes(options.sizes);
  return run_job(options, [&](const MpiSession& mpi) { time_link(mpi, options, sizes); });
}

int server_command(const CommunicationOptions& options) {
  const auto sizes = byte_sizes(options.sizes);
  return run_job(options, [&](const MpiSession& mpi) { time_server(mpi, options, sizes); });
}

} // namespace ddltrain
