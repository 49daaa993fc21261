//! What the devices are: processors, their sizes, and the settings that code objects are made for.

use std::fmt;

/// Machine code of one kind: same encodings, same registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Generation {
    /// gfx906, gfx908, gfx90a: GCN and the first CDNA processors.
    Gfx9,
    /// gfx942: CDNA 3, which names the bits for caches and matrix instructions in another way.
    Gfx940,
    /// gfx950: CDNA 4, whose floats of eight bits are other ones.
    Gfx950,
    /// gfx1030 to gfx1036: RDNA 2.
    Gfx10,
    /// gfx1100 to gfx1103: RDNA 3.
    Gfx11,
    /// gfx1200, gfx1201: RDNA 4.
    Gfx12,
}

impl Generation {
    /// The encodings of GCN: waves of 64 lanes, masks in pairs of registers.
    pub fn is_gfx9(self) -> bool {
        self == Generation::Gfx9 || self.is_gfx940_or_later()
    }

    /// The encodings of gfx942 and gfx950.
    pub fn is_gfx940_or_later(self) -> bool {
        matches!(self, Generation::Gfx940 | Generation::Gfx950)
    }

    /// The encodings that came with RDNA 3: other names, dual instructions, no SDWA.
    pub fn is_gfx11_or_later(self) -> bool {
        matches!(self, Generation::Gfx11 | Generation::Gfx12)
    }
}

