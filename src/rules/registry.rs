//! The only list of rules.

use super::api::{
    AmbiguousCall, ChangedCall, DevicePointerArithmetic, ElaboratedType, LossyName, NameInString, ObsoleteHip,
    OtherReleaseName, OwnName, PastedName, RenamedName, UnknownName, UnsupportedName,
};
use super::build::UnsupportedOption;
use super::conditional::{
    ArchTest, ComputeCapabilityTest, RegisterKeyword, ToolchainMacro, TwoSidedCondition, UndefinedMacro, VersionTest,
};
use super::header::{CudaHeader, MissingRuntimeHeader, MissingStandardHeader, RenamedInclude, UnsupportedHeader};
use super::kernel::{
    AmbiguousBitSearch, AveragingIntrinsic, ClockRate, ConstantTemplate, ConstantWrite, ContractedArithmetic,
    CoordinateInPrintf, CoordinateOnHost, DeviceHeap, DeviceOnlyFunction, DeviceVariableOnHost, EmulatedIntrinsic,
    FloatAtomicMemory, ForeignAttribute, HostCallInKernel, HostOnlyLanguage, InlineConflict, KernelSignature,
    ManagedMemory, MissingAtomicOverload, MissingImages, RawHalfMember, ReadOnlyLoad, ScatteredConstant, SpinLock,
    SystemScope, TextureReference, UnreliableClock, UnsignedBitCount, VirtualFunction, WholeCoordinate, WrongSideCall,
};
use super::launch::{
    BareCommaInBounds, BoundWithoutKernel, ChevronLaunch, ClusterBound, DeviceLaunch, KeptLaunch, LaunchBoundsUnits,
    MissingSharedBytes, OversizedBlock, OversizedGrid, SharedMemoryLimit, UnboundedKernel, UnreadableLaunch,
};
use super::ptx::{InlinePtx, UntranslatedPtx};
use super::rule::Registered;
use super::suppression::{UnexplainedSuppression, UnknownSuppression, UnusedSuppression};
use super::wave::{
    BadShuffleWidth, CheckedMask, ConstantWaveSize, DeducedWaveSize, FixedWarpSize, LongShuffleDistance,
    MixedWaveSizes, NarrowLaneBit, NarrowLaneMask, NarrowMaskFunction, NarrowMaskType, OwnLaneFunction,
    SyncBuiltinsOff, UnsizedWarpCollective, UnsynchronisedWarp, WaveSize, WaveSizeOnHost, WaveWideFunction,
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
    Registered::new::<ObsoleteHip>(),
    Registered::new::<DevicePointerArithmetic>(),
    Registered::new::<CudaHeader>(),
    Registered::new::<UnsupportedHeader>(),
    Registered::new::<RenamedInclude>(),
    Registered::new::<MissingRuntimeHeader>(),
    Registered::new::<MissingStandardHeader>(),
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
    Registered::new::<OversizedGrid>(),
    Registered::new::<SharedMemoryLimit>(),
    Registered::new::<MissingSharedBytes>(),
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
    Registered::new::<DeviceOnlyFunction>(),
    Registered::new::<WrongSideCall>(),
    Registered::new::<CoordinateOnHost>(),
    Registered::new::<UnsignedBitCount>(),
    Registered::new::<ContractedArithmetic>(),
    Registered::new::<SpinLock>(),
    Registered::new::<DeviceHeap>(),
    Registered::new::<DeviceVariableOnHost>(),
    Registered::new::<ConstantWrite>(),
    Registered::new::<ConstantTemplate>(),
    Registered::new::<ScatteredConstant>(),
    Registered::new::<SystemScope>(),
    Registered::new::<VirtualFunction>(),
    Registered::new::<InlineConflict>(),
    Registered::new::<ClockRate>(),
    Registered::new::<MissingAtomicOverload>(),
    Registered::new::<FloatAtomicMemory>(),
    Registered::new::<CoordinateInPrintf>(),
    Registered::new::<AveragingIntrinsic>(),
    Registered::new::<AmbiguousBitSearch>(),
    Registered::new::<RawHalfMember>(),
    Registered::new::<ReadOnlyLoad>(),
    Registered::new::<NarrowLaneMask>(),
    Registered::new::<WaveWideFunction>(),
    Registered::new::<WaveSize>(),
    Registered::new::<NarrowMaskType>(),
    Registered::new::<NarrowMaskFunction>(),
    Registered::new::<NarrowLaneBit>(),
    Registered::new::<CheckedMask>(),
    Registered::new::<FixedWarpSize>(),
    Registered::new::<LongShuffleDistance>(),
    Registered::new::<MixedWaveSizes>(),
    Registered::new::<ConstantWaveSize>(),
    Registered::new::<UnsizedWarpCollective>(),
    Registered::new::<SyncBuiltinsOff>(),
    Registered::new::<UnsynchronisedWarp>(),
    Registered::new::<OwnLaneFunction>(),
    Registered::new::<BadShuffleWidth>(),
    Registered::new::<WaveSizeOnHost>(),
    Registered::new::<DeducedWaveSize>(),
    Registered::new::<InlinePtx>(),
    Registered::new::<UntranslatedPtx>(),
    Registered::new::<UnsupportedOption>(),
    Registered::new::<UnusedSuppression>(),
    Registered::new::<UnknownSuppression>(),
    Registered::new::<UnexplainedSuppression>(),
];

/// The rule of a code or name.
pub fn find(rule: &str) -> Option<&'static Registered> {
    RULES.iter().find(|registered| registered.info.code.eq_ignore_ascii_case(rule) || registered.info.name == rule)
}
