#include "calibrate/import/importers.hpp"

#include <stdexcept>

namespace ddlsim {

// A new importer: one source with its function, declared in the header, and one row here.
const std::vector<Importer>& importers() {
  static const std::vector<Importer> rows{
      {"csv", "a table of rates", import_csv},
      {"nccl-tests", "its log", import_nccl_tests},
      {"mpi-benchmarks", "tables of OSU micro-benchmarks and Intel MPI Benchmarks", import_mpi_benchmarks},
      {"steps", "step lines of Megatron-LM, tf_cnn_benchmarks, Keras, PyTorch, Lightning", import_steps},
      {"kineto", "a trace of the PyTorch profiler", import_kineto},
  };
  return rows;
}

const Importer& importer_of(const std::string& kind) {
  for (const auto& row : importers())
    if (row.kind == kind) return row;
  throw std::out_of_range("no importer of " + kind);
}

} // namespace ddlsim
