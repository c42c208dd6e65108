#pragma once
// The files of a campaign's parts, and the records file made from those of a run.
//
//   OUTPUT/RUN.jsonl             the records of a run, once all its parts are there
//   OUTPUT/parts/PART.jsonl      the records of a part, there only when it ended well
//   OUTPUT/parts/PART.running    the same while it runs, or when it failed
//   OUTPUT/parts/PART.log        its command line, then what it printed

#include "trainer/launch/part.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddltrain {

struct PartFiles {
  std::filesystem::path records;
  std::filesystem::path running;
  std::filesystem::path log;
};

PartFiles files_of(const std::filesystem::path& output, const Part& part);

/// Is the part measured? Throws UsageError when it was measured with another command line than `line`.
bool is_measured(const PartFiles& files, const std::string& line);

/// Does any record of the part say it was disturbed?
bool has_suspect(const PartFiles& files);

/// The part ended well: its records get their final name. With a `cause`, each is marked suspect and says why. Throws
/// RunError when there are no records, or a line is no JSON.
void accept(const PartFiles& files, const std::string& cause);

/// Writes OUTPUT/RUN.jsonl from all parts of the run: the first context, then every record. Returns false, and writes
/// nothing, when a part is missing. Throws RunError when contexts differ in more than date and command.
bool collect_run(const std::filesystem::path& output, const std::string& run, const std::vector<Part>& parts);

} // namespace ddltrain
