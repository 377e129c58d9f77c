//! Symbols in a row and their groups. Where they come from is kept out.

use super::Symbol;

/// Symbols in a row, and which of them are equal neighbors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stream {
    pub(crate) symbols: Vec<Symbol>,
    /// The first symbol of each group.
    pub(crate) groups: Vec<u32>,
    /// One character a group.
    pub(crate) text: String,
}

impl Stream {
    pub(crate) fn clear(&mut self) {
        self.symbols.clear();
        self.groups.clear();
        self.text.clear();
    }

    pub(crate) fn push(&mut self, symbol: Symbol) {
        if self.symbols.last().is_none_or(|last| last.char != symbol.char) {
            self.groups.push(self.symbols.len() as u32);
            self.text.push(symbol.char);
        }
        self.symbols.push(symbol);
    }

    /// Where the symbols of a group begin; for the number of groups, where they end.
    pub(crate) fn group(&self, group: usize) -> usize {
        self.groups.get(group).map_or(self.symbols.len(), |&first| first as usize)
    }
}