/// The properties of a processor that programs and the executor depend on.
#[derive(Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "properties of hardware, each with its own name")]
pub struct Processor {
    /// Name without settings, for example `gfx90a`.
    pub name: &'static str,
    /// Low byte of the ELF flags of its code objects.
    pub machine: u32,
    /// Encodings and registers.
    pub generation: Generation,
    /// Lanes of a wave, 32 or 64.
    pub wave_size: u32,
    /// Compute units of a typical card.
    pub compute_units: u32,
    /// Execution units (SIMDs) of a compute unit.
    pub simds: u32,
    /// Waves that one execution unit can hold.
    pub waves_per_simd: u32,
    /// Bytes of LDS that one block can use.
    pub lds_bytes: u32,
    /// Bytes of LDS that blocks have multiples of, as LLVM (LDS allocation granularity of its AMDGPU targets) and Mesa
    /// (`lds_alloc_granularity`) count them.
    pub lds_granule: u32,
    /// Vector registers of one lane of an execution unit.
    pub vgprs_per_simd: u32,
    /// Vector registers are given out in multiples of this.
    pub vgpr_granule: u32,
    /// Threads of the largest block.
    pub max_block: u32,
    /// The generic target that covers it, and the low byte of the ELF flags of its code objects.
    pub generic: Option<(&'static str, u32)>,
    /// Work-item ids come packed in `v0`, not in `v0` to `v2`.
    pub packed_ids: bool,
    /// The processor has AGPRs in one file with the VGPRs.
    pub unified_registers: bool,
    /// ECC of registers and memory can be on or off.
    pub has_sramecc: bool,
    /// Retry of page faults can be on or off.
    pub has_xnack: bool,
}

const GFX9: Processor = Processor {
    name: "gfx906",
    machine: 0x2f,
    generation: Generation::Gfx9,
    wave_size: 64,
    compute_units: 60,
    simds: 4,
    waves_per_simd: 10,
    lds_bytes: 65536,
    lds_granule: 512,
    vgprs_per_simd: 256,
    vgpr_granule: 4,
    max_block: 1024,
    generic: Some(("gfx9-generic", 0x51)),
    packed_ids: false,
    unified_registers: false,
    has_sramecc: true,
    has_xnack: true,
};

const GFX11: Processor = Processor {
    name: "gfx1100",
    machine: 0x41,
    generation: Generation::Gfx11,
    wave_size: 32,
    compute_units: 96,
    simds: 2,
    waves_per_simd: 16,
    lds_bytes: 65536,
    lds_granule: 1024,
    vgprs_per_simd: 1536,
    vgpr_granule: 24,
    max_block: 1024,
    generic: Some(("gfx11-generic", 0x54)),
    packed_ids: true,
    unified_registers: false,
    has_sramecc: false,
    has_xnack: false,
};

const GFX90A: Processor = Processor {
    name: "gfx90a",
    machine: 0x3f,
    compute_units: 104,
    waves_per_simd: 8,
    vgprs_per_simd: 512,
    vgpr_granule: 8,
    generic: None,
    packed_ids: true,
    unified_registers: true,
    ..GFX9
};

const GFX942: Processor = Processor {
    name: "gfx942",
    machine: 0x4c,
    generation: Generation::Gfx940,
    compute_units: 304,
    generic: Some(("gfx9-4-generic", 0x5f)),
    ..GFX90A
};

const GFX1030: Processor = Processor {
    name: "gfx1030",
    machine: 0x36,
    generation: Generation::Gfx10,
    compute_units: 80,
    vgprs_per_simd: 1024,
    vgpr_granule: 16,
    generic: Some(("gfx10-3-generic", 0x53)),
    packed_ids: false,
    ..GFX11
};

const GFX1200: Processor = Processor {
    name: "gfx1200",
    machine: 0x48,
    generation: Generation::Gfx12,
    compute_units: 32,
    generic: Some(("gfx12-generic", 0x59)),
    ..GFX11
};

static PROCESSORS: &[Processor] = &[
    GFX9,
    Processor { name: "gfx908", machine: 0x30, compute_units: 120, generic: None, ..GFX9 },
    GFX90A,
    GFX11,
    Processor { name: "gfx1101", machine: 0x46, compute_units: 60, ..GFX11 },
    Processor { name: "gfx1102", machine: 0x47, compute_units: 32, vgprs_per_simd: 1024, vgpr_granule: 16, ..GFX11 },
    Processor { name: "gfx1103", machine: 0x44, compute_units: 12, vgprs_per_simd: 1024, vgpr_granule: 16, ..GFX11 },
    GFX942,
    Processor {
        name: "gfx950",
        machine: 0x4f,
        generation: Generation::Gfx950,
        compute_units: 256,
        lds_bytes: 163_840,
        lds_granule: 1280,
        ..GFX942
    },
    GFX1030,
    Processor { name: "gfx1031", machine: 0x37, compute_units: 40, ..GFX1030 },
    Processor { name: "gfx1032", machine: 0x38, compute_units: 32, ..GFX1030 },
    GFX1200,
    Processor { name: "gfx1201", machine: 0x4e, compute_units: 64, ..GFX1200 },
];

/// A processor and the settings of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Target {
    /// The processor.
    pub processor: &'static Processor,
    /// Whether memory and registers have ECC; `None` where the processor has no such setting.
    pub sramecc: Option<bool>,
    /// Whether page faults are retried; `None` where the processor has no such setting.
    pub xnack: Option<bool>,
}

/// Why text is no target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// The processor is unknown here.
    #[error("unknown or unsupported processor `{0}`")]
    Processor(String),
    /// A setting that the processor does not have, or that is neither on nor off.
    #[error("`{0}` is no setting of this processor")]
    Setting(String),
}

impl Target {
    /// gfx90a with ECC and without retry of page faults, as servers are set.
    pub const GFX90A: Target = Target { processor: &PROCESSORS[2], sramecc: Some(true), xnack: Some(false) };
    /// gfx1100.
    pub const GFX1100: Target = Target { processor: &PROCESSORS[3], sramecc: None, xnack: None };

