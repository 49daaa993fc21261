//! Variables of code objects: `__device__`, `__constant__` and `__managed__`.

use crate::abi::{Address, Out};
use crate::call::api;
use crate::copy::line;
use crate::error::Error;
use crate::misuse::misuse;
use crate::operation::Operation;
use crate::region::{Copy, Direction};
use crate::registry::variable;
use crate::stream::submit;

/// Part of a variable: `bytes` bytes from `offset`. One that the variable has not is told of; `side` says what is done with it.
fn part(symbol: Address, bytes: usize, offset: usize, side: &str) -> Result<Address, Error> {
    let (address, all) = variable(symbol)?;
    if offset.checked_add(bytes).is_none_or(|end| end as u64 > all) {
        misuse(&format!("copy of {bytes} bytes {side} a variable of {all} bytes, {offset} bytes from its start"));
        return Err(Error::InvalidValue);
    }
    Ok(Address::new(address.get() + offset as u64))
}

/// A copy to a part of a variable.
pub(crate) fn into(
    symbol: Address,
    from: Address,
    bytes: usize,
    offset: usize,
    direction: Direction,
) -> Result<Copy, Error> {
    if !matches!(direction, Direction::TO_DEVICE | Direction::BETWEEN_DEVICES | Direction::DEFAULT) {
        return Err(Error::InvalidMemcpyDirection);
    }
    Ok(line(part(symbol, bytes, offset, "to")?, from, bytes, direction))
}

/// A copy from a part of a variable.
pub(crate) fn out_of(
    to: Address,
    symbol: Address,
    bytes: usize,
    offset: usize,
    direction: Direction,
) -> Result<Copy, Error> {
    if !matches!(direction, Direction::TO_HOST | Direction::BETWEEN_DEVICES | Direction::DEFAULT) {
        return Err(Error::InvalidMemcpyDirection);
    }
    Ok(line(to, part(symbol, bytes, offset, "from")?, bytes, direction))
}

api! {
    "hip_4.2" fn hipGetSymbolAddress(address: Out<Address>, symbol: Address) { address.set(variable(symbol)?.0) }

    "hip_4.2" fn hipGetSymbolSize(bytes: Out<u64>, symbol: Address) { bytes.set(variable(symbol)?.1) }

    "hip_4.2" fn hipMemcpyToSymbol also "hip_5.2" hipMemcpyToSymbol_spt(
        symbol: Address,
        from: Address,
        bytes: usize,
        offset: usize,
        direction: Direction,
    ) {
        into(symbol, from, bytes, offset, direction)?.run_now()
    }

    "hip_4.2" fn hipMemcpyToSymbolAsync also "hip_5.3" hipMemcpyToSymbolAsync_spt(
        symbol: Address,
        from: Address,
        bytes: usize,
        offset: usize,
        direction: Direction,
        stream: Address,
    ) {
        submit(stream, Operation::Copy(into(symbol, from, bytes, offset, direction)?))
    }

    "hip_4.2" fn hipMemcpyFromSymbol also "hip_5.2" hipMemcpyFromSymbol_spt(
        to: Address,
        symbol: Address,
        bytes: usize,
        offset: usize,
        direction: Direction,
    ) {
        out_of(to, symbol, bytes, offset, direction)?.run_now()
    }

    "hip_4.2" fn hipMemcpyFromSymbolAsync also "hip_5.3" hipMemcpyFromSymbolAsync_spt(
        to: Address,
        symbol: Address,
        bytes: usize,
        offset: usize,
        direction: Direction,
        stream: Address,
    ) {
        submit(stream, Operation::Copy(out_of(to, symbol, bytes, offset, direction)?))
    }
}
