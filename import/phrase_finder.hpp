#pragma once
// Many phrases sought in every line of a log of gigabytes, in one pass over each line.

#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ddlsim {

/// Where a phrase stands in a line.
struct FoundPhrase {
  std::size_t index = 0; ///< of the phrase, in the order they were given
  std::size_t begin = 0;
  std::size_t end = 0; ///< behind it
};

/// The phrases, sorted by their first two letters. Each has two letters or more.
class PhraseFinder {
public:
  explicit PhraseFinder(const std::vector<std::string_view>& phrases);

  /// Calls `take(FoundPhrase)` for each phrase at each place, from the line's begin to its end.
  template <typename Take> void find_all(std::string_view line, Take take) const {
    for (std::size_t at = 0; at + 1 < line.size(); ++at) {
      const auto pair = pair_at(line, at);
      if (!begins_[pair]) continue;
      for (const auto index : by_pair_.at(pair))
        if (line.substr(at).starts_with(phrases_[index])) take(FoundPhrase{index, at, at + phrases_[index].size()});
    }
  }

private:
  static std::size_t pair_at(std::string_view text, std::size_t at) {
    constexpr std::size_t letters = 256;
    return static_cast<unsigned char>(text[at]) * letters + static_cast<unsigned char>(text[at + 1]);
  }

  std::vector<std::string_view> phrases_;
  std::bitset<65536> begins_; ///< whether a phrase begins with these two letters
  std::unordered_map<std::size_t, std::vector<std::size_t>> by_pair_;
};

/// The number that stands at `at` or behind blanks and one of ':', '=', quotes, brackets or dotted lines: 1024 of
/// " ....... 1,024", 3.2 of "=3.2s". Nothing where another word comes first, and for a negative number.
std::optional<double> number_at(std::string_view line, std::size_t at);

/// The number that ends before `at`, blanks between: 61 of "12s 61ms/step" before "ms/step".
std::optional<double> number_ending_at(std::string_view line, std::size_t at);

} // namespace ddlsim
