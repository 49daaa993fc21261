//! Reads any bytes: decoding, tokens, masks, trees and patches must not panic, and must keep
//! what they promise to keep.
#![no_main]

use hipshift::source::{Edit, Patch, SourceFile, range};
use hipshift::syntax::{Document, mask};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = SourceFile::decode("fuzz.cu".into(), bytes.to_vec()) else { return };
    assert_eq!(*file.encode(&file.text), *bytes, "decoding loses bytes");
    let document = Document::new(file);
    let text = document.text();
    assert_eq!(mask(&document, range(0, text.len())).len(), text.len(), "masking moves bytes");
    for item in document.items() {
        item.gaps(&document);
    }
    let mut patch = Patch::default();
    for token in document.tokens().iter().step_by(2) {
        assert!(patch.try_add(&[Edit::replace(token.range(), "x")]).is_ok(), "tokens overlap");
    }
    let rendered = patch.render(text);
    for token in document.tokens().iter().skip(1).step_by(2) {
        let kept = rendered.to_output(token.range().start()).map(usize::from);
        let slice = document.slice(token.range());
        assert!(kept.is_some_and(|at| rendered.text[at..].starts_with(slice)), "a patch loses text");
    }
});
