#include "trainer/train/make_synchroniser.hpp"

#include "trainer/communication/ring.hpp"
#include "trainer/synchronisation/all_reduce_synchroniser.hpp"
#include "trainer/synchronisation/fusion_synchroniser.hpp"
#include "trainer/synchronisation/server_synchroniser.hpp"

#include <utility>

namespace ddltrain {
namespace {

Reduce make_reduce(const Job& job, Exchange exchange) {
  if (exchange == Exchange::none) return {};
  const std::shared_ptr<MpiCommunicator> own = job.group->duplicate();
  if (exchange == Exchange::all_reduce) {
    return [own](float* data, std::size_t count) { own->all_reduce(data, count); };
  }
  const auto scratch = std::make_shared<std::vector<float>>();
  return [own, scratch](float* data, std::size_t count) { ring_all_reduce(*own, data, count, *scratch); };
}

} // namespace

std::unique_ptr<Synchroniser> make_synchroniser(const Job& job, const TrainOptions& options, const SgdOptions& sgd,
                                                const FlatModel& model, MpiCommunicator& meeting,
                                                const ServerPlan& plan) {
  const GradientLayout& layout = model.layout();
  const ModelMemory memory = model.memory();
  const TrainStrategy& strategy = options.strategy;
  if (strategy.exchange == Exchange::servers) {
    return server_synchroniser(layout, memory, strategy.grouping, strategy.overlapped, meeting, plan);
  }
  Reduce reduce = make_reduce(job, strategy.exchange);
  if (strategy.grouping == Grouping::fusion && reduce) {
    return fusion_synchroniser(layout, memory, *job.group, std::move(reduce), sgd, strategy.fusion);
  }
  const Grouping grouping = reduce ? strategy.grouping : Grouping::single;
  return all_reduce_synchroniser(layout, memory, grouping, strategy.overlapped, std::move(reduce), sgd);
}

} // namespace ddltrain
