#include "trainer/campaign/campaign.hpp"

#include "trainer/campaign/host_network.hpp"
#include "trainer/campaign/json_object.hpp"
#include "trainer/files/error.hpp"

#include <algorithm>
#include <set>

namespace ddltrain {
namespace {

const std::vector<std::string> kKinds = {"local", "mpirun", "slurm", "testbed"}; // in the order of LauncherKind
const std::vector<std::string> kCommands = {"train", "layers", "collectives", "link", "server"};

/// Names become parts of file names.
bool is_file_name(const std::string& name) {
  return !name.empty() && name.front() != '.' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                "UVWXYZ0123456789._-") == std::string::npos;
}

void one_of(JsonObject& object, const std::string& key, const std::string& found,
            const std::vector<std::string>& known) {
  if (!found.empty() && std::find(known.begin(), known.end(), found) == known.end()) {
    object.mistake(key, "found \"" + found + "\", expected one of its kinds; did you mean \"" +
                            nearest_name(found, known) + "\"?");
  }
}

void read_slurm(JsonObject& object, LauncherChoice& launcher) {
  launcher.partition = object.text("partition", "");
  launcher.start = object.text("start", launcher.start);
  one_of(object, "start", launcher.start, {"srun", "mpirun"});
  launcher.mpi = object.text("mpi", launcher.mpi);
  launcher.job_time_limit_s = object.positive("job_time_limit_s", launcher.job_time_limit_s);
  launcher.sbatch = object.texts("sbatch");
  launcher.before = object.texts("before");
}

/// 0 where there is none.
double read_rate_Bps(JsonObject& object) {
  if (const std::string rate = object.text("rate", ""); !rate.empty()) {
    try {
      return parse_rate_Bps(rate);
    } catch (const UsageError& error) {
      object.mistake("rate", error.what());
    }
  }
  return 0;
}

void read_testbed(JsonObject& object, LauncherChoice& launcher) {
  launcher.rate_Bps = read_rate_Bps(object);
  launcher.largest_packet_bytes =
      object.value("largest_packet_bytes").is_null() ? 0 : object.count("largest_packet_bytes");
  launcher.burst_bytes = object.value("burst_bytes").is_null() ? 0 : object.count("burst_bytes");
  launcher.queue_bytes = object.count("queue_bytes", launcher.queue_bytes);
}

LauncherChoice read_launcher(const nlohmann::json& json, std::vector<std::string>& mistakes) {
  JsonObject object(json, "/launcher", mistakes);
  LauncherChoice launcher;
  const std::string kind = object.text("kind");
  one_of(object, "kind", kind, kKinds);
  const auto place = std::find(kKinds.begin(), kKinds.end(), kind);
  launcher.kind = place == kKinds.end() ? LauncherKind::local : static_cast<LauncherKind>(place - kKinds.begin());
  if (launcher.kind == LauncherKind::mpirun) {
    launcher.hosts = object.texts("hosts");
    if (launcher.hosts.empty()) {
      object.mistake("hosts", "missing, expected a list of host names");
    }
  }
  if (launcher.kind == LauncherKind::mpirun || launcher.kind == LauncherKind::testbed) {
    launcher.options = object.texts("options");
  }
  if (launcher.kind == LauncherKind::slurm) {
    read_slurm(object, launcher);
  }
  if (launcher.kind == LauncherKind::testbed) {
    read_testbed(object, launcher);
  }
  if (launcher.kind == LauncherKind::local || launcher.kind == LauncherKind::testbed) {
    launcher.busy_cores = object.value("busy_cores").is_null() ? 0 : object.positive("busy_cores");
  }
  object.finish();
  return launcher;
}

std::vector<Variation> read_each(JsonObject& run, std::vector<std::string>& mistakes) {
  const nlohmann::json& json = run.value("each");
  std::vector<Variation> each;
  if (json.is_null()) {
    return each;
  }
  JsonObject object(json, run.place_of("each"), mistakes);
  if (!json.is_object()) {
    return each;
  }
  for (const auto& [option, ignored] : json.items()) {
    each.push_back({option, object.texts(option)});
    if (each.back().values.empty()) {
      object.mistake(option, "expected a list with the values of this option");
    }
  }
  return each;
}

CampaignRun read_run(const nlohmann::json& json, const std::string& place, const CampaignRun& fallback,
                     LauncherKind kind, std::vector<std::string>& mistakes) {
  JsonObject object(json, place, mistakes);
  CampaignRun run = fallback;
  run.name = object.text("name");
  if (!run.name.empty() && !is_file_name(run.name)) {
    object.mistake("name", "found \"" + run.name + "\", expected letters, digits, '.', '_' and '-' only");
  }
  run.command = object.text("command");
  one_of(object, "command", run.command, kCommands);
  run.arguments = object.texts("arguments");
  run.each = read_each(object, mistakes);
  if (const std::vector<std::int64_t> nodes = object.counts("nodes"); !nodes.empty()) {
    run.nodes = nodes;
  }
  run.ranks_per_node = object.count("ranks_per_node", fallback.ranks_per_node);
  run.repeats = object.count("repeats", fallback.repeats);
  run.time_limit_s = object.positive("time_limit_s", fallback.time_limit_s);
  if (kind == LauncherKind::testbed) {
    run.rate_Bps = read_rate_Bps(object);
  }
  object.finish();
  return run;
}

std::int64_t most_nodes_of(const Campaign& campaign, const ClusterFacts& facts) {
  const auto hosts = static_cast<std::int64_t>(campaign.launcher.hosts.size());
  return campaign.launcher.kind == LauncherKind::mpirun ? hosts : facts.most_nodes;
}

void check_runs(const Campaign& campaign, const ClusterFacts& facts, std::vector<std::string>& mistakes) {
  std::set<std::string> names;
  const std::int64_t most = most_nodes_of(campaign, facts);
  for (std::size_t i = 0; i < campaign.runs.size(); ++i) {
    const CampaignRun& run = campaign.runs[i];
    const std::string place = "/runs/" + std::to_string(i);
    if (!names.insert(run.name).second) {
      mistakes.push_back(place + "/name: \"" + run.name + "\" is there twice");
    }
    for (const std::int64_t nodes : run.nodes) {
      if (most > 0 && nodes > most) {
        mistakes.push_back(place + "/nodes: found " + std::to_string(nodes) + ", the cluster has " +
                           std::to_string(most));
      }
    }
  }
}

} // namespace

