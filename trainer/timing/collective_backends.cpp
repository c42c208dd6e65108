#include "trainer/timing/collective_backends.hpp"

#include "trainer/communication/ring.hpp"
#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/cuda/device.hpp"
#include "trainer/cuda/rank_gpu.hpp"
#include "trainer/records/surroundings.hpp"

#include <algorithm>
#include <utility>

namespace ddltrain {
namespace {

/// The buffers of collectives in host memory.
struct HostBuffers {
  MpiCommunicator& ranks;
  std::vector<float> data;
  std::vector<float> share; ///< the share of this rank, in its own memory
  std::vector<float> scratch;

  HostBuffers(MpiCommunicator& all, std::size_t most_elements)
      : ranks(all), data(most_elements), share(share_of(most_elements) + 1) {}

  std::size_t share_of(std::size_t count) const { return count / static_cast<std::size_t>(ranks.size()); }
  float* own_share(std::size_t count) { return data.data() + static_cast<std::size_t>(ranks.rank()) * share_of(count); }
};

std::vector<float> copied(const float* first, std::size_t count) {
  return {first, first + count};
}

void run_ring(HostBuffers& host, Collective collective, std::size_t count) {
  switch (collective) {
  case Collective::all_reduce:
    return ring_all_reduce(host.ranks, host.data.data(), count, host.scratch);
  case Collective::reduce_scatter:
    return ring_reduce_scatter(host.ranks, host.data.data(), count, host.scratch);
  case Collective::all_gather:
    return ring_all_gather(host.ranks, host.data.data(), count);
  case Collective::broadcast:
    break; // this collective has none
  }
}

void run_mpi(HostBuffers& host, Collective collective, std::size_t count) {
  switch (collective) {
  case Collective::all_reduce:
    return host.ranks.all_reduce(host.data.data(), count);
  case Collective::reduce_scatter:
    return host.ranks.reduce_scatter(host.data.data(), host.share.data(), host.share_of(count));
  case Collective::all_gather:
    return host.ranks.all_gather(host.data.data(), host.share_of(count));
  case Collective::broadcast:
    return host.ranks.broadcast(host.data.data(), count, 0);
  }
}

/// Returns a way in host memory; `once` runs one operation, which is finished before the next one starts.
CollectiveBackend host_backend(const std::shared_ptr<HostBuffers>& host, const std::string& label,
                               void (*once)(HostBuffers&, Collective, std::size_t)) {
  CollectiveBackend backend;
  backend.library = "open-mpi";
  backend.label = label;
  backend.run = [host, once](Collective collective, std::size_t count, int times, bool /*queued*/) {
    for (int i = 0; i < times; ++i) once(*host, collective, count);
  };
  backend.fill = [host](const std::vector<float>& elements) {
    std::copy(elements.begin(), elements.end(), host->data.begin());
  };
  return backend;
}

} // namespace

std::vector<CollectiveBackend> host_backends(MpiCommunicator& ranks, std::size_t most_elements) {
  const auto host = std::make_shared<HostBuffers>(ranks, most_elements);
  CollectiveBackend ring = host_backend(host, "ring", run_ring);
  ring.algorithm = "ring";
  ring.has = {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather};
  ring.result = [host](Collective collective, std::size_t count) {
    if (collective == Collective::reduce_scatter) return copied(host->own_share(count), host->share_of(count));
    return copied(host->data.data(), count);
  };
  CollectiveBackend mpi = host_backend(host, "mpi", run_mpi);
  mpi.algorithm = "unknown"; // MPI chooses the algorithm by size
  mpi.has = {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather, Collective::broadcast};
  mpi.result = [host](Collective collective, std::size_t count) {
    if (collective == Collective::reduce_scatter) return copied(host->share.data(), host->share_of(count));
    return copied(host->data.data(), count);
  };
  return {ring, mpi};
}

NcclSide::NcclSide(MpiCommunicator& ranks, const NodeMap& nodes, std::size_t most_elements)
    : rank_(ranks.rank()), ranks_(ranks.size()) {
  const int gpu = gpu_of(place_on_node(nodes, rank_), cuda_.devices());
  check_capability(cuda_, gpu, "");
  cuda_.use_device(gpu);
  check_rank_gpus(ranks.gather(text_of(own_rank_gpu(cuda_, gpu))));
  const std::string id = ranks.gather(rank_ == 0 ? nccl_.new_id() : "").front();
  communicator_ = nccl_.join(id, rank_, ranks_);
  stream_ = cuda_.create_stream();
  const std::vector<float> zeros(most_elements);
  data_ = static_cast<float*>(cuda_.allocate(most_elements * sizeof(float)));
  cuda_.copy_to_device(data_, zeros.data(), most_elements * sizeof(float));
}

NcclSide::~NcclSide() {
  if (std::uncaught_exceptions() > 0) return; // leaving may wait for ranks that wait for this one
  nccl_.leave(communicator_);
  cuda_.destroy_stream(stream_);
  cuda_.free(data_);
}

std::string NcclSide::software() const {
  return join_parts({nccl_.version(), cuda_.versions()});
}

/// Works in place: a rank's share is at its place in the whole buffer.
void NcclSide::start(Collective collective, std::size_t count) {
  const std::size_t share = count / static_cast<std::size_t>(ranks_);
  float* const own = data_ + static_cast<std::size_t>(rank_) * share;
  switch (collective) {
  case Collective::all_reduce:
    return nccl_.all_reduce(communicator_, data_, count, stream_);
  case Collective::reduce_scatter:
    return nccl_.reduce_scatter(communicator_, data_, own, share, stream_);
  case Collective::all_gather:
    return nccl_.all_gather(communicator_, own, data_, share, stream_);
  case Collective::broadcast:
    return nccl_.broadcast(communicator_, data_, count, 0, stream_);
  }
}

std::vector<float> NcclSide::result(Collective collective, std::size_t count) const {
  const std::size_t share = count / static_cast<std::size_t>(ranks_);
  const bool scattered = collective == Collective::reduce_scatter;
  const std::size_t wanted = scattered ? share : count;
  const float* const from = data_ + (scattered ? static_cast<std::size_t>(rank_) * share : 0);
  auto* const host = static_cast<float*>(cuda_.allocate_host(wanted * sizeof(float)));
  cuda_.start_copy_to_host(host, from, wanted * sizeof(float), stream_);
  cuda_.finish(stream_);
  std::vector<float> elements = copied(host, wanted);
  cuda_.free_host(host);
  return elements;
}

CollectiveBackend NcclSide::backend() {
  CollectiveBackend backend;
  backend.algorithm = "unknown"; // NCCL chooses it by size
  backend.library = "nccl";
  backend.label = "nccl";
  backend.has = {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather, Collective::broadcast};
  backend.run = [this](Collective collective, std::size_t count, int times, bool queued) {
    for (int i = 0; i < times; ++i) {
      start(collective, count);
      if (!queued || i + 1 == times) cuda_.finish(stream_);
    }
  };
  backend.fill = [this](const std::vector<float>& elements) {
    cuda_.copy_to_device(data_, elements.data(), elements.size() * sizeof(float));
  };
  backend.result = [this](Collective collective, std::size_t count) { return result(collective, count); };
  return backend;
}

} // namespace ddltrain
