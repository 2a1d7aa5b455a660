# A recipe for Spack 1.0 (https://spack.io). Copy it to packages/tuner/ of a repository of your site, and name there where
# your site keeps the sources.
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Tuner(CMakePackage):
    """An autotuner for CUDA C++ kernels: finds the compile-time constants that make a kernel fastest on one GPU for
    one problem, and remembers them."""

    license("MIT")

    version("0.1.0", branch="main", git="file:///srv/git/tuner")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    # Headers at build time; NVRTC and CUPTI are opened when they are first needed.
    depends_on("cuda@12:13", type=("build", "run"))
    depends_on("boost@1.74: +program_options")
    depends_on("sqlite@3.40:")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("fmt@9:")
    depends_on("xxhash@0.8:")
    depends_on("zlib-api")

    conflicts("%gcc@:11", msg="the sources are C++20")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("TUNER_BUILD_TESTS", False),
            self.define("TUNER_BUILD_BENCH", False),
            self.define("TUNER_BUILD_EXAMPLES", False),
            self.define("CUDAToolkit_ROOT", self.spec["cuda"].prefix),
        ]

    def setup_run_environment(self, env):
        env.set("CUDA_HOME", self.spec["cuda"].prefix)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def replay_the_recording(self):
        kernels = self.prefix.share.tuner.kernel_sources
        with working_dir(self.stage.path):
            Executable(self.prefix.bin.tuner)(
                "tune", join_path(kernels, "prefetch.cu"),
                "--replay", join_path(kernels, "recordings", "prefetch__H200.csv"),
                "--db", join_path(self.stage.path, "database"),
            )
