#include "trainer/timing/layer_timer.hpp"

#include "trainer/models/image_network.hpp"
#include "trainer/records/statistics.hpp"
#include "trainer/timing/step_clock.hpp"
#include "trainer/train/training_step.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace ddltrain {
namespace {

class HostMarks final : public Marks {
public:
  void clear() override { times_s_.clear(); }
  std::size_t mark() override {
    times_s_.push_back(now_s());
    return times_s_.size() - 1;
  }
  void settle() override {}
  double between_s(std::size_t from, std::size_t to) const override { return times_s_.at(to) - times_s_.at(from); }

private:
  std::vector<double> times_s_;
};

} // namespace

std::unique_ptr<Marks> host_marks() {
  return std::make_unique<HostMarks>();
}

namespace {

double parameter_bytes(const Layer& layer) {
  double bytes = 0;
  for (const at::Tensor& parameter : layer.parameters(/*recurse=*/false)) {
    bytes += static_cast<double>(parameter.numel()) * static_cast<double>(parameter.element_size());
  }
  return bytes;
}

} // namespace

struct LayerTimer::Impl {
  struct Event {
    std::size_t layer;
    std::size_t mark;
  };

  LoneWorker& worker;
  const Batch& batch;
  Marks& marks;
  std::vector<TimedLayer>& layers;
  std::vector<std::pair<std::string, Layer*>> units;
  std::vector<std::string> layer_of_parameter;
  std::map<std::string, std::size_t> index; ///< index of each layer by its name
  std::vector<Event> forward, backward, ready;

  Impl(Network& network, LoneWorker& worker_, const Batch& batch_, Marks& marks_, std::vector<TimedLayer>& layers_)
      : worker(worker_), batch(batch_), marks(marks_), layers(layers_), units(layers_of(network)) {
    for (const NamedTensor& parameter : worker.compute().parameters()) {
      layer_of_parameter.push_back(parameter.name.substr(0, parameter.name.rfind('.')));
    }
  }

  void observe(const std::string& name, const Layer& layer, const Tensors& inputs, const at::Tensor& output) {
    const auto [at, is_new] = index.emplace(name, layers.size());
    if (is_new) {
      layers.push_back({name, std::string(name_of(layer.kind())), static_cast<double>(layer.flop(inputs, output)),
                        parameter_bytes(layer)});
    }
    const std::size_t number = at->second;
    forward.push_back({number, marks.mark()});
    if (!output.requires_grad()) return;
    output.register_hook([this, number](const at::Tensor& gradient) {
      backward.push_back({number, marks.mark()});
      return gradient;
    });
  }

  void start_looking() {
    forward.clear();
    backward.clear();
    ready.clear();
    for (const auto& [name, layer] : units) {
      layer->observe([this, path = name](const Layer& seen, const Tensors& inputs, const at::Tensor& output) {
        observe(path, seen, inputs, output);
      });
    }
  }

  void note_ready(std::size_t parameter) {
    const auto found = index.find(layer_of_parameter[parameter]);
    if (found != index.end()) ready.push_back({found->second, marks.mark()});
  }

  void stop_looking() {
    for (const auto& [name, layer] : units) layer->observe({});
  }

  /// The marks of one step.
  struct Turns {
    std::size_t start, zeroed, turn, end, updated;
    double end_host_s; ///< time at which the host had given the device the whole backward pass
  };

  Turns step(const GradientReady& reported_ready) {
    Turns turns{};
    const auto reached = [&](StepMoment moment) {
      mark_of(turns, moment) = marks.mark();
      if (moment == StepMoment::backward_done) turns.end_host_s = now_s();
    };
    worker.step().run(batch, {reached, reported_ready});
    return turns;
  }

  Turns observed_step() {
    start_looking();
    const Turns turns = step([this](std::size_t parameter) { note_ready(parameter); });
    stop_looking();
    return turns;
  }

  static std::size_t& mark_of(Turns& turns, StepMoment moment) {
    switch (moment) {
    case StepMoment::start:
      return turns.start;
    case StepMoment::zeroed:
      return turns.zeroed;
    case StepMoment::forward_done:
      return turns.turn;
    case StepMoment::backward_done:
      return turns.end;
    case StepMoment::updated:
      break;
    }
    return turns.updated;
  }

  StepTimes times(const Turns& turns) const {
    return {marks.between_s(turns.zeroed, turns.turn), marks.between_s(turns.turn, turns.end),
            marks.between_s(turns.start, turns.zeroed) + marks.between_s(turns.end, turns.updated)};
  }

  void read_layers(const Turns& turns, std::vector<LayerStepTimes>& times) const {
    times.assign(layers.size(), {});
    std::size_t before = turns.zeroed;
    for (const Event& event : forward) {
      times[event.layer].forward_s = marks.between_s(before, event.mark);
      before = event.mark;
    }
    // a layer's backward time runs from the gradient of its output to that of the next layer
    for (std::size_t i = 0; i < backward.size(); ++i) {
      // The time of the loss's mean before the first hook counts to the first layer.
      const std::size_t from = i == 0 ? turns.turn : backward[i].mark;
      const std::size_t to = i + 1 < backward.size() ? backward[i + 1].mark : turns.end;
      times[backward[i].layer].backward_s = marks.between_s(from, to);
    }
    for (const Event& event : ready) {
      double& ready_s = times[event.layer].ready_s;
      ready_s = std::max(ready_s, marks.between_s(turns.turn, event.mark));
    }
  }
};

LayerTimer::LayerTimer(Network& network, LoneWorker& worker, const Batch& batch, Marks& marks)
    : impl_(std::make_unique<Impl>(network, worker, batch, marks, layers_)) {}

LayerTimer::~LayerTimer() = default;

StepTimes LayerTimer::plain_step() {
  impl_->marks.clear();
  const Impl::Turns turns = impl_->step({});
  impl_->marks.settle();
  return impl_->times(turns);
}

StepTimes LayerTimer::observed_step(std::vector<LayerStepTimes>& layers) {
  impl_->marks.clear();
  const Impl::Turns turns = impl_->observed_step();
  impl_->marks.settle();
  impl_->read_layers(turns, layers);
  return impl_->times(turns);
}

namespace {

StepTimes mean_of(const std::vector<StepTimes>& steps) {
  StepTimes mean;
  const auto count = static_cast<double>(steps.size());
  for (const StepTimes& step : steps) {
    mean.forward_s += step.forward_s / count;
    mean.backward_s += step.backward_s / count;
    mean.update_s += step.update_s / count;
  }
  return mean;
}

} // namespace

LayerTimer::Queue LayerTimer::queued_steps(std::size_t plain, std::vector<LayerStepTimes>& layers) {
  impl_->marks.clear();
  impl_->step({}); // this step begins on an idle device
  std::vector<Impl::Turns> turns;
  for (std::size_t i = 0; i < plain; ++i) turns.push_back(impl_->step({}));
  const Impl::Turns observed = impl_->observed_step();
  impl_->marks.settle();
  const HostMark last = {observed.updated, now_s()};
  Queue queue;
  std::vector<HostMark> backward_ends;
  for (const Impl::Turns& one : turns) {
    queue.plain.push_back(impl_->times(one));
    backward_ends.push_back({one.end, one.end_host_s});
  }
  queue.observed = impl_->times(observed);
  impl_->read_layers(observed, layers);
  const StepTimes mean = mean_of(queue.plain);
  queue.host_paced = !device_was_the_pace(impl_->marks, backward_ends, last, mean.total_s());
  if (queue.host_paced) std::fill(queue.plain.begin(), queue.plain.end(), mean);
  return queue;
}

} // namespace ddltrain