    /// Reads a target, for example `gfx90a:sramecc+:xnack-`. A setting that is not named is on for `sramecc` and off
    /// for `xnack`.
    pub fn parse(text: &str) -> Result<Target, TargetError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let processor = Target::processors()
            .iter()
            .find(|processor| processor.name == name)
            .ok_or_else(|| TargetError::Processor(name.to_owned()))?;
        let mut target = Target {
            processor,
            sramecc: processor.has_sramecc.then_some(true),
            xnack: processor.has_xnack.then_some(false),
        };
        for part in parts {
            let wrong = || TargetError::Setting(part.to_owned());
            let (setting, on) = split_setting(part).ok_or_else(wrong)?;
            let slot = match setting {
                "sramecc" => &mut target.sramecc,
                "xnack" => &mut target.xnack,
                _ => return Err(wrong()),
            };
            *slot.as_mut().ok_or_else(wrong)? = on;
        }
        Ok(target)
    }

    /// All processors that code runs on here.
    pub fn processors() -> &'static [Processor] {
        PROCESSORS
    }

    /// Lanes of a wave.
    pub fn wave_size(&self) -> u32 {
        self.processor.wave_size
    }

    /// Whether code for `id`, a processor or generic target with the settings it needs, runs here. The number orders
    /// candidates: larger is more specific.
    pub(crate) fn fit(&self, id: &str) -> Option<u32> {
        let mut parts = id.split(':');
        let name = parts.next().unwrap_or_default();
        let exact = name == self.processor.name;
        if !exact && self.processor.generic.is_none_or(|(generic, _)| generic != name) {
            return None;
        }
        let mut score = if exact { 10 } else { 0 };
        for part in parts {
            let (setting, on) = split_setting(part)?;
            let own = match setting {
                "sramecc" => self.sramecc?,
                "xnack" => self.xnack?,
                _ => return None,
            };
            if own != on {
                return None;
            }
            score += 1;
        }
        Some(score)
    }

    /// Whether a code object with these ELF flags runs here.
    pub(crate) fn accepts_flags(&self, flags: u32) -> bool {
        let setting_fits = |bits: u32, own: Option<bool>| match bits {
            2 => own != Some(true),
            3 => own == Some(true),
            _ => true,
        };
        let machine = flags & 0xff;
        (machine == self.processor.machine || self.processor.generic.is_some_and(|(_, generic)| machine == generic))
            && setting_fits(flags >> 8 & 3, self.xnack)
            && setting_fits(flags >> 10 & 3, self.sramecc)
    }
}

fn split_setting(part: &str) -> Option<(&str, bool)> {
    part.strip_suffix('+').map(|name| (name, true)).or_else(|| part.strip_suffix('-').map(|name| (name, false)))
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.processor.name)?;
        for (name, setting) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            if let Some(on) = setting {
                write!(f, ":{name}{}", if on { '+' } else { '-' })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_printed() {
        let target = Target::parse("gfx90a:sramecc-:xnack+").unwrap();
        assert_eq!((target.sramecc, target.xnack), (Some(false), Some(true)));
        assert_eq!(target.to_string(), "gfx90a:sramecc-:xnack+");
        assert_eq!(Target::parse("gfx90a").unwrap(), Target::GFX90A);
        assert_eq!(Target::parse("gfx1100").unwrap(), Target::GFX1100);
        assert_eq!(Target::parse("gfx1100:xnack+"), Err(TargetError::Setting("xnack+".to_owned())));
        assert_eq!(Target::parse("sm_90"), Err(TargetError::Processor("sm_90".to_owned())));
    }

    #[test]
    fn code_fits_when_processor_and_named_settings_are_equal() {
        let target = Target::GFX90A;
        assert_eq!(target.fit("gfx90a"), Some(10));
        assert_eq!(target.fit("gfx90a:sramecc+:xnack-"), Some(12));
        assert_eq!(target.fit("gfx90a:xnack+"), None);
        assert_eq!(target.fit("gfx90"), None);
        assert_eq!(Target::GFX1100.fit("gfx11-generic"), Some(0));
        let fits = [
            ("gfx942", "gfx9-4-generic", 0x5f),
            ("gfx950", "gfx9-4-generic", 0x5f),
            ("gfx1030", "gfx10-3-generic", 0x53),
            ("gfx1201", "gfx12-generic", 0x59),
        ];
        for (name, generic, machine) in fits {
            let target = Target::parse(name).unwrap();
            assert_eq!((target.fit(generic), target.fit("gfx9-generic")), (Some(0), None), "{name}");
            assert!(target.accepts_flags(machine) && !target.accepts_flags(0x51), "{name}");
        }
    }
}
