#pragma once

namespace ddltrain {

/// One compute thread for this process, in LibTorch and in OpenBLAS whatever the environment says: ranks share cores.
void one_compute_thread();

} // namespace ddltrain
