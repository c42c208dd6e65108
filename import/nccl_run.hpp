#pragma once
// What a log of nccl-tests says, whichever layout it has: tables of rows, and the run each table belongs to.

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
  std::string bus;  ///< PCI address, "" when the log has none
  std::string name; ///< "Tesla V100-SXM2-16GB"
};

/// One half of a row: out of place or in place.
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
};

/// One run of one program.
struct NcclTable {
  std::string where;   ///< FILE:LINE of its header
  std::string program; ///< "all_reduce"; "" when the log does not name it
  std::vector<NcclDevice> devices;
  int ranks = 0;                     ///< 0: the log does not say
  int iterations = 0;                ///< 0: the log does not say
  std::string nccl_version;          ///< "2.28.3"
  std::string date;                  ///< "2025-08-01"
  std::string algorithm = "unknown"; ///< NCCL_ALGO, when ring or tree
  std::string transport = "unknown"; ///< what NCCL says it uses between nodes
  bool has_redop = false;            ///< the layout has a column redop
  bool has_root = false;
  bool complete = false; ///< the closing lines are there
  bool failed = false;   ///< the closing lines report wrong values
  std::vector<NcclRow> rows;
};

/// Tables of a text log, in order. Mistakes of single rows are added; what was passed over is noted.
std::vector<NcclTable> parse_nccl_log(const std::string& text, const std::filesystem::path& file,
                                      std::vector<Mistake>& mistakes, std::vector<std::string>& notes);

/// The one table of a JSON file that nccl-tests wrote (-J). Throws UserError when it is not JSON; other mistakes are
/// added.
std::vector<NcclTable> parse_nccl_json(const std::string& text, const std::filesystem::path& file,
                                       std::vector<Mistake>& mistakes);

// For both parsers.

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

/// The operations that the table's columns and all its bandwidths allow.
std::vector<NcclOperation> possible_operations(const NcclTable& table, int ranks);

/// What one communicator spans.
struct NcclScale {
  int ranks = 0;         ///< 0: not known
  int nodes = 0;         ///< 0: not known
  int communicators = 1; ///< that ran side by side (NCCL_TESTS_SPLIT)
  std::string device;    ///< "Tesla V100-SXM2-16GB"; "" when not known
  std::string mistake;   ///< what is wrong with the device list; "" when nothing
};

/// Devices of one host name at the same PCI address stand in different machines. Zeros for an empty device list.
NcclScale scale_of(const NcclTable& table);

} // namespace ddlsim
