#pragma once
// A person's mistake, with what to do about it. The only exception the library throws on purpose.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// One mistake in one place: "FILE: /json/path: found, expected, what to do".
struct Mistake {
  std::string where; ///< file, with line for JSON Lines ("a.jsonl:12"); may be empty for the command line
  std::string path;  ///< JSON pointer, "" for the whole file
  std::string what;  ///< what was found, what was expected, what to do; one sentence, no final stop
};

/// All mistakes of a file (or of an argument) at once. what() is one line a mistake.
class UserError : public std::runtime_error {
public:
  explicit UserError(std::vector<Mistake> mistakes);
  UserError(std::string where, std::string path, std::string what);
  const std::vector<Mistake>& mistakes() const { return mistakes_; }

private:
  std::vector<Mistake> mistakes_;
};

/// "where: path: what", without the parts that are empty.
std::string to_text(const Mistake& mistake);

// Names people type: the nearest known one is offered when they miss.

/// The candidate with the smallest edit distance, swapped neighbours being one edit (at most a third of the longer
/// length, at least 1 edit allowed); "" when none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

bool is_in(const std::vector<std::string>& names, std::string_view name);

/// "a, b, c" for messages.
std::string join_names(const std::vector<std::string>& names, std::string_view separator = ", ");

/// A text from outside as a message shows it: in double quotes, shortened, control characters (which could steer a
/// terminal) escaped.
std::string in_quotes(std::string_view text);

/// "no GPU is called "V10"; did you mean V100? there are: K80, V100": offers the nearest candidate, lists `listed`. Of
/// a kind that a command lists, more than a dozen are not listed but offered by likeness, and the command is named.
std::string unknown_name_text(std::string_view kind, std::string_view name, const std::vector<std::string>& candidates,
                              const std::vector<std::string>& listed);

} // namespace ddlsim
