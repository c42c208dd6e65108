#pragma once
#include "trainer/communication/node_map.hpp"
#include "trainer/program/train_command.hpp"
#include "trainer/records/disturbance.hpp"
#include "trainer/records/record_file.hpp"
#include "trainer/train/training.hpp"

namespace ddltrain {

/// What a run leaves: lines for the reader on standard output, and records. Rank 0 writes, the others only take part.
class TrainRecords {
public:
  /// Opens the file before the first step, so that a place that cannot be written costs no training.
  TrainRecords(const TrainArguments& arguments, NodeMap workers, const std::string& library, const std::string& command,
               bool writes);

  void add(const EpochReport& epoch);
  /// Adds the step record. Collective over all ranks.
  void finish(const TrainResult& result, const CpuUse& before, MpiCommunicator& world);

private:
  std::string strategy_text() const;
  RecordHead head() const;
  StepRecord step_record(const TrainResult& result) const;

  TrainArguments arguments_;
  NodeMap workers_;
  std::string library_;
  bool writes_;
  std::optional<RecordFile> file_;
};

} // namespace ddltrain
