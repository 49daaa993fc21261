"""Stands for setuptools in a test: `setup.py build_ext --inplace` and nothing else."""
import sys


def setup(ext_modules, cmdclass, **_about):
    assert sys.argv[1:] == ["build_ext", "--inplace"], sys.argv
    for extension in ext_modules:
        cmdclass["build_ext"]().build(extension)