Campaign read_campaign(const std::string& data_folder, const std::string& cluster) {
  const ClusterFacts facts = read_cluster_facts(data_folder, cluster);
  const std::string file = data_folder + "/platforms/" + cluster + "/campaign.json";
  const nlohmann::json json = read_json(file);
  std::vector<std::string> mistakes;
  JsonObject object(json, "", mistakes);
  if (object.text("format") != "ddltrain-campaign" || object.count("version") != 1) {
    mistakes.emplace_back("/format: expected \"ddltrain-campaign\" and \"version\": 1");
  }
  Campaign campaign;
  campaign.cluster = cluster;
  campaign.launcher = read_launcher(object.value("launcher"), mistakes);
  if (campaign.launcher.rate_Bps <= 0) {
    campaign.launcher.rate_Bps = facts.nic_Bps;
  }
  campaign.launcher.node_gpus = facts.has_gpus ? facts.ranks_per_node : 0;
  CampaignRun fallback;
  fallback.nodes = object.counts("nodes");
  fallback.nodes = fallback.nodes.empty() ? std::vector<std::int64_t>{1} : fallback.nodes;
  fallback.ranks_per_node = facts.ranks_per_node;
  fallback.repeats = object.count("repeats", 1);
  fallback.time_limit_s = object.positive("time_limit_s", fallback.time_limit_s);
  const nlohmann::json& runs = object.value("runs");
  if (!runs.is_array() || runs.empty()) {
    mistakes.emplace_back("/runs: expected a list with at least one run");
  }
  for (std::size_t i = 0; runs.is_array() && i < runs.size(); ++i) {
    campaign.runs.push_back(
        read_run(runs[i], "/runs/" + std::to_string(i), fallback, campaign.launcher.kind, mistakes));
  }
  object.finish();
  check_runs(campaign, facts, mistakes);
  if (campaign.launcher.kind == LauncherKind::testbed && campaign.launcher.rate_Bps <= 0) {
    mistakes.emplace_back("/launcher: a testbed needs a NIC with a bandwidth in cluster.json");
  }
  refuse_mistakes(file, mistakes);
  return campaign;
}

} // namespace ddltrain
