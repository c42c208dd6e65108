#include "trainer/campaign/campaign.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/own_files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

namespace ddltrain {
namespace {

using ddlsim::JsonNode;

// names of the kinds, in the order of LauncherKind
const std::vector<std::string> launcher_kinds = {"local", "mpirun", "slurm", "testbed"};
const std::vector<std::string> campaign_commands = {"train", "layers", "collectives", "link", "server", "framework"};

/// Whether the name can be a part of a file's name.
bool is_file_name(const std::string& name) {
  return !name.empty() && name.front() != '.' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                "UVWXYZ0123456789._-") == std::string::npos;
}

constexpr long most_in_campaign = 1'000'000; ///< largest count of any kind in a campaign
constexpr double most_s = 1e9;               ///< longest time limit: thirty years
constexpr double most_parts = 100'000;       ///< most parts of a campaign, which take minutes to list and years to run
constexpr double most_words_bytes = 1e8;     ///< most bytes of all parts' arguments: a thousand for each part

/// Reads a list like "nodes": [1, 2, 4]; empty when the key is absent.
std::vector<std::int64_t> counts_or_none(const JsonNode& node, const std::string& key) {
  std::vector<std::int64_t> counts;
  if (!node.has(key)) return counts;
  for (const JsonNode& element : node.list(key)) {
    if (element.value().is_number_integer() && element.value() >= 1 && element.value() <= most_in_campaign) {
      counts.push_back(element.value().get<std::int64_t>());
    } else {
      element.mistake(fmt::format("{} found; give a whole number from 1 to {}", ddlsim::describe(element.value()),
                                  most_in_campaign));
    }
  }
  if (counts.empty()) node.mistake_at(key, "give at least one");
  return counts;
}

double positive_or(const JsonNode& node, const std::string& key, double fallback) {
  return node.has(key) ? node.positive(key) : fallback;
}

double time_limit_or(const JsonNode& node, const std::string& key, double fallback) {
  const double limit_s = positive_or(node, key, fallback);
  if (limit_s > most_s) node.mistake_at(key, fmt::format("{} found; give at most {}", limit_s, most_s));
  return limit_s;
}

void read_slurm(const JsonNode& node, LauncherChoice& launcher) {
  launcher.partition = node.text_or("partition", "");
  launcher.start = node.one_of_or("start", {"srun", "mpirun"}, launcher.start);
  launcher.mpi = node.text_or("mpi", launcher.mpi);
  launcher.job_time_limit_s = time_limit_or(node, "job_time_limit_s", launcher.job_time_limit_s);
  launcher.sbatch = node.texts_or_none("sbatch");
  launcher.srun = node.texts_or_none("srun");
  const bool one_a_rank = node.one_of_or("gpu_bind", {"map", "none"}, "map") == "map";
  launcher.gpu_binding = one_a_rank ? GpuBinding::one_a_rank : GpuBinding::none;
  launcher.resubmissions = node.integer_or("resubmissions", launcher.resubmissions, 0, most_in_campaign);
  launcher.before = node.texts_or_none("before");
}

void read_testbed(const JsonNode& node, LauncherChoice& launcher) {
  constexpr long largest_bytes = 1L << 40;
  launcher.rate_Bps = node.quantity_or("rate", ddlsim::Dimension::bandwidth, 0);
  launcher.largest_packet_bytes = node.integer_or("largest_packet_bytes", 0, 1, largest_bytes);
  launcher.burst_bytes = node.integer_or("burst_bytes", 0, 1, largest_bytes);
  launcher.queue_bytes = node.integer_or("queue_bytes", launcher.queue_bytes, 1, largest_bytes);
}

/// The keys of each kind of launcher beside "kind", in the order of LauncherKind.
const std::vector<std::vector<std::string>> launcher_keys = {
    {"kind", "busy_cores", "cores_per_rank"},
    {"kind", "hosts", "options", "cores_per_rank"},
    {"kind", "partition", "start", "mpi", "job_time_limit_s", "sbatch", "srun", "options", "before", "gpu_bind",
     "resubmissions", "cores_per_rank"},
    {"kind", "options", "rate", "largest_packet_bytes", "burst_bytes", "queue_bytes", "busy_cores"}};

LauncherChoice launcher_from(const JsonNode& node) {
  LauncherChoice launcher;
  if (!node.is_object()) return launcher;
  const auto place = std::find(launcher_kinds.begin(), launcher_kinds.end(), node.one_of("kind", launcher_kinds));
  if (place == launcher_kinds.end()) return launcher; // without a known kind its keys cannot be checked
  launcher.kind = static_cast<LauncherKind>(place - launcher_kinds.begin());
  node.allow_only(launcher_keys[static_cast<std::size_t>(place - launcher_kinds.begin())]);
  launcher.hosts = node.texts_or_none("hosts");
  if (launcher.kind == LauncherKind::mpirun && launcher.hosts.empty()) {
    node.mistake_at("hosts", "missing; give a list of host names");
  }
  launcher.options = node.texts_or_none("options");
  launcher.cores_per_rank = static_cast<int>(node.integer_or("cores_per_rank", 0, 1, most_in_campaign));
  if (launcher.kind == LauncherKind::slurm) read_slurm(node, launcher);
  if (launcher.kind == LauncherKind::testbed) read_testbed(node, launcher);
  launcher.busy_cores = positive_or(node, "busy_cores", 0);
  return launcher;
}

std::vector<Variation> each_from(const JsonNode& run) {
  std::vector<Variation> each;
  if (!run.has("each") || !run.at("each").is_object()) return each;
  const JsonNode node = run.at("each");
  for (const auto& [option, ignored] : node.value().items()) {
    each.push_back({option, node.texts_or_none(option)});
    if (each.back().values.empty()) node.mistake_at(option, "give a list with the values of this option");
  }
  return each;
}

CampaignRun run_from(const JsonNode& node, const CampaignRun& fallback, LauncherKind kind) {
  static const std::vector<std::string> known{"name",           "command", "arguments",    "each", "nodes",
                                              "ranks_per_node", "repeats", "time_limit_s", "rate"};
  CampaignRun run = fallback;
  if (!node.is_object()) return run;
  const bool has_own_links = kind == LauncherKind::testbed;
  node.allow_only(has_own_links ? known : std::vector<std::string>(known.begin(), known.end() - 1));
  run.name = node.text("name");
  if (!run.name.empty() && !is_file_name(run.name)) {
    node.mistake_at("name", ddlsim::in_quotes(run.name) + " found; give letters, digits, '.', '_' and '-' only");
  }
  run.command = node.one_of("command", campaign_commands);
  run.arguments = node.texts_or_none("arguments");
  run.each = each_from(node);
  if (node.has("nodes")) run.nodes = counts_or_none(node, "nodes");
  run.ranks_per_node = node.integer_or("ranks_per_node", fallback.ranks_per_node, 1, most_in_campaign);
  run.repeats = node.integer_or("repeats", fallback.repeats, 1, most_in_campaign);
  run.time_limit_s = time_limit_or(node, "time_limit_s", fallback.time_limit_s);
  if (has_own_links) run.rate_Bps = node.quantity_or("rate", ddlsim::Dimension::bandwidth, 0);
  return run;
}

std::int64_t most_nodes_of(const Campaign& campaign, const ddlsim::Cluster& cluster) {
  if (campaign.launcher.kind != LauncherKind::mpirun) return cluster.growth_max_nodes;
  return static_cast<std::int64_t>(campaign.launcher.hosts.size());
}

bool gives(const CampaignRun& run, const std::string& option) {
  const auto is_it = [&](const std::string& word) { return word == option || word.rfind(option + "=", 0) == 0; };
  return std::any_of(run.arguments.begin(), run.arguments.end(), is_it) ||
         std::any_of(run.each.begin(), run.each.end(), [&](const Variation& one) { return is_it(one.option); });
}

/// On a cluster of GPUs, a run that measures processors must say so.
void check_device(const CampaignRun& run, const JsonNode& node, const std::string& gpu) {
  const bool computes = run.command == "train" || run.command == "layers";
  if (gpu.empty() || !computes || gives(run, "--device") || gives(run, "--replay")) return;
  node.mistake_at("arguments", "no \"--device\" found, and the cluster computes on " + gpu +
                                   "; add \"--device\", \"cuda\", or \"cpu\" where processors are meant");
}

void check_run(const CampaignRun& run, const JsonNode& node, std::int64_t most_nodes, std::set<std::string>& names) {
  if (!run.name.empty() && !names.insert(run.name).second) {
    node.mistake_at("name", ddlsim::in_quotes(run.name) + " is there twice");
  }
  for (const std::int64_t nodes : run.nodes) {
    if (most_nodes > 0 && nodes > most_nodes) {
      node.mistake_at("nodes", fmt::format("{} found, the cluster has {}", nodes, most_nodes));
    }
  }
}

double parts_in(const CampaignRun& run) {
  double parts = static_cast<double>(run.nodes.size()) * static_cast<double>(run.repeats);
  for (const Variation& variation : run.each) parts *= static_cast<double>(variation.values.size());
  return parts;
}

/// Returns the bytes of the words of one part.
double bytes_of_words(const CampaignRun& run) {
  double bytes = 0;
  for (const std::string& word : run.arguments) bytes += static_cast<double>(sizeof word + word.size());
  return bytes;
}

/// Checks the number of parts, and the bytes of their words, because each part has its own words.
void check_parts(const Campaign& campaign, const JsonNode& root) {
  double parts = 0;
  double words_bytes = 0;
  for (const CampaignRun& run : campaign.runs) {
    parts += parts_in(run);
    words_bytes += parts_in(run) * bytes_of_words(run);
  }
  if (parts > most_parts)
    root.mistake_at("runs",
                    fmt::format("they are {:.4g} starts of ddltrain (nodes x repeats x values of \"each\"); give "
                                "at most {}",
                                parts, most_parts));
  else if (words_bytes > most_words_bytes)
    root.mistake_at("runs", fmt::format("the arguments of all {} starts are {:.2g} bytes; give at most {:.2g}", parts,
                                        words_bytes, most_words_bytes));
}

/// Returns what runs have that they do not state themselves.
CampaignRun fallback_from(const JsonNode& root, const ddlsim::Cluster& cluster) {
  CampaignRun fallback;
  fallback.nodes = root.has("nodes") ? counts_or_none(root, "nodes") : std::vector<std::int64_t>{1};
  fallback.ranks_per_node = std::max(cluster.gpus_per_node, 1);
  fallback.repeats = root.integer_or("repeats", 1, 1, most_in_campaign);
  fallback.time_limit_s = time_limit_or(root, "time_limit_s", fallback.time_limit_s);
  return fallback;
}

Campaign campaign_from(const JsonNode& root, const ddlsim::Cluster& cluster) {
  static constexpr std::string_view known[]{"format",  "version",      "launcher", "nodes",
                                            "repeats", "time_limit_s", "runs"};
  Campaign campaign;
  root.allow_only(known);
  campaign.launcher = launcher_from(root.at("launcher"));
  if (campaign.launcher.rate_Bps <= 0 && !cluster.nics.empty()) {
    campaign.launcher.rate_Bps = cluster.nics.front().bandwidth_Bps;
  }
  if (campaign.launcher.kind == LauncherKind::testbed && campaign.launcher.rate_Bps <= 0) {
    root.mistake_at("launcher", "a testbed needs a \"rate\", or a NIC in cluster.json");
  }
  campaign.gpu = cluster.gpu;
  campaign.launcher.node_gpus = cluster.gpu.empty() ? 0 : cluster.gpus_per_node;
  const CampaignRun fallback = fallback_from(root, cluster);
  std::set<std::string> names;
  for (const JsonNode& node : root.list("runs")) {
    campaign.runs.push_back(run_from(node, fallback, campaign.launcher.kind));
    check_run(campaign.runs.back(), node, most_nodes_of(campaign, cluster), names);
    check_device(campaign.runs.back(), node, cluster.gpu);
  }
  if (campaign.runs.empty()) root.mistake_at("runs", "give at least one run");
  check_parts(campaign, root);
  return campaign;
}

} // namespace

std::filesystem::path cluster_folder(const std::string& data_folder, const std::string& cluster) {
  if (ddlsim::is_path(cluster)) return ddlsim::own_cluster_folder(std::filesystem::absolute(cluster));
  return std::filesystem::path(data_folder) / "platforms" / cluster;
}

Campaign read_campaign(const std::string& data_folder, const std::string& cluster_name) {
  const std::filesystem::path folder = cluster_folder(data_folder, cluster_name);
  const ddlsim::Cluster cluster = ddlsim::read_cluster(folder / "cluster.json");
  Campaign campaign;
  ddlsim::read_document(folder / "campaign.json", "ddltrain-campaign", 1,
                        [&](const JsonNode& root) { campaign = campaign_from(root, cluster); });
  campaign.cluster = folder.filename();
  return campaign;
}

} // namespace ddltrain
