// ddltrain-netns NAMESPACE HOST PROGRAM ARGS...
//   runs PROGRAM in the network namespace, with HOST as its machine's name.
// ddltrain-netns --agent PREFIX [OPTIONS] HOST WORDS...
//   the same as a remote shell would be called: the shell line WORDS on HOST, whose namespace is PREFIX + HOST. This is
//   what Open MPI's plm_rsh_agent calls.
//
// Unlike `ip netns exec` it leaves the mounts alone, so /sys and /tmp stay what they are for every process.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "ddltrain-netns: %s: %s\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

void enter(const std::string& name_space, const std::string& host) {
  const std::string file = "/run/netns/" + name_space;
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || setns(descriptor, CLONE_NEWNET) != 0) {
    fail(file);
  }
  close(descriptor);
  if (unshare(CLONE_NEWUTS) != 0 || sethostname(host.data(), host.size()) != 0) {
    fail("host name " + host);
  }
}

[[noreturn]] void run(std::vector<char*> words) {
  words.push_back(nullptr);
  execvp(words.front(), words.data());
  fail(words.front());
}

[[noreturn]] void run_as_agent(const std::vector<char*>& words) {
  std::size_t host = 1;
  while (host < words.size() && words[host][0] == '-') {
    ++host; // options of ssh have no meaning here
  }
  if (host + 1 >= words.size()) {
    std::fprintf(stderr, "usage: ddltrain-netns --agent PREFIX [OPTIONS] HOST WORDS...\n");
    std::exit(2);
  }
  std::string line;
  for (std::size_t i = host + 1; i < words.size(); ++i) {
    line.append(line.empty() ? "" : " ").append(words[i]);
  }
  enter(std::string(words[0]) + words[host], words[host]);
  std::string shell = "/bin/sh";
  std::string option = "-c";
  run({shell.data(), option.data(), line.data()});
}

} // namespace

int main(int argc, char** argv) {
  const std::vector<char*> words(argv + 1, argv + argc);
  if (words.size() >= 3 && std::strcmp(words[0], "--agent") == 0) {
    run_as_agent({words.begin() + 1, words.end()});
  }
  if (words.size() < 3) {
    std::fprintf(stderr, "usage: ddltrain-netns NAMESPACE HOST PROGRAM ARGS...\n");
    return 2;
  }
  enter(words[0], words[1]);
  run({words.begin() + 2, words.end()});
}
