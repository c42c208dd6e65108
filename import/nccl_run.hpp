#pragma once
// The content of a log of nccl-tests in any layout: tables of rows, and the run that each table belongs to.

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
  int number = 0;   ///< among the GPUs that its process sees
  std::string bus;  ///< PCI address; only the bus ("0x06") from old programs; "" if the log has none
  std::string name; ///< "Tesla V100-SXM2-16GB"
};

/// The times of a row: out of place or in place.
struct NcclTiming {
  PrintedNumber time_us;
  PrintedNumber algbw_GBps;
  PrintedNumber busbw_GBps;
  bool wrong = false;         ///< the program found wrong values
  double relative_spread = 0; ///< 0: not stated
};

struct NcclRow {
  std::string where; ///< FILE:LINE, or FILE
  int line = 0;      ///< 0 in JSON
  std::string path;  ///< JSON pointer, "" in text
  double size_bytes = 0;
  std::string type;           ///< float, half, ...
  std::string redop = "none"; ///< sum, ...; "none" if there is none
  int root = -1;              ///< -1: none
  std::optional<NcclTiming> out_of_place;
  std::optional<NcclTiming> in_place;
  std::string algorithm; ///< as NCCL's debug text calls it: "NVLS"; "": not said
  std::string protocol;  ///< "SIMPLE"
};

/// One run of one program, with its table.
struct NcclTable {
  std::string where;   ///< FILE:LINE of its header
  std::string program; ///< "all_reduce"; "" if the log does not name it
  std::vector<NcclDevice> devices;
  int ranks = 0;                     ///< 0: the log does not say
  int iterations = 0;                ///< 0: the log does not say
  std::string library = "NCCL";      ///< or RCCL
  std::string nccl_version;          ///< "2.28.3"
  std::string date;                  ///< "2025-08-01"
  std::string algorithm = "unknown"; ///< from NCCL_ALGO if that is ring or tree
  NcclDebug debug;                   ///< what NCCL's debug text says
  double bus_GBps = 0;               ///< the average over the rows in the closing line; 0: not there
  int rows_left_out = 0;             ///< of those in the average
  bool has_redop = false;            ///< the layout has a column redop
  bool has_root = false;
  bool complete = false; ///< the closing lines are there
  bool failed = false;   ///< the closing lines report wrong values
  std::vector<NcclRow> rows;
};

/// The tables of a text log, in order. Adds the mistakes of single rows, and notes on skipped lines.
std::vector<NcclTable> parse_nccl_log(LogSource& source, std::vector<Mistake>& mistakes,
                                      std::vector<std::string>& notes);

/// The one table of a JSON file that nccl-tests wrote (-J). Throws UserError if it is not JSON; other mistakes are
/// added.
std::vector<NcclTable> parse_nccl_json(const std::string& text, const std::filesystem::path& file,
                                       std::vector<Mistake>& mistakes);

// Functions that both parsers share.

// Rows of text logs. The columns are named as in the newest layout.

/// The columns of a header's text: "size", "count", ...
std::vector<std::string> nccl_columns(std::string_view header);
bool is_nccl_header(const std::vector<std::string>& columns);

/// How many words a complete row has; a time stamp has two.
std::size_t words_of_row(const std::vector<std::string>& columns);

/// Whether the words can continue a row that already has `before` words. Each must have its column's form.
bool fit_row(const std::vector<std::string>& columns, std::size_t before, const std::vector<std::string>& words);

/// The row made of as many words as words_of_row(); its mistakes are added to `bad`. Times are in units of
/// `time_unit_us` microseconds.
NcclRow read_nccl_row(const std::vector<std::string>& columns, const std::vector<std::string>& words,
                      double time_unit_us, bool in_place_only, std::string& bad);

/// The operation of a command: "all_reduce" for ".../all_reduce_perf_mpi"; "" if it is no program of nccl-tests.
std::string nccl_program(std::string_view command);
/// The version of a code: "2.28.3" for 22803, and in the older numbering "2.8.4" for 2804.
std::string nccl_version_text(long code);
/// The algorithm of a setting: "ring" for "Ring"; "unknown" for any but ring and tree.
std::string nccl_algorithm(std::string_view setting);

// The meaning of algbw and busbw in nccl-tests: NVIDIA/nccl-tests doc/PERFORMANCE.md.

/// A collective operation whose rows can become records.
struct NcclOperation {
  std::string program;   ///< its program's name: alltoall of alltoall_perf
  std::string name;      ///< as in records: all_to_all
  bool reduces = false;  ///< its rows have a redop
  bool has_root = false; ///< its rows have a root
  int turns = 1;         ///< busbw = algbw x turns x (ranks - 1) / ranks
  bool whole = false;    ///< busbw = algbw instead
};

const std::vector<NcclOperation>& nccl_operations();

/// The program sendrecv, in which every rank sends to the next one and receives from the previous one. It is no
/// collective but a pair's messages.
const NcclOperation& nccl_exchange();

/// The ratio busbw / algbw of the operation.
double bus_factor(const NcclOperation& operation, int ranks);

/// "" if algbw = size / time and busbw = algbw x bus_factor hold within the rounding of the printed digits; else a text
/// that names the contradiction.
std::string bandwidth_conflict(const NcclTiming& timing, double size_bytes, const NcclOperation& operation, int ranks);

/// "" if the closing line's average agrees with that of the rows within 5 %; else a text with both. The average is over
/// all rows that the program timed, so it is not checked if rows were left out.
std::string average_conflict(const NcclTable& table);

/// The algorithm of NCCL_ALGO, or the one that NCCL used for every row, as records name it; else "unknown".
std::string nccl_algorithm_of(const NcclTable& table, int nodes);

/// The operations that agree with the table's columns and all its bandwidths.
std::vector<NcclOperation> possible_operations(const NcclTable& table, int ranks);

/// The size of one communicator.
struct NcclScale {
  int ranks = 0;         ///< 0: not known
  int nodes = 0;         ///< 0: not known
  int communicators = 1; ///< that ran at the same time (NCCL_TESTS_SPLIT)
  std::string device;    ///< "Tesla V100-SXM2-16GB"; "" if not known
  std::string mistake;   ///< what is wrong with the ranks; "" if nothing
  std::string question;  ///< why the nodes are not known; "" if they are
};

/// The scale that NCCL states for its communicator, else that of the device list. Zeros if there is neither.
NcclScale scale_of(const NcclTable& table);

} // namespace ddlsim
