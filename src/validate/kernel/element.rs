//! Types of scalars and of array elements.

/// A type of C++ whose values can be written, read back and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// One byte, 0 or 1.
    Bool,
    /// Signed integer of so many bytes.
    Signed(u8),
    /// Unsigned integer of so many bytes.
    Unsigned(u8),
    /// IEEE 754 binary16.
    Half,
    /// The upper half of a binary32.
    Bfloat16,
    /// IEEE 754 binary32.
    Float,
    /// IEEE 754 binary64.
    Double,
}

/// A value of any element type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// Exact.
    Integer(i128),
    /// Exact as well: a binary64 holds every value of the narrower types.
    Real(f64),
}

/// What types are called in C++ and by NumPy.
const NAMES: &[(&[&str], Element)] = &[
    (&["bool"], Element::Bool),
    (&["int8", "int8_t", "signed char", "char"], Element::Signed(1)),
    (&["uint8", "uint8_t", "unsigned char"], Element::Unsigned(1)),
    (&["int16", "int16_t", "short"], Element::Signed(2)),
    (&["uint16", "uint16_t", "unsigned short"], Element::Unsigned(2)),
    (&["int", "int32", "int32_t"], Element::Signed(4)),
    (&["unsigned", "unsigned int", "uint32", "uint32_t"], Element::Unsigned(4)),
    (&["long", "long long", "int64", "int64_t"], Element::Signed(8)),
    (&["unsigned long", "unsigned long long", "size_t", "uint64", "uint64_t"], Element::Unsigned(8)),
    (&["half", "__half", "float16"], Element::Half),
    (&["bfloat16", "__nv_bfloat16"], Element::Bfloat16),
    (&["float", "float32"], Element::Float),
    (&["double", "float64"], Element::Double),
];

/// Types that C++ tells from the others of the same size and kind.
const POINTEES: &[&str] = &["bool", "char", "long", "long long", "unsigned long", "unsigned long long", "size_t"];

impl Element {
    /// The type of a name, as C++ or NumPy writes it.
    pub fn find(name: &str) -> Option<Element> {
        NAMES.iter().find(|(names, _)| names.contains(&name)).map(|(_, element)| *element)
    }

    /// The type that a pointer of this name points to, where it is another one than that of the driver's arrays.
    pub fn pointee(name: &str) -> Option<&str> {
        POINTEES.contains(&name).then_some(name)
    }

    /// All names that are known.
    pub fn names() -> String {
        NAMES.iter().flat_map(|(names, _)| *names).copied().collect::<Vec<_>>().join(", ")
    }

    /// Bytes of a value.
    pub fn size(self) -> usize {
        match self {
            Element::Bool => 1,
            Element::Signed(size) | Element::Unsigned(size) => usize::from(size),
            Element::Half | Element::Bfloat16 => 2,
            Element::Float => 4,
            Element::Double => 8,
        }
    }

    /// What `.npy` files call it. NumPy has no name for bfloat16; its extensions write two bytes of no kind.
    pub fn descr(self) -> String {
        match self {
            Element::Bool => "|b1".to_owned(),
            Element::Signed(1) => "|i1".to_owned(),
            Element::Unsigned(1) => "|u1".to_owned(),
            Element::Signed(size) => format!("<i{size}"),
            Element::Unsigned(size) => format!("<u{size}"),
            Element::Half => "<f2".to_owned(),
            Element::Bfloat16 => "|V2".to_owned(),
            Element::Float => "<f4".to_owned(),
            Element::Double => "<f8".to_owned(),
        }
    }

    /// What the driver calls it. A vector of `bool` has no elements to point to, so bytes stand for them; libraries of some hosts
    /// cannot round to bfloat16, so the driver does.
    pub(super) fn cpp(self) -> String {
        match self {
            Element::Bool => "unsigned char".to_owned(),
            Element::Signed(size) => format!("std::int{}_t", u32::from(size) * 8),
            Element::Unsigned(size) => format!("std::uint{}_t", u32::from(size) * 8),
            Element::Half => "__half".to_owned(),
            Element::Bfloat16 => "hipshift_driver::Bfloat16".to_owned(),
            Element::Float => "float".to_owned(),
            Element::Double => "double".to_owned(),
        }
    }

