//! What the shadow of LDS says of accesses of several waves.

use super::shadow::{Access, Earlier, Shadow};

fn shadow() -> Shadow {
    let mut shadow = Shadow::new();
    shadow.reset(64, 4);
    shadow
}

fn access(wave: u32, at: u32, bytes: u32) -> Access {
    Access { wave, step: 10 + wave, at, bytes }
}

fn by(wave: u32, write: bool) -> Earlier {
    Earlier { wave, step: 10 + wave, write }
}

#[test]
fn accesses_of_two_waves_race_until_they_meet() {
    let mut shadow = shadow();
    assert_eq!(shadow.write(access(0, 8, 4)), None);
    assert_eq!(shadow.read(access(0, 8, 4)), (None, false));
    assert_eq!(shadow.read(access(1, 8, 4)).0, Some(by(0, true)));
    shadow.meet();
    assert_eq!(shadow.read(access(1, 8, 4)), (None, false));
    assert_eq!(shadow.read(access(2, 8, 4)).0, None);
    assert_eq!(shadow.write(access(1, 8, 4)), Some(by(2, false)));
    assert_eq!(shadow.write(access(3, 8, 4)), Some(by(1, true)));
}

#[test]
fn neighbouring_bytes_are_no_race() {
    let mut shadow = shadow();
    assert_eq!(shadow.write(access(0, 4, 1)), None);
    assert_eq!(shadow.write(access(1, 5, 1)), None);
    assert_eq!(shadow.write(access(2, 6, 2)), None);
    assert_eq!(shadow.read(access(1, 5, 1)).0, None);
    assert_eq!(shadow.read(access(1, 6, 1)).0, Some(by(2, true)));
    // The step is that of the word's newest write.
    assert_eq!(shadow.write(access(3, 2, 4)).map(|race| race.wave), Some(0));
}

#[test]
fn what_was_never_written_is_known() {
    let mut shadow = shadow();
    shadow.write(access(0, 1, 1));
    assert!(shadow.read(access(0, 4, 4)).1);
    assert!(!shadow.read(access(0, 0, 4)).1, "padding beside what was written");
    assert!(shadow.read(access(0, 2, 2)).1);
    assert!(shadow.update(access(0, 12, 4)).1);
    assert!(!shadow.update(access(0, 12, 4)).1);
    shadow.reset(64, 4);
    assert!(shadow.read(access(0, 0, 4)).1);
}

#[test]
fn atomics_do_not_race_with_each_other_but_with_plain_accesses() {
    let mut shadow = shadow();
    assert_eq!(shadow.update(access(0, 0, 4)).0, None);
    assert_eq!(shadow.update(access(1, 0, 4)).0, None);
    assert_eq!(shadow.read(access(2, 0, 4)).0, Some(Earlier { step: 11, ..by(0, true) }));
    assert_eq!(shadow.write(access(3, 4, 4)), None);
    assert_eq!(shadow.update(access(1, 4, 4)).0, Some(by(3, true)));
}

#[test]
fn an_atomic_that_returns_a_value_orders_what_came_before_the_other_one() {
    let mut shadow = shadow();
    shadow.write(access(0, 8, 4));
    shadow.update(access(0, 0, 4));
    shadow.synchronise(0, std::iter::once(0), false);
    // Wave 1 looks at another place, wave 2 at the same without taking the value, wave 3 takes it.
    shadow.synchronise(1, std::iter::once(4), true);
    shadow.synchronise(2, std::iter::once(0), false);
    shadow.synchronise(3, std::iter::once(0), true);
    assert_eq!(shadow.read(access(1, 8, 4)).0, Some(by(0, true)));
    assert_eq!(shadow.read(access(2, 8, 4)).0, Some(by(0, true)));
    assert_eq!(shadow.read(access(3, 8, 4)).0, None);
    // What wave 0 does after its release is not ordered.
    shadow.write(access(0, 12, 4));
    assert_eq!(shadow.read(access(3, 12, 4)).0, Some(by(0, true)));
}

#[test]
fn a_wave_that_waited_for_others_knows_what_they_did_before() {
    let mut shadow = shadow();
    shadow.write(access(0, 8, 4));
    shadow.write(access(3, 12, 4));
    shadow.update(access(0, 0, 4));
    shadow.synchronise(0, std::iter::once(0), false);
    assert_eq!(shadow.read(access(1, 0, 4)).0, Some(by(0, true)));
    shadow.acquire(access(1, 0, 4));
    assert_eq!((shadow.read(access(1, 0, 4)).0, shadow.read(access(1, 8, 4)).0), (None, None));
    // It waited for wave 0 only, and nobody else did.
    assert_eq!(shadow.read(access(1, 12, 4)).0, Some(by(3, true)));
    assert_eq!(shadow.read(access(2, 8, 4)).0, Some(by(0, true)));
}

#[test]
fn a_block_of_one_wave_has_no_races() {
    let mut shadow = Shadow::new();
    shadow.reset(64, 1);
    shadow.write(access(0, 0, 4));
    assert_eq!(shadow.read(access(0, 0, 4)), (None, false));
}
