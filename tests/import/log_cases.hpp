#pragma once
// Logs of trainings in the programs' own forms, and what `ddlsim import steps` has to make of them. Every number of the
// logs is made up.

#include "import/imported.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim::test {

using Given = std::map<std::string, std::string>; ///< `--set NAME=VALUE`

/// One log and its record, or its refusal.
struct LogCase {
  std::string name;
  std::string log;
  Given given;
  double step_s = 0; ///< 0: it is refused
  double batch_per_gpu = 0;
  int gpus = 0;
  std::vector<std::string> statement{}; ///< parts of the notes, or of the refusal
};

/// Imports the log and checks that.
void check_case(const LogCase& one);

/// The cells of the one record that the log makes, by their JSON names: "preset", "precision".
std::string cell_of(const std::string& log, const Given& given, const std::string& name);

/// `count` lines, in which "@" is the line's number from `first` on.
std::string numbered(int count, const std::string& line, int first = 1);

inline const Given with_model{{"model", "resnet50_v1.5"}};
inline const Given with_gpus{{"model", "resnet50_v1.5"}, {"gpus", "8"}};
inline const Given with_all{{"model", "resnet50_v1.5"}, {"gpus", "8"}, {"batch_per_gpu", "64"}};
inline const Given with_one_gpu{{"model", "resnet50_v1.5"}, {"gpus", "1"}, {"batch_per_gpu", "100"}};

} // namespace ddlsim::test
