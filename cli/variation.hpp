#pragma once
// What the command line varies of a scenario, as typed and as changes of the document.

#include "cli/options.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ddlsim {

/// Changes of a scenario from the command line, as typed.
struct Variation {
  std::vector<int> gpus{};
  std::string cluster{};
  std::vector<std::string> set{};   ///< /json/path=VALUE
  std::vector<std::string> sweep{}; ///< /json/path=A,B,C
};

/// "NAME=VALUE" words as pairs; `wrong` becomes the first word that is not one.
std::vector<std::pair<std::string, std::string>> split_words(const std::vector<std::string>& words, std::string& wrong);

/// --set first, so that --gpus and --cluster, which set the same fields, come last.
std::vector<JsonChange> changes_of(const Variation& variation, std::string& wrong);

std::vector<SweepAxis> axes_of(const Variation& variation, std::string& wrong);

} // namespace ddlsim
