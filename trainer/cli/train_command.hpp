#pragma once
// `ddltrain train`: what was typed, and what frameworks do where the user types nothing.

#include "trainer/communication/watchdog.hpp"
#include "trainer/train/train_options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ddltrain {

/// `ddltrain train` as typed.
struct TrainArguments {
  TrainOptions options;
  int ranks = 0;             ///< workers; 0: as many as the launcher started, or one
  std::string strategy;      ///< none, ring, all-reduce, ps, ps-async; "" is ring, with NCCL all-reduce
  bool asynchronous = false; ///< ps as ps-async
  std::string placement = "dedicated";
  std::optional<double> learning_rate; ///< none: the model's own, with asynchronous servers over the workers
  std::optional<double> weight_decay;  ///< none: the model's own
  std::string schedule;                ///< "30:0.1"; "" keeps the learning rate
  int threads = 1;                     ///< that a worker computes with
  std::string buffers = "auto";        ///< auto, on, off: broadcast before each forward pass
  std::string precision = "fp32";      ///< fp32, tf32, amp, bf16
  std::string grouping;                ///< buckets, per-tensor, fusion, single; "" takes the strategy's usual one
  std::string overlap = "auto";        ///< auto, on, off
  std::string output_file;             ///< records; "" writes none
  std::string cluster = "local";       ///< of the records
  std::string gpu;                     ///< of the records: name in platforms/gpus.json
  StallLimits stall;                   ///< when a job that does not get on is ended
  std::string transport;               ///< of the records; "" is what the MPI's settings say, else unknown
  bool anonymous = false;              ///< leave the host's name out of the records
  int cores_per_rank = 0;              ///< of ranks started here; 0: an equal share
  std::vector<std::string> words;      ///< the command line after the program's name
};

/// Runs it: as one rank of a job that a launcher started, or starts the job on this machine. Returns the exit status.
/// Throws UserError before any rank is started.
int train_command(TrainArguments arguments);

/// Adds `train` and its options to the command line. Its exit status comes to lie in `status`; both must outlive
/// parsing.
void add_train(CLI::App& program, TrainArguments& arguments, int& status);

/// Fills in `options` from what was typed, and what was not from the model and from frameworks' habits. Throws
/// UserError for words that mean nothing and for choices that exclude each other, whether or not this machine has the
/// device.
void settle(TrainArguments& arguments);

/// PyTorch's DistributedDataParallel gives rank 0's buffers to all before each forward pass; Horovod, TensorFlow and
/// MXNet keep each worker's own. So do we: on where all-reduces go in its buckets.
bool usually_broadcasts_buffers(const TrainStrategy& strategy);

} // namespace ddltrain
