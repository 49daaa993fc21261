//! Where the files of a run lie in its folder: as they lie to each other in the user's.

use camino::{Utf8Path, Utf8PathBuf};

/// The user's paths and the folder of the converted ones.
pub(super) struct Layout {
    /// The nearest folder above all paths of the user.
    base: Utf8PathBuf,
    /// What stands for it in the folder of the run.
    tree: Utf8PathBuf,
    /// The folders that are converted with all that is in them.
    whole: Vec<Utf8PathBuf>,
    /// Files that are converted because others include them, absolute and without links.
    followed: Vec<Utf8PathBuf>,
    /// Whether the compiler reads converted files where it finds those of the user.
    has_overlay: bool,
}

impl Layout {
    /// Places `paths` and what they include below `folder`. One path is placed there itself, several below their common folder.
    pub(super) fn new(
        paths: &[Utf8PathBuf],
        followed: Vec<Utf8PathBuf>,
        folder: &Utf8Path,
        has_overlay: bool,
    ) -> Layout {
        let mut folders = paths.iter().chain(&followed).map(|path| folder_around(path));
        let first = folders.next().unwrap_or_default();
        let base = folders.fold(first, |base, folder| common(&base, &folder));
        let whole = paths.iter().filter(|path| path.is_dir()).map(|path| folder_around(path)).collect();
        Layout { base, tree: folder.join("source"), whole, followed, has_overlay }
    }

    /// The files that are converted because others include them.
    pub(super) fn followed(&self) -> &[Utf8PathBuf] {
        &self.followed
    }

    /// The folder that all is placed in.
    pub(super) fn tree(&self) -> &Utf8Path {
        &self.tree
    }

    /// Whether a file is converted only because others include it.
    pub(super) fn is_followed(&self, file: &Utf8Path) -> bool {
        !self.followed.is_empty() && file.canonicalize_utf8().is_ok_and(|file| self.followed.contains(&file))
    }

    /// The place of a file's folder, or of a folder.
    pub(super) fn folder_of(&self, path: &Utf8Path) -> Utf8PathBuf {
        self.place(&folder_around(path)).unwrap_or_else(|| self.tree.clone())
    }

    /// Whether all that is in a folder of the user, absolute and without links, is converted.
    pub(super) fn is_whole(&self, folder: &Utf8Path) -> bool {
        self.whole.iter().any(|whole| folder.starts_with(whole))
    }

    /// Where the headers of a folder of the user are, absolute and without links: in its place if all that is in it is converted, else
    /// in itself, where the compiler reads the converted ones. For a compiler that cannot do so, its place comes before it.
    pub(super) fn header_folders(&self, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        let is_whole = self.is_whole(folder);
        if self.has_overlay && !is_whole {
            return vec![folder.to_owned()];
        }
        let is_part = || self.followed.iter().any(|file| file.starts_with(folder));
        let place = self.place(folder).filter(|_| is_whole || is_part());
        let own = Some(folder.to_owned()).filter(|_| place.is_none() || !is_whole);
        place.into_iter().chain(own).collect()
    }

    fn place(&self, folder: &Utf8Path) -> Option<Utf8PathBuf> {
        let inside = folder.strip_prefix(&self.base).ok()?;
        Some(if inside.as_str().is_empty() { self.tree.clone() } else { self.tree.join(inside) })
    }

    /// The places of paths, each once: files include each other from there.
    pub(super) fn roots(&self, paths: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
        let mut roots = Vec::new();
        for root in paths.iter().map(|path| self.folder_of(path)) {
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
        roots
    }

    /// Whether a file lies in the folder of the run.
    pub(super) fn holds(&self, file: &Utf8Path) -> bool {
        file.canonicalize_utf8().is_ok_and(|file| file.starts_with(&self.tree))
    }
}

/// A folder as it is, or the folder of a file, with links resolved.
fn folder_around(path: &Utf8Path) -> Utf8PathBuf {
    let whole = path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
    if whole.is_dir() { whole } else { whole.parent().map(Utf8Path::to_owned).unwrap_or_default() }
}

fn common(a: &Utf8Path, b: &Utf8Path) -> Utf8PathBuf {
    a.components().zip(b.components()).take_while(|(a, b)| a == b).map(|(a, _)| a.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_keep_their_places_to_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        for name in ["p/a/x.cu", "p/b/x.cu", "p/b/deep/y.cu"] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), "").unwrap();
        }
        let place = |names: &[&str]| {
            let paths: Vec<Utf8PathBuf> = names.iter().map(|name| root.join(name)).collect();
            let layout = Layout::new(&paths, Vec::new(), "/run".into(), true);
            layout.roots(&paths).into_iter().map(Utf8PathBuf::into_string).collect::<Vec<_>>()
        };
        assert_eq!(place(&["p"]), ["/run/source"]);
        assert_eq!(place(&["p/a/x.cu"]), ["/run/source"]);
        assert_eq!(place(&["p/a/x.cu", "p/b/x.cu"]), ["/run/source/a", "/run/source/b"]);
        assert_eq!(place(&["p/a", "p/b/deep/y.cu", "p/a/x.cu"]), ["/run/source/a", "/run/source/b/deep"]);
        let headers = |layout: &Layout, name: &str| {
            let folders = layout.header_folders(&root.join(name)).into_iter();
            folders.map(|path| path.as_str().replace(root.as_str(), "")).collect::<Vec<_>>()
        };
        let layout = Layout::new(&[root.join("p/a")], Vec::new(), "/run".into(), true);
        assert_eq!(headers(&layout, "p/b"), ["/p/b"]);
        assert_eq!(headers(&layout, "p/a/inner"), ["/run/source/inner"]);
        // Only one file of it is converted.
        let layout = Layout::new(&[root.join("p/b/x.cu"), root.join("p/a")], Vec::new(), "/run".into(), false);
        assert_eq!(headers(&layout, "p/b"), ["/p/b"]);
        // A file of it is included.
        let included = || vec![root.join("p/b/deep/y.cu")];
        let layout = Layout::new(&[root.join("p/a/x.cu")], included(), "/run".into(), false);
        assert_eq!(headers(&layout, "p/b"), ["/run/source/b", "/p/b"]);
        let layout = Layout::new(&[root.join("p/a/x.cu")], included(), "/run".into(), true);
        assert_eq!(headers(&layout, "p/b"), ["/p/b"]);
        assert_eq!(layout.folder_of(&root.join("p/a/x.cu")), "/run/source/a");
    }
}
