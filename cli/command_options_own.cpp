#include "cli/command_options.hpp"
#include "own/network_words.hpp"
#include "sim/base/error.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

void add_cluster_options(CLI::App& app, NewCommand& command) {
  app.add_option("--gpu", command.gpu, "Of a cluster: its GPU (`ddlsim list gpus`); none for processors")
      ->type_name("NAME");
  app.add_option("--gpus-per-node", command.gpus_per_node, "Of a cluster: GPUs in a node")->type_name("N");
  app.add_option("--nodes", command.nodes, "Of a cluster: nodes there are")->type_name("N");
  app.add_option(
         "--network", command.networks,
         fmt::format(
             "Of a cluster: ports a node, rate of one, kind ({}), e.g. \"8x400 Gbps ib\" or 8xNDR; may be given "
             "several times",
             join_names(network_kinds())))
      ->allow_extra_args(false)
      ->type_name("TEXT");
  app.add_option(
         "--links", command.links,
         "Of a cluster: how GPUs of a node reach each other, e.g. \"nvswitch 370 GB/s 0.6 us\"; as in a shipped "
         "cluster with that GPU if not given")
      ->type_name("TEXT");
  app.add_option("--most-nodes", command.most_nodes,
                 "Of a cluster: how far it may grow; eight times its nodes if not given")
      ->type_name("N");
  app.add_flag("--from-machine", command.from_machine,
               "Of a cluster: read this machine (nvidia-smi, ibstat, lstopo, lscpu, scontrol, /sys), and say what "
               "cannot be seen");
  app.add_option("--sysfs", command.sysfs, "Of a cluster, with --from-machine: a copy of another machine's /sys")
      ->type_name("FOLDER");
  app.add_option("--slurm", command.slurm,
                 "Of a cluster: what `scontrol show node` or `sinfo -N -o \"%N %G %c %P\"` printed, or slurm.conf: its "
                 "nodes with GPUs")
      ->type_name("FILE");
  app.add_option("--slurm-gpu", command.slurm_gpu,
                 "Of a cluster, where Slurm has several kinds of nodes: those with that GPU, e.g. h100")
      ->type_name("TYPE");
  app.add_option("--partition", command.partition,
                 "Of a cluster, where Slurm has several kinds of nodes: those in that partition")
      ->type_name("NAME");
  app.add_option("--topology", command.topology,
                 "Of a cluster: what `nvidia-smi topo -m` printed, NCCL's XML (NCCL_TOPO_DUMP_FILE) or lstopo's: GPUs, "
                 "links, NICs")
      ->type_name("FILE");
}

void add_scenario_options(CLI::App& app, NewCommand& command) {
  app.add_option("--model", command.model, "Of a scenario: a name (`ddlsim list models`) or the path of a model file")
      ->type_name("NAME");
  app.add_option("--cluster", command.cluster, "Of a scenario: a name (`ddlsim list clusters`) or the path of a folder")
      ->type_name("NAME");
  app.add_option("--batch", command.batch_per_gpu, "Of a scenario: samples a GPU and iteration")
      ->type_name("N")
      ->check(above_zero());
  app.add_option("--precision", command.precision, "Of a scenario: fp32 (if not given), tf32, amp, fp16, bf16 or fp8")
      ->type_name("NAME");
  app.add_option("--preset", command.preset, "Of a scenario: the framework (`ddlsim list presets`)")->type_name("NAME");
  app.add_option("--gpus", command.gpus, "Of a scenario: numbers of GPUs; doubled from 1 on if not given")
      ->delimiter(',')
      ->type_name("N,N")
      ->check(whole_above_zero());
  app.add_option("--strategy", command.strategies, "Of a scenario: auto (if not given), ring, tree, ps, ...")
      ->delimiter(',')
      ->type_name("NAME,NAME");
}

void add_gpu_options(CLI::App& app, NewCommand& command) {
  app.add_option("--like", command.like, "Of a GPU: one of `ddlsim list gpus`, for all that is not given")
      ->type_name("NAME");
  for (const char* precision : {"fp32", "tf32", "fp16", "bf16", "fp8"})
    app.add_option(std::string("--") + precision, command.peaks[precision],
                   fmt::format("Of a GPU: its dense peak in {}, e.g. \"800 TFLOP/s\"", precision))
        ->type_name("RATE");
  app.add_option("--memory", command.memory, "Of a GPU: e.g. \"94 GB\"")->type_name("SIZE");
  app.add_option("--bandwidth", command.bandwidth, "Of a GPU: its memory's, e.g. \"3.9 TB/s\"")->type_name("RATE");
  app.add_option("--power", command.power, "Of a GPU: e.g. \"400 W\"")->type_name("POWER");
  app.add_option("--price", command.price, "Of a GPU: e.g. \"30000 USD\"")->type_name("PRICE");
  app.add_option("--year", command.year, "Of a GPU: of its launch; as --like has it if not given")->type_name("N");
}

} // namespace

void add_new(CLI::App& app, CommandLine& line, NewCommand& command) {
  auto& making = add_command(app, line, "new", "Write a cluster, a scenario or a GPU of your own from a few words");
  making.add_option("WHAT", command.what, "cluster, scenario or gpu")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"cluster", "scenario", "gpu"}).description(""));
  making
      .add_option("NAME", command.name,
                  "Its name: of the cluster's folder, or of the scenario's or GPU's file without .json")
      ->required()
      ->type_name("");
  add_cluster_options(making, command);
  add_scenario_options(making, command);
  add_gpu_options(making, command);
}

} // namespace ddlsim
