#pragma once
// The subcommands that describe and measure: what was typed, and what runs it.

#include "trainer/compute/published_profile.hpp"
#include "trainer/timing/collective_measurement.hpp"
#include "trainer/timing/measure_options.hpp"

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace ddltrain {

/// `ddltrain describe MODEL [--output FILE]`: the layer table to FILE, or to standard output when FILE is empty.
void describe_command(const std::string& model, const std::string& output_file);

struct DescribeModuleOptions {
  std::filesystem::path file;
  std::vector<std::string> inputs; ///< as typed
  std::string name;                ///< of the model; "": that of the output file, or of the module's
  std::string output_file;         ///< "": standard output
};

/// `ddltrain describe --torchscript FILE --input SHAPE`: the layer table of a TorchScript module; what was not counted
/// is told on standard error.
void describe_module_command(const DescribeModuleOptions& options);

/// `ddltrain describe --list`: one line a variant, name and title.
void list_command();

struct LayersOptions {
  std::string model;
  std::vector<std::int64_t> batches = {1, 8, 32};
  ddlsim::Precision precision = ddlsim::Precision::fp32; ///< fp32, tf32, amp, bf16
  std::string device = "cpu";                            ///< cpu, cuda
  int threads = 1;
  std::size_t queued_steps = 0; ///< 0: the usual number of the device
  bool cudnn_benchmark = true;  ///< choose_math's
  MeasureOptions measure;
};

/// `ddltrain layers MODEL`: times of each layer's forward and backward pass and of the whole step, at each batch, as
/// records; a line a batch on standard error says how far the layers explain the step.
void layers_command(const LayersOptions& options);

struct ProfileOptions {
  PublishedStep step;
  std::filesystem::path platforms = "platforms";
  std::string output_file;
};

/// `ddltrain profile MODEL --gpu NAME`: a profile for `ddltrain train --replay`, from published records, to the output
/// file or to standard output.
void profile_command(const ProfileOptions& options);

/// What collectives, link and server have in common.
struct CommunicationOptions {
  int ranks = 2;               ///< to start on this machine when no launcher started this process
  int cores_per_rank = 0;      ///< of ranks started here; 0: an equal share
  std::string transport;       ///< as records name it; when empty what the settings say, else unknown
  std::string sizes;           ///< "1KiB..64MiB", "4MiB,16MiB"
  std::string backend = "mpi"; ///< mpi, nccl (collectives only)
  std::vector<std::string> operations = {"all-reduce"}; ///< collectives only, as the next two
  std::vector<std::string> backends;                    ///< ring, mpi; empty: those that have the operation
  CollectiveTiming timing;
  LinkTraffic traffic; ///< link only
  StallLimits stall;
  MeasureOptions measure;
  std::vector<std::string> arguments; ///< of this process, to start ranks with
};

// Each runs as one rank of a job that a launcher started, or starts the job on this machine, and returns its exit
// status. A rank that fails ends the whole job with one message. Throws UserError and RunError before ranks are
// started.

/// `ddltrain collectives`: operations by the own ring and by the library over sizes.
int collectives_command(const CommunicationOptions& options);
/// `ddltrain link`: times of messages between pairs of ranks over sizes.
int link_command(const CommunicationOptions& options);
/// `ddltrain server`: push, pull and push-pull rates of one server with 1 to ranks - 1 workers.
int server_command(const CommunicationOptions& options);

// The measuring subcommands' options.

struct MeasureArguments {
  LayersOptions layers;
  CommunicationOptions collectives;
  CommunicationOptions link;
  CommunicationOptions server;
  ProfileOptions profile;
};

/// Adds layers, collectives, link, server and profile to the program; their options land in `arguments`, which must
/// outlive the parse, as the exit status in `status` must. words: the command line without the program's name, to start
/// ranks with.
void add_measuring(CLI::App& program, MeasureArguments& arguments, const std::vector<std::string>& words, int& status);

} // namespace ddltrain
