"""Reads headers of CUDA with libclang: `facts.py HEADERS BUILTINS LIBRARY HEADER...` prints what a program can write of
those that LIBRARY's headers read, a row each, separated by tabs: kind, space, name, template, result, parameters, header.
"""

import os
import sys

from clang import cindex
from clang.cindex import CursorKind as Kind

# Libraries made of templates: names of these namespaces are asked for, not calls.
NAMESPACES = {"cub": "cub", "thrust": "thrust", "cooperative_groups": "cooperative_groups", "wmma": "nvcuda"}

# What a name of such a namespace may be.
NAMED = (
    Kind.FUNCTION_TEMPLATE,
    Kind.FUNCTION_DECL,
    Kind.CLASS_TEMPLATE,
    Kind.STRUCT_DECL,
    Kind.CLASS_DECL,
    Kind.ENUM_DECL,
    Kind.TYPEDEF_DECL,
    Kind.TYPE_ALIAS_TEMPLATE_DECL,
)

# Headers that are details of others, which no program includes or calls.
DETAILS = ("nv/", "crt/sm_", "cuda_awbarrier_helpers.h", "cuda_pipeline_helpers.h", "cuda_occupancy.h", "detail/")

# Prefixes of names that are details of headers, and names that no program means by CUDA's.
INTERNAL = ("__internal", "__nv_isurf", "__nv_itex", "__cr_", "__curand", "_curand", "__get_", "__cuda", "__hcos", "__hsin", "__float_simpl")

# Members that hold nothing.
FILLERS = ("reserved", "pad", "__")

# Libraries whose functions are called by the host alone, whatever the macros of their headers say.
HOST_ONLY = ("cublas", "cublaslt", "cublasxt", "cufft", "curand", "cusparse", "cusolver", "cudnn", "nccl", "nvml", "nvtx")

# Libraries that HIP has nothing like; their functions are named, not called, and their members left out.
REPORTED = ("npp", "cupti", "nvjpeg")


def main(base, builtins, library, *headers):
    headers = [header for header in headers if os.path.exists(f"{base}/{header}")]
    text = "#include <cuda_runtime.h>\n" + "".join(f"#include <{header}>\n" for header in headers)
    options = ["-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-std=c++17", "-w"]
    options += ["-D__CUDACC__", "-D__NVCC__", "-D__CUDACC_VER_MAJOR__=12", "-D__CUDACC_VER_MINOR__=9"]
    options += ["-include", f"{base}/crt/host_defines.h", "-I", base, "-I", f"{base}/cccl", "-isystem", builtins]
    unit = cindex.Index.create().parse(
        "unit.cu",
        args=options,
        unsaved_files=[("unit.cu", text)],
        options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD,
    )
    reader = Reader(base, library)
    reader.visit(unit.cursor, "")
    for row in sorted(reader.rows):
        print("\t".join(row))


