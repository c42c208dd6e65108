#include "trainer/campaign/part.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "trainer/run_error.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>

namespace ddltrain {
namespace {

struct Combination {
  std::string name; ///< name such as "-ring-512"
  std::vector<std::string> arguments;
};

std::string fit_for_a_file(const std::string& value) {
  std::string text;
  for (const char c : value) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
    text += plain ? c : '-';
  }
  return text;
}

std::vector<Combination> combinations(const std::vector<Variation>& each) {
  std::vector<Combination> all = {{}};
  for (const Variation& variation : each) {
    std::vector<Combination> longer;
    for (const Combination& shorter : all) {
      for (const std::string& value : variation.values) {
        longer.push_back(shorter);
        longer.back().name += "-" + fit_for_a_file(value);
        longer.back().arguments.insert(longer.back().arguments.end(), {variation.option, value});
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// Replaces "{nodes}" in an argument by the part's number of nodes, as in "--servers {nodes}".
std::string filled(std::string argument, std::int64_t nodes) {
  const std::string place = "{nodes}";
  if (const std::size_t at = argument.find(place); at != std::string::npos) {
    argument.replace(at, place.size(), std::to_string(nodes));
  }
  return argument;
}

/// Returns options with the cluster's GPU for "--device cuda", so that a run on another GPU is refused.
std::vector<std::string> gpu_words(const Campaign& campaign, const std::vector<std::string>& arguments) {
  const auto device = std::find(arguments.begin(), arguments.end(), "--device");
  const bool on_gpu = std::find(arguments.begin(), arguments.end(), "--device=cuda") != arguments.end() ||
                      (device != arguments.end() && device + 1 != arguments.end() && *(device + 1) == "cuda");
  const bool named = std::find(arguments.begin(), arguments.end(), "--gpu") != arguments.end();
  if (campaign.gpu.empty() || !on_gpu || named) return {};
  return {"--gpu", campaign.gpu};
}

Part part_of(const Campaign& campaign, const CampaignRun& run, const Combination& combination, std::int64_t nodes,
             std::int64_t repeat) {
  Part part;
  part.run = run.name;
  part.name = run.name + combination.name + "-n" + std::to_string(nodes) + "-r" + std::to_string(repeat);
  part.command = run.command;
  part.arguments = {run.command};
  part.arguments.insert(part.arguments.end(), run.arguments.begin(), run.arguments.end());
  part.arguments.insert(part.arguments.end(), combination.arguments.begin(), combination.arguments.end());
  for (std::string& argument : part.arguments) {
    argument = filled(argument, nodes);
  }
  const std::vector<std::string> gpu = gpu_words(campaign, part.arguments);
  part.arguments.insert(part.arguments.end(), gpu.begin(), gpu.end());
  part.arguments.insert(part.arguments.end(), {"--cluster", campaign.cluster});
  part.nodes = nodes;
  part.ranks_per_node = run.ranks_per_node;
  part.time_limit_s = run.time_limit_s;
  part.rate_Bps = run.rate_Bps;
  return part;
}

void check_names(const std::vector<Part>& parts) {
  std::set<std::string> names;
  for (const Part& part : parts)
    if (!names.insert(part.name).second)
      throw ddlsim::UserError(
          "campaign.json", "/runs",
          "two starts of ddltrain would both be called " + ddlsim::in_quotes(part.name) +
              ", after run, values, nodes and repeat; give runs other names, and values and nodes once");
}

} // namespace

std::vector<Part> parts_of(const Campaign& campaign) {
  std::vector<Part> parts;
  for (const CampaignRun& run : campaign.runs) {
    for (std::int64_t repeat = 1; repeat <= run.repeats; ++repeat) {
      for (const std::int64_t nodes : run.nodes) {
        for (const Combination& combination : combinations(run.each)) {
          parts.push_back(part_of(campaign, run, combination, nodes, repeat));
        }
      }
    }
  }
  check_names(parts);
  return parts;
}

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Checks that what is read of a record or context below has the expected form.
void check_line(const std::string& text, const std::string& where) {
  const auto line = ddlsim::parse_json_line(text, where);
  const auto is_absent_or = [&line](const char* key, auto is_right) {
    return !line.contains(key) || is_right(line[key]);
  };
  const auto is_text = [](const auto& value) { return value.is_string(); };
  const auto are_texts = [&](const auto& values) {
    return values.is_object() && std::all_of(values.begin(), values.end(), is_text);
  };
  const bool is_record = line.is_object() && is_absent_or("record", is_text) && is_absent_or("note", is_text) &&
                         is_absent_or("suspect", [](const auto& value) { return value.is_boolean(); });
  const bool is_whole = is_record && (line.value("record", "") != "context" ||
                                      (is_absent_or("machine", is_text) && is_absent_or("settings", are_texts) &&
                                       is_absent_or("nodes", [](const auto& value) { return value.is_array(); })));
  if (!is_whole) throw ddlsim::UserError(where, "", "no record of ddltrain");
}

std::vector<Json> read_lines(const fs::path& file) {
  std::ifstream stream(file);
  std::vector<Json> lines;
  for (std::string line; std::getline(stream, line);) {
    try {
      check_line(line, file.string() + ":" + std::to_string(lines.size() + 1));
    } catch (const ddlsim::UserError& error) {
      throw RunError(error.what());
    }
    lines.push_back(Json::parse(line));
  }
  return lines;
}

bool is_context(const Json& line) {
  return line.value("record", "") == "context";
}

bool is_suspect(const Json& line) {
  return line.value("suspect", false);
}

void mark(Json& record, const std::string& cause) {
  const std::string note = record.value("note", "");
  record["suspect"] = true;
  record["note"] = note.empty() ? cause : note + "; " + cause;
}

std::string text_of(const std::vector<Json>& lines) {
  std::string text;
  for (const Json& line : lines) {
    text += line.dump() + "\n";
  }
  return text;
}

/// Removes "4 hosts, the first: " from the machine, because it differs between a run's node counts.
void forget_host_count(Json& context) {
  if (!context.contains("machine")) return;
  const std::string words = " hosts, the first: ";
  const auto machine = context.at("machine").get<std::string>();
  const std::size_t digits = std::min(machine.find_first_not_of("0123456789"), machine.size());
  if (digits > 0 && machine.compare(digits, words.size(), words) == 0)
    context["machine"] = machine.substr(digits + words.size());
}

/// Settings that follow from the number of ranks on a node. They may differ between the parts of a run.
const std::vector<std::string> settings_of_scale = {"cores_per_rank", "OMPI_MCA_mpi_yield_when_idle"};

/// Removes what the parts of one run may differ in: the command, the day, the nodes, and what follows from their
/// number.
void forget_part(Json& context) {
  context.erase("date");
  context.erase("source");
  context.erase("nodes");
  forget_host_count(context);
  if (!context.contains("settings")) return;
  for (const std::string& name : settings_of_scale) context["settings"].erase(name);
}

/// Returns a setting's values so far ("a or b"), with a further value if that is new.
std::string with_value(const std::string& values, const std::string& value) {
  if (value.empty() || (" or " + values + " or ").find(" or " + value + " or ") != std::string::npos) return values;
  return values.empty() ? value : values + " or " + value;
}

/// Adds the nodes of another context, and both values where settings of scale differ.
void take_part(Json& context, const Json& other) {
  if (other.contains("nodes")) {
    Json& nodes = context["nodes"];
    for (const Json& node : other.at("nodes")) {
      if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    }
  }
  if (!context.contains("settings") || !other.contains("settings")) return;
  for (const std::string& name : settings_of_scale) {
    const std::string there = other.at("settings").value(name, "");
    if (!there.empty()) context["settings"][name] = with_value(context.at("settings").value(name, ""), there);
  }
}

void check_same_context(const Json& first, const Json& other, const fs::path& file) {
  Json a = first;
  Json b = other;
  for (Json* each : {&a, &b}) forget_part(*each);
  if (a != b) {
    throw RunError(file.string() +
                   ": its context is not that of the run's other parts (another machine, other software?): " +
                   b.dump() + " and " + a.dump());
  }
}

} // namespace

PartFiles files_of(const fs::path& output, const Part& part) {
  const fs::path folder = output / "parts";
  return {folder / (part.name + ".jsonl"), folder / (part.name + ".running"), folder / (part.name + ".log")};
}

bool is_measured(const PartFiles& files, const std::string& line) {
  if (!fs::exists(files.records)) {
    return false;
  }
  std::ifstream log(files.log);
  std::string first;
  if (std::getline(log, first) && first != "# " + line) {
    throw ddlsim::UserError("", "",
                            files.records.string() + " was measured with another command line:\n  " + first +
                                "\nnow:\n  # " + line + "\nRemove it, or choose another --output.");
  }
  return true;
}

bool has_suspect(const PartFiles& files) {
  for (const Json& line : read_lines(files.records)) {
    if (is_suspect(line)) {
      return true;
    }
  }
  return false;
}

void accept(const PartFiles& files, const std::string& cause) {
  std::vector<Json> lines = read_lines(files.running);
  if (lines.size() < 2 || !is_context(lines.front())) {
    throw RunError("it ended well but left no records in " + files.running.string());
  }
  if (!cause.empty()) {
    for (auto line = lines.begin() + 1; line != lines.end(); ++line) {
      mark(*line, cause);
    }
    write_output_file(files.running, text_of(lines));
  }
  fs::rename(files.running, files.records);
}

bool collect_run(const fs::path& output, const std::string& run, const std::vector<Part>& parts) {
  std::vector<Json> all;
  for (const Part& part : parts) {
    if (part.run != run) {
      continue;
    }
    const PartFiles files = files_of(output, part);
    if (!fs::exists(files.records)) {
      return false;
    }
    for (Json& line : read_lines(files.records)) {
      if (is_context(line) && !all.empty()) {
        check_same_context(all.front(), line, files.records);
        take_part(all.front(), line);
      } else {
        all.push_back(std::move(line));
      }
    }
  }
  if (all.empty() || !is_context(all.front())) throw RunError("no context in the records of run " + run);
  forget_host_count(all.front());
  all.front()["source"] = {{"title", "ddltrain measure: run " + run}};
  write_output_file(output / (run + ".jsonl"), text_of(all));
  return true;
}

} // namespace ddltrain
