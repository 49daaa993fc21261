//! hipshift converts CUDA C++ projects to HIP.
#![forbid(unsafe_code)]
