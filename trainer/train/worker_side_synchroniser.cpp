#include "trainer/communication/ring.hpp"
#include "trainer/cuda/cuda_link.hpp"
#include "trainer/cuda/device.hpp"
#include "trainer/cuda/nccl.hpp"
#include "trainer/cuda/rank_gpu.hpp"
#include "trainer/synchronisation/fusion_synchroniser.hpp"
#include "trainer/synchronisation/server_synchroniser.hpp"
#include "trainer/synchronisation/synchroniser.hpp"
#include "trainer/train/training_step.hpp"
#include "trainer/train/worker_side.hpp"

#include <utility>

namespace ddltrain {
namespace {

Reduce make_reduce(const Job& job, Exchange exchange) {
  const std::shared_ptr<MpiCommunicator> own = job.group->duplicate();
  if (exchange == Exchange::all_reduce) {
    return [own](float* data, std::size_t count) { own->all_reduce(data, count); };
  }
  const auto scratch = std::make_shared<std::vector<float>>();
  return [own, scratch](float* data, std::size_t count) { ring_all_reduce(*own, data, count, *scratch); };
}

/// Synchronises by MPI, in host memory.
std::unique_ptr<Synchroniser> on_host(const WorkerSide& side, const ModelMemory& memory, Update update) {
  const GradientLayout& layout = side.model.layout();
  const TrainStrategy& strategy = side.options.strategy;
  if (strategy.exchange == Exchange::servers) {
    return server_synchroniser(layout, memory, strategy.grouping, strategy.overlapped, side.meeting, side.plan);
  }
  Reduce reduce = make_reduce(side.job, strategy.exchange);
  if (strategy.grouping == Grouping::fusion) {
    return fusion_synchroniser(layout, memory.gradients, *side.job.group, std::move(reduce), std::move(update),
                               strategy.fusion);
  }
  auto reducer = strategy.overlapped ? reduce_beside(std::move(reduce)) : reduce_at_once(std::move(reduce));
  return all_reduce_synchroniser(layout, memory.gradients, strategy.grouping, strategy.overlapped, std::move(reducer),
                                 std::move(update));
}

/// Keeps a copy of the model in host memory, on which the strategy works as if the model were there.
std::unique_ptr<Synchroniser> through_host(const WorkerSide& side) {
  const std::size_t count = element_count(side.model.layout());
  const ModelMemory device = side.model.memory();
  const ModelMemory host = {side.link->host_memory(count), side.link->host_memory(count)};
  Update after = [link = side.link, device, host, count] { link->store(device.parameters, host.parameters, count); };
  if (side.options.strategy.exchange != Exchange::servers) {
    after = [link = side.link, device, host, count, update = update_on_device(side.model, side.sgd, side.loss_scale)] {
      link->store(device.gradients, host.gradients, count);
      update();
    };
  }
  auto staged = staged_synchroniser(side.model.layout(), device.gradients, host.gradients, side.link,
                                    on_host(side, host, [] {}), std::move(after));
  return side.options.strategy.overlapped ? std::move(staged) : after_backward(std::move(staged));
}

/// Returns a function that sends the buffers of rank 0 to all workers by MPI.
std::function<void()> broadcast_by_mpi(const WorkerSide& side) {
  const std::shared_ptr<MpiCommunicator> own = side.job.group->duplicate();
  float* const buffers = side.buffers.data_ptr<float>();
  const auto count = static_cast<std::size_t>(side.buffers.numel());
  if (!side.link) return [own, buffers, count] { own->broadcast(buffers, count, 0); };
  return [own, buffers, count, link = side.link, host = side.link->host_memory(count)] {
    if (own->rank() == 0) link->fetch(link->mark(), host, buffers, count);
    link->clear();
    own->broadcast(host, count, 0);
    if (own->rank() != 0) link->store(buffers, host, count);
  };
}

/// Checks now and then for failures that no call returns, as long as `inner` lives.
class Checked final : public Synchroniser {
public:
  Checked(std::unique_ptr<Synchroniser> inner, Watchdog& watchdog, std::function<void()> check)
      : inner_(std::move(inner)), watchdog_(watchdog) {
    watchdog_.set_check(std::move(check));
  }
  ~Checked() override { watchdog_.set_check({}); }
  void start_step() override { inner_->start_step(); }
  void gradient_ready(std::size_t position) override { inner_->gradient_ready(position); }
  void finish() override { inner_->finish(); }

private:
  std::unique_ptr<Synchroniser> inner_;
  Watchdog& watchdog_;
};

std::unique_ptr<Synchroniser> between_gpus(const WorkerSide& side) {
  const auto nccl = std::make_shared<Nccl>();
  MpiCommunicator& workers = *side.job.group;
  check_rank_gpus(workers.gather(text_of(own_rank_gpu(*side.device.cuda, side.device.gpu))));
  const std::string id = workers.gather(workers.rank() == 0 ? nccl->new_id() : "").front();
  const TrainStrategy& strategy = side.options.strategy;
  auto own =
      std::make_unique<NcclAllReduce>(side.device.cuda, nccl, side.device.gpu, id, workers.rank(), workers.size());
  NcclAllReduce& reducer = *own; // the reducer lives as long as the synchroniser
  auto synchroniser = all_reduce_synchroniser(side.model.layout(), side.model.memory().gradients, strategy.grouping,
                                              strategy.overlapped, std::move(own),
                                              update_on_device(side.model, side.sgd, side.loss_scale));
  if (side.job.watchdog != nullptr) {
    const auto check = [&reducer] { reducer.check(); };
    synchroniser = std::make_unique<Checked>(std::move(synchroniser), *side.job.watchdog, check);
  }
  if (side.buffers.numel() == 0) return synchroniser;
  const auto broadcast = [&reducer, buffers = side.buffers] {
    reducer.broadcast(buffers.data_ptr<float>(), static_cast<std::size_t>(buffers.numel()));
  };
  return sharing_at_start(std::move(synchroniser), broadcast);
}

} // namespace

std::unique_ptr<Synchroniser> make_synchroniser(const WorkerSide& side) {
  if (side.options.strategy.exchange == Exchange::none) {
    return lone_synchroniser(side.model, side.sgd, side.device, side.loss_scale);
  }
  if (side.options.backend == "nccl") return between_gpus(side);
  auto synchroniser =
      side.link ? through_host(side) : on_host(side, side.model.memory(), update_on_host(side.model, side.sgd));
  if (side.buffers.numel() == 0) return synchroniser;
  return sharing_at_start(std::move(synchroniser), broadcast_by_mpi(side));
}

std::shared_ptr<DeviceLink> make_link(const Device& device, const TrainOptions& options, std::size_t tensors) {
  const bool reachable = !device.cuda || options.backend == "nccl" || options.strategy.exchange == Exchange::none;
  return reachable ? nullptr : cuda_link(device.cuda, device.gpu, tensors);
}

} // namespace ddltrain
