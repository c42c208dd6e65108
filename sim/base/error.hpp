#pragma once
// UserError: a mistake of the user, with a hint how to correct it. The library throws no other exception on purpose.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// One mistake at one place of a file: "FILE: /json/path: found, expected, what to do".
struct Mistake {
  std::string where; ///< file, with the line of JSON Lines ("a.jsonl:12"); may be empty for the command line
  std::string path;  ///< JSON pointer; "" for the whole file
  std::string what;  ///< one sentence without a full stop: what was found, what was expected, what to do
};

/// All mistakes of a file (or of an argument) in one exception. what() has one line for each mistake.
class UserError : public std::runtime_error {
public:
  explicit UserError(std::vector<Mistake> mistakes);
  UserError(std::string where, std::string path, std::string what);
  const std::vector<Mistake>& mistakes() const { return mistakes_; }

private:
  std::vector<Mistake> mistakes_;
};

/// Returns "where: path: what" without the parts that are empty.
std::string to_text(const Mistake& mistake);

// Names that people type: a message offers the nearest known name when a typed one is unknown.

/// Returns the candidate with the smallest edit distance; "" when none is near. A swap of two neighbouring letters is
/// one edit. A candidate may differ by at most a third of the longer length, and by 1 edit in any case.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

bool is_in(const std::vector<std::string>& names, std::string_view name);

/// Joins names for a message: "a, b, c".
std::string join_names(const std::vector<std::string>& names, std::string_view separator = ", ");

/// Quotes text from outside for a message. The text is put into double quotes and shortened, and control characters,
/// which could steer a terminal, are escaped.
std::string in_quotes(std::string_view text);

/// Returns a text like "no GPU is called "V10"; did you mean V100? there are: K80, V100". It offers the nearest
/// candidate and lists `listed`. When a command of ddlsim lists this kind and there are more than a dozen names, it
/// offers similar names, and gives that command in place of the list.
std::string unknown_name_text(std::string_view kind, std::string_view name, const std::vector<std::string>& candidates,
                              const std::vector<std::string>& listed);

} // namespace ddlsim
