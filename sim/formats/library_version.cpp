#include "sim/formats/library_version.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

namespace ddlsim {
namespace {

/// Takes a part of a version, 1 to 4 digits, and a following dot from the text.
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

/// Returns the names, in lower case, that people give a library beside its version.
std::vector<std::string_view> names_in_words(CollectiveLibrary library) {
  switch (library) {
  case CollectiveLibrary::nccl:
    return {"nccl"};
  case CollectiveLibrary::open_mpi:
    return {"open mpi", "openmpi"};
  case CollectiveLibrary::mpich:
    return {"mpich"};
  case CollectiveLibrary::gloo:
    return {"gloo"};
  case CollectiveLibrary::grpc:
    return {"grpc"};
  }
  return {};
}

/// Returns the digits and dots at that place, after optional blanks and a "v".
std::string_view numbers_at(std::string_view text, std::size_t place) {
  constexpr std::string_view digits_and_dots = "0123456789.";
  place = std::min(text.find_first_not_of(" v", place), text.size());
  auto numbers = text.substr(place, std::min(text.find_first_not_of(digits_and_dots, place), text.size()) - place);
  while (!numbers.empty() && numbers.back() == '.') numbers.remove_suffix(1);
  return numbers;
}

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); });
  return small;
}

/// Whether a word starts at that place.
bool begins_a_word(std::string_view text, std::size_t place) {
  if (place == 0) return true;
  const char before = text[place - 1];
  return std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '-' && before != '_';
}

} // namespace

std::string to_text(CollectiveLibrary value) {
  switch (value) {
  case CollectiveLibrary::nccl:
    return "nccl";
  case CollectiveLibrary::open_mpi:
    return "open-mpi";
  case CollectiveLibrary::mpich:
    return "mpich";
  case CollectiveLibrary::gloo:
    return "gloo";
  case CollectiveLibrary::grpc:
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
  const auto library = value_named<CollectiveLibrary>(text.substr(0, space));
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

std::optional<LibraryVersion> library_version_in(std::string_view software, CollectiveLibrary library) {
  const std::string words = in_small_letters(software);
  for (const auto name : names_in_words(library)) {
    for (auto place = words.find(name); place != std::string::npos; place = words.find(name, place + name.size())) {
      if (!begins_a_word(words, place)) continue;
      const auto numbers = numbers_at(words, place + name.size());
      if (numbers.empty()) continue;
      if (const auto version = library_version_from(fmt::format("{} {}", to_text(library), numbers))) return version;
    }
  }
  return std::nullopt;
}

std::optional<LibraryVersion> as_library_version(const JsonNode& place) {
  const auto text = place.as_text();
  const auto version = library_version_from(text);
  if (!version && !text.empty())
    place.mistake(fmt::format("{} is no library and version; give one of {} and a version, as \"nccl 2.18.5\"",
                              in_quotes(text), join_names(names_of<CollectiveLibrary>())));
  return version;
}

Carrier carrier_of(CollectiveLibrary library) {
  switch (library) {
  case CollectiveLibrary::nccl:
    return Carrier::nccl;
  case CollectiveLibrary::open_mpi:
  case CollectiveLibrary::mpich:
    return Carrier::mpi;
  case CollectiveLibrary::gloo:
    return Carrier::gloo;
  case CollectiveLibrary::grpc:
    return Carrier::grpc;
  }
  return Carrier::nccl;
}

LibraryVersion usual_library(Carrier carrier) {
  switch (carrier) {
  case Carrier::mpi:
    return {CollectiveLibrary::open_mpi, 4, 0, 0};
  case Carrier::gloo:
    return {CollectiveLibrary::gloo};
  case Carrier::grpc:
    return {CollectiveLibrary::grpc};
  case Carrier::nccl:
  case Carrier::shm:
    break;
  }
  return {CollectiveLibrary::nccl, 2, 18, 5};
}

} // namespace ddlsim
