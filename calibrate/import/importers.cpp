#include "calibrate/import/importers.hpp"

#include "calibrate/import/plain_text.hpp"

#include <stdexcept>
#include <utility>

namespace ddlsim {

// A new importer: one source with its function, declared in the header, and one row here.
const std::vector<Importer>& importers() {
  static const std::vector<Importer> rows{
      {"csv", "a table of rates", LogFigures::rates, import_csv},
      {"nccl-tests", "its log", LogFigures::collectives, import_nccl_tests},
      {"mpi-benchmarks", "tables of OSU micro-benchmarks and Intel MPI Benchmarks", LogFigures::collectives,
       import_mpi_benchmarks},
      {"steps", "step lines of Megatron-LM, tf_cnn_benchmarks, DeepSpeed, Keras, PyTorch, Lightning", LogFigures::steps,
       import_steps},
      {"mllog", "a log of MLPerf Training", LogFigures::steps, import_mllog},
      {"horovod", "Horovod's timeline", LogFigures::steps, import_horovod},
      {"kineto", "a trace of the PyTorch profiler", LogFigures::steps, import_kineto},
  };
  return rows;
}

const Importer& importer_of(const std::string& kind) {
  for (const auto& row : importers())
    if (row.kind == kind) return row;
  throw std::out_of_range("no importer of " + kind);
}

namespace {

/// Of a file that begins with a brace or a bracket; "" for none.
std::string kind_of_json(const std::string& text, char first) {
  const auto has = [&](const char* words) { return text.find(words) != std::string::npos; };
  if (first == '{' && has("\"traceEvents\"")) return "kineto";
  if (first == '{' && has("\"model_type\"")) return "hf-config";
  if (first == '[' && (has("\"NEGOTIATE_") || has("\"ALLREDUCE\""))) return "horovod";
  return first == '[' && has("\"ProfilerStep#") ? "kineto" : "";
}

} // namespace

std::string guess_kind(const std::filesystem::path& file) {
  if (lower_case(file.extension().string()) == ".csv") return "csv";
  const auto text = read_utf8_file(file);
  const auto begin = text.find_first_not_of(" \t\r\n");
  const auto json = begin == std::string::npos ? "" : kind_of_json(text, text[begin]);
  if (!json.empty()) return json;
  // In this order: a log of several programs is that of the program with tables.
  static const std::vector<std::pair<const char*, const char*>> marks{{"busbw", "nccl-tests"},
                                                                      {"\"nccl_version\"", "nccl-tests"},
                                                                      {"OSU MPI", "mpi-benchmarks"},
                                                                      {"# Benchmarking ", "mpi-benchmarks"},
                                                                      {":::MLL", "mllog"},
                                                                      {":::MLP", "mllog"},
                                                                      {"elapsed time per iteration (ms):", "steps"},
                                                                      {"images/sec:", "steps"},
                                                                      {"CurrSamplesPerSec=", "steps"},
                                                                      {"s/step", "steps"},
                                                                      {"Epoch: [", "steps"},
                                                                      {"it/s", "steps"},
                                                                      {"s/it", "steps"},
                                                                      {"batch_per_gpu,", "csv"},
                                                                      {",batch_per_gpu", "csv"}};
  for (const auto& [mark, kind] : marks)
    if (text.find(mark) != std::string::npos) return kind;
  return "";
}

} // namespace ddlsim
