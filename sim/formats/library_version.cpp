#include "sim/formats/library_version.hpp"

#include "sim/base/names.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <charconv>

namespace ddlsim {
namespace {

/// A part of a version: 1 to 4 digits; takes them, and a dot behind them, from the text.
std::optional<int> take_number(std::string_view& text) {
  constexpr std::size_t most_digits = 4;
  const std::size_t dot = std::min(text.find('.'), text.size());
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + dot, number);
  if (error != std::errc() || end != text.data() + dot || dot == 0 || dot > most_digits || number < 0)
    return std::nullopt;
  const bool last = dot == text.size();
  text.remove_prefix(last ? dot : dot + 1);
  if (!last && text.empty()) return std::nullopt;
  return number;
}

} // namespace

std::string to_text(SumLibrary value) {
  switch (value) {
  case SumLibrary::nccl:
    return "nccl";
  case SumLibrary::open_mpi:
    return "open-mpi";
  case SumLibrary::mpich:
    return "mpich";
  case SumLibrary::gloo:
    return "gloo";
  case SumLibrary::grpc:
    return "grpc";
  }
  return "";
}

std::string to_text(const LibraryVersion& version) {
  const auto name = to_text(version.library);
  if (version.patch > 0) return fmt::format("{} {}.{}.{}", name, version.major, version.minor, version.patch);
  if (version.major > 0 || version.minor > 0) return fmt::format("{} {}.{}", name, version.major, version.minor);
  return name;
}

std::optional<LibraryVersion> library_version_from(std::string_view text) {
  const std::size_t space = std::min(text.find(' '), text.size());
  const auto library = value_named<SumLibrary>(text.substr(0, space));
  if (!library) return std::nullopt;
  LibraryVersion version{*library};
  if (space == text.size()) return version;
  std::string_view numbers = text.substr(space + 1);
  for (int* part : {&version.major, &version.minor, &version.patch}) {
    const auto number = take_number(numbers);
    if (!number) return std::nullopt;
    *part = *number;
    if (numbers.empty()) return version;
  }
  return std::nullopt;
}

std::optional<LibraryVersion> library_version_from(const JsonNode& node, const std::string& key) {
  const auto text = node.text(key);
  const auto version = library_version_from(text);
  if (!version && !text.empty())
    node.mistake_at(key, fmt::format("{} is no library and version; give one of {} and a version, as \"nccl 2.18.5\"",
                                     in_quotes(text), join_names(names_of<SumLibrary>())));
  return version;
}

Carrier carrier_of(SumLibrary library) {
  switch (library) {
  case SumLibrary::nccl:
    return Carrier::nccl;
  case SumLibrary::open_mpi:
  case SumLibrary::mpich:
    return Carrier::mpi;
  case SumLibrary::gloo:
    return Carrier::gloo;
  case SumLibrary::grpc:
    return Carrier::grpc;
  }
  return Carrier::nccl;
}

LibraryVersion usual_library(Carrier carrier) {
  switch (carrier) {
  case Carrier::mpi:
    return {SumLibrary::open_mpi, 4, 0, 0};
  case Carrier::gloo:
    return {SumLibrary::gloo};
  case Carrier::grpc:
    return {SumLibrary::grpc};
  case Carrier::nccl:
  case Carrier::shm:
    break;
  }
  return {SumLibrary::nccl, 2, 18, 5};
}

} // namespace ddlsim
