#pragma once
// The library that sums gradients, and its version: "nccl 2.18.5". Its rules decide what `auto` does.

#include "sim/formats/names.hpp"

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace ddlsim {

class JsonNode;

/// The libraries whose rules are known. mpich also stands for its relatives MVAPICH2 and Intel MPI.
enum class CollectiveLibrary { nccl, open_mpi, mpich, gloo, grpc };

std::string to_text(CollectiveLibrary value);

struct LibraryVersion {
  CollectiveLibrary library = CollectiveLibrary::nccl;
  int major = 0;
  int minor = 0;
  int patch = 0;

  auto operator<=>(const LibraryVersion&) const = default;
};

/// "nccl 2.18.5"; parts that are 0 at the end are left out.
std::string to_text(const LibraryVersion& version);

/// Of such texts in files, as a JSON schema has it.
inline constexpr const char* library_version_pattern =
    "^(nccl|open-mpi|mpich|gloo|grpc)( [0-9]{1,4}(\\.[0-9]{1,4}){0,2})?$";

/// "nccl 2.18.5", "open-mpi 4.0", "gloo"; nothing where it is not such a text.
std::optional<LibraryVersion> library_version_from(std::string_view text);

/// The version that people's words on their software give of that library: 2.26.2 of NCCL in "NCCL 2.26.2, nccl-tests";
/// nothing where they name none. A plug-in's version ("aws-ofi-nccl 1.5.0") is not the library's.
std::optional<LibraryVersion> library_version_in(std::string_view software, CollectiveLibrary library);

/// The same from its place in a file; notes what is wrong with it.
std::optional<LibraryVersion> as_library_version(const JsonNode& place);

/// What moves its bytes.
Carrier carrier_of(CollectiveLibrary library);

/// Over a carrier of which a preset names no library.
LibraryVersion usual_library(Carrier carrier);

} // namespace ddlsim
