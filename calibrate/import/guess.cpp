#include "calibrate/import/guess.hpp"

#include "calibrate/import/plain_text.hpp"

#include <utility>
#include <vector>

namespace ddlsim {

std::string guess_kind(const std::filesystem::path& file) {
  if (lower_case(file.extension().string()) == ".csv") return "csv";
  const auto text = read_utf8_file(file);
  const auto has = [&](const char* words) { return text.find(words) != std::string::npos; };
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{' && has("\"traceEvents\"")) return "kineto";
  if (first != std::string::npos && text[first] == '{' && has("\"model_type\"")) return "hf-config";
  // In this order: a log of several programs is that of the program with tables.
  static const std::vector<std::pair<const char*, const char*>> marks{{"busbw", "nccl-tests"},
                                                                      {"\"nccl_version\"", "nccl-tests"},
                                                                      {"OSU MPI", "mpi-benchmarks"},
                                                                      {"# Benchmarking ", "mpi-benchmarks"},
                                                                      {"elapsed time per iteration (ms):", "steps"},
                                                                      {"images/sec:", "steps"},
                                                                      {"s/step", "steps"},
                                                                      {"Epoch: [", "steps"},
                                                                      {"it/s", "steps"},
                                                                      {"s/it", "steps"},
                                                                      {"batch_per_gpu,", "csv"},
                                                                      {",batch_per_gpu", "csv"}};
  for (const auto& [mark, kind] : marks)
    if (has(mark)) return kind;
  return "";
}

} // namespace ddlsim
