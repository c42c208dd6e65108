#include "own/slurm_nodes.hpp"

#include "import/plain_text.hpp"
#include "own/host_list.hpp"
#include "sim/base/error.hpp"
#include "sim/base/spelling.hpp"
#include "sim/formats/gpu_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ddlsim {
namespace {

constexpr double most_gpus_of_node = 1024;
constexpr double most_cpus_of_node = 1'000'000;
constexpr std::size_t most_nodes_named = 1'000'000; ///< most nodes named by all lines together

int whole_number(std::string_view text, double most) {
  const auto number = parse_number(text);
  const bool is_count = number && number->value >= 1 && number->value <= most;
  return is_count ? static_cast<int>(number->value) : 0;
}

/// The facts that the text states about one node.
struct SlurmNode {
  std::map<std::string, int> gpus; ///< number of GPUs by type; the type is "" if it is not stated
  int cpus = 0;
  std::vector<std::string> features;
  std::vector<std::string> partitions;
};

using SlurmNodeTable = std::map<std::string, SlurmNode>;

/// Returns the "key=value" words of a line. Keys are in lower case, because Slurm ignores the case.
std::map<std::string, std::string> settings_of(const std::string& line) {
  std::map<std::string, std::string> settings;
  for (const auto& word : split_words(line))
    if (const auto equals = word.find('='); equals != std::string::npos)
      settings.emplace(lower_case(word.substr(0, equals)), word.substr(equals + 1));
  return settings;
}

std::vector<std::string> comma_list(const std::string& text) {
  std::vector<std::string> items;
  std::string item;
  int depth = 0; // depth of brackets: "(S:0,2)" is a single entry
  for (const char letter : text + ",") {
    depth += letter == '(' || letter == '[' ? 1 : letter == ')' || letter == ']' ? -1 : 0;
    if (letter != ',' || depth > 0) {
      item += letter;
      continue;
    }
    if (!item.empty() && item != "(null)") items.push_back(item);
    item.clear();
  }
  return items;
}

/// Adds the GPUs of a list like gpu:8, gpu:h100:8 or gpu:h100:8(S:0-1), or of CfgTRES with gres/gpu=8 or
/// gres/gpu:h100=8.
void add_gres(const std::string& list, std::map<std::string, int>& gpus) {
  for (auto item : comma_list(list)) {
    item.erase(std::min(item.size(), item.find('(')));
    if (item.starts_with("gres/")) item.erase(0, 5);
    std::replace(item.begin(), item.end(), '=', ':');
    if (!item.starts_with("gpu:") && item != "gpu") continue;
    const auto first = item.find(':');
    const auto last = item.rfind(':');
    const int count = last == std::string::npos ? 1 : whole_number(item.substr(last + 1), most_gpus_of_node);
    const auto type = last != first ? item.substr(first + 1, last - first - 1)
                      : count > 0   ? ""
                                    : item.substr(first + 1); // gpu:h100 means one GPU
    if (item.ends_with(":0")) continue;
    gpus[type] = std::max({gpus[type], count, 1});
  }
  const bool is_also_typed = gpus.size() > 1 && gpus.count("") > 0; // gres/gpu=4 is then the total of all types
  if (is_also_typed) gpus.erase("");
}

/// Adds the settings of one node, or of several named by a list.
void add_settings(const std::map<std::string, std::string>& settings, SlurmNode& node) {
  const auto value = [&](const char* key) { return settings.count(key) > 0 ? settings.at(key) : std::string(); };
  if (settings.count("gres") > 0) add_gres(value("gres"), node.gpus);
  if (node.gpus.empty() || node.gpus.count("") > 0) add_gres(value("cfgtres"), node.gpus);
  for (const char* key : {"cputot", "cpus", "procs"})
    if (node.cpus == 0 && settings.count(key) > 0) node.cpus = whole_number(value(key), most_cpus_of_node);
  const auto times = [&](const char* key) { return std::max(1, whole_number(value(key), most_gpus_of_node)); };
  if (node.cpus == 0 && settings.count("sockets") > 0)
    node.cpus = times("sockets") * times("corespersocket") * times("threadspercore");
  for (const char* key : {"activefeatures", "feature", "features"})
    for (const auto& feature : comma_list(value(key))) node.features.push_back(feature);
  for (const auto& partition : comma_list(value("partitions"))) node.partitions.push_back(partition);
}

/// Returns where a comment begins. The "#1" of a kernel's version, which scontrol prints, begins none.
std::size_t comment_begin(const std::string& line) {
  for (auto at = line.find('#'); at != std::string::npos; at = line.find('#', at + 1))
    if (at + 1 == line.size() || !is_digit(line[at + 1])) return at;
  return line.size();
}

/// Returns the lines of slurm.conf without comments. Lines that a backslash continues are joined.
std::vector<std::string> joined_lines(const std::string& text) {
  std::vector<std::string> lines;
  bool goes_on = false;
  for (auto line : split_lines(text)) {
    line.erase(comment_begin(line));
    const auto trimmed = trim(line);
    const bool continues = trimmed.ends_with('\\');
    const auto part = std::string(continues ? trimmed.substr(0, trimmed.size() - 1) : std::string_view(line));
    if (goes_on)
      lines.back() += " " + part;
    else
      lines.push_back(part);
    goes_on = continues;
  }
  return lines;
}

/// Adds a line of gres.conf such as "NodeName=gpu[1-4] Name=gpu Type=h100 File=/dev/nvidia[0-7]". The GPUs of several
/// lines for one node add up.
void add_gres_line(const std::map<std::string, std::string>& settings, SlurmNode& node) {
  const auto type = settings.count("type") > 0 ? settings.at("type") : "";
  int count = settings.count("count") > 0 ? whole_number(settings.at("count"), most_gpus_of_node) : 0;
  if (count == 0 && settings.count("file") > 0) count = static_cast<int>(host_names(settings.at("file")).size());
  if (count > 0) node.gpus[type] += count;
}

/// Returns the names of a list. Throws UserError if all lists of a text together have too many names.
std::vector<std::string> counted_names(const std::string& list, std::size_t& named) {
  auto names = host_names(list);
  named += names.size();
  if (named > most_nodes_named)
    throw UserError("", "", fmt::format("lists more than {} nodes; give those of one cluster", most_nodes_named));
  return names;
}

void add_partition(const std::map<std::string, std::string>& settings, std::size_t& named, SlurmNodeTable& nodes) {
  for (const auto& name : counted_names(settings.at("nodes"), named))
    if (const auto node = nodes.find(name); node != nodes.end())
      node->second.partitions.push_back(settings.at("partitionname"));
}

/// Reads blocks that begin with NodeName=, from scontrol, slurm.conf or gres.conf. Only the blocks of scontrol continue
/// on the next lines.
SlurmNodeTable nodes_by_settings(const std::string& text) {
  SlurmNodeTable nodes;
  std::vector<std::string> names;
  std::map<std::string, std::string> usual; // defaults, which NodeName=DEFAULT sets
  std::size_t named = 0;
  for (const auto& line : joined_lines(text)) {
    auto settings = settings_of(line);
    const bool begins = settings.count("nodename") > 0;
    const bool is_usual = begins && settings.at("nodename") == "DEFAULT";
    const bool is_partition = settings.count("partitionname") > 0 && settings.count("nodes") > 0;
    if (begins || is_partition || names.size() > 1) names.clear();
    if (is_usual) usual = settings;
    if (is_partition) add_partition(settings, named, nodes);
    if (begins && !is_usual) {
      names = counted_names(settings.at("nodename"), named);
      for (const auto& setting : usual) settings.insert(setting);
    }
    const bool is_gres_line = begins && settings.count("name") > 0;
    for (const auto& name : names) {
      if (!is_gres_line)
        add_settings(settings, nodes[name]);
      else if (lower_case(settings.at("name")) == "gpu")
        add_gres_line(settings, nodes[name]);
    }
  }
  return nodes;
}

std::vector<std::string> cells_of(std::string line) {
  std::replace(line.begin(), line.end(), '|', ' ');
  return split_words(line);
}

/// Returns the columns of sinfo by their titles; empty if the line is no line of titles with GPUs.
std::map<std::string, std::size_t> sinfo_columns(const std::vector<std::string>& titles) {
  static const std::map<std::string, std::string> known{
      {"NODELIST", "nodes"}, {"NODES", "count"},        {"GRES", "gres"},           {"CPUS", "cpus"},
      {"PARTITION", "in"},   {"AVAIL_FEATURES", "has"}, {"ACTIVE_FEATURES", "has"}, {"HOSTNAMES", "nodes"}};
  std::map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < titles.size(); ++i)
    if (const auto meaning = known.find(titles[i]); meaning != known.end()) columns.emplace(meaning->second, i);
  return columns;
}

