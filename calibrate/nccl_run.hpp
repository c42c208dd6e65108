#pragma once
// What a log of nccl-tests says, whichever layout it has: tables of rows, and the run each table belongs to.

#include "calibrate/plain_text.hpp"
#include "sim/files/error.hpp"

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
  bool failed = false;   ///< the closing lines tell of wrong values
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

} // namespace ddlsim
