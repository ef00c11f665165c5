//! The rules about the repository, run on the repository; and on made-up ones that break them.

mod layering;
mod repository;
