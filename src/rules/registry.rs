//! The only list of rules.

use super::api::{
    AmbiguousCall, ChangedCall, ElaboratedType, LossyName, NameInString, OtherReleaseName, OwnName, PastedName,
    RenamedName, UnknownName, UnsupportedName,
};
use super::conditional::{
    ArchTest, ComputeCapabilityTest, RegisterKeyword, ToolchainMacro, TwoSidedCondition, UndefinedMacro, VersionTest,
};
use super::header::{CudaHeader, MissingRuntimeHeader, RenamedInclude, UnsupportedHeader};
use super::kernel::{
    EmulatedIntrinsic, ForeignAttribute, HostCallInKernel, HostOnlyLanguage, KernelSignature, ManagedMemory,
    MissingImages, TextureReference, UnreliableClock, WholeCoordinate,
};
use super::launch::{
    BareCommaInBounds, BoundWithoutKernel, ChevronLaunch, ClusterBound, DeviceLaunch, KeptLaunch, LaunchBoundsUnits,
    OversizedBlock, UnboundedKernel, UnreadableLaunch,
};
use super::ptx::{InlinePtx, UntranslatedPtx};
use super::rule::Registered;
use super::wave::{
    CheckedMask, ConstantWaveSize, FixedWarpSize, MixedWaveSizes, NarrowLaneBit, NarrowLaneMask, NarrowMaskFunction,
    NarrowMaskType, OwnLaneFunction, SyncBuiltinsOff, UnsizedWarpCollective, UnsynchronisedWarp, WaveSize,
    WaveWideFunction,
};

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
    Registered::new::<NameInString>(),
    Registered::new::<ElaboratedType>(),
    Registered::new::<CudaHeader>(),
    Registered::new::<UnsupportedHeader>(),
    Registered::new::<RenamedInclude>(),
    Registered::new::<MissingRuntimeHeader>(),
    Registered::new::<ChevronLaunch>(),
    Registered::new::<KeptLaunch>(),
    Registered::new::<DeviceLaunch>(),
    Registered::new::<UnreadableLaunch>(),
    Registered::new::<LaunchBoundsUnits>(),
    Registered::new::<ClusterBound>(),
    Registered::new::<BoundWithoutKernel>(),
    Registered::new::<BareCommaInBounds>(),
    Registered::new::<OversizedBlock>(),
    Registered::new::<UnboundedKernel>(),
    Registered::new::<ArchTest>(),
    Registered::new::<VersionTest>(),
    Registered::new::<ToolchainMacro>(),
    Registered::new::<TwoSidedCondition>(),
    Registered::new::<RegisterKeyword>(),
    Registered::new::<ComputeCapabilityTest>(),
    Registered::new::<UndefinedMacro>(),
    Registered::new::<ForeignAttribute>(),
    Registered::new::<WholeCoordinate>(),
    Registered::new::<HostCallInKernel>(),
    Registered::new::<MissingImages>(),
    Registered::new::<UnreliableClock>(),
    Registered::new::<ManagedMemory>(),
    Registered::new::<KernelSignature>(),
    Registered::new::<HostOnlyLanguage>(),
    Registered::new::<TextureReference>(),
    Registered::new::<EmulatedIntrinsic>(),
    Registered::new::<NarrowLaneMask>(),
    Registered::new::<WaveWideFunction>(),
    Registered::new::<WaveSize>(),
    Registered::new::<NarrowMaskType>(),
    Registered::new::<NarrowMaskFunction>(),
    Registered::new::<NarrowLaneBit>(),
    Registered::new::<CheckedMask>(),
    Registered::new::<FixedWarpSize>(),
    Registered::new::<MixedWaveSizes>(),
    Registered::new::<ConstantWaveSize>(),
    Registered::new::<UnsizedWarpCollective>(),
    Registered::new::<SyncBuiltinsOff>(),
    Registered::new::<UnsynchronisedWarp>(),
    Registered::new::<OwnLaneFunction>(),
    Registered::new::<InlinePtx>(),
    Registered::new::<UntranslatedPtx>(),
];

/// The rule of a code or name.
pub fn find(rule: &str) -> Option<&'static Registered> {
    RULES.iter().find(|registered| registered.info.code.eq_ignore_ascii_case(rule) || registered.info.name == rule)
}
