#include "trainer/launch/launcher.hpp"

#include "trainer/files/error.hpp"

#include <unistd.h>

namespace ddltrain {
namespace {

void need(const std::string& program, const std::string& package) {
  if (!program_exists(program)) {
    throw RunError("the program " + program + " is missing (Debian: " + package + ")");
  }
}

} // namespace

std::vector<std::string> rank_environment() {
  std::vector<std::string> variables = {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"};
  if (geteuid() == 0) {
    variables.insert(variables.end(), {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  }
  return variables;
}

std::unique_ptr<Launcher> make_launcher(const LauncherChoice& choice) {
  switch (choice.kind) {
  case LauncherKind::local:
    need("mpirun", "openmpi-bin");
    return local_launcher();
  case LauncherKind::mpirun:
    need("mpirun", "openmpi-bin");
    return mpirun_launcher(choice);
  case LauncherKind::slurm:
    need("srun", "slurm-client");
    return slurm_launcher(choice);
  case LauncherKind::testbed:
    need("mpirun", "openmpi-bin");
    need("tc", "iproute2");
    return testbed_launcher(choice);
  }
  throw RunError("no such launcher");
}

} // namespace ddltrain
