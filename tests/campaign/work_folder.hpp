#pragma once
// A temporary data folder with one cluster and its campaign, and the program run on it as a user would.

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include <string>
#include <vector>

namespace ddltrain_test {

/// Does the text have that part?
inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Ended {
  int status = 0;
  std::string output; ///< standard output and error
};

/// Runs a program to its end.
Ended run_program(const std::vector<std::string>& words);

/// Starts it and returns; what it prints goes to `log`.
pid_t start_program(const std::vector<std::string>& words, const std::string& log);

/// Its exit status as a shell says it.
int wait_for_end(pid_t child);

class WorkFolder {
public:
  WorkFolder(); ///< cluster "here": 8 nodes of one rank, a NIC of 200 Mbit/s
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const; ///< "" when there is none
  bool exists(const std::string& name) const;
  /// Another cluster "here", of `most_nodes` such nodes. node: "gpu", "gpus", and "nics" where they are not the usual.
  void cluster(const std::string& node, int most_nodes) const;
  void campaign(const nlohmann::json& launcher, const nlohmann::json& runs) const;
  /// `ddltrain measure --cluster here` with the test's payload, records into out/.
  std::vector<std::string> measure_words(const std::vector<std::string>& more = {}) const;
  Ended measure(const std::vector<std::string>& more = {}) const { return run_program(measure_words(more)); }

private:
  std::string folder_;
};

/// Lines of a records file but for the context.
std::vector<nlohmann::json> records_in(const std::string& text);

} // namespace ddltrain_test
