#include "trainer/cli/communication_commands.hpp"

#include "sim/base/error.hpp"
#include "trainer/cli/rank_failure.hpp"
#include "trainer/cli/train_records.hpp"
#include "trainer/communication/local_job.hpp"
#include "trainer/communication/mpi_session.hpp"
#include "trainer/communication/ring.hpp"
#include "trainer/cuda/device.hpp"
#include "trainer/cuda/nccl.hpp"
#include "trainer/records/machine.hpp"
#include "trainer/records/record_file.hpp"
#include "trainer/records/surroundings.hpp"
#include "trainer/records/transport.hpp"
#include "trainer/run_error.hpp"
#include "trainer/timing/communication_measurement.hpp"
#include "trainer/timing/measure_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

namespace ddltrain {
namespace {

/// The job, its file on rank 0, and what its records share.
class Measuring {
public:
  Measuring(const MpiSession& mpi, const CommunicationOptions& options, const std::string& command)
      : session(mpi), world(MPI_COMM_WORLD), job{world, map_nodes(world.gather(session.host()))}, options_(options),
        command_(command) {
    if (world.size() < 2) throw ddlsim::UserError("", "", command + " needs 2 ranks at least");
  }

  /// Opens the file on rank 0; once what is asked for is known to be possible.
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

  template <class Record> void add(Record record) {
    if (!file_) return;
    record.head.transport = transport_;
    record.head.library = library_;
    file_->add(record);
  }

  bool talks() const { return world.rank() == 0; }

  const MpiSession& session;
  MpiCommunicator world;
  RankedJob job;

private:
  const CommunicationOptions& options_;
  std::string command_;
  std::string library_;
  std::string transport_;
  std::optional<RecordFile> file_;
};

int run_job(const CommunicationOptions& options, const std::function<void(const MpiSession& mpi)>& body) {
  if (!started_by_launcher()) return run_local_job(options.ranks, options.arguments, options.cores_per_rank);
  run_as_rank(body);
  return 0;
}

const char* suspect_mark(const RecordHead& head) {
  return head.suspect ? "  suspect" : "";
}

/// A GPU's memory and NCCL on it, for this rank.
struct NcclSide {
  std::shared_ptr<CudaRuntime> cuda;
  std::shared_ptr<Nccl> nccl;
  std::unique_ptr<NcclAllReduce> sum;
  float* data = nullptr;

  NcclSide(MpiCommunicator& world, const NodeMap& nodes, std::int64_t largest_bytes)
      : cuda(std::make_shared<CudaRuntime>()), nccl(std::make_shared<Nccl>()) {
    const int gpu = gpu_of(place_on_node(nodes, world.rank()), cuda->devices());
    const std::string id = world.gather(world.rank() == 0 ? nccl->new_id() : "").front();
    sum = std::make_unique<NcclAllReduce>(cuda, nccl, gpu, id, world.rank(), world.size());
    data = static_cast<float*>(cuda->allocate(static_cast<std::size_t>(largest_bytes)));
    const std::vector<float> zeros(static_cast<std::size_t>(largest_bytes) / sizeof(float));
    cuda->copy_to_device(data, zeros.data(), static_cast<std::size_t>(largest_bytes));
  }
  ~NcclSide() { cuda->free(data); }
  NcclSide(const NcclSide&) = delete;
  NcclSide& operator=(const NcclSide&) = delete;

  TimedAllReduce way() {
    return {"unknown", "nccl", "nccl", data, [this](float* at, std::size_t count) { sum->sum_now(at, count); }};
  }
};

std::vector<TimedAllReduce> host_ways(const CommunicationOptions& options, MpiCommunicator& world,
                                      std::vector<float>& data, std::vector<float>& scratch) {
  std::vector<TimedAllReduce> ways;
  for (const std::string& name : options.ways) {
    TimedAllReduce way{"ring", "open-mpi", name, data.data(), {}};
    if (name == "ring") {
      way.run = [&](float* at, std::size_t count) { ring_all_reduce(world, at, count, scratch); };
    } else {
      way.algorithm = "unknown"; // the library's own choice, by size
      way.run = [&](float* at, std::size_t count) { world.all_reduce(at, count); };
    }
    ways.push_back(std::move(way));
  }
  return ways;
}

void time_all_reduces(Measuring& measuring, const std::vector<TimedAllReduce>& ways,
                      const std::vector<std::int64_t>& sizes, const CommunicationOptions& options) {
  if (measuring.talks()) {
    fmt::print(stderr, "{:>12} {:>6} {:>12} {:>12} {:>12} {:>6}\n", "size", "way", "time us", "algbw GB/s",
               "busbw GB/s", "runs");
  }
  for (const std::int64_t size : sizes) {
    for (const TimedAllReduce& way : ways) {
      const CollectiveRecord record = measure_all_reduce(measuring.job, way, size, options.measure);
      measuring.add(record);
      if (!measuring.talks()) continue;
      const Bandwidths bandwidths = all_reduce_bandwidths(record.size_bytes, record.time_s, record.ranks);
      fmt::print(stderr, "{:>12} {:>6} {:>12.1f} {:>12.3f} {:>12.3f} {:>6}{}\n", size_text(size), way.label,
                 1e6 * record.time_s, bandwidths.algorithm_Bps / 1e9, bandwidths.bus_Bps / 1e9, record.head.repeats,
                 suspect_mark(record.head));
    }
  }
}

void time_collectives(const MpiSession& mpi, const CommunicationOptions& options,
                      const std::vector<std::int64_t>& sizes) {
  const std::int64_t largest = *std::max_element(sizes.begin(), sizes.end());
  Measuring measuring(mpi, options, "ddltrain collectives");
  std::vector<float> data;
  std::vector<float> scratch;
  std::optional<NcclSide> gpu;
  std::vector<TimedAllReduce> ways;
  std::string software;
  if (options.backend == "nccl") {
    gpu.emplace(measuring.world, measuring.job.nodes, largest);
    ways = {gpu->way()};
    software = join_parts({gpu->nccl->version(), gpu->cuda->versions()});
    const int place = place_on_node(measuring.job.nodes, measuring.world.rank());
    check_gpu(options.measure.gpu, "cuda", driver_name_of_gpu(gpu_of(place, gpu->cuda->devices())));
  } else {
    data.assign(static_cast<std::size_t>(largest) / sizeof(float), 0);
    ways = host_ways(options, measuring.world, data, scratch);
  }
  measuring.open(software);
  time_all_reduces(measuring, ways, sizes, options);
}

void time_link(const MpiSession& mpi, const CommunicationOptions& options, const std::vector<std::int64_t>& sizes) {
  Measuring measuring(mpi, options, "ddltrain link");
  measuring.open("");
  if (measuring.talks()) fmt::print(stderr, "{:>12} {:>12} {:>12} {:>6}\n", "size", "one way us", "GB/s", "runs");
  for (const std::int64_t size : sizes) {
    const PointToPointRecord record = measure_link(measuring.job, measuring.world.size() - 1, size, options.measure);
    measuring.add(record);
    if (!measuring.talks()) continue;
    fmt::print(stderr, "{:>12} {:>12.2f} {:>12.3f} {:>6}{}\n", size_text(size), 1e6 * record.time_s,
               record.size_bytes / record.time_s / 1e9, record.head.repeats, suspect_mark(record.head));
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
  if (options.backend == "nccl") { // say what is missing before ranks are started
    const CudaRuntime cuda;
    const Nccl nccl;
  }
  return run_job(options, [&](const MpiSession& mpi) { time_collectives(mpi, options, sizes); });
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
