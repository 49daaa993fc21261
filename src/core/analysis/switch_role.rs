//! What a file of CMake has to do with the variable that chooses between CUDA and HIP.

/// Who reads a file of CMake.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reader {
    /// The project, as far as is known.
    #[default]
    Project,
    /// Commands that fill it in when the project is built (`configure_file`).
    Filling,
    /// Who uses the installed package, as it is.
    User,
}

/// What the other files of a project make of one of CMake, where it is built for both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SwitchRole {
    /// It begins the project, and tells of the variable, or of what sources need where the project's own is true.
    pub declares: bool,
    /// Who reads it.
    pub reader: Reader,
    /// It sets the project's own variable, and nothing tells sources that a compiler for C++ reads that they are built for HIP.
    pub lacks_platform: bool,
}
