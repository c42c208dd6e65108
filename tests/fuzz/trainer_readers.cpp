// The readers of ddltrain that need neither LibTorch nor MPI: campaigns and what is started for them, the files of their
// parts, profiles, images, and what mpirun and NCCL print.
#include "sim/base/json.hpp"
#include "tests/formats/sample_files.hpp"
#include "tests/fuzz/target.hpp"
#include "trainer/campaign/launcher.hpp"
#include "trainer/campaign/part.hpp"
#include "trainer/campaign/slurm_launcher.hpp"
#include "trainer/compute/profile.hpp"
#include "trainer/data/labelled_images.hpp"
#include "trainer/records/surroundings.hpp"
#include "trainer/run_error.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

namespace ddlsim_fuzz {
namespace {

namespace fs = std::filesystem;
using namespace ddltrain;
using ddlsim_test::TemporaryFolder;

const TemporaryFolder& folder() {
  struct Samples : TemporaryFolder {
    Samples() { ddlsim_test::write_sample_data(*this); }
  };
  static const Samples one;
  return one;
}

std::string seed_file(const std::string& name) {
  return ddlsim::read_text_file(fs::path(DDLSIM_SOURCE_DIR) / "tests/fuzz/seeds" / name);
}

/// A RunError is an answer, too.
bool taken(const std::function<void()>& read) {
  return accepted([&] {
    try {
      read();
    } catch (const RunError& error) {
      throw ddlsim::UserError("", "", error.what());
    }
  });
}

// Campaigns.

std::vector<std::unique_ptr<Launcher>> launchers_of(const LauncherChoice& choice) {
  std::vector<std::unique_ptr<Launcher>> launchers;
  for (const auto mpirun : {Mpirun::open_mpi_4, Mpirun::open_mpi_5, Mpirun::mpich, Mpirun::intel_mpi}) {
    const Site site{mpirun, {16, 2}, {"PATH=/usr/bin", "NCCL_DEBUG=INFO"}};
    if (choice.kind == LauncherKind::local) launchers.push_back(local_launcher(choice, site));
    if (choice.kind == LauncherKind::mpirun) launchers.push_back(mpirun_launcher(choice, site));
    if (choice.kind == LauncherKind::slurm) launchers.push_back(slurm_launcher(choice, site));
  }
  return launchers;
}

/// A node may have too few cores for the ranks.
void start_words(const Part& part, const LauncherChoice& choice) {
  for (const auto& launcher : launchers_of(choice))
    taken([&] {
      const LaunchJob job{part.arguments, part.nodes, part.ranks_per_node, "/", "a.log", part.time_limit_s, 0};
      const auto words = launcher->words(job);
      demand(words.size() > part.arguments.size(), "a start without a program that starts");
      demand(!shell_line(words).empty(), "a start without a line");
    });
  if (choice.kind == LauncherKind::slurm)
    demand(slurm_script(choice, {part.name, part.nodes, part.ranks_per_node, "a.log", "/", {"ddltrain"}, {}})
                   .find("#SBATCH") != std::string::npos,
           "a batch job without options");
}

bool take_campaign(const std::string& text) {
  folder().write("platforms/iris/campaign.json", text);
  std::vector<Part> parts;
  Campaign campaign;
  if (!taken([&] {
        campaign = read_campaign(folder().path(), "iris");
        parts = parts_of(campaign);
      }))
    return false;
  demand(!parts.empty(), "a campaign that starts nothing");
  std::set<std::string> names;
  for (const Part& part : parts) {
    demand(names.insert(part.name).second, "two parts of one name");
    demand(part.name.find('/') == std::string::npos && part.name.front() != '.', "a name that leaves its folder");
    demand(part.nodes > 0 && part.ranks_per_node > 0 && part.time_limit_s > 0, "a part of nothing");
  }
  constexpr std::size_t some = 20;
  for (std::size_t i = 0; i < std::min(some, parts.size()); ++i) start_words(parts[i], campaign.launcher);
  return true;
}

/// The same text as what two parts of a run left.
bool take_part_files(const std::string& text) {
  const fs::path output = folder().path() / "output";
  fs::remove_all(output);
  std::vector<Part> parts(2);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].run = "a";
    parts[i].name = "a-n" + std::to_string(i + 1) + "-r1";
    folder().write("output/parts/" + parts[i].name + ".running", text);
    const PartFiles files = files_of(output, parts[i]);
    const std::string cause = i == 0 ? "" : "disturbed";
    bool suspect = false;
    if (!taken([&] {
          accept(files, cause);
          suspect = has_suspect(files);
        }))
      return false;
    demand(cause.empty() || suspect, "a disturbed part whose records do not say so");
  }
  return taken([&] { demand(collect_run(output, "a", parts), "parts that are there and were not found"); });
}

