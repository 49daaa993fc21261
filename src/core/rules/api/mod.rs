//! Rules about names of functions, types, constants and macros.

mod ambiguous_call;
mod changed_call;
mod deprecated_hip;
mod device_pointer_arithmetic;
mod elaborated_type;
mod helpers;
mod lossy_name;
mod missing_property;
mod name_in_string;
mod nvidia_module;
mod obsolete_hip;
mod other_release_name;
mod own_name;
mod pasted_name;
mod renamed_name;
mod standard_limits;
mod undecided_name;
mod undeclared_hip;
mod unknown_name;
mod unmapped_library;
mod unsupported_name;

pub(super) use ambiguous_call::AmbiguousCall;
pub(super) use changed_call::ChangedCall;
pub(super) use deprecated_hip::DeprecatedHip;
pub(super) use device_pointer_arithmetic::DevicePointerArithmetic;
pub(super) use elaborated_type::ElaboratedType;
pub(super) use helpers::{
    ChangedArguments, called_definition, changed_arguments, is_declaration, needs_its_call, visible_call,
};
pub(super) use lossy_name::LossyName;
pub(super) use missing_property::MissingProperty;
pub(super) use name_in_string::NameInString;
pub(super) use nvidia_module::NvidiaModule;
pub(super) use obsolete_hip::ObsoleteHip;
pub(super) use other_release_name::OtherReleaseName;
pub(super) use own_name::OwnName;
pub(crate) use own_name::{declared_elsewhere, is_unknown};
pub(super) use pasted_name::PastedName;
pub(super) use renamed_name::RenamedName;
pub(super) use standard_limits::{StandardLimits, is_header as is_limits_header, serves as standard_serves};
pub(super) use undecided_name::UndecidedName;
pub(super) use undeclared_hip::UndeclaredHip;
pub(super) use unknown_name::UnknownName;
pub(super) use unmapped_library::UnmappedLibrary;
pub(super) use unsupported_name::UnsupportedName;
