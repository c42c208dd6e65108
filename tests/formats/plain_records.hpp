#pragma once
// Records with every field filled plainly, for tests that care about a few of them, and a file of them.

#include "sim/formats/record.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ddlsim::test {

/// A synchronised ring of pytorch-ddp over nccl-ib, fp32, synthetic data; 32 samples of model "m" a GPU "G".
inline StepRecord plain_step(const std::string& series, int gpus, int nodes, double iteration_s) {
  StepRecord record;
  record.head.series = series;
  record.head.transport = "nccl-ib";
  record.head.gpu = "G";
  record.model = "m";
  record.precision = Precision::fp32;
  record.wire_precision = WirePrecision::fp32;
  record.batch_per_gpu = 32;
  record.preset = "pytorch-ddp";
  record.strategy.name = StrategyName::ring;
  record.gpus = gpus;
  record.nodes = nodes;
  record.gpus_per_node = gpus / nodes;
  record.data = "synthetic";
  record.mode = RunMode::train;
  record.iteration_s = iteration_s;
  return record;
}

/// One GPU without synchronisation, preset "p".
inline StepRecord one_gpu_step(double batch, double iteration_s) {
  StepRecord record = plain_step("s", 1, 1, iteration_s);
  record.head.transport = "unknown";
  record.batch_per_gpu = batch;
  record.preset = "p";
  record.synchronised = false;
  return record;
}

inline MeasurementFile file_of(const std::string& cluster, const std::string& name, std::vector<Record> records) {
  MeasurementFile file;
  file.file = name + ".jsonl";
  file.context.cluster = cluster;
  file.records = std::move(records);
  return file;
}

} // namespace ddlsim::test
