#include "trainer/train/training_step.hpp"

#include "trainer/models/image_network.hpp"
#include "trainer/synchronisation/tensor_sgd.hpp"
#include "trainer/train/flat_model.hpp"

#include <cmath>
#include <utility>

namespace ddltrain {

TrainingStep::TrainingStep(ComputeSource& compute, FlatModel& model, Synchroniser& synchroniser, LossScale& loss_scale)
    : compute_(compute), model_(model), synchroniser_(synchroniser), loss_scale_(loss_scale) {}

void TrainingStep::run(const Batch& batch, const StepListener& listener) {
  const auto reached = [&listener](StepMoment moment) {
    if (listener.reached) listener.reached(moment);
  };
  reached(StepMoment::start);
  synchroniser_.start_step();
  model_.zero_gradients();
  reached(StepMoment::zeroed);
  compute_.scale_loss(loss_scale_.value());
  compute_.forward(batch);
  reached(StepMoment::forward_done);
  compute_.backward([&](std::size_t tensor) {
    if (listener.ready) listener.ready(tensor);
    synchroniser_.gradient_ready(model_.positions()[tensor]);
  });
  reached(StepMoment::backward_done);
  synchroniser_.finish();
  reached(StepMoment::updated);
}

Update update_on_host(const FlatModel& model, const SgdOptions& sgd) {
  const std::size_t count = element_count(model.layout());
  const auto own = std::make_shared<MomentumSgd>(count, sgd);
  return [own, count, memory = model.memory(), step = std::size_t{0}]() mutable {
    own->update(memory.parameters, memory.gradients, 0, count, step++);
  };
}

Update update_on_device(const FlatModel& model, const SgdOptions& sgd, LossScale& loss_scale) {
  const auto own = std::make_shared<TensorSgd>(model.flat_parameters(), model.flat_gradients(), sgd);
  return [own, &loss_scale, gradients = model.flat_gradients(), step = std::size_t{0}]() mutable {
    const bool finite = !loss_scale.is_on() || std::isfinite(gradients.sum().item<float>());
    if (finite) own->update(loss_scale.value(), step);
    ++step;
    loss_scale.end_step(finite);
  };
}

std::unique_ptr<Synchroniser> lone_synchroniser(const FlatModel& model, const SgdOptions& sgd, const Device& device,
                                                LossScale& loss_scale) {
  Update update = device.cuda ? update_on_device(model, sgd, loss_scale) : update_on_host(model, sgd);
  return all_reduce_synchroniser(model.layout(), model.memory().gradients, Grouping::single, /*overlapped=*/false,
                                 nullptr, std::move(update));
}

std::vector<std::int64_t> probe_ready_order(const Network& network, ComputeSource& compute, const Device& device) {
  constexpr std::int64_t samples = 2;
  Batch batch = network.random_batch(samples);
  move_to(device, batch);
  const std::vector<at::Tensor> before = copies_of_buffers(network);
  std::vector<std::int64_t> order = ready_order(compute, batch);
  set_buffers(network, before);
  return order;
}

LoneWorker::LoneWorker(const std::shared_ptr<Network>& network, const Device& device, ddlsim::Precision precision,
                       const SgdOptions& sgd)
    : loss_scale_(precision == ddlsim::Precision::amp), compute_(network, device, precision),
      model_(compute_.parameters(), probe_ready_order(*network, compute_, device)),
      synchroniser_(lone_synchroniser(model_, sgd, device, loss_scale_)),
      step_(compute_, model_, *synchroniser_, loss_scale_) {}

} // namespace ddltrain