class Reader:
    def __init__(self, base, library):
        self.base, self.library = base, library
        self.namespace = NAMESPACES.get(library)
        self.rows = set()

    def header(self, cursor):
        """The header that declares something, as a program would include it."""
        file = cursor.location.file
        if not file or not file.name.startswith(self.base):
            return None
        path = os.path.relpath(file.name, self.base).removeprefix("cccl/")
        return None if any(part in path for part in DETAILS) else path

    def visit(self, parent, scope):
        for cursor in parent.get_children():
            header = self.header(cursor)
            if header is None:
                continue
            if cursor.kind == Kind.NAMESPACE:
                self.visit(cursor, f"{scope}{cursor.spelling}::" if cursor.spelling else scope)
            elif cursor.kind in (Kind.LINKAGE_SPEC, Kind.UNEXPOSED_DECL):
                self.visit(cursor, scope)
            elif self.namespace:
                self.name(cursor, scope, header)
            else:
                self.declaration(cursor, scope, header)

    def add(self, kind, name, header, space="host", template="", result="", parameters=()):
        self.rows.add((kind, space, name, template, result, "; ".join(parameters), header))

    def name(self, cursor, scope, header):
        """A name of a namespace of templates; names with underscores in front are details."""
        name = cursor.spelling
        scope = scope.replace("__v1::", "")
        own = scope.split("::")[0] == self.namespace and name and not name.startswith("_") and "<" not in name
        if own and cursor.kind in NAMED and "detail" not in scope and not name.startswith("operator"):
            self.add("name", scope + name, header)

    def internal(self, name):
        """Whether a name is a detail of the header: `curand_kernel.h` has many that do not begin as its others do."""
        if self.library == "curand_kernel" and not name.lower().startswith(("curand", "skipahead")):
            return True
        return name.startswith(INTERNAL) or (name.startswith("std::__"))

    def declaration(self, cursor, scope, header):
        name = scope + cursor.spelling
        if self.internal(name):
            return
        if not cursor.spelling or "(" in cursor.spelling or "operator" in cursor.spelling:
            if cursor.kind == Kind.ENUM_DECL:
                self.enumerators(cursor, scope, header)
            return
        if cursor.kind in (Kind.FUNCTION_DECL, Kind.FUNCTION_TEMPLATE):
            self.function(cursor, name, header)
        elif cursor.kind in (Kind.STRUCT_DECL, Kind.UNION_DECL, Kind.CLASS_DECL):
            self.add("type", name, header)
            self.members(cursor, name, header)
        elif cursor.kind in (Kind.TYPEDEF_DECL, Kind.TYPE_ALIAS_DECL):
            self.add("type", name, header)
            self.members(cursor.underlying_typedef_type.get_canonical().get_declaration(), name, header)
        elif cursor.kind == Kind.ENUM_DECL:
            self.add("type", name, header)
            self.enumerators(cursor, scope, header)
        elif cursor.kind == Kind.MACRO_DEFINITION and not name.startswith("_"):
            tokens = [token.spelling for token in cursor.get_tokens()]
            # Macros without a value say nothing, and those that stand for functions are asked for as such.
            if len(tokens) > 1 and not tokens[-1].endswith(("_v2", "_v3", "_v4", "_ptsz", "_ptds")):
                self.add("macro", name, header)

    def function(self, cursor, name, header):
        if self.library in REPORTED:
            self.add("macro", name, header)
            return
        children = list(cursor.get_children())
        parameters = [child.type.spelling for child in children if child.kind == Kind.PARM_DECL]
        types = [child.spelling for child in children if child.kind == Kind.TEMPLATE_TYPE_PARAMETER]
        values = [f"{child.type.spelling} {child.spelling}" for child in children if child.kind == Kind.TEMPLATE_NON_TYPE_PARAMETER]
        result = cursor.result_type.spelling
        side = "host" if self.library in HOST_ONLY else space(children)
        self.add("function", name, header, side, "; ".join(types + values), result, parameters)

    def members(self, structure, name, header):
        if self.library in (*REPORTED, "curand_kernel") or structure.kind not in (Kind.STRUCT_DECL, Kind.UNION_DECL):
            return
        for member in structure.get_children():
            is_member = member.kind == Kind.FIELD_DECL and member.access_specifier.name != "PRIVATE"
            if is_member and member.spelling and not member.spelling.startswith(FILLERS):
                self.add("member", f"{name}.{member.spelling}", header)

    def enumerators(self, enumeration, scope, header):
        for value in enumeration.get_children():
            if value.kind == Kind.ENUM_CONSTANT_DECL:
                self.add("enumerator", scope + value.spelling, header)


def space(children):
    kinds = {child.kind for child in children}
    if Kind.CUDADEVICE_ATTR not in kinds:
        return "host"
    return "both" if Kind.CUDAHOST_ATTR in kinds else "device"


main(*sys.argv[1:])
