#pragma once
// What can go wrong for the user, by whose doing; the program's exit status follows.

#include <stdexcept>

namespace ddltrain {

/// The command line asks for something that cannot be: exit status 2.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The machine did not do what was rightly asked (a file that cannot be written): exit status 1.
class RunError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace ddltrain
