//! The only list of rules.

use super::api::{
    AmbiguousCall, ChangedCall, ElaboratedType, EntryPointName, LossyName, OtherReleaseName, OwnName, PastedName,
    RenamedName, UnknownName, UnsupportedName,
};
use super::header::{CudaHeader, MissingRuntimeHeader, RenamedInclude, UnsupportedHeader};
use super::kernel::{
    ForeignAttribute, HostCallInKernel, HostOnlyLanguage, KernelSignature, ManagedMemory, MissingImages,
    TextureReference, UnreliableClock, WholeCoordinate,
};
use super::launch::{ChevronLaunch, DeviceLaunch, KeptLaunch, UnreadableLaunch};
use super::rule::Registered;

/// All rules. Where fixes contradict each other, the earlier rule wins.
pub static RULES: &[Registered] = &[
    Registered::new::<ChangedCall>(),
    Registered::new::<RenamedName>(),
    Registered::new::<LossyName>(),
    Registered::new::<UnsupportedName>(),
    Registered::new::<OtherReleaseName>(),
    Registered::new::<UnknownName>(),
    Registered::new::<OwnName>(),
    Registered::new::<PastedName>(),
    Registered::new::<AmbiguousCall>(),
    Registered::new::<ElaboratedType>(),
    Registered::new::<EntryPointName>(),
    Registered::new::<CudaHeader>(),
    Registered::new::<UnsupportedHeader>(),
    Registered::new::<RenamedInclude>(),
    Registered::new::<MissingRuntimeHeader>(),
    Registered::new::<ChevronLaunch>(),
    Registered::new::<KeptLaunch>(),
    Registered::new::<DeviceLaunch>(),
    Registered::new::<UnreadableLaunch>(),
    Registered::new::<ForeignAttribute>(),
    Registered::new::<WholeCoordinate>(),
    Registered::new::<HostCallInKernel>(),
    Registered::new::<MissingImages>(),
    Registered::new::<UnreliableClock>(),
    Registered::new::<ManagedMemory>(),
    Registered::new::<KernelSignature>(),
    Registered::new::<HostOnlyLanguage>(),
    Registered::new::<TextureReference>(),
];

/// The rule of a code or name.
pub fn find(rule: &str) -> Option<&'static Registered> {
    RULES.iter().find(|registered| registered.info.code.eq_ignore_ascii_case(rule) || registered.info.name == rule)
}
