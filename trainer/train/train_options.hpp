#pragma once
#include "sim/formats/names.hpp"
#include "trainer/synchronisation/fusion_synchroniser.hpp"
#include "trainer/synchronisation/gradient_groups.hpp"
#include "trainer/synchronisation/optimizer.hpp"

#include <optional>
#include <string>

namespace ddltrain {

enum class Exchange { none, ring, all_reduce, servers };

/// How workers exchange gradients.
struct TrainStrategy {
  Exchange exchange = Exchange::ring;
  Grouping grouping = Grouping::buckets;
  bool overlapped = true;
  /// whether rank 0 sends its running statistics to all before each forward pass; all-reduces only
  bool broadcast_buffers = false;
  FusionOptions fusion;
  int servers = 1; ///< this option and the next three are for servers only
  bool dedicated = true;
  bool asynchronous = false;
  std::string sharding = "bytes";
};

/// Returns whether workers wait for each other in every step, and hold the same parameters after it.
inline bool agrees(const TrainStrategy& strategy) {
  return strategy.exchange != Exchange::none && !strategy.asynchronous;
}

/// How the learning rate changes, in epochs.
struct EpochSchedule {
  double warm_up = 0; ///< epochs in which the rate rises from 1 / workers of its full value
  double every = 0;   ///< after each such number of epochs the rate is multiplied by `factor`; 0: never
  double factor = 1;
};

/// One training run.
struct TrainOptions {
  std::string model = "lenet5";
  std::string data = "synthetic"; ///< synthetic, digits, or a folder with MNIST's files
  std::size_t batch_per_worker = 32;
  std::size_t epochs = 1;
  std::size_t most_steps = 0;       ///< steps of the whole run; 0: as many as the epochs have
  std::size_t synthetic_steps = 50; ///< steps of an epoch of synthetic data
  std::size_t train_samples = 8000; ///< number of digits drawn for training
  std::size_t test_samples = 2000;  ///< number of digits drawn for the test, from another seed
  std::uint64_t seed = 1;
  SgdOptions sgd; ///< train sets gradient_share and schedule
  EpochSchedule schedule;
  std::string replay;          ///< a profile whose times are waited for in place of computing; "" computes
  double time_scale = 1;       ///< time scale of the replay
  std::string device = "cpu";  ///< cpu or cuda
  std::string backend = "mpi"; ///< mpi: through host memory; nccl: between GPUs, all-reduces only
  ddlsim::Precision precision = ddlsim::Precision::fp32;
  std::size_t queued_steps = 0; ///< steps given to a GPU before a wait; 0: the usual number
  bool cudnn_benchmark = true;  ///< passed to choose_math
  bool nan_is_fatal = true;     ///< whether a loss that is not a number ends the run
  TrainStrategy strategy;
};

} // namespace ddltrain
