#pragma once
// A training whose gradients are whole numbers: sums are exact in any order, and equal runs give equal bits.

#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/communication/watchdog.hpp"
#include "trainer/synchronisation/gradient_groups.hpp"
#include "trainer/synchronisation/optimizer.hpp"
#include "trainer/synchronisation/server_synchroniser.hpp"
#include "trainer/synchronisation/synchroniser.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace ddltrain_test {

using namespace ddltrain;

inline constexpr std::size_t trained_steps = 10;
inline const std::vector<std::size_t> tensor_counts = {700, 3,  40, 1300,
                                                       17,  256}; // elements; some messages are eager, some are not

inline SgdOptions sgd_options(double momentum) {
  SgdOptions options;
  options.learning_rate = 1.0 / 64;
  options.momentum = momentum;
  return options;
}

inline std::size_t all_elements() {
  return std::accumulate(tensor_counts.begin(), tensor_counts.end(), std::size_t{0});
}

inline float start_of(std::size_t element) {
  return static_cast<float>(element % 11);
}

/// Of an element of a tensor.
inline float gradient_of(int rank, std::size_t step, std::size_t tensor, std::size_t element) {
  return static_cast<float>((static_cast<std::size_t>(rank) + 1) * ((tensor + element) % 5 + 1) + step % 3);
}

/// A worker's model: flat arrays in the order in which backward makes gradients ready, the last tensor first.
struct Model {
  explicit Model(const SgdOptions& options) : sgd(all_elements(), options) {
    std::vector<std::size_t> ready(tensor_counts.size());
    std::iota(ready.rbegin(), ready.rend(), std::size_t{0});
    layout = lay_out(tensor_counts, ready);
    parameters.resize(all_elements());
    gradients.resize(all_elements());
    const std::vector<std::size_t> starts = starts_of(tensor_counts);
    for (const TensorPlace& place : layout)
      for (std::size_t i = 0; i < place.count; ++i) parameters[place.first + i] = start_of(starts[place.tensor] + i);
  }

  ModelMemory memory() { return {parameters.data(), gradients.data()}; }

  /// In the order created.
  std::vector<float> created() const {
    std::vector<float> values(parameters.size());
    const std::vector<std::size_t> starts = starts_of(tensor_counts);
    for (const TensorPlace& place : layout)
      std::copy_n(parameters.data() + place.first, place.count, values.data() + starts[place.tensor]);
    return values;
  }

  GradientLayout layout;
  std::vector<float> parameters;
  std::vector<float> gradients;
  MomentumSgd sgd;
  std::size_t step = 0;
};

inline Update update_of(Model& model) {
  return [&model] {
    model.sgd.update(model.parameters.data(), model.gradients.data(), 0, model.parameters.size(), model.step);
  };
}

/// What all workers' parameters are after all steps, in the order created, by one thread and one rank.
inline std::vector<float> expected(int workers, double momentum) {
  Model model(sgd_options(momentum));
  for (model.step = 0; model.step < trained_steps; ++model.step) {
    std::fill(model.gradients.begin(), model.gradients.end(), 0.0F);
    for (const TensorPlace& place : model.layout)
      for (int rank = 0; rank < workers; ++rank)
        for (std::size_t i = 0; i < place.count; ++i)
          model.gradients[place.first + i] += gradient_of(rank, model.step, place.tensor, i);
    update_of(model)();
  }
  return model.created();
}

/// A training: forward reads all parameters, backward writes a gradient after the other. turn: where in the layout
/// backward begins, so that ranks' gradients are ready in different orders.
inline void train(int rank, Model& model, Synchroniser& synchroniser, MpiCommunicator& workers, std::size_t turn,
                  Watchdog* watchdog) {
  for (model.step = 0; model.step < trained_steps; ++model.step) {
    if (watchdog != nullptr) watchdog->beat();
    synchroniser.start_step();
    std::fill(model.gradients.begin(), model.gradients.end(), 0.0F);
    auto loss = std::accumulate(model.parameters.begin(), model.parameters.end(), 0.0F);
    for (std::size_t i = 0; i < model.layout.size(); ++i) {
      const std::size_t position = (i + turn) % model.layout.size();
      const TensorPlace& place = model.layout[position];
      for (std::size_t element = 0; element < place.count; ++element)
        model.gradients[place.first + element] = gradient_of(rank, model.step, place.tensor, element);
      synchroniser.gradient_ready(position);
    }
    synchroniser.finish();
    workers.all_reduce(&loss, 1); // as the trainer does, on the communicator on which Horovod's way negotiates
  }
  if (watchdog != nullptr) watchdog->rest();
}

inline void check_all(const std::vector<std::vector<float>>& parameters, const std::vector<float>& right) {
  for (std::size_t rank = 0; rank < parameters.size(); ++rank) {
    INFO("rank " << rank);
    CHECK(parameters[rank] == right);
  }
}

} // namespace ddltrain_test
