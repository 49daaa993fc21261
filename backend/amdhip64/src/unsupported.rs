//! Functions of HIP that are not emulated. Each returns `hipErrorNotSupported` and says so once, so that a
//! program that needs one is told what is missing.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex};

use crate::error::Error;
use crate::lock::lock;
use crate::messages::warn;

/// Says once for each function that it is missing.
fn refuse(name: &'static str) -> Error {
    static TOLD: LazyLock<Mutex<HashSet<&str>>> = LazyLock::new(Mutex::default);
    if lock(&TOLD).insert(name) {
        warn(&format!("{name} is not emulated; it returns hipErrorNotSupported"));
    }
    Error::NotSupported
}

/// Exports functions without looking at their arguments, which the caller owns in the C calling convention.
macro_rules! unsupported {
    ($($node:literal: $($name:ident)*;)*) => {$($(
        core::arch::global_asm!(concat!(".symver ", stringify!($name), ", ", stringify!($name), "@@@", $node));

        #[unsafe(no_mangle)]
        extern "C" fn $name() -> $crate::abi::Status {
            $crate::call::enter(stringify!($name), || Err(refuse(stringify!($name))))
        }
    )*)*};
}

unsupported! {
    "hip_4.2":
        hipBindTextureToMipmappedArray hipChooseDeviceR0000
        hipConfigureCall hipCtxDisablePeerAccess hipCtxEnablePeerAccess hipCtxGetApiVersion
        hipDeviceGetTexture1DLinearMaxWidth hipExtGetLinkTypeAndHopCount hipExtLaunchMultiKernelMultiDevice
        hipExtStreamCreateWithCUMask hipExtStreamGetCUMask hipFreeMipmappedArray hipGetMipmappedArrayLevel
        hipGetTextureAlignmentOffset hipGetTextureObjectResourceViewDesc hipIpcCloseMemHandle
        hipIpcGetEventHandle hipIpcGetMemHandle hipIpcOpenEventHandle hipIpcOpenMemHandle hipLaunchByPtr
        hipLaunchCooperativeKernelMultiDevice hipMallocMipmappedArray hipMipmappedArrayCreate hipMipmappedArrayDestroy
        hipMipmappedArrayGetLevel hipModuleGetTexRef hipPointerSetAttribute hipSetupArgument
        hipTexObjectGetResourceViewDesc
        hipTexRefGetAddress hipTexRefGetAddressMode hipTexRefGetArray hipTexRefGetBorderColor hipTexRefGetFilterMode
        hipTexRefGetFlags hipTexRefGetFormat hipTexRefGetMaxAnisotropy hipTexRefGetMipMappedArray
        hipTexRefGetMipmapFilterMode hipTexRefGetMipmapLevelBias hipTexRefGetMipmapLevelClamp hipTexRefSetAddress
        hipTexRefSetAddress2D hipTexRefSetAddressMode hipTexRefSetArray hipTexRefSetBorderColor hipTexRefSetFilterMode
        hipTexRefSetFlags hipTexRefSetFormat hipTexRefSetMaxAnisotropy hipTexRefSetMipmapFilterMode
        hipTexRefSetMipmapLevelBias hipTexRefSetMipmapLevelClamp hipTexRefSetMipmappedArray;
    "hip_4.3":
        hipDestroyExternalMemory hipDestroyExternalSemaphore hipExternalMemoryGetMappedBuffer hipGLGetDevices
        hipGraphicsGLRegisterBuffer hipGraphicsMapResources hipGraphicsResourceGetMappedPointer
        hipGraphicsUnmapResources hipGraphicsUnregisterResource hipImportExternalMemory hipImportExternalSemaphore
        hipSignalExternalSemaphoresAsync hipWaitExternalSemaphoresAsync;
    "hip_4.4":
        hipGraphMemcpyNodeGetParams;
    "hip_4.5":
        hipGraphicsGLRegisterImage hipGraphicsSubResourceGetMappedArray hipStreamGetCaptureInfo_v2
        hipStreamUpdateCaptureDependencies;
    "hip_5.0":
        hipDrvPointerGetAttributes hipGraphKernelNodeGetAttribute hipGraphKernelNodeSetAttribute;
    "hip_5.1":
        hipMemAddressFree hipMemAddressReserve hipMemCreate hipMemExportToShareableHandle hipMemGetAccess
        hipMemGetAllocationGranularity hipMemGetAllocationPropertiesFromHandle hipMemImportFromShareableHandle
        hipMemMap hipMemMapArrayAsync hipMemPoolExportPointer hipMemPoolExportToShareableHandle hipMemPoolGetAccess
        hipMemPoolImportFromShareableHandle hipMemPoolImportPointer hipMemPoolSetAccess hipMemRelease
        hipMemRetainAllocationHandle hipMemSetAccess hipMemUnmap;
    "hip_5.3":
        hipGraphAddExternalSemaphoresSignalNode hipGraphAddExternalSemaphoresWaitNode hipGraphDebugDotPrint
        hipGraphExecExternalSemaphoresSignalNodeSetParams hipGraphExecExternalSemaphoresWaitNodeSetParams
        hipGraphExternalSemaphoresSignalNodeGetParams hipGraphExternalSemaphoresSignalNodeSetParams
        hipGraphExternalSemaphoresWaitNodeGetParams hipGraphExternalSemaphoresWaitNodeSetParams
        hipGraphKernelNodeCopyAttributes hipGraphReleaseUserObject hipGraphRetainUserObject
        hipStreamGetCaptureInfo_v2_spt hipUserObjectCreate hipUserObjectRelease hipUserObjectRetain;
    "hip_5.5":
        hipGraphAddMemAllocNode hipGraphAddMemFreeNode hipGraphAddNode hipGraphMemAllocNodeGetParams
        hipGraphMemFreeNodeGetParams hipModuleLaunchCooperativeKernelMultiDevice;
    "hip_5.6":
        hipDrvGraphAddMemcpyNode hipDrvGraphAddMemsetNode;
    "hip_6.0":
        hipDrvGraphMemcpyNodeGetParams hipDrvGraphMemcpyNodeSetParams;
    "hip_6.1":
        hipGraphInstantiateWithParams hipStreamBeginCaptureToGraph;
    "hip_6.2":
        hipDrvGraphAddMemFreeNode hipDrvGraphExecMemcpyNodeSetParams hipDrvGraphExecMemsetNodeSetParams
        hipGraphExecGetFlags hipGraphExecNodeSetParams hipGraphNodeSetParams hipSetValidDevices;
    "hip_6.4":
        hipGraphAddBatchMemOpNode hipGraphBatchMemOpNodeGetParams hipGraphBatchMemOpNodeSetParams
        hipGraphExecBatchMemOpNodeSetParams hipLinkAddData hipLinkAddFile hipLinkComplete hipLinkCreate hipLinkDestroy
        hipStreamBatchMemOp;
    "hip_6.5":
        hipMemGetHandleForAddressRange;
    "hip_7.1":
        hipMemcpy3DBatchAsync hipMemcpy3DPeer hipMemcpy3DPeerAsync hipMemcpyBatchAsync hipStreamGetAttribute
        hipStreamSetAttribute;
    "hip_7.2":
        hipKernelGetLibrary hipKernelGetName hipLibraryEnumerateKernels hipLibraryGetKernel hipLibraryGetKernelCount
        hipLibraryLoadData hipLibraryLoadFromFile hipLibraryUnload hipStreamCopyAttributes;
}
