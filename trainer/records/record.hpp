#pragma once
// What is measured, as data: one struct for each kind of record of a measurement file (docs/formats.md,
// "Measurements"). Figures are in SI; an absent figure is an empty optional or an empty text.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ddltrain {

/// First line of a file: which machine, which software, when, by whom.
struct ContextRecord {
  std::string cluster;  ///< folder name under platforms/
  std::string gpu;      ///< its name in platforms/gpus.json; empty without one
  std::string machine;  ///< in words: processor, cores, memory
  std::string software; ///< names and versions
  std::string date;     ///< "2026-05-07"
  std::string who = "ddltrain";
  std::string title;     ///< the command that measured
  bool emulated = false; ///< timed waits stand for a GPU's compute
};

/// What every record has. Own runs are of origin "run".
struct RecordHead {
  std::string series;                ///< records of one experiment, which differ in scale or size only
  std::string transport = "unknown"; ///< nccl-ib, nccl-tcp, mpi-ib, mpi-tcp, grpc, shm; "unknown" where nothing is sent
  std::string library = "unknown";   ///< nccl, open-mpi, libtorch, ...
  std::string statistic = "median";
  int repeats = 0;            ///< 0: not stated
  double relative_spread = 0; ///< standard deviation over value; 0: not stated
  bool suspect = false;       ///< something disturbed it, and the note says what
  std::string note;
  std::vector<double> samples_s; ///< how long each repetition took, in the order measured
};

/// How gradients were synchronised. For ps and ps-async the fields below the name are written too.
struct StrategyText {
  std::string name = "none"; ///< none, ring, hierarchical-ring, tree, halving-doubling, all-reduce, ps, ps-async
  int servers = 0;           ///< 0: as many as workers
  std::string placement = "colocated"; ///< dedicated, colocated
  std::string sharding = "bytes";      ///< round-robin, bytes, split, hash
};

/// One training iteration.
struct StepRecord {
  RecordHead head;
  std::string model;
  std::string precision = "fp32";
  std::string wire_precision = "fp32";
  double batch_per_gpu = 0;
  std::string preset;
  StrategyText strategy;
  std::string algorithm = "unknown"; ///< of the collective
  int gpus = 1;
  int nodes = 1;
  int gpus_per_node = 1;
  bool synchronised = false;
  std::string data = "synthetic"; ///< synthetic, real
  std::string mode = "train";     ///< train, forward
  double iteration_s = 0;
};

struct CollectiveRecord {
  RecordHead head;
  std::string operation = "all_reduce";
  std::string algorithm = "unknown";
  int ranks = 1;
  int nodes = 1;
  double size_bytes = 0;
  double time_s = 0;
};

struct PointToPointRecord {
  RecordHead head;
  double size_bytes = 0;
  double time_s = 0; ///< one way
  int nodes = 0;     ///< 1: both ranks on one; 2; 0: not stated
};

struct LayerRecord {
  RecordHead head;
  std::string model;
  std::string layer;
  std::string kind;
  std::string pass; ///< forward, backward, optimizer
  std::string precision = "fp32";
  double batch = 0;
  double flop = 0;       ///< of the pass, whole batch; 0: not stated
  double size_bytes = 0; ///< of its parameters; 0: none
  double time_s = 0;
};

struct ServerRecord {
  RecordHead head;
  std::string what; ///< push, pull, push-pull, channel
  double rate_Bps = 0;
  int workers = 0;       ///< 0: not stated, and so below
  int nodes = 0;         ///< that the server and its workers are on
  double size_bytes = 0; ///< of each worker's tensor
};

/// Input pipeline or storage; one of the two rates.
struct InputRecord {
  RecordHead head;
  std::string what; ///< loader, storage
  double samples_per_s = 0;
  double rate_Bps = 0;
};

struct LossRecord {
  RecordHead head;
  std::string model;
  int epoch = 0;
  std::int64_t step = 0;
  double loss = 0;
  std::optional<double> accuracy; ///< share, 0..1
};

} // namespace ddltrain
