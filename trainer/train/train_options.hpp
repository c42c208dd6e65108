#pragma once
#include "sim/formats/names.hpp"
#include "trainer/synchronisation/fusion_synchroniser.hpp"
#include "trainer/synchronisation/gradient_groups.hpp"
#include "trainer/synchronisation/optimizer.hpp"

#include <optional>
#include <string>

namespace ddltrain {

enum class Exchange { none, ring, all_reduce, servers };

/// How workers agree.
struct TrainStrategy {
  Exchange exchange = Exchange::ring;
  Grouping grouping = Grouping::buckets;
  bool overlapped = true;
  bool broadcast_buffers = false; ///< rank 0's running statistics to all before each forward pass; all-reduces only
  FusionOptions fusion;
  int servers = 1; ///< these four for servers only
  bool dedicated = true;
  bool asynchronous = false;
  std::string sharding = "bytes";
};

/// Whether workers wait for each other in every step, and hold the same parameters after it.
inline bool agrees(const TrainStrategy& strategy) {
  return strategy.exchange != Exchange::none && !strategy.asynchronous;
}

/// How the learning rate changes, in epochs.
struct EpochSchedule {
  double warm_up = 0; ///< in which it rises from its share of one worker, 1 / workers
  double every = 0;   ///< each time so many are over it is multiplied by `factor`; 0: never
  double factor = 1;
};

/// One training run.
struct TrainOptions {
  std::string model = "lenet5";
  std::string data = "synthetic"; ///< synthetic, digits, or a folder with MNIST's files
  std::size_t batch_per_worker = 32;
  std::size_t epochs = 1;
  std::size_t most_steps = 0;       ///< of the whole run; 0: as many as the epochs have
  std::size_t synthetic_steps = 50; ///< of an epoch of synthetic data
  std::size_t train_samples = 8000; ///< digits drawn
  std::size_t test_samples = 2000;  ///< the same, from another seed
  std::uint64_t seed = 1;
  SgdOptions sgd; ///< gradient_share and schedule are set by train
  EpochSchedule schedule;
  std::string replay;          ///< a profile to wait by instead of computing; "" computes
  double time_scale = 1;       ///< of the replay
  std::string device = "cpu";  ///< cpu, cuda
  std::string backend = "mpi"; ///< mpi: through host memory; nccl: between GPUs, all-reduces only
  ddlsim::Precision precision = ddlsim::Precision::fp32;
  std::size_t queued_steps = 0; ///< given to a GPU before it is waited for; 0: the usual number
  bool cudnn_benchmark = true;  ///< choose_math's
  bool nan_is_fatal = true;     ///< a loss that is no number ends the run
  TrainStrategy strategy;
};

} // namespace ddltrain
