#pragma once
// One row of a table of rates, as a step record.

#include "import/imported.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// The columns a table of rates may have; the first three are required, and one of rate,
/// rate_per_gpu, iteration_ms and iteration_s.
const std::vector<std::string>& rate_columns();

/// What stands in the cells of one row, by column; an empty cell is absent.
using RateCells = std::map<std::string, std::string>;

/// Adds mistakes of one row: where the row is, which column.
class RowMistakes {
public:
  RowMistakes(std::string where, std::vector<Mistake>& list) : where_(std::move(where)), list_(list) {}
  void add(const std::string& column, std::string what) { list_.push_back({where_, column, std::move(what)}); }

private:
  std::string where_;
  std::vector<Mistake>& list_;
};

/// The record of a row; its file and line are left open. GPUs a node is the cluster's when neither nodes nor
/// gpus_per_node is stated.
StepRecord step_record(const RateCells& cells, int cluster_gpus_per_node, RowMistakes& mistakes);

/// What rows of one series have in common, as a name: "resnet50_v1.5-bs64-fp32-ring-horovod".
std::string series_name(const StepRecord& record);

} // namespace ddlsim
