#pragma once
// The content of a log of nccl-tests in any layout: tables of rows, and the run to which each table belongs.

#include "import/log_source.hpp"
#include "import/nccl_debug.hpp"
#include "import/plain_text.hpp"
#include "sim/base/error.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {
/// One "Rank" line of the device list.
struct NcclDevice {
  int rank = 0;
  int group = 0;
  std::string host;
  int number = 0;   ///< number among the GPUs that its process sees
  std::string bus;  ///< PCI address; old programs print only the bus ("0x06"); "" if the log has none
  std::string name; ///< name such as "Tesla V100-SXM2-16GB"
};

/// The times of a row: out of place or in place.
struct NcclTiming {
  PrintedNumber time_us;
  PrintedNumber algbw_GBps;
  PrintedNumber busbw_GBps;
  bool wrong = false;         ///< whether the program found wrong values
  double relative_spread = 0; ///< relative spread; 0: not stated
};

struct NcclRow {
  std::string where; ///< FILE:LINE, or FILE
  int line = 0;      ///< line number; 0 in JSON
  std::string path;  ///< JSON pointer; "" in text
  double size_bytes = 0;
  std::string type;           ///< type of the values, such as "float" or "half"
  std::string redop = "none"; ///< operator of a reduction, such as "sum"; "none" if there is none
  int root = -1;              ///< rank of the root; -1: none
  std::optional<NcclTiming> out_of_place;
  std::optional<NcclTiming> in_place;
  std::string algorithm; ///< algorithm in the words of NCCL's debug text, such as "NVLS"; "": not stated
  std::string protocol;  ///< protocol, such as "SIMPLE"
};

/// A run of one program, with its table.
struct NcclTable {
  std::string where;   ///< FILE:LINE of its header
  std::string program; ///< name such as "all_reduce"; "" if the log does not state it
  std::vector<NcclDevice> devices;
  int ranks = 0;                     ///< number of ranks; 0: the log does not state it
  int iterations = 0;                ///< number of iterations; 0: the log does not state it
  std::string library = "NCCL";      ///< "NCCL" or "RCCL"
  std::string nccl_version;          ///< version such as "2.28.3"
  std::string date;                  ///< date such as "2025-08-01"
  std::string algorithm = "unknown"; ///< algorithm by NCCL_ALGO, if that is ring or tree
  NcclDebug debug;                   ///< facts of NCCL's debug text
  double bus_GBps = 0;               ///< average over the rows, as the closing line states it; 0: it is not there
  int rows_left_out = 0;             ///< number of rows in the average that are left out
  bool has_redop = false;            ///< whether the layout has a column redop
  bool has_root = false;
  bool complete = false; ///< whether the closing lines are there
  bool failed = false;   ///< whether the closing lines report wrong values
  std::vector<NcclRow> rows;
};

/// Returns the tables of a text log, in order. Adds the mistakes of single rows, and notes on skipped lines.
std::vector<NcclTable> parse_nccl_log(LogSource& source, std::vector<Mistake>& mistakes,
                                      std::vector<std::string>& notes);

/// Returns the one table of a JSON file that nccl-tests wrote (-J). Throws UserError if it is not JSON. Other mistakes
/// are added.
std::vector<NcclTable> parse_nccl_json(const std::string& text, const std::filesystem::path& file,
                                       std::vector<Mistake>& mistakes);

// Functions that both parsers share.

// Rows of text logs. The columns have the names of the newest layout.

/// Returns the columns of a header's text, such as "size" and "count".
std::vector<std::string> nccl_columns(std::string_view header);
bool is_nccl_header(const std::vector<std::string>& columns);

/// Returns how many words a complete row has. A time stamp has two words.
std::size_t words_of_row(const std::vector<std::string>& columns);

/// Whether the words can continue a row that has `before` words already. Each must have the form of its column.
bool fit_row(const std::vector<std::string>& columns, std::size_t before, const std::vector<std::string>& words);

/// Returns the row made of as many words as words_of_row(). Its mistakes are added to `bad`. Times are in units of
/// `time_unit_us` microseconds.
NcclRow read_nccl_row(const std::vector<std::string>& columns, const std::vector<std::string>& words,
                      double time_unit_us, bool in_place_only, std::string& bad);

/// Returns the operation of a command: "all_reduce" for ".../all_reduce_perf_mpi"; "" if it is no program of
/// nccl-tests.
std::string nccl_program(std::string_view command);
/// Returns the version of a code: "2.28.3" for 22803, and in the older numbering "2.8.4" for 2804.
std::string nccl_version_text(long code);
/// Returns the algorithm of a setting: "ring" for "Ring"; "unknown" for any but ring and tree.
std::string nccl_algorithm(std::string_view setting);

// What algbw and busbw mean in nccl-tests (NVIDIA/nccl-tests doc/PERFORMANCE.md).

/// A collective operation whose rows can become records.
struct NcclOperation {
  std::string program;   ///< name of its program without _perf, such as "alltoall"
  std::string name;      ///< name in records, such as "all_to_all"
  bool reduces = false;  ///< whether its rows have a redop
  bool has_root = false; ///< whether its rows have a root
  int turns = 1;         ///< number in busbw = algbw x turns x (ranks - 1) / ranks
  bool whole = false;    ///< whether busbw = algbw instead
};

const std::vector<NcclOperation>& nccl_operations();

/// Returns the program sendrecv, in which every rank sends to the next one and receives from the one before. It is no
/// collective, but the messages of a pair.
const NcclOperation& nccl_exchange();

/// Returns the ratio busbw / algbw of the operation.
double bus_factor(const NcclOperation& operation, int ranks);

/// Returns "" if algbw = size / time and busbw = algbw x bus_factor hold within the rounding of the printed digits;
/// else a text that names the contradiction.
std::string bandwidth_conflict(const NcclTiming& timing, double size_bytes, const NcclOperation& operation, int ranks);

/// Returns "" if the closing line's average agrees with that of the rows within 5 %; else a text with both. The average
/// is over all rows that the program timed, so it is not checked if rows were left out.
std::string average_conflict(const NcclTable& table);

/// Returns the algorithm of NCCL_ALGO, or the one that NCCL used for every row, by its name in records; else "unknown".
std::string nccl_algorithm_of(const NcclTable& table, int nodes);

/// Returns the operations that agree with the table's columns and all its bandwidths.
std::vector<NcclOperation> possible_operations(const NcclTable& table, int ranks);

/// The size of one communicator.
struct NcclScale {
  int ranks = 0;         ///< number of ranks; 0: not known
  int nodes = 0;         ///< number of nodes; 0: not known
  int communicators = 1; ///< number of communicators that ran at the same time (NCCL_TESTS_SPLIT)
  std::string device;    ///< name such as "Tesla V100-SXM2-16GB"; "" if not known
  std::string mistake;   ///< what is wrong with the ranks; "" if nothing
  std::string question;  ///< why the nodes are not known; "" if they are
};

/// Returns the scale that NCCL states for its communicator, else that of the device list. The numbers are 0 if there is
/// neither.
NcclScale scale_of(const NcclTable& table);

} // namespace ddlsim
