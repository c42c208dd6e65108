#pragma once
// The subcommand `ddltrain train`: its options, and the usual choices of frameworks for options that are not given.

#include "trainer/communication/watchdog.hpp"
#include "trainer/train/train_options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ddltrain {

/// The options of `ddltrain train`.
struct TrainArguments {
  TrainOptions options;
  int ranks = 0;             ///< number of workers; 0: as many as the launcher started, or one
  std::string strategy;      ///< "none", "ring", "all-reduce", "ps" or "ps-async"; "": ring, with NCCL all-reduce
  bool asynchronous = false; ///< whether ps means ps-async
  std::string placement = "dedicated";
  /// learning rate; nothing: the model's own, which asynchronous servers divide by the number of workers
  std::optional<double> learning_rate;
  std::optional<double> weight_decay; ///< weight decay; nothing: the model's own
  std::string schedule;               ///< schedule such as "30:0.1"; "": the rate stays the same
  int threads = 1;                    ///< number of threads that compute in a worker
  std::string buffers = "auto";       ///< "auto", "on" or "off": whether buffers are broadcast before each forward pass
  std::string precision = "fp32";     ///< "fp32", "tf32", "amp" or "bf16"
  std::string grouping;           ///< "buckets", "per-tensor", "fusion" or "single"; "": the usual one of the strategy
  std::string overlap = "auto";   ///< "auto", "on" or "off"
  std::string output_file;        ///< file for records; "": none are written
  std::string cluster = "local";  ///< cluster of the records
  std::string gpu;                ///< GPU of the records, by its name in platforms/gpus.json
  StallLimits stall;              ///< limits after which a job that makes no progress is ended
  std::string transport;          ///< transport of the records; "": as the settings of MPI state it, else unknown
  bool anonymous = false;         ///< whether to leave the host's name out of the records
  int cores_per_rank = 0;         ///< cores of ranks that are started here; 0: an equal share
  std::vector<std::string> words; ///< the command line after the program's name
};

/// Runs as one rank of a job that a launcher started, or starts the job on this machine. Returns the exit status.
/// Throws UserError before any rank is started.
int train_command(TrainArguments arguments);

/// Adds `train` and its options to the command line. Its exit status is stored in `status`; both must outlive parsing.
void add_train(CLI::App& program, TrainArguments& arguments, int& status);

/// Fills in `options` from what was typed, and the rest from the model and from the usual choices of frameworks. Throws
/// UserError for unknown words and for choices that exclude each other, whether or not this machine has the device.
void settle(TrainArguments& arguments);

/// Whether buffers are broadcast by default: where all-reduces run in buckets. PyTorch's DistributedDataParallel sends
/// rank 0's buffers to all before each forward pass; Horovod, TensorFlow and MXNet keep each worker's own.
bool usually_broadcasts_buffers(const TrainStrategy& strategy);

} // namespace ddltrain
