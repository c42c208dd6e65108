#pragma once

namespace ddltrain {

/// Lets this thread's timers wake it within a microsecond; Linux gathers wake-ups within 50 us otherwise
/// (prctl(2), PR_SET_TIMERSLACK).
void ask_for_exact_timers();

/// Returns when the clock of now_s() has reached `time_s`; at once when it is past. Asleep meanwhile, so waits of
/// several ranks share a core.
void wait_until(double time_s);

} // namespace ddltrain
