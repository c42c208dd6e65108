#pragma once
// A small process that forks others. A fork copies the page tables of the process that forks, and afterwards that
// process copies every page it writes to: with 60 MB of samples some 40 ms a fork. The server is forked once, before
// there is much memory, and forks a fresh child for each request.

#include <vector>

namespace ddlsim {

using Numbers = std::vector<double>;

/// Starts the server of this process and of the workers that it forks later; does nothing where there is one. Call it
/// early, and while there is one thread: what another thread has locked at that moment stays locked in the server.
/// Throws std::system_error.
void start_fork_server();

/// Ends it; the next run starts one that knows the process as it is then.
void stop_fork_server();

/// What `work` makes of the request, in a fresh process that knows what this one knew when its server started. Starts
/// the server where there is none. May be called by several threads and workers at once. Throws std::runtime_error with
/// the message when `work` threw, or with the end of what it printed when it ended otherwise.
Numbers run_in_fork(Numbers (*work)(const Numbers& request), const Numbers& request);

} // namespace ddlsim