bool take_profile(const std::string& text) {
  Profile profile;
  const bool any = taken([&] { profile = read_profile(folder().write("read/profile.json", text), "resnet50_v1"); });
  if (!any) return false;
  demand(std::isfinite(forward_s(profile)) && std::isfinite(backward_s(profile)), "times that are not finite");
  Profile again;
  demand(
      taken([&] { again = read_profile(folder().write("read/again.json", profile_json(profile)), profile.model); }) &&
          profile_json(again) == profile_json(profile),
      "a profile that is another when it is read again");
  return true;
}

// Images: a file of 3 images of 2 x 4, and one of their labels.

std::string idx_images() {
  std::string bytes{"\0\0\x08\x03\0\0\0\x03\0\0\0\x02\0\0\0\x04", 16};
  for (int i = 0; i < 24; ++i) bytes += static_cast<char>(10 * i);
  return bytes;
}

std::string idx_labels() {
  return {"\0\0\x08\x01\0\0\0\x03\0\x04\x09", 11};
}

bool take_images(const std::string& images, const std::string& labels) {
  LabelledImages read;
  const auto images_file = folder().write("read/images", images);
  const auto labels_file = folder().write("read/labels", labels);
  if (!taken([&] { read = read_idx(images_file, labels_file); })) return false;
  demand(read.count() * read.rows * read.columns == read.pixels.size(), "images of another size than their pixels");
  const auto is_grey = [](float value) { return value >= 0 && value <= 1; };
  demand(std::all_of(read.pixels.begin(), read.pixels.end(), is_grey), "a pixel below 0 or above 1");
  const auto is_class = [](std::int64_t label) { return label >= 0 && label <= 9; };
  demand(std::all_of(read.labels.begin(), read.labels.end(), is_class), "a label that is no digit");
  return true;
}

// What other programs print.

bool take_nccl_log(const std::string& text) {
  const std::string connections = nccl_connections(text);
  demand(connections.size() <= text.size(), "more ways than were told of");
  demand(!nccl_transport({connections, ""}).empty(), "a transport without a name");
  return !connections.empty();
}

bool take_mpi_words(const std::string& text) {
  demand(!mpi_library_name(text).empty(), "a library without a name");
  const auto facts = facts_in(text);
  demand(facts_in(text_of(facts)) == facts, "facts that are others when they are read again");
  demand(!known_transport("open-mpi", 2, facts).empty(), "a transport without a name");
  return taken([&] { mpirun_named(text); });
}

std::string one_timing() {
  auto table = ddlsim_test::sample_record("layers");
  table["timings"].erase(1);
  return ddlsim_test::sample_context().dump() + "\n" + table.dump() + "\n";
}

/// In the old form.
std::string one_layer() {
  return ddlsim_test::sample_context().dump() + "\n" + ddlsim_test::sample_record("layer").dump() + "\n";
}

std::vector<Target> all_readers() {
  return {{"campaign",
           {seed_file("campaign-local.json"), seed_file("campaign-mpirun.json"), seed_file("campaign-slurm.json"),
            ddlsim::read_text_file(fs::path(DDLSIM_SOURCE_DIR) / "platforms/testbed/campaign.json")},
           take_campaign},
          {"part-records", {ddlsim_test::sample_measurements()}, take_part_files},
          {"profile", {seed_file("profile.json"), one_timing(), one_layer()}, take_profile},
          {"idx-images", {idx_images()}, [](const std::string& text) { return take_images(text, idx_labels()); }},
          {"idx-labels", {idx_labels()}, [](const std::string& text) { return take_images(idx_images(), text); }},
          {"nccl-log", {seed_file("nccl-log.txt")}, take_nccl_log},
          {"mpi-words",
           {"mpirun (Open MPI) 4.1.4\n\nOMPI_MCA_pml=ob1\nOMPI_MCA_btl=self,tcp\n", "HYDRA build details:\n",
            "Intel(R) MPI Library for Linux* OS, Version 2021.10\nUCX_TLS=rc_x,self\n"},
           take_mpi_words}};
}

} // namespace

const std::vector<Target>& trainer_targets() {
  static const auto rows = all_readers();
  return rows;
}

} // namespace ddlsim_fuzz
