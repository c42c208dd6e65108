#pragma once
// Adds a GPU that the catalogue lacks, from its data sheet: `ddlsim new gpu`.

#include "sim/formats/data_folder.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

struct GpuRequest {
  std::string name;
  std::string like;                         ///< GPU of the catalogue that gives missing figures; "": all are stated
  std::map<std::string, std::string> peaks; ///< by precision (fp32, tf32, fp16, bf16, fp8): "800 TFLOP/s", dense
  std::string memory;                       ///< "94 GB"
  std::string bandwidth;                    ///< of the memory
  std::string power;
  std::string price;
  int year = 0; ///< of its launch; 0: that of `like`
};

struct NewGpu {
  std::string text; ///< in the format of gpus.json, with one entry
  std::vector<std::string> notes;
};

/// Makes the file. Figures that the request lacks are those of `like`, with their source; the peaks of its tensor cores
/// are scaled in proportion to the stated one. Throws UserError that lists every mistake with the option it came from.
NewGpu new_gpu(const GpuRequest& request, const DataFolder& data);

} // namespace ddlsim
