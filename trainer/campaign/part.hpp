#pragma once
// A part: one start of ddltrain on a number of nodes. A campaign consists of parts.

#include "trainer/campaign/campaign.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddltrain {
struct Part {
  std::string run;                    ///< name of the run to which it belongs
  std::string name;                   ///< unique name that can be a file name: "ring-auto-n4-r2"
  std::string command;                ///< "train", "collectives" and so on
  std::vector<std::string> arguments; ///< arguments after `ddltrain`, without the output file
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;
  double time_limit_s = 600;
  double rate_Bps = 0; ///< testbed: rate of the links; 0: that of the launcher
};

/// Returns every part. Runs are in the order of the file, and the parts of a run repeat by repeat, so that a slow
/// change of the machine affects all points and not only one. Throws UserError for two parts of one name, which would
/// share a file.
std::vector<Part> parts_of(const Campaign& campaign);

// The files of a campaign's parts, and the records file made from those of a run.
//
//   OUTPUT/RUN.jsonl             the records of a run, once all its parts are there
//   OUTPUT/parts/PART.jsonl      the records of a part, there only when it ended well
//   OUTPUT/parts/PART.running    the same while it runs, or when it failed
//   OUTPUT/parts/PART.log        its command line, then what it printed

struct PartFiles {
  std::filesystem::path records;
  std::filesystem::path running;
  std::filesystem::path log;
};

PartFiles files_of(const std::filesystem::path& output, const Part& part);

/// Whether the part is measured. Throws UserError when it was measured with another command line than `line`.
bool is_measured(const PartFiles& files, const std::string& line);

/// Whether some record of the part is marked as suspect.
bool has_suspect(const PartFiles& files);

/// Gives the records of a part that ended well their final name. With a `cause`, each is marked as suspect with that
/// reason. Throws RunError when there are no records, or a line is not JSON.
void accept(const PartFiles& files, const std::string& cause);

/// Writes OUTPUT/RUN.jsonl from all parts of the run: the first context with the nodes of all, then every record.
/// Returns false, and writes nothing, when a part is missing. Throws RunError when contexts differ in more than date,
/// command, nodes and what follows from the number of ranks on a node.
bool collect_run(const std::filesystem::path& output, const std::string& run, const std::vector<Part>& parts);

} // namespace ddltrain
