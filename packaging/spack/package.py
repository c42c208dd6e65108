# Spack: put this folder as packages/ddlsim into a repository of your site (`spack repo create`), and the source archive
# of the version beside it or at `url`. What was tried: docs/quickstart.md.
from spack.package import *

try:  # Spack 1.0 and later
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:  # before, spack.package had them
    pass


class Ddlsim(CMakePackage):
    """How fast distributed deep-learning training will run on a cluster one does not have yet, and how sure that is."""

    license("Apache-2.0")
    version("main")  # from a checkout: spack develop --path FOLDER ddlsim@main

    variant("trainer", default=False, description="Build ddltrain, which measures (needs LibTorch 1.13 and MPI)")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("simgrid@3.32")
    depends_on("eigen@3.4:")
    depends_on("nlohmann-json@3.11:")
    depends_on("cli11@2.1:")
    depends_on("fmt@9")
    depends_on("zlib-api")
    depends_on("zstd@1.4:")
    depends_on("mpi", when="+trainer")
    depends_on("py-torch@1.13~cuda", when="+trainer")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("DDLSIM_BUILD_TRAINER", "trainer"),
            self.define("DDLSIM_BUILD_TESTS", False),
            self.define("DDLSIM_BUILD_BENCHMARKS", False),
        ]
