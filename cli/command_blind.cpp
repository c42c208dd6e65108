#include "cli/command.hpp"
#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/own_files.hpp"
#include "validate/blind/blind_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

/// Returns what a command prints, without the last line end; "" if the command fails.
std::string printed_by(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(popen((command + " 2>/dev/null").c_str(), "r"), pclose);
  std::string text;
  for (int c = stream ? std::fgetc(stream.get()) : EOF; c != EOF; c = std::fgetc(stream.get()))
    text += static_cast<char>(c);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

/// Quotes a path as one word of a shell.
std::string shell_word(const fs::path& path) {
  std::string word = "'";
  for (const char c : path.string()) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// Returns the commit of the data folder's checkout. Changes of the log itself do not count.
std::string commit_of(const fs::path& root) {
  const auto git = "git -C " + shell_word(root) + " ";
  const auto commit = printed_by(git + "rev-parse --short=12 HEAD");
  if (commit.empty())
    throw UserError(
        "--blind", "",
        fmt::format("{} is no git checkout, and the log names the commit of the program that was asked; run "
                    "it from a checkout",
                    root.string()));
  const auto changes = printed_by(git + "status --porcelain -- . ':!validate/blind.jsonl'");
  return changes.empty() ? commit : commit + with_changes;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

/// The shipped data together with the cluster and models in the records' folder.
DataFolder data_beside(const CommandLine& line, const fs::path& file) {
  DataFolder data{line.data_folder};
  const auto folder = fs::absolute(file).parent_path().parent_path();
  if (fs::exists(folder / "cluster.json") && folder.parent_path() != fs::absolute(data.platforms()))
    data = with_own_cluster(data, folder);
  if (fs::is_directory(folder / "models"))
    for (const auto& model : fs::directory_iterator(folder / "models"))
      if (model.path().extension() == ".json") data.own_models[model.path().stem().string()] = model.path();
  return data;
}

/// Returns all shipped records, those held out earlier too, because they were used for blind scores.
std::vector<MeasurementFile> shipped_records(const DataFolder& data) {
  std::vector<MeasurementFile> files;
  const auto add = [&](const fs::path& folder, const std::string& cluster) {
    for (auto& file : read_cluster_measurements(folder, cluster)) files.push_back(std::move(file));
  };
  for (const auto& cluster : list_clusters(data)) add(data.platforms(), cluster);
  return files;
}

std::vector<MeasurementFile> held_out_records(const DataFolder& data) {
  std::vector<MeasurementFile> files;
  const auto folder = data.platforms() / "held-out";
  if (!fs::is_directory(folder)) return files;
  for (const auto& cluster : fs::directory_iterator(folder))
    for (auto& file : read_cluster_measurements(folder, cluster.path().filename().string()))
      files.push_back(std::move(file));
  return files;
}

void refuse_known(const DataFolder& data, const BlindQuestion& question) {
  auto all = question;
  for (auto& file : held_out_records(data)) all.shipped.push_back(std::move(file));
  if (auto mistakes = find_learnt_records(all); !mistakes.empty()) throw UserError(std::move(mistakes));
}

std::vector<BlindKnowledge> knowledge_of(const ValidateCommand& command) {
  const bool all = !command.nothing_known && !command.one_gpu_known && !command.one_node_known;
  std::vector<BlindKnowledge> known;
  if (all || command.nothing_known) known.push_back(BlindKnowledge::nothing);
  if (all || command.one_gpu_known) known.push_back(BlindKnowledge::one_gpu);
  if (all || command.one_node_known) known.push_back(BlindKnowledge::one_node);
  return known;
}

std::string source_of(const Context& context) {
  return context.source_repository.empty() ? context.source_title
                                           : fmt::format("{} ({})", context.source_title, context.source_repository);
}

/// Scores one file, and returns the new lines of the log.
std::vector<BlindEntry> ask_file(const fs::path& file, const ValidateCommand& command, const CommandLine& line,
                                 const std::vector<BlindEntry>& log, const std::string& commit) {
  const auto records = fnv1a_of_file(file);
  if (const auto before = repeated_question(log, records, commit)) throw UserError({*before});
  const auto data = data_beside(line, file);
  const BlindQuestion question{shipped_records(DataFolder{line.data_folder}), read_measurements(file)};
  refuse_known(data, question);
  const BlindEntry about{
      today(), commit, source_of(question.file.context), file.filename().string(), records, command.form_in_sight, {}};
  std::vector<BlindEntry> entries;
  for (auto& score : score_blind(data, question, knowledge_of(command), line.threads)) {
    entries.push_back(about);
    entries.back().score = std::move(score);
  }
  return entries;
}

} // namespace

int run_blind(const ValidateCommand& command, const CommandLine& line) {
  const auto log_file = command.blind_log.empty() ? line.data_folder / "validate" / "blind.jsonl" : command.blind_log;
  const auto log = read_blind_log(log_file);
  if (command.blind_files.empty()) {
    emit(line, line.json ? blind_json(log) : blind_table(log));
    return 0;
  }
  const auto commit = commit_of(line.data_folder);
  std::vector<BlindEntry> entries;
  for (const auto& file : command.blind_files)
    for (auto& entry : ask_file(file, command, line, log, commit)) entries.push_back(std::move(entry));
  append_to_blind_log(log_file, entries);
  narrate(line, fmt::format("appended {} lines to {}", entries.size(), log_file.string()));
  emit(line, line.json ? blind_json(entries) : blind_table(entries));
  return 0;
}

} // namespace ddlsim
