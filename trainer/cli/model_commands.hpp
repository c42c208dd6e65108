#pragma once

#include "trainer/compute/published_profile.hpp"
#include "trainer/timing/measure_options.hpp"

#include <cstdint>
#include <string>

namespace ddltrain {
/// `ddltrain describe MODEL [--output FILE]`: the layer table to FILE, or to standard output when FILE is empty.
void describe_command(const std::string& model, const std::string& output_file);

struct DescribeModuleOptions {
  std::filesystem::path file;
  std::vector<std::string> inputs; ///< as typed
  std::string name;                ///< of the model; "": that of the output file, or of the module's
  std::string output_file;         ///< "": standard output
};

/// `ddltrain describe --torchscript FILE --input SHAPE`: the layer table of a TorchScript module; what was not counted is
/// told on standard error.
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

} // namespace ddltrain
