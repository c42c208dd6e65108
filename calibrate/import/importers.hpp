#pragma once
// What `ddlsim import KIND FILE` can read: one row a kind of file.

#include "calibrate/import/imported.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// What the lines of a kind of file are about, and so what `--set` may say of them.
enum class LogFigures {
  rates,       ///< a table of rates: any of its columns
  steps,       ///< steps of one run: any column of a table of rates
  collectives, ///< operations of a library: ranks, nodes, transport and what the reader names
};

/// One kind of file, and how it becomes records. `import` throws UserError with every mistake of the file, each as
/// FILE:LINE. What the command line states comes before what the file states for all its rows; a row's own figure
/// comes before both.
struct Importer {
  std::string kind;  ///< the word after `ddlsim import`
  std::string reads; ///< what such a file is, as the help says it: "a table of rates"
  LogFigures figures = LogFigures::steps;
  Imported (*import)(const std::filesystem::path& file, const ImportContext& stated);
};

/// In the order of the help.
const std::vector<Importer>& importers();

/// Throws std::out_of_range for a kind that no row has: the command line was checked before.
const Importer& importer_of(const std::string& kind);

/// What kind of file is it? `ddlsim import FILE` without a kind: of importers(), or "hf-config"; "" for none. Throws
/// UserError as read_utf8_file().
std::string guess_kind(const std::filesystem::path& file);

/// A table of training rates that a person typed (docs/calibration.md has its columns): one step record a row.
Imported import_csv(const std::filesystem::path& file, const ImportContext& stated);

/// What all_reduce_perf and its siblings print, as text or as JSON: one collective record a row and half (out of place,
/// in place). size_bytes is the program's `size`, time_s its `time`. `stated.given` may have operation, ranks, nodes,
/// transport and algorithm. sendrecv between two ranks becomes messages that cross each other. Among the mistakes: a row that is not whole, a bandwidth that contradicts its time, size
/// and number of ranks (NVIDIA/nccl-tests doc/PERFORMANCE.md), a run whose ranks or operation cannot be told.
Imported import_nccl_tests(const std::filesystem::path& file, const ImportContext& stated);

/// Latency tables of the OSU micro-benchmarks and of Intel MPI Benchmarks: collective records, and one-way times of two
/// processes. `stated.given` may have ranks, nodes, transport and library; an OSU table says neither ranks nor nodes.
Imported import_mpi_benchmarks(const std::filesystem::path& file, const ImportContext& stated);

/// A log of MLPerf Training (lines ":::MLLOG"): the median rate over blocks or epochs of training, evaluation left out.
/// model and gpus are of `stated.given`.
Imported import_mllog(const std::filesystem::path& file, const ImportContext& stated);

/// The timeline that Horovod's rank 0 writes, whole or cut: the median step, and how long gradients were negotiated and
/// summed. model and batch_per_gpu are of `stated.given`.
Imported import_horovod(const std::filesystem::path& file, const ImportContext& stated);

/// The median of the step times that a training program printed, as one step record. `stated.given` has what the log
/// does not say: model, gpus, batch_per_gpu and any other column of a table of rates.
Imported import_steps(const std::filesystem::path& file, const ImportContext& stated);

/// The median of the steps in a trace of the PyTorch profiler, with what they waited for input and for NCCL. The trace
/// says how many processes there were; model and batch_per_gpu are of `stated.given`.
Imported import_kineto(const std::filesystem::path& file, const ImportContext& stated);

} // namespace ddlsim
