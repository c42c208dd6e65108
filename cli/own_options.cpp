#include "cli/command_options.hpp"
#include "own/new_files.hpp"
#include "sim/base/error.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

void add_cluster_options(CLI::App& app, NewCommand& command) {
  app.add_option("--gpu", command.gpu, "Of a cluster: its GPU (`ddlsim list gpus`); none for processors")
      ->type_name("NAME");
  app.add_option("--gpus-per-node", command.gpus_per_node, "Of a cluster: GPUs in a node")->type_name("N");
  app.add_option("--nodes", command.nodes, "Of a cluster: nodes there are")->type_name("N");
  app.add_option("--network", command.networks,
                 fmt::format("Of a cluster: ports a node, rate of one, kind ({}), e.g. \"8x400 Gbps ib\"; may be given "
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
  app.add_option("--slurm", command.slurm, "Of a cluster, with --from-machine: what `scontrol show node` printed")
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

} // namespace

void add_new(CLI::App& app, CommandLine& line, NewCommand& command) {
  auto& making = add_command(app, line, "new", "Write a cluster or a scenario of your own from a few words");
  making.add_option("WHAT", command.what, "cluster or scenario")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"cluster", "scenario"}).description(""));
  making.add_option("NAME", command.name, "Its name: of the cluster's folder, or of the scenario's file without .json")
      ->required()
      ->type_name("");
  add_cluster_options(making, command);
  add_scenario_options(making, command);
}

} // namespace ddlsim