    /// Reads one value; `bytes` has [`Self::size`] of them.
    pub(super) fn read(self, bytes: &[u8]) -> Value {
        let bits = bytes.iter().rev().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
        let unused = 64 - 8 * u32::try_from(self.size()).unwrap_or(8);
        match self {
            Element::Bool | Element::Unsigned(_) => Value::Integer(i128::from(bits)),
            Element::Signed(_) => Value::Integer(i128::from((bits << unused).cast_signed() >> unused)),
            Element::Half => Value::Real(half(bits)),
            Element::Bfloat16 => Value::Real(f64::from(f32::from_bits(low_half(bits) << 16))),
            Element::Float => Value::Real(f64::from(f32::from_bits(low_half(bits)))),
            Element::Double => Value::Real(f64::from_bits(bits)),
        }
    }

    /// The number of values of this type between two others, of which both are finite; none for integers.
    pub(super) fn steps(self, a: &[u8], b: &[u8]) -> Option<u64> {
        if matches!(self, Element::Bool | Element::Signed(_) | Element::Unsigned(_)) {
            return None;
        }
        let width = 8 * u32::try_from(self.size()).ok()?;
        // Sign and magnitude become one line on which neighbours differ by one.
        let place = |bytes: &[u8]| {
            let bits = bytes.iter().rev().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
            let magnitude = i128::from(bits & (u64::MAX >> (65 - width)));
            if bits >> (width - 1) == 1 { -magnitude } else { magnitude }
        };
        u64::try_from(place(a).abs_diff(place(b))).ok()
    }
}

fn low_half(bits: u64) -> u32 {
    u32::try_from(bits & u64::from(u32::MAX)).unwrap_or_default()
}

/// The value of a binary16 (IEEE 754-2019, 3.4).
fn half(bits: u64) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::try_from(bits >> 10 & 31).unwrap_or_default(), low_half(bits & 1023));
    let fraction = f64::from(fraction) / 1024.0;
    sign * match exponent {
        0 => fraction * 2_f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2_f64.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_from_their_bytes() {
        let integer = |element: Element, bytes: &[u8]| match element.read(bytes) {
            Value::Integer(value) => value,
            Value::Real(value) => panic!("{value}"),
        };
        assert_eq!(integer(Element::Signed(2), &(-300_i16).to_le_bytes()), -300);
        assert_eq!(integer(Element::Signed(8), &i64::MIN.to_le_bytes()), i128::from(i64::MIN));
        assert_eq!(integer(Element::Unsigned(8), &u64::MAX.to_le_bytes()), i128::from(u64::MAX));
        assert_eq!(integer(Element::Bool, &[1]), 1);
        assert_eq!(Element::Half.read(&[0x00, 0x3c]), Value::Real(1.0));
        assert_eq!(Element::Half.read(&[0xff, 0xfb]), Value::Real(-65504.0));
        assert_eq!(Element::Half.read(&[0x01, 0x00]), Value::Real(2_f64.powi(-24)));
        assert_eq!(Element::Half.read(&[0x00, 0x7c]), Value::Real(f64::INFINITY));
        assert_eq!(Element::Bfloat16.read(&[0xc0, 0x3f]), Value::Real(1.5));
        assert_eq!(Element::Float.read(&0.1_f32.to_le_bytes()), Value::Real(f64::from(0.1_f32)));
        assert_eq!(Element::Double.read(&0.1_f64.to_le_bytes()), Value::Real(0.1));
    }

    #[test]
    fn steps_count_values_of_the_type() {
        let float = |a: f32, b: f32| Element::Float.steps(&a.to_le_bytes(), &b.to_le_bytes());
        assert_eq!(float(1.0, 1.0_f32.next_up()), Some(1));
        assert_eq!(float(0.0, -0.0), Some(0));
        assert_eq!(float(-f32::from_bits(1), f32::from_bits(2)), Some(3));
        assert_eq!(Element::Double.steps(&1_f64.to_le_bytes(), &1_f64.next_down().to_le_bytes()), Some(1));
        assert_eq!(Element::Half.steps(&[0, 0x3c], &[3, 0x3c]), Some(3));
        assert_eq!(Element::Signed(4).steps(&[0; 4], &[0; 4]), None);
    }

    #[test]
    fn names_are_those_of_both_worlds() {
        assert_eq!(Element::find("unsigned long long"), Element::find("uint64"));
        assert_eq!(Element::find("float4"), None);
    }
}