/// Reads the table of `sinfo -N -o "%N %G %c %P"` with its titles. A node has a line for each of its partitions.
SlurmNodeTable nodes_by_table(const std::string& text) {
  SlurmNodeTable nodes;
  std::map<std::string, std::size_t> columns;
  std::size_t width = 0;
  std::size_t named = 0;
  for (const auto& line : split_lines(text)) {
    const auto cells = cells_of(line);
    if (const auto titles = sinfo_columns(cells); titles.count("gres") > 0 && titles.count("nodes") > 0) {
      columns = titles;
      width = cells.size();
      continue;
    }
    if (columns.empty() || cells.size() != width) continue;
    const auto cell = [&](const char* column) { return columns.count(column) > 0 ? cells[columns[column]] : ""; };
    for (const auto& name : counted_names(cell("nodes"), named)) {
      auto& node = nodes[name];
      add_gres(cell("gres"), node.gpus);
      node.cpus = std::max(node.cpus, whole_number(cell("cpus").substr(0, cell("cpus").find('+')), most_cpus_of_node));
      for (const auto& feature : comma_list(cell("has"))) node.features.push_back(feature);
      auto partition = cell("in");
      if (partition.ends_with('*')) partition.pop_back(); // sinfo marks the default partition with a star
      if (!partition.empty() && !is_in(node.partitions, partition)) node.partitions.push_back(partition);
    }
  }
  return nodes;
}

