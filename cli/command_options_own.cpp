#include "cli/command_options.hpp"
#include "own/network_words.hpp"
#include "sim/base/error.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

void add_cluster_options(CLI::App& app, NewCommand& command) {
  app.add_option("--gpu", command.gpu,
                 "For a cluster: its GPU (`ddlsim list gpus`); without it the nodes compute on processors")
      ->type_name("NAME");
  app.add_option("--gpus-per-node", command.gpus_per_node, "For a cluster: number of GPUs of a node")->type_name("N");
  app.add_option("--nodes", command.nodes, "For a cluster: number of nodes that it has")->type_name("N");
  app.add_option("--network", command.networks,
                 fmt::format("For a cluster: a node's network as number of ports, rate of a port and kind ({}), e.g. "
                             "\"8x400 Gbps ib\" or 8xNDR; may be given several times",
                             join_names(network_kinds())))
      ->allow_extra_args(false)
      ->type_name("TEXT");
  app.add_option("--links", command.links,
                 "For a cluster: the links between the GPUs of a node, e.g. \"nvswitch 370 GB/s 0.6 us\"; those of a "
                 "shipped cluster with that GPU if not given")
      ->type_name("TEXT");
  app.add_option("--most-nodes", command.most_nodes,
                 "For a cluster: number of nodes to which it may grow; eight times its nodes if not given")
      ->type_name("N");
  app.add_flag("--from-machine", command.from_machine,
               "For a cluster: read this machine (nvidia-smi, ibstat, lstopo, lscpu, scontrol, /sys), and state what "
               "it does not show");
  app.add_option("--sysfs", command.sysfs, "For a cluster, with --from-machine: a copy of another machine's /sys")
      ->type_name("FOLDER");
  app.add_option("--slurm", command.slurm,
                 "For a cluster: its nodes with GPUs, from the output of `scontrol show node` or `sinfo -N -o \"%N %G "
                 "%c %P\"`, or from slurm.conf")
      ->type_name("FILE");
  app.add_option("--slurm-gpu", command.slurm_gpu,
                 "For a cluster: if Slurm has several kinds of nodes, those with that GPU, e.g. h100")
      ->type_name("TYPE");
  app.add_option("--partition", command.partition,
                 "For a cluster: if Slurm has several kinds of nodes, those in that partition")
      ->type_name("NAME");
  app.add_option("--topology", command.topology,
                 "For a cluster: GPUs, links and NICs, from the output of `nvidia-smi topo -m`, NCCL's XML "
                 "(NCCL_TOPO_DUMP_FILE) or lstopo's XML")
      ->type_name("FILE");
}

void add_scenario_options(CLI::App& app, NewCommand& command) {
  app.add_option("--model", command.model,
                 "For a scenario: the model, by a name (`ddlsim list models`), or the path of a layer table or of a "
                 "config.json of Hugging Face Transformers")
      ->type_name("NAME");
  add_sequence(app, command.sequence);
  app.add_option("--cluster", command.cluster,
                 "For a scenario: the cluster, by a name (`ddlsim list clusters`) or the path of a folder")
      ->type_name("NAME");
  app.add_option("--batch", command.batch_per_gpu, "For a scenario: samples that one GPU processes in an iteration")
      ->type_name("N")
      ->check(above_zero());
  app.add_option("--precision", command.precision,
                 "For a scenario: fp32 (if not given), tf32, amp, fp16, bf16, fp8, fp8-block, mxfp8 or nvfp4")
      ->type_name("NAME");
  app.add_option("--preset", command.preset, "For a scenario: the framework (`ddlsim list presets`)")
      ->type_name("NAME");
  app.add_option("--gpus", command.gpus, "For a scenario: numbers of GPUs; 1, 2, 4 and so on if not given")
      ->delimiter(',')
      ->type_name("N,N")
      ->check(whole_above_zero());
  app.add_option("--strategy", command.strategies, "For a scenario: auto (if not given), ring, tree, ps, ...")
      ->delimiter(',')
      ->type_name("NAME,NAME");
}

void add_gpu_options(CLI::App& app, NewCommand& command) {
  app.add_option("--like", command.like,
                 "For a GPU: one of `ddlsim list gpus`, whose figures replace those that are not given")
      ->type_name("NAME");
  for (const char* precision : {"fp32", "tf32", "fp16", "bf16", "fp8"})
    app.add_option(std::string("--") + precision, command.peaks[precision],
                   fmt::format("For a GPU: its dense peak in {}, e.g. \"800 TFLOP/s\"", precision))
        ->type_name("RATE");
  app.add_option("--memory", command.memory, "For a GPU: size of its memory, e.g. \"94 GB\"")->type_name("SIZE");
  app.add_option("--bandwidth", command.bandwidth, "For a GPU: bandwidth of its memory, e.g. \"3.9 TB/s\"")
      ->type_name("RATE");
  app.add_option("--power", command.power, "For a GPU: its power, e.g. \"400 W\"")->type_name("POWER");
  add_prices(app, command.plan, "For a GPU: its price, e.g. \"30000 USD\". For a plan: ");
  app.add_option("--year", command.year, "For a GPU: year of its launch; that of --like if not given")->type_name("N");
}

} // namespace

void add_new(CLI::App& app, CommandLine& line, NewCommand& command) {
  auto& making =
      add_command(app, line, "new", "Write a cluster, a scenario, a plan or a GPU of your own from a few words");
  making.add_option("WHAT", command.what, "cluster, scenario, plan or gpu")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"cluster", "scenario", "plan", "gpu"}).description(""));
  making.add_option("NAME", command.name, "Name of the cluster's folder, or of the file without .json")
      ->required()
      ->type_name("");
  add_cluster_options(making, command);
  add_scenario_options(making, command);
  add_gpu_options(making, command);
  add_plan_words(making, command.plan, "For a plan: ");
}

} // namespace ddlsim
