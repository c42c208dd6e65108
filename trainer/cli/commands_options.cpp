#include "trainer/cli/checks.hpp"
#include "trainer/cli/commands.hpp"

#include <CLI/CLI.hpp>

namespace ddltrain {
namespace {

void add_measure_options(CLI::App& command, MeasureOptions& options) {
  command.add_option("--cluster", options.cluster, "Folder under platforms/ that the records are of")->required();
  command.add_option("--gpu", options.gpu, "Name of the GPU in platforms/gpus.json, when one is measured");
  command.add_option("--output", options.output_file, "File to write; standard output without it");
  command.add_option("--series", options.series, "Text in front of the records' series");
  command.add_option("--repetitions", options.limits.most_repetitions, "Most repetitions of a point")
      ->check(whole_above_zero())
      ->capture_default_str();
  command.add_option("--seconds", options.limits.most_seconds, "Most seconds of a point")
      ->check(above_zero())
      ->capture_default_str();
  command
      .add_option("--error", options.limits.relative_error,
                  "Repeat until the median's standard error is this share of it")
      ->check(a_number({.most = 1}))
      ->capture_default_str();
  command.add_option("--warm-up", options.limits.warm_up, "Repetitions that are thrown away")
      ->check(whole_zero_or_more())
      ->capture_default_str();
  command.add_flag("--anonymous", options.anonymous, "Leave the host's name out of the records");
  command.add_flag("!--no-samples", options.samples, "Leave the single repetitions' times out of the records");
}

void add_layers(CLI::App& program, LayersOptions& options) {
  CLI::App* layers = program.add_subcommand("layers", "Measure each layer's forward and backward pass");
  layers->add_option("MODEL", options.model, "Model variant; ddltrain describe --list shows all")->required();
  layers->add_option("--batch", options.batches, "Samples a step: 1,8,32")
      ->delimiter(',')
      ->check(whole_above_zero())
      ->capture_default_str();
  layers->add_option_function<std::string>(
      "--precision", [&options](const std::string& text) { options.precision = precision_named(text); },
      "fp32 (usually); on a GPU also tf32 (fp32 on tensor cores), amp (fp16 autocast) or bf16");
  layers->add_option("--device", options.device, "cpu or cuda")->check(one_of({"cpu", "cuda"}))->capture_default_str();
  layers
      ->add_option("--queued-steps", options.queued_steps,
                   "Steps given to a GPU before it is waited for; usually 10, so that the host does not set the pace")
      ->check(whole_zero_or_more());
  add_cudnn_benchmark(*layers, options.cudnn_benchmark);
  layers->add_option("--threads", options.threads, "Compute threads on a cpu")
      ->check(whole_above_zero())
      ->capture_default_str();
  add_measure_options(*layers, options.measure);
  layers->callback([&options] { layers_command(options); });
}

CLI::App& add_communication(CLI::App& program, const std::string& name, const std::string& title,
                            CommunicationOptions& options) {
  CLI::App* command = program.add_subcommand(name, title);
  command->add_option("--ranks", options.ranks, "Ranks to start on this machine; ignored under mpirun or srun")
      ->check(a_number({.least = 2, .most = 1024, .whole = true}))
      ->capture_default_str();
  command
      ->add_option("--cores-per-rank", options.cores_per_rank,
                   "Cores each of them is bound to; an equal share without it")
      ->check(whole_above_zero());
  command->add_option("--sizes", options.sizes, "Message sizes: 1KiB..64MiB (powers of two) or 4MiB,16MiB")
      ->capture_default_str();
  command
      ->add_option("--transport", options.transport,
                   "As records name it; without it what the MPI's settings say, else unknown")
      ->check(one_of({"nccl-ib", "nccl-tcp", "mpi-ib", "mpi-tcp", "shm"}));
  command
      ->add_option("--stall-limit", options.stall.least_s,
                   "Seconds without a sign of a rank, or a repetition (and 10 times the median), that end the job")
      ->check(above_zero())
      ->capture_default_str();
  add_measure_options(*command, options.measure);
  return *command;
}

void add_collectives(CLI::App& program, CommunicationOptions& options, int& status) {
  options.sizes = "1KiB..64MiB";
  CLI::App& command = add_communication(program, "collectives", "Measure collectives over sizes", options);
  command
      .add_option("--operation", options.operations,
                  "all-reduce, reduce-scatter, all-gather, broadcast; several by commas")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--backends", options.backends, "ring (ddltrain's own), mpi (MPI's functions); usually both")
      ->delimiter(',')
      ->check(one_of({"ring", "mpi"}));
  command
      .add_option("--queued", options.timing.queued,
                  "Time so many operations queued one behind another, the mean over the ranks, as nccl-tests (20)")
      ->check(whole_above_zero());
  command.add_option("--backend", options.backend, "mpi (host memory) or nccl (one GPU a rank)")
      ->check(one_of({"mpi", "nccl"}))
      ->capture_default_str();
  command.callback([&options, &status] { status = collectives_command(options); });
}

void add_link(CLI::App& program, CommunicationOptions& options, int& status) {
  options.sizes = "4..64MiB";
  CLI::App& command = add_communication(program, "link", "Measure messages between ranks over sizes", options);
  command.add_option("--pairs", options.traffic.pairs, "Pairs at once: the first ranks with the last ones")
      ->check(whole_above_zero())
      ->capture_default_str();
  command.add_flag("--both-ways", options.traffic.both_ways, "Each rank of a pair sends while it receives");
  command.callback([&options, &status] { status = link_command(options); });
}

void add_server(CLI::App& program, CommunicationOptions& options, int& status) {
  options.sizes = "1MiB,16MiB";
  CLI::App& command = add_communication(program, "server", "Measure one parameter server's rates", options);
  command.callback([&options, &status] { status = server_command(options); });
}

void add_profile(CLI::App& program, ProfileOptions& options) {
  CLI::App* profile =
      program.add_subcommand("profile", "Write layer times of a GPU one does not have, from published records");
  profile->add_option("MODEL", options.step.model, "Model variant; ddltrain describe --list shows all")->required();
  profile->add_option("--gpu", options.step.gpu, "Name of the GPU in platforms/gpus.json")->required();
  profile->add_option("--batch", options.step.batch, "Samples a step; needed where several were measured")
      ->check(above_zero());
  profile->add_option("--precision", options.step.precision, "As in the records")->capture_default_str();
  profile->add_option("--platforms", options.platforms, "Folder of the records and of gpus.json")
      ->capture_default_str();
  profile->add_option("--output", options.output_file, "File to write; standard output without it");
  profile->callback([&options] { profile_command(options); });
}

} // namespace

void add_measuring(CLI::App& program, MeasureArguments& arguments, const std::vector<std::string>& words, int& status) {
  add_layers(program, arguments.layers);
  for (CommunicationOptions* options : {&arguments.collectives, &arguments.link, &arguments.server}) {
    options->arguments = words;
  }
  add_collectives(program, arguments.collectives, status);
  add_link(program, arguments.link, status);
  add_server(program, arguments.server, status);
  add_profile(program, arguments.profile);
}

} // namespace ddltrain
