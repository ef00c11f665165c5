//! A subscriber that keeps what the kernel logs on this thread.

use std::fmt::Write;

use dsh_testkit::Log;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Keeps each event of this thread as `LEVEL message field=value …`, until the guard is dropped.
pub(crate) fn listen() -> (Log, tracing::subscriber::DefaultGuard) {
    let log = Log::new();
    let guard = tracing::subscriber::set_default(Ears(log.clone()));
    (log, guard)
}

struct Ears(Log);

impl Subscriber for Ears {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("dsh_") && *metadata.level() <= Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        self.0.push(format!("{} {}{}", event.metadata().level(), line.message, line.fields));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let written = if field.name() == "message" {
            write!(self.message, "{value:?}")
        } else {
            write!(self.fields, " {}={value:?}", field.name())
        };
        assert!(written.is_ok());
    }
}
