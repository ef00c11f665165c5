//! Where the paths in each document start.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::config::Moved;
use crate::diagnostic::SourceId;
use crate::outside::{Reach, straightened};

/// Where relative paths start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Root {
    /// The project's folder.
    Project,
    /// The folder of the user's own configuration.
    User,
}

/// The folder of a document: its paths are relative to that.
#[derive(Clone, Debug)]
pub(super) struct Base {
    pub(super) root: Root,
    /// The way there from the root; empty, or with a `/` at its end.
    pub(super) folder: String,
}

/// The folders of all documents; what is none of them (a flag, the environment) has its paths in the project's.
#[derive(Debug, Default)]
pub(crate) struct Bases {
    of: BTreeMap<SourceId, Base>,
    /// The folder of the user's own configuration, absolute.
    user: PathBuf,
}

impl Bases {
    /// With the folder of the user's own configuration, absolute.
    pub(super) fn new(user: PathBuf) -> Self {
        Self { of: BTreeMap::new(), user }
    }

    pub(super) fn insert(&mut self, source: SourceId, base: Base) {
        self.of.insert(source, base);
    }

    /// The folder of this document.
    pub(super) fn get(&self, source: SourceId) -> Option<&Base> {
        self.of.get(&source)
    }

    /// A path of this document as it is written in the project's folder: that of a file of the user's own is absolute there.
    pub(crate) fn moved(&self, source: SourceId, path: &str, reach: Reach) -> Moved {
        let stays = |path: String| Moved { path, leads_out: false };
        let Some(base) = self.get(source).filter(|_| !path.is_empty() && !Path::new(path).has_root()) else {
            return stays(path.to_owned());
        };
        if base.root == Root::Project && base.folder.is_empty() {
            return stays(path.to_owned());
        }
        let way = format!("{}{path}", base.folder);
        let straight = straightened(Path::new(&way)).filter(|_| reach == Reach::Beneath);
        let beneath = straight.is_some();
        let way = straight.map_or(way, |straight| straight.display().to_string());
        match base.root {
            Root::Project => stays(way),
            // What was refused where it stood is refused here too.
            Root::User => Moved { path: self.user.join(way).display().to_string(), leads_out: beneath },
        }
    }
}
