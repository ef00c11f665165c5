//! The writer of one file: one line, one write.

use std::fs::File;
use std::sync::Arc;

use dsh_kernel::BoxFuture;
use rustix::fs::ftruncate;
use rustix::io::{Errno, write};

use crate::error::{Error, ErrorKind};
use crate::file::flush::{Flusher, Progress};
use crate::lines::push_line;
use crate::record::Record;
use crate::store::SessionWriter;

/// So many bytes of a buffer are kept between two records.
const KEPT: usize = 4096;

/// The writer of one file, which it has locked.
pub(super) struct FileWriter {
    file: Arc<File>,
    /// The length of the whole lines.
    length: u64,
    /// A write failed and could not be taken back: what is in the file is not known.
    broken: bool,
    line: Vec<u8>,
    /// How often something was written.
    written: u64,
    progress: Arc<Progress>,
    flusher: Arc<Flusher>,
    /// Its folder, which may not have it on the disk yet: neither where it is new, nor where the process before was killed too early.
    folder: Arc<File>,
}

impl FileWriter {
    pub(super) fn new(file: File, length: u64, flusher: Arc<Flusher>, folder: Arc<File>) -> Self {
        // The process before may have been killed before its flush: the first one here is for that, too.
        let written = 1;
        let line = Vec::new();
        Self { file: Arc::new(file), length, broken: false, line, written, progress: Arc::default(), flusher, folder }
    }

    /// Writes the first lines of a new file.
    pub(super) fn begin(&mut self, lines: &[u8]) -> Result<(), Error> {
        self.put(lines)
    }

    /// Ends a last line that has no end.
    pub(super) fn end_line(&mut self) -> Result<(), Error> {
        self.put(b"\n")
    }

    /// Cuts the file to this length.
    pub(super) fn cut(&mut self, length: u64) -> Result<(), Error> {
        ftruncate(&*self.file, length).map_err(|errno| Error::of_io("its torn end cannot be cut", errno))?;
        self.length = length;
        self.written += 1;
        Ok(())
    }

    /// Writes all in one, or nothing.
    fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.broken {
            let error = Error::new(ErrorKind::Broken, "a write to its file failed and could not be taken back");
            return Err(error.with_help("open the session again, which cuts off what is torn"));
        }
        self.progress.check()?;
        let mut done = 0;
        let failed = loop {
            let rest = bytes.get(done..).unwrap_or_default();
            if rest.is_empty() {
                break None;
            }
            match write(&*self.file, rest) {
                // A file takes all at once; it takes less where the disk is nearly full, and a second try says so.
                Ok(0) => break Some(Errno::NOSPC),
                Ok(more) => done += more,
                Err(Errno::INTR) => {}
                Err(errno) => break Some(errno),
            }
        };
        self.written += 1;
        let Some(errno) = failed else {
            self.length += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            return Ok(());
        };
        self.broken = done > 0 && ftruncate(&*self.file, self.length).is_err();
        Err(Error::of_io("its file cannot be written", errno)
            .with_help("nothing of it was kept; make room and try again"))
    }
}

impl SessionWriter for FileWriter {
    fn append(&mut self, record: &Record) -> Result<(), Error> {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        push_line(&mut line, record);
        let put = self.put(&line);
        line.shrink_to(KEPT);
        self.line = line;
        put
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), Error>> {
        if self.progress.has(self.written) {
            return Box::pin(std::future::ready(Ok(())));
        }
        let flushed = self.flusher.flush(&self.file, &self.folder, self.written, &self.progress);
        Box::pin(flushed)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::sync::Arc;

    use dsh_testkit::block_on;
    use rustix::fs::{Mode, OFlags, open};

    use super::FileWriter;
    use crate::{Opened, Record, SessionId, SessionWriter as _};

    fn first() -> Record {
        Record::new(0, 0, 0, Opened::new(SessionId::new(0, 1)))
    }

    fn folder(path: &std::path::Path, how: OFlags) -> Arc<File> {
        Arc::new(open(path, OFlags::DIRECTORY | OFlags::CLOEXEC | how, Mode::empty()).unwrap().into())
    }

    /// A3: a full disk.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error_and_the_writer_goes_on() {
        let full = File::options().read(true).append(true).open("/dev/full").unwrap();
        let mut writer = FileWriter::new(full, 0, Arc::default(), folder("/".as_ref(), OFlags::RDONLY));
        for _ in 0..2 {
            let error = writer.append(&first()).unwrap_err();
            assert_eq!(error.code(), "session::io");
            assert_eq!(error.io().unwrap().kind(), std::io::ErrorKind::StorageFull);
        }
    }

    /// A3: the system tells of lost writes once; who asks again would hear that all is well.
    #[test]
    fn what_could_not_be_brought_to_the_disk_once_is_never_said_to_be_there() {
        // Nothing brings this to a disk.
        let nowhere = File::options().read(true).append(true).open("/dev/null").unwrap();
        let mut writer = FileWriter::new(nowhere, 0, Arc::default(), folder("/".as_ref(), OFlags::RDONLY));
        writer.append(&first()).unwrap();
        assert_eq!(block_on(writer.flush()).unwrap_err().code(), "session::io");
        for _ in 0..2 {
            assert_eq!(block_on(writer.flush()).unwrap_err().code(), "session::broken");
            assert_eq!(writer.append(&first()).unwrap_err().code(), "session::broken");
        }
    }

    /// A3: the name of a file is in its folder.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_is_on_the_disk_when_its_folder_is() {
        let temporary = tempfile::tempdir().unwrap();
        let file = || File::options().read(true).append(true).create(true).open(temporary.path().join("file")).unwrap();
        let mut writer = FileWriter::new(file(), 0, Arc::default(), folder(temporary.path(), OFlags::RDONLY));
        writer.append(&first()).unwrap();
        block_on(writer.flush()).unwrap();
        // A handle that is good for nothing but finding things in it.
        let mut writer = FileWriter::new(file(), 0, Arc::default(), folder(temporary.path(), OFlags::PATH));
        assert_eq!(block_on(writer.flush()).unwrap_err().code(), "session::io");
        assert_eq!(block_on(writer.flush()).unwrap_err().code(), "session::broken");
    }
}
