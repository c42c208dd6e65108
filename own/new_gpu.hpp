#pragma once
// Adds a GPU that the catalogue lacks, from its data sheet, for `ddlsim new gpu`.

#include "sim/formats/data_folder.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

struct GpuRequest {
  std::string name;
  std::string like; ///< GPU of the catalogue whose figures replace missing ones; "": all are stated
  /// dense peaks by precision (fp32, tf32, fp16, bf16, fp8), such as "800 TFLOP/s"
  std::map<std::string, std::string> peaks;
  std::string memory;    ///< size of the memory, such as "94 GB"
  std::string bandwidth; ///< bandwidth of the memory
  std::string power;
  std::string price;
  int year = 0; ///< year of its launch; 0: that of `like`
};

struct NewGpu {
  std::string text; ///< text in the format of gpus.json, with one entry
  std::vector<std::string> notes;
};

/// Makes the file. Figures that the request lacks are those of `like`, with their source. Missing peaks of tensor cores
/// are scaled in proportion to the stated one. Throws UserError that lists every mistake with the option that it came
/// from.
NewGpu new_gpu(const GpuRequest& request, const DataFolder& data);

} // namespace ddlsim