/// Returns the GPU type of a node. For a node with several types it is all of them in one word, which no GPU of the
/// catalogue has. If Gres states no type, a feature may be a GPU's name, as in "a100,ib".
std::string type_of(const SlurmNode& node, std::map<std::string, bool>& is_gpu, const std::vector<Gpu>& catalogue) {
  std::string types;
  for (const auto& [type, count] : node.gpus) types += (types.empty() ? "" : "+") + type;
  if (!types.empty() || node.gpus.empty()) return types;
  for (const auto& feature : node.features) {
    const auto known = is_gpu.find(feature);
    const bool yes = known != is_gpu.end() ? known->second : match_gpu(feature, catalogue).gpu != nullptr;
    is_gpu[feature] = yes;
    if (yes) return feature;
  }
  return "";
}

int gpus_of(const SlurmNode& node) {
  int gpus = 0;
  for (const auto& [type, count] : node.gpus) gpus += count;
  return gpus;
}

void add_to_kind(const SlurmNode& node, SlurmNodes& kind) {
  ++kind.nodes;
  if (node.cpus > 0) kind.cpus = kind.cpus == 0 ? node.cpus : std::min(kind.cpus, node.cpus);
  for (const auto& partition : node.partitions)
    if (!is_in(kind.partitions, partition)) kind.partitions.push_back(partition);
}

std::string kind_text(const SlurmNodes& kind) {
  return fmt::format("{} of {} x {}{}", kind.nodes, kind.gpus, kind.gpu_type.empty() ? "gpu" : in_quotes(kind.gpu_type),
                     kind.partitions.empty() ? "" : " in " + join_names(kind.partitions));
}

template <class Fits> void keep_where_some_are(std::vector<SlurmNodes>& kinds, const Fits& fits) {
  if (std::any_of(kinds.begin(), kinds.end(), fits))
    std::erase_if(kinds, [&](const auto& kind) { return !fits(kind); });
}

} // namespace

std::vector<SlurmNodes> read_slurm_nodes(const std::string& text, const std::vector<Gpu>& catalogue) {
  auto nodes = nodes_by_settings(text);
  if (nodes.empty()) nodes = nodes_by_table(text);
  if (nodes.empty())
    throw UserError("", "",
                    "no node of Slurm found; give what `scontrol show node` printed, slurm.conf, or what `sinfo -N -o "
                    "\"%N %G %c %P\"` printed, with its titles");
  std::map<std::pair<std::string, int>, SlurmNodes> by_gpus;
  std::map<std::string, bool> is_gpu;
  for (const auto& [name, node] : nodes) add_to_kind(node, by_gpus[{type_of(node, is_gpu, catalogue), gpus_of(node)}]);
  std::vector<SlurmNodes> kinds;
  for (auto& [gpus, kind] : by_gpus) {
    const auto match = match_gpu(gpus.first, catalogue);
    kind.gpu_type = gpus.first;
    kind.gpus = gpus.second;
    if (match.gpu != nullptr) kind.gpu = match.gpu->name;
    kind.could_be = match.others;
    if (match.gpu != nullptr) kind.could_be.push_back(kind.gpu);
    kinds.push_back(std::move(kind));
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.nodes > b.nodes; });
  return kinds;
}

namespace {

/// Whether the kind of nodes has that type. "h100" also matches "nvidia_h100_80gb_hbm3".
bool is_of_type(const SlurmNodes& kind, const std::string& type) {
  const auto wanted = folded(type);
  return folded(kind.gpu_type).find(wanted) != std::string::npos || folded(kind.gpu).find(wanted) != std::string::npos;
}

} // namespace

SlurmNodes chosen_nodes(const std::vector<SlurmNodes>& kinds, const SlurmWish& wish) {
  std::vector<std::string> all;
  std::vector<SlurmNodes> left;
  for (const auto& kind : kinds) {
    if ((kind.gpus == 0) != wish.processors) continue;
    all.push_back(kind_text(kind));
    if (is_of_type(kind, wish.gpu_type) && (wish.partition.empty() || is_in(kind.partitions, wish.partition)))
      left.push_back(kind);
  }
  keep_where_some_are(left, [&](const SlurmNodes& kind) { return wish.gpu.empty() || is_in(kind.could_be, wish.gpu); });
  keep_where_some_are(left, [&](const SlurmNodes& kind) { return wish.gpus == 0 || kind.gpus == wish.gpus; });
  if (left.size() == 1) return left.front();
  if (all.empty())
    throw UserError("", "", "no node with GPUs found (in Gres or CfgTRES); --gpu none takes those without");
  throw UserError("", "",
                  fmt::format("{} nodes: {}; choose by --slurm-gpu TYPE, --partition NAME or --gpus-per-node N",
                              left.empty() ? "none is left of these" : "several kinds of", join_names(all, "; ")));
}

} // namespace ddlsim
