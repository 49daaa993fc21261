//! What a table says about names: the `hip` and `roc` columns, cut to what a header can declare.

use super::table::Row;

/// A name of one column of one table.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Claim {
    pub(super) name: String,
    /// Name of the table, with `-roc` for its `roc` column.
    pub(super) library: String,
    pub(super) is_header: bool,
}

impl Claim {
    /// The claim of the `hip` column.
    pub(super) fn hip(row: &Row) -> Option<Self> {
        Self::of(row, &row.hip, "")
    }

    /// The claim of the `roc` column.
    pub(super) fn roc(row: &Row) -> Option<Self> {
        Self::of(row, &row.roc, "-roc")
    }

    fn of(row: &Row, name: &str, suffix: &str) -> Option<Self> {
        (!name.is_empty()).then(|| Self {
            name: name.to_owned(),
            library: format!("{}{suffix}", row.table),
            is_header: row.is_header(),
        })
    }

    /// The table's name without the column.
    pub(super) fn table(&self) -> &str {
        self.library.strip_suffix("-roc").unwrap_or(&self.library)
    }

    pub(super) fn is_roc(&self) -> bool {
        self.library.ends_with("-roc")
    }

    /// The identifier that has to exist: the last one, without template arguments.
    pub(super) fn identifier(&self) -> &str {
        let name = self.name.split('<').next().unwrap_or_default();
        name.rsplit("::").next().unwrap_or(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &str) {
        let claim = Claim { name: name.to_owned(), library: "cub".to_owned(), is_header: false };
        assert_eq!(claim.identifier(), expected);
    }

    #[test]
    fn qualifiers_and_template_arguments_are_cut() {
        check("hipMalloc", "hipMalloc");
        check("thrust::hip::par", "par");
        check("rocrand_device::sobol32_engine<false>", "sobol32_engine");
    }
}
