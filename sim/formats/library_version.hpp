#pragma once
// The library that runs all-reduces, with its version: "nccl 2.18.5". Its rules determine the algorithm of `auto`.

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

/// Returns "nccl 2.18.5"; parts that are 0 at the end are left out.
std::string to_text(const LibraryVersion& version);

/// Pattern of such texts in files, for a JSON schema.
inline constexpr const char* library_version_pattern =
    "^(nccl|open-mpi|mpich|gloo|grpc)( [0-9]{1,4}(\\.[0-9]{1,4}){0,2})?$";

/// Parses "nccl 2.18.5", "open-mpi 4.0" or "gloo"; returns nothing for any other text.
std::optional<LibraryVersion> library_version_from(std::string_view text);

/// Finds the version of that library in a description of software: 2.26.2 of NCCL in "NCCL 2.26.2, nccl-tests". Returns
/// nothing if it names none. The version of a plug-in ("aws-ofi-nccl 1.5.0") is not that of the library.
std::optional<LibraryVersion> library_version_in(std::string_view software, CollectiveLibrary library);

/// Reads the version at a place in a file; notes what is wrong with it.
std::optional<LibraryVersion> as_library_version(const JsonNode& place);

/// Returns the carrier that moves the library's bytes.
Carrier carrier_of(CollectiveLibrary library);

/// Returns the library that is assumed over a carrier for which a preset names none.
LibraryVersion usual_library(Carrier carrier);

} // namespace ddlsim
