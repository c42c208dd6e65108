#pragma once
// Turns one row of a table of rates into a step record.

#include "import/imported.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// Returns the columns that a table of rates may have. The first three are required, and one of rate, rate_per_gpu,
/// iteration_ms and iteration_s.
const std::vector<std::string>& rate_columns();

/// The cells of one row by the name of the column. Empty cells are absent.
using RateCells = std::map<std::string, std::string>;

/// Collects the mistakes of one row, with the row's place and the column.
class RowMistakes {
public:
  RowMistakes(std::string where, std::vector<Mistake>& list) : where_(std::move(where)), list_(list) {}
  void add(const std::string& column, std::string what) { list_.push_back({where_, column, std::move(what)}); }

private:
  std::string where_;
  std::vector<Mistake>& list_;
};

/// Returns the record of a row, without file and line. If the row states neither nodes nor gpus_per_node, the GPUs per
/// node are the cluster's.
StepRecord step_record(const RateCells& cells, int cluster_gpus_per_node, RowMistakes& mistakes);

/// Returns a series name made of what all its rows share, such as "resnet50_v1.5-bs64-fp32-ring-horovod".
std::string series_name(const StepRecord& record);

} // namespace ddlsim
