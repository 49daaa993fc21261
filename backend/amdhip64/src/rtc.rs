//! HIP RTC: programs that compile kernels from text while they run. The functions of `libhiprtc.so`, whose name leads to this library.
//!
//! Source: `hip/hiprtc.h` of HIP 7.2; "Programming for HIP runtime compiler (RTC)" of HIP's documentation.

use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::Mutex;

use crate::abi::{Address, In, Out, Text};
use crate::call::shielded;
use crate::error::Error;
use crate::handles::Handles;
use crate::lock::lock;
use crate::messages::warn;
use crate::rtc_compiler::{Compiled, Header, Source, compile};

/// `hiprtcResult`, but for success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    InvalidInput = 3,
    InvalidProgram = 4,
    Compilation = 6,
    ExpressionAfterCompilation = 8,
    NameBeforeCompilation = 9,
    ExpressionNotValid = 10,
    Internal = 11,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        if error == Error::InvalidHandle { Failure::InvalidProgram } else { Failure::InvalidInput }
    }
}

/// A program of HIP RTC.
struct Program {
    source: Source,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Name expressions, in the order of their addition.
    expressions: Vec<String>,
    compiled: Option<Compiled>,
}

static PROGRAMS: Handles<Program> = Handles::new("a program of HIP RTC");

/// Runs one call.
fn enter(name: &str, body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    shielded(name, Failure::Internal, body).map_or_else(|failure| failure as c_int, |()| 0)
}

/// Exports functions under their names; HIP RTC has no version nodes.
macro_rules! rtc {
    ($($(#[$meta:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        $(#[$meta])*
        #[unsafe(no_mangle)]
        extern "C" fn $name($($argument: $type),*) -> c_int {
            enter(stringify!($name), move || $body)
        }
    )*};
}

/// What the compilation of a program gave.
fn compiled<T>(program: Address, read: impl FnOnce(&Compiled) -> Result<T, Failure>) -> Result<T, Failure> {
    let program = PROGRAMS.get(program)?;
    let state = lock(&program.state);
    read(state.compiled.as_ref().ok_or(Failure::InvalidProgram)?)
}

fn texts(list: &In<Text>, count: c_int) -> Result<Vec<String>, Failure> {
    let count = usize::try_from(count).map_err(|_| Failure::InvalidInput)?;
    list.list(count)?.iter().map(|text| Ok(text.get()?.to_owned())).collect()
}

/// Copies bytes to where the caller has room for them.
fn give(text: &[u8], place: Address) -> Result<(), Failure> {
    if place.is_null() {
        return Err(Failure::InvalidInput);
    }
    // SAFETY: callers give a place for as many bytes as the function beside says.
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), place.pointer(), text.len()) };
    Ok(())
}

rtc! {
    fn hiprtcVersion(major: Out<c_int>, minor: Out<c_int>) {
        major.set(9)?;
        Ok(minor.set(0)?)
    }

    fn hiprtcCreateProgram(
        program: Out<Address>,
        text: Text,
        name: Text,
        count: c_int,
        headers: In<Text>,
        names: In<Text>,
    ) {
        program.check()?;
        let headers = texts(&headers, count)?.into_iter().zip(texts(&names, count)?);
        let source = Source {
            text: text.get()?.to_owned(),
            name: name.get().unwrap_or("CompileSource").to_owned(),
            headers: headers.map(|(text, name)| Header { name, text }).collect(),
        };
        Ok(program.set(PROGRAMS.insert(Program { source, state: Mutex::default() }))?)
    }

    fn hiprtcDestroyProgram(program: In<Address>) {
        PROGRAMS.remove(program.get()?)?;
        Ok(())
    }

    fn hiprtcAddNameExpression(program: Address, expression: Text) {
        let program = PROGRAMS.get(program)?;
        let mut state = lock(&program.state);
        if state.compiled.is_some() {
            return Err(Failure::ExpressionAfterCompilation);
        }
        state.expressions.push(expression.get()?.to_owned());
        Ok(())
    }

    fn hiprtcCompileProgram(program: Address, count: c_int, options: In<Text>) {
        let program = PROGRAMS.get(program)?;
        let options = texts(&options, count)?;
        let mut state = lock(&program.state);
        let result = compile(&program.source, &state.expressions, &options);
        let is_well = result.code.is_some();
        state.compiled = Some(result);
        if is_well { Ok(()) } else { Err(Failure::Compilation) }
    }

    fn hiprtcGetLoweredName(program: Address, expression: Text, name: Out<*const c_char>) {
        let expression = expression.get()?;
        let program = PROGRAMS.get(program)?;
        let state = lock(&program.state);
        let compiled = state.compiled.as_ref().ok_or(Failure::NameBeforeCompilation)?;
        let lowered: &CString = compiled.names.get(expression).ok_or(Failure::ExpressionNotValid)?;
        Ok(name.set(lowered.as_ptr())?)
    }

    fn hiprtcGetProgramLogSize(program: Address, size: Out<usize>) {
        compiled(program, |compiled| Ok(size.set(compiled.log.as_bytes_with_nul().len())?))
    }

    fn hiprtcGetProgramLog(program: Address, log: Address) {
        compiled(program, |compiled| give(compiled.log.as_bytes_with_nul(), log))
    }

    fn hiprtcGetCodeSize(program: Address, size: Out<usize>) {
        compiled(program, |compiled| Ok(size.set(compiled.code.as_ref().ok_or(Failure::InvalidProgram)?.len())?))
    }

    fn hiprtcGetCode(program: Address, code: Address) {
        compiled(program, |compiled| give(compiled.code.as_ref().ok_or(Failure::InvalidProgram)?, code))
    }
}

/// The name of a result; numbers and names are those of `hiprtcResult`.
fn result_name(result: c_int) -> &'static CStr {
    match result {
        0 => c"HIPRTC_SUCCESS",
        1 => c"HIPRTC_ERROR_OUT_OF_MEMORY",
        2 => c"HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
        3 => c"HIPRTC_ERROR_INVALID_INPUT",
        4 => c"HIPRTC_ERROR_INVALID_PROGRAM",
        5 => c"HIPRTC_ERROR_INVALID_OPTION",
        6 => c"HIPRTC_ERROR_COMPILATION",
        7 => c"HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        8 => c"HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        9 => c"HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        10 => c"HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        100 => c"HIPRTC_ERROR_LINKING",
        _ => c"HIPRTC_ERROR_INTERNAL_ERROR",
    }
}

#[unsafe(no_mangle)]
extern "C" fn hiprtcGetErrorString(result: c_int) -> *const c_char {
    result_name(result).as_ptr()
}

/// What is told of functions for bitcode and linking, which no code object here comes from.
macro_rules! not_emulated {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> c_int {
            enter(stringify!($name), || {
                warn(concat!(stringify!($name), " is not emulated; it returns HIPRTC_ERROR_INTERNAL_ERROR"));
                Err(Failure::Internal)
            })
        }
    )*};
}

not_emulated! {
    hiprtcGetBitcode hiprtcGetBitcodeSize hiprtcLinkAddData hiprtcLinkAddFile hiprtcLinkComplete hiprtcLinkCreate
    hiprtcLinkDestroy
}
