#pragma once
// The subcommands that describe and measure: their options, and the functions that run them.

#include "trainer/compute/published_profile.hpp"
#include "trainer/timing/collective_measurement.hpp"
#include "trainer/timing/measure_options.hpp"

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace ddltrain {

/// Runs `ddltrain describe MODEL [--output FILE]`: writes the layer table to FILE, or to standard output when FILE is
/// empty.
void describe_command(const std::string& model, const std::string& output_file);

struct DescribeModuleOptions {
  std::filesystem::path file;
  std::vector<std::string> inputs; ///< shapes as typed
  std::string name;                ///< name of the model; "": that of the output file, or of the module's file
  std::string output_file;         ///< output file; "": standard output
};

/// Runs `ddltrain describe --torchscript FILE --input SHAPE`: writes the layer table of a TorchScript module. What was
/// not counted is printed on standard error.
void describe_module_command(const DescribeModuleOptions& options);

/// Runs `ddltrain describe --list`: prints a line with name and title for each variant.
void list_command();

struct LayersOptions {
  std::string model;
  std::vector<std::int64_t> batches = {1, 8, 32};
  ddlsim::Precision precision = ddlsim::Precision::fp32; ///< "fp32", "tf32", "amp" or "bf16"
  std::string device = "cpu";                            ///< "cpu" or "cuda"
  int threads = 1;
  std::size_t queued_steps = 0; ///< number of queued steps; 0: the usual number of the device
  bool cudnn_benchmark = true;  ///< passed to choose_math()
  MeasureOptions measure;
};

/// Runs `ddltrain layers MODEL`: records the times of each layer's forward and backward pass and of the whole step, at
/// each batch. A line on standard error for each batch says what part of the step the layers explain.
void layers_command(const LayersOptions& options);

struct ProfileOptions {
  PublishedStep step;
  std::filesystem::path platforms = "platforms";
  std::string output_file;
};

/// Runs `ddltrain profile MODEL --gpu NAME`: writes a profile for `ddltrain train --replay`, from published records, to
/// the output file or to standard output.
void profile_command(const ProfileOptions& options);

/// The options that collectives, link and server share.
struct CommunicationOptions {
  int ranks = 2;               ///< number of ranks to start on this machine, when no launcher started this process
  int cores_per_rank = 0;      ///< cores of each rank that is started here; 0: an equal share
  std::string transport;       ///< transport by its name in records; "": as the settings state it, else unknown
  std::string sizes;           ///< sizes such as "1KiB..64MiB" or "4MiB,16MiB"
  std::string backend = "mpi"; ///< "mpi", or for collectives "nccl"
  std::vector<std::string> operations = {"all-reduce"}; ///< used by collectives only, as the next two
  std::vector<std::string> backends;                    ///< "ring" or "mpi"; empty: all that have the operation
  CollectiveTiming timing;
  LinkTraffic traffic; ///< used by link only
  StallLimits stall;
  MeasureOptions measure;
  std::vector<std::string> arguments; ///< arguments of this process, with which ranks are started
};

// Each of these runs as one rank of a job that a launcher started, or starts the job on this machine, and returns its
// exit status. A rank that fails ends the whole job with one message. Throws UserError and RunError before ranks are
// started.

/// Runs `ddltrain collectives`: times operations by the own ring and by the library, over sizes.
int collectives_command(const CommunicationOptions& options);
/// Runs `ddltrain link`: times messages between pairs of ranks, over sizes.
int link_command(const CommunicationOptions& options);
/// Runs `ddltrain server`: measures rates of push, pull and push-pull of one server with 1 to ranks - 1 workers.
int server_command(const CommunicationOptions& options);

// The options of the measuring subcommands.

struct MeasureArguments {
  LayersOptions layers;
  CommunicationOptions collectives;
  CommunicationOptions link;
  CommunicationOptions server;
  ProfileOptions profile;
};

/// Adds layers, collectives, link, server and profile to the program. Their options are stored in `arguments`, and the
/// exit status in `status`; both must outlive the parse. `words` is the command line without the program's name, with
/// which ranks are started.
void add_measuring(CLI::App& program, MeasureArguments& arguments, const std::vector<std::string>& words, int& status);

} // namespace ddltrain
