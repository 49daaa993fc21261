//! What the variables of device functions start with, are given later, or are throughout.

use std::ops::Range;

use super::functions::Function;
use super::name_index::assignment;
use super::thread_numbers::ThreadNumbers;
use crate::syntax::{Operand, TokenIdx};

impl ThreadNumbers<'_> {
    /// What the variable that the token `name` in a function names starts with: the one of this name that is declared last before.
    pub fn first_value(&self, name: TokenIdx, function: &Function) -> Option<Operand> {
        let body = self.body(function);
        let same = body.declared.get(self.document.token_text(name))?;
        let before = same.partition_point(|declared| declared.name < name);
        same.get(before.checked_sub(1)?)?.value.clone()
    }

    /// Where a name means the variable that the token `name` in a function names, at the most: from its declaration to the next
    /// one of this name.
    pub fn known_as(&self, name: TokenIdx, function: &Function) -> Range<TokenIdx> {
        let body = self.body(function);
        let same = body.declared.get(self.document.token_text(name)).map_or(&[][..], Vec::as_slice);
        let before = same.partition_point(|declared| declared.name < name);
        let start = before.checked_sub(1).and_then(|last| same.get(last));
        let end = same.get(before).map_or(function.body.end, |next| next.name);
        start.map_or(function.body.start, |declared| declared.name)..end
    }

    /// What the variable that the token `name` in a function names is given with `=` between its declaration and there; the last `most`
    /// of these values, the last one first.
    pub fn assigned_values(&self, name: TokenIdx, function: &Function, most: usize) -> Vec<Operand> {
        let body = self.body(function);
        let text = self.document.token_text(name);
        let declared = body.declared.get(text).and_then(|same| {
            let before = same.partition_point(|declared| declared.name < name);
            same.get(before.checked_sub(1)?)
        });
        let start = declared.map_or(function.body.start, |declared| declared.name);
        let all = body.assigned.get(text).map_or(&[][..], Vec::as_slice);
        let assigned = |number: &usize| assignment(&body.statements[*number]);
        let before = all.partition_point(|number| assigned(number).is_some_and(|(place, _)| place < name));
        let values = all[..before].iter().rev().filter_map(assigned).take_while(|(place, _)| *place > start);
        values.take(most).map(|(_, value)| value.clone()).collect()
    }

    /// What a variable of a function is throughout, if it is declared once.
    pub fn only_value(&self, name: &str, function: &Function) -> Option<Operand> {
        let body = self.body(function);
        let [declared] = body.declared.get(name)?.as_slice() else { return None };
        if declared.is_compound || !self.changes_of(name, function).is_empty() { None } else { declared.value.clone() }
    }
}
