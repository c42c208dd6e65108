#pragma once
// What a log of nccl-tests says, whichever layout it has: tables of rows, and the run each table belongs to.

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
  int number = 0;   ///< among those that its process sees
  std::string bus;  ///< PCI address, of old programs the bus alone ("0x06"); "" when the log has none
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
  std::string redop = "none"; ///< sum, ...; none
  int root = -1;              ///< -1: none
  std::optional<NcclTiming> out_of_place;
  std::optional<NcclTiming> in_place;
  std::string algorithm; ///< as NCCL's debug text calls it: "NVLS"; "": not said
  std::string protocol;  ///< "SIMPLE"
};

/// One run of one program.
struct NcclTable {
  std::string where;   ///< FILE:LINE of its header
  std::string program; ///< "all_reduce"; "" when the log does not name it
  std::vector<NcclDevice> devices;
  int ranks = 0;                     ///< 0: the log does not say
  int iterations = 0;                ///< 0: the log does not say
  std::string library = "NCCL";      ///< or RCCL
  std::string nccl_version;          ///< "2.28.3"
  std::string date;                  ///< "2025-08-01"
  std::string algorithm = "unknown"; ///< NCCL_ALGO, when ring or tree
  NcclDebug debug;                   ///< what NCCL says of itself
  double bus_GBps = 0;               ///< the closing line's average over the rows; 0: not there
  int rows_left_out = 0;             ///< of those that the average is of
  bool has_redop = false;            ///< the layout has a column redop
  bool has_root = false;
  bool complete = false; ///< the closing lines are there
  bool failed = false;   ///< the closing lines report wrong values
  std::vector<NcclRow> rows;
};

/// Tables of a text log, in order. Mistakes of single rows are added; what was passed over is noted.
std::vector<NcclTable> parse_nccl_log(LogSource& source, std::vector<Mistake>& mistakes,
                                      std::vector<std::string>& notes);

/// The one table of a JSON file that nccl-tests wrote (-J). Throws UserError when it is not JSON; other mistakes are
/// added.
std::vector<NcclTable> parse_nccl_json(const std::string& text, const std::filesystem::path& file,
                                       std::vector<Mistake>& mistakes);

// For both parsers.

// Rows of text. The columns are named as the newest layout has them.

/// "size", "count", ... of a header's text.
std::vector<std::string> nccl_columns(std::string_view header);
bool is_nccl_header(const std::vector<std::string>& columns);

/// How many words a whole row has: a time stamp has two.
std::size_t words_of_row(const std::vector<std::string>& columns);

/// Whether the words can stand in a row behind as many as `before`. Each is of its column's form.
bool fit_row(const std::vector<std::string>& columns, std::size_t before, const std::vector<std::string>& words);

/// The row of as many words as words_of_row(); adds what is wrong with it to `bad`. Times are in units of so many
/// microseconds.
NcclRow read_nccl_row(const std::vector<std::string>& columns, const std::vector<std::string>& words,
                      double time_unit_us, bool in_place_only, std::string& bad);

/// "all_reduce" of ".../all_reduce_perf_mpi"; "" when it is no program of nccl-tests.
std::string nccl_program(std::string_view command);
/// "2.28.3" of 22803, and of the older numbering "2.8.4" of 2804.
std::string nccl_version_text(long code);
/// "ring" of "Ring"; "unknown" for any but ring and tree.
std::string nccl_algorithm(std::string_view setting);

// What algbw and busbw of nccl-tests mean: NVIDIA/nccl-tests doc/PERFORMANCE.md.

/// A collective operation whose rows can become records.
struct NcclOperation {
  std::string program;   ///< alltoall of alltoall_perf
  std::string name;      ///< as records have it: all_to_all
  bool reduces = false;  ///< its rows have a redop
  bool has_root = false; ///< its rows have a root
  int turns = 1;         ///< busbw = algbw x turns x (ranks - 1) / ranks
  bool whole = false;    ///< busbw = algbw instead
};

const std::vector<NcclOperation>& nccl_operations();

/// sendrecv: every rank sends to the next one and receives from the one before. No collective, but a pair's messages.
const NcclOperation& nccl_exchange();

/// busbw / algbw of the operation.
double bus_factor(const NcclOperation& operation, int ranks);

/// "" when algbw = size / time and busbw = algbw x bus_factor hold within the rounding of the printed digits; else what
/// contradicts what.
std::string bandwidth_conflict(const NcclTiming& timing, double size_bytes, const NcclOperation& operation, int ranks);

/// "" when the closing line's average is that of the rows, within 5 %; else which two disagree. The average is over all
/// rows that the program timed: where rows were left out, nothing is said.
std::string average_conflict(const NcclTable& table);

/// What NCCL_ALGO says, or the one that NCCL took for every row, as records call it; else "unknown".
std::string nccl_algorithm_of(const NcclTable& table, int nodes);

/// The operations that the table's columns and all its bandwidths allow.
std::vector<NcclOperation> possible_operations(const NcclTable& table, int ranks);

/// What one communicator spans.
struct NcclScale {
  int ranks = 0;         ///< 0: not known
  int nodes = 0;         ///< 0: not known
  int communicators = 1; ///< that ran side by side (NCCL_TESTS_SPLIT)
  std::string device;    ///< "Tesla V100-SXM2-16GB"; "" when not known
  std::string mistake;   ///< what is wrong with the ranks; "" when nothing
  std::string question;  ///< why the nodes cannot be known; "" when they are
};

/// The scale that NCCL states for its communicator, else that of the device list. Zeros where there is neither.
NcclScale scale_of(const NcclTable& table);

} // namespace ddlsim
