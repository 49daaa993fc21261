"""Stands for PyTorch for ROCm in a test: sources of CUDA go through hipcc, others through the compiler of the host, and what
is made is one library. PyTorch converts sources on the way; here they have to be HIP already."""
import os
import pathlib
import subprocess

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"


class CUDAExtension:
    def __init__(self, name, sources, include_dirs=(), extra_compile_args=None):
        self.name, self.sources, self.include_dirs = name, sources, include_dirs
        self.arguments = extra_compile_args or {}


class BuildExtension:
    def build(self, extension):
        rocm = os.environ["ROCM_PATH"]
        shared = ["-fPIC", f"-DTORCH_EXTENSION_NAME={extension.name}", f"-I{INCLUDE}"]
        shared += [f"-I{folder}" for folder in extension.include_dirs]
        objects = []
        for number, source in enumerate(extension.sources):
            objects.append(f"build-{number}.o")
            if source.endswith((".cu", ".hip")):
                targets = [f"--offload-arch={name}" for name in os.environ["PYTORCH_ROCM_ARCH"].split(";")]
                command = [f"{rocm}/bin/hipcc", *targets, *extension.arguments.get("nvcc", [])]
            else:
                host = ["-x", "c++", "-std=c++17", "-D__HIP_PLATFORM_AMD__=1", f"-I{rocm}/include"]
                command = [f"{rocm}/bin/clang++", *host, *extension.arguments.get("cxx", [])]
            subprocess.run([*command, *shared, "-c", source, "-o", objects[-1]], check=True)
        subprocess.run([f"{rocm}/bin/hipcc", "-shared", *objects, "-o", f"{extension.name}.so"], check=True)
