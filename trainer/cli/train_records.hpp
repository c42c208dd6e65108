#pragma once
#include "trainer/cli/train_command.hpp"
#include "trainer/communication/mpi_session.hpp"
#include "trainer/records/disturbance.hpp"
#include "trainer/records/record_file.hpp"
#include "trainer/records/surroundings.hpp"
#include "trainer/train/training.hpp"

namespace ddltrain {

/// Names and versions of the software that computes on rank 0, and of the software that communicates.
struct TrainSoftware {
  std::string compute; ///< such as "LibTorch 1.13.1, 1 compute thread"
  std::string math;    ///< settings that decide about speed, in the words of choose_math()
  std::string library; ///< such as "Open MPI 4.1.4" or "NCCL 2.28.9, Open MPI 4.1.4"
  WaitPolicy waiting = WaitPolicy::in_mpi;
  std::vector<Facts> nodes; ///< facts_of_node() of each node
};

/// Returns facts_of_node() of each node, in the order of the nodes. `nodes` is of these ranks, or of the first of them.
/// All ranks must call it.
std::vector<Facts> gather_facts(MpiCommunicator& ranks, const NodeMap& nodes, bool anonymous);

/// Returns what decides about the numbers that an optimizer computes: learning rate and its schedule, momentum, weight
/// decay.
Facts settings_of(const SgdOptions& sgd, const EpochSchedule& schedule);

/// What a run writes: lines on standard output, and records. Rank 0 writes; the others only take part.
class TrainRecords {
public:
  /// Opens the file before the first step, so that a place that cannot be written is noticed before the training.
  TrainRecords(const TrainArguments& arguments, NodeMap workers, TrainSoftware software, const std::string& command,
               bool writes);

  void add(const EpochReport& epoch);
  /// Sets the transport that the run itself found. "unknown" changes nothing, and neither does a transport where the
  /// user stated one.
  void set_transport(const std::string& transport);
  /// Adds the step record. All ranks must call it.
  void finish(const TrainResult& result, const CpuUse& before, MpiCommunicator& world);

private:
  std::string strategy_text() const;
  RecordHead head() const;
  StepRecord step_record(const TrainResult& result) const;

  TrainArguments arguments_;
  NodeMap workers_;
  TrainSoftware software_;
  std::string transport_; ///< transport of the step record
  bool writes_;
  std::optional<RecordFile> file_;
};

} // namespace ddltrain
