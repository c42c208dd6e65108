#pragma once
#include "trainer/cli/train_command.hpp"
#include "trainer/communication/mpi_session.hpp"
#include "trainer/records/disturbance.hpp"
#include "trainer/records/record_file.hpp"
#include "trainer/records/surroundings.hpp"
#include "trainer/train/training.hpp"

namespace ddltrain {

/// Names and versions of what computes on rank 0 and of what communicates.
struct TrainSoftware {
  std::string compute; ///< "LibTorch 1.13.1, 1 compute thread"
  std::string math;    ///< its settings that decide about speed: choose_math's words
  std::string library; ///< "Open MPI 4.1.4", "NCCL 2.28.9, Open MPI 4.1.4"
  WaitPolicy waiting = WaitPolicy::in_mpi;
  std::vector<Facts> nodes; ///< facts_of_node() of each
};

/// facts_of_node() of each node, in the nodes' order. nodes: of these ranks, or of the first of them. Collective.
std::vector<Facts> gather_facts(MpiCommunicator& ranks, const NodeMap& nodes, bool anonymous);

/// What decides about the numbers that an optimizer makes: learning rate and its schedule, momentum, weight decay.
Facts settings_of(const SgdOptions& sgd, const EpochSchedule& schedule);

/// What a run leaves: lines for the reader on standard output, and records. Rank 0 writes, the others only take part.
class TrainRecords {
public:
  /// Opens the file before the first step, so that a place that cannot be written costs no training.
  TrainRecords(const TrainArguments& arguments, NodeMap workers, TrainSoftware software, const std::string& command,
               bool writes);

  void add(const EpochReport& epoch);
  /// What the run itself told of its transport: "unknown" changes nothing, nor does anything where the user told it.
  void set_transport(const std::string& transport);
  /// Adds the step record. Collective over all ranks.
  void finish(const TrainResult& result, const CpuUse& before, MpiCommunicator& world);

private:
  std::string strategy_text() const;
  RecordHead head() const;
  StepRecord step_record(const TrainResult& result) const;

  TrainArguments arguments_;
  NodeMap workers_;
  TrainSoftware software_;
  std::string transport_; ///< of the step record
  bool writes_;
  std::optional<RecordFile> file_;
};

} // namespace ddltrain
