#include "work_folder.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace ddltrain_test {
namespace {

namespace fs = std::filesystem;

} // namespace

pid_t start_program(const std::vector<std::string>& words, const std::string& log) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM); // nothing outlives a test that is killed
    const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    std::vector<std::string> copy = words;
    std::vector<char*> pointers;
    for (std::string& word : copy) {
      pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    execvp(pointers.front(), pointers.data());
    _exit(127);
  }
  return child;
}

int wait_for_end(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Ended run_program(const std::vector<std::string>& words) {
  std::string log = (fs::temp_directory_path() / "ddltrain_test_XXXXXX").string();
  close(mkstemp(log.data()));
  Ended ended;
  ended.status = wait_for_end(start_program(words, log));
  std::ifstream file(log);
  ended.output.assign(std::istreambuf_iterator<char>(file), {});
  fs::remove(log);
  return ended;
}

WorkFolder::WorkFolder() {
  folder_ = (fs::temp_directory_path() / "ddltrain_launch_XXXXXX").string();
  if (mkdtemp(folder_.data()) == nullptr) {
    throw std::runtime_error("no temporary folder");
  }
  cluster(R"({"gpu": "", "gpus": 1})", 8);
}

WorkFolder::~WorkFolder() {
  std::error_code error;
  fs::remove_all(folder_, error);
}

void WorkFolder::write(const std::string& name, const std::string& text) const {
  fs::create_directories(fs::path(path(name)).parent_path());
  std::ofstream(path(name)) << text;
}

std::string WorkFolder::read(const std::string& name) const {
  std::ifstream file(path(name));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

bool WorkFolder::exists(const std::string& name) const {
  return fs::exists(path(name));
}

void WorkFolder::cluster(const std::string& node, int most_nodes) const {
  nlohmann::json own = nlohmann::json::parse(node);
  own["intra"] = {{"kind", own["gpus"] == 1 ? "none" : "pcie-tree"}};
  if (own["gpus"] != 1) own["intra"].update({{"bandwidth", "10 GB/s"}, {"latency", "5 us"}});
  if (own.count("nics") == 0) own["nics"] = {{{"name", "nic"}, {"bandwidth", "200 Mbps"}}};
  const nlohmann::json json = {
      {"format", "ddlsim-cluster"},
      {"version", 1},
      {"name", "here"},
      {"title", "a test"},
      {"node", own},
      {"fabric", {{"kind", "star"}, {"hop_latency", "1 us"}}},
      {"transports", {{{"name", "mpi-tcp"}, {"nic", "nic"}}}},
      {"available", {{"nodes", 2}}},
      {"growth", {{"max_nodes", most_nodes}, {"rule", "a test's"}}},
      {"sources", {{"/node", "a test"}, {"/fabric", "a test"}, {"/available", "a test"}, {"/growth", "a test"}}}};
  write("platforms/here/cluster.json", json.dump());
}

void WorkFolder::campaign(const nlohmann::json& launcher, const nlohmann::json& runs) const {
  const nlohmann::json json = {{"format", "ddltrain-campaign"}, {"version", 1}, {"launcher", launcher}, {"runs", runs}};
  write("platforms/here/campaign.json", json.dump());
}

std::vector<std::string> WorkFolder::measure_words(const std::vector<std::string>& more) const {
  std::vector<std::string> words = {DDLTRAIN_PROGRAM, "measure",  "--cluster", "here",      "--data",
                                    folder_,          "--output", path("out"), "--program", DDLTRAIN_PAYLOAD};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<nlohmann::json> records_in(const std::string& text) {
  std::vector<nlohmann::json> records;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    nlohmann::json json = nlohmann::json::parse(line);
    if (json.at("record") != "context") {
      records.push_back(std::move(json));
    }
  }
  return records;
}

} // namespace ddltrain_test
