#include "sim/formats/folded_table.hpp"
#include "sim/formats/readers.hpp"

namespace ddlsim {

const std::vector<NamedTable>& calibration_tables() {
  static const TableColumn transport{"transport", true}, preset{"preset", true}, precision{"precision", true},
      model{"model", true}, evidence{"evidence", true};
  static const std::vector<TableColumn> points{
      {"gpus"}, {"nodes"}, {"residual_ten_thousandths"}, {"noise_ten_thousandths"}};
  static const std::vector<TableColumn> sizes{{"size_bytes"}, {"residual"}};
  static const std::vector<TableColumn> jumps{{"from_bytes"}, {"to_bytes"}, {"factor"}};
  static const std::vector<TableColumn> sources{{"file", true}, {"lines"}};
  static const std::vector<NamedTable> tables{
      {"parameters",
       {{"name", true},
        {"prior", true},
        {"unit", true},
        {"value"},
        {"low"},
        {"high"},
        {"z_score"},
        {"error"},
        {"points"},
        {"identified"},
        {"borrowed_points"},
        transport,
        preset,
        precision,
        model,
        {"batch_per_gpu"},
        {"one_gpu_s"},
        evidence}},
      {"choices", {{"sharding"}, {"all_reduce"}, transport, preset, precision, model, {"batch_per_gpu"}}},
      {"series",
       {{"file", true},
        {"name"},
        {"strategy", true},
        {"spread_ten_thousandths"},
        {"noise_ten_thousandths"},
        {"points", false, points},
        transport,
        preset,
        precision,
        model,
        {"batch_per_gpu"},
        {"one_gpu_s"},
        evidence,
        {"borrowed"}}},
      {"collectives",
       {{"cluster", true},
        {"series"},
        {"transport", true},
        {"library", true},
        {"operation", true},
        {"algorithm", true},
        {"ranks"},
        {"nodes"},
        {"latency_s"},
        {"rate_Bps"},
        {"pipelining"},
        {"correlation"},
        {"points", false, sizes},
        {"noise"},
        {"wander"},
        {"fit_spread"},
        {"mean_leave_one_out_error"},
        {"worst_leave_one_out_error"},
        {"leave_one_out_points"},
        {"jumps", false, jumps},
        {"sources"}}},
      {"compute",
       {{"gpu", true},
        model,
        precision,
        preset,
        {"fixed_s"},
        {"per_sample_s"},
        {"smallest_batch"},
        {"largest_batch"},
        {"relative_error"},
        {"fixed_error"},
        {"per_sample_error"},
        {"correlation"},
        {"records"},
        {"sources", false, sources},
        {"leave_one_out"},
        {"least_s"}}},
      {"excluded", {{"what"}, {"why"}}}};
  return tables;
}

} // namespace ddlsim
