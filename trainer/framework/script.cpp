#include "trainer/framework/script.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ddltrain {
namespace {

namespace fs = std::filesystem;
const fs::path script_folder = fs::path("trainer") / "frameworks";

/// Returns the folder that holds trainer/frameworks: the current one, or one above the program.
fs::path source_folder(const fs::path& program) {
  if (fs::is_directory(script_folder)) return fs::current_path();
  for (fs::path folder = program.parent_path(); folder != folder.root_path(); folder = folder.parent_path()) {
    if (fs::is_directory(folder / script_folder)) return folder;
  }
  throw ddlsim::UserError("", "",
                          fmt::format("no folder {} found here or above {}; run it in the project's folder",
                                      script_folder.string(), program.string()));
}

std::string replaced(std::string text, char from, char to) {
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

std::vector<std::string> script_names(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".py") names.push_back(replaced(entry.path().stem(), '_', '-'));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Returns the environment of the script, where it has pins of its own, or that of the first word of its name.
std::string environment_of(const std::string& name, const fs::path& folder) {
  return fs::exists(folder / "environments" / (name + ".txt")) ? name : name.substr(0, name.find('-'));
}

int count_in(const std::string& option, const std::string& text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value > 0) return value;
  throw ddlsim::UserError("", "", fmt::format("{} \"{}\" found; give a whole number above 0", option, text));
}

} // namespace

FrameworkScript find_script(const std::string& name, const fs::path& program) {
  const fs::path root = source_folder(program);
  const std::vector<std::string> names = script_names(root / script_folder);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw ddlsim::UserError("", "", ddlsim::unknown_name_text("framework", name, names, names));
  }
  const std::string environment = environment_of(name, root / script_folder);
  const fs::path python = root / "build" / "frameworks" / environment / "bin" / "python3";
  if (!fs::exists(python)) {
    throw ddlsim::UserError("", "",
                            fmt::format("{} needs the environment build/frameworks/{}, which is not there; install it "
                                        "with ./run frameworks {}",
                                        name, environment, environment));
  }
  return {name, python, root / script_folder / (replaced(name, '-', '_') + ".py"), {}};
}

FrameworkArguments framework_arguments(const std::vector<std::string>& words) {
  FrameworkArguments arguments;
  std::string servers;
  std::string placement = "dedicated";
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string option = words[i];
    std::string value;
    const std::size_t equals = option.find('=');
    const bool joined = option.rfind("--", 0) == 0 && equals != std::string::npos;
    if (joined) {
      value = option.substr(equals + 1);
      option.resize(equals);
    } else if (i + 1 < words.size()) {
      value = words[i + 1];
    }
    const bool own = option == "--ranks" || option == "--cores-per-rank" || option == "--interface";
    if (option == "--ranks") arguments.ranks = count_in(option, value);
    if (option == "--cores-per-rank") arguments.cores_per_rank = count_in(option, value);
    if (option == "--interface") arguments.interface = value;
    if (option == "--servers") servers = value;
    if (option == "--placement") placement = value;
    if (!own) arguments.rest.push_back(words[i]);
    if (own && !joined) ++i;
  }
  if (!servers.empty() && placement == "dedicated") arguments.servers = count_in("--servers", servers);
  return arguments;
}

} // namespace ddltrain
