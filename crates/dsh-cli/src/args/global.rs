//! What every command takes, before or after its name, and from the environment (C5).

#![expect(clippy::doc_markdown, reason = "comments on options are the help that a person reads on a terminal")]

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum, ValueHint};

use super::Assignment;
use super::assignment::Left;
use crate::config::ENVIRONMENT;
use crate::outside::Verbosity;
use crate::trust::TrustHash;

const HEADING: &str = "Global options";

/// What every command takes.
#[derive(Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own, or says where one comes from")]
pub(crate) struct GlobalArgs {
    /// The project's folder; without it, the nearest with a dsh.toml, from here upwards [env: DSH_DIR]
    #[arg(long, value_name = "DIR", global = true, help_heading = HEADING, value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
    /// The profile of dsh.toml that holds [env: DSH_PROFILE]
    #[arg(long, value_name = "NAME", global = true, help_heading = HEADING, value_parser = NonEmptyStringValueParser::new())]
    pub(crate) profile: Option<String>,
    /// A key of dsh.toml, for this run; may be given several times
    #[arg(long, value_name = "KEY=VALUE", global = true, help_heading = HEADING, value_parser = Left::Key)]
    pub(crate) config: Vec<Assignment>,
    /// A variable, in every agent, for this run; may be given several times
    #[arg(long, value_name = "NAME=VALUE", global = true, help_heading = HEADING, value_parser = Left::Variable)]
    pub(crate) set: Vec<Assignment>,
    /// Trust the project for this run, if what it asks for has this hash [env: DSH_TRUST]
    #[arg(long, value_name = "HASH", global = true, help_heading = HEADING)]
    pub(crate) trust: Option<TrustHash>,
    /// When to use colours [env: DSH_COLOR]
    #[arg(long, value_name = "WHEN", global = true, help_heading = HEADING, value_enum)]
    pub(crate) color: Option<ColorWhen>,
    /// No notes and no warnings on standard error [env: DSH_QUIET]
    #[arg(short, long, global = true, help_heading = HEADING, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// More on standard error, such as which files were read [env: DSH_VERBOSE]
    #[arg(short, long, global = true, help_heading = HEADING)]
    pub(crate) verbose: bool,
    /// Whether the folder was named by the environment.
    #[arg(skip)]
    pub(crate) dir_by_environment: bool,
    /// Whether the profile was.
    #[arg(skip)]
    pub(crate) profile_by_environment: bool,
    /// What the environment says in place of keys of dsh.toml: the variables' names, the keys, the values.
    #[arg(skip)]
    pub(crate) keys_by_environment: Vec<(&'static str, &'static str, String)>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    #[value(help = None::<&str>)]
    Auto,
    /// Without a terminal too.
    #[value(help = None::<&str>)]
    Always,
    /// Not even on a terminal.
    #[value(help = None::<&str>)]
    Never,
}

impl GlobalArgs {
    /// With what the environment says where no option was given. `variable` gives what is set and not empty.
    pub(crate) fn with_environment(mut self, variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, String> {
        if self.dir.is_none() {
            self.dir = variable("DSH_DIR").map(PathBuf::from);
            self.dir_by_environment = self.dir.is_some();
        }
        let text = |name: &str| text(name, variable(name));
        if self.profile.is_none() {
            self.profile = text("DSH_PROFILE")?;
            self.profile_by_environment = self.profile.is_some();
        }
        for (name, key) in ENVIRONMENT {
            self.keys_by_environment.extend(text(name)?.map(|value| (name, key, value)));
        }
        if self.trust.is_none() {
            let hash = text("DSH_TRUST")?.map(|hash| hash.parse()).transpose();
            self.trust = hash.map_err(|problem| format!("the environment variable DSH_TRUST is no hash: {problem}"))?;
        }
        if self.color.is_none() {
            self.color = ColorWhen::of_environment(&variable)?;
        }
        // One of the two on the command line leaves nothing for the environment to say.
        if !self.quiet && !self.verbose {
            let switch = |name| text(name).and_then(|value| switch(name, value.as_deref()));
            (self.quiet, self.verbose) = (switch("DSH_QUIET")?, switch("DSH_VERBOSE")?);
            if self.quiet && self.verbose {
                return Err("the environment variables DSH_QUIET and DSH_VERBOSE cannot both be on".to_owned());
            }
        }
        Ok(self)
    }

    /// How much is said on standard error.
    pub(crate) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, false) => Verbosity::Normal,
            (false, true) => Verbosity::Verbose,
        }
    }
}

impl ColorWhen {
    /// What `DSH_COLOR` says.
    pub(crate) fn of_environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<Option<Self>, String> {
        let when = text("DSH_COLOR", variable("DSH_COLOR"))?;
        let when = when.map(|when| Self::from_str(&when, false)).transpose();
        when.map_err(|_given| "the environment variable DSH_COLOR must be auto, always or never".to_owned())
    }
}

fn text(name: &str, value: Option<OsString>) -> Result<Option<String>, String> {
    let text = value.map(OsString::into_string).transpose();
    text.map_err(|_given| format!("the environment variable {name} is not UTF-8"))
}

fn switch(name: &str, value: Option<&str>) -> Result<bool, String> {
    match value {
        Some("1" | "true") => Ok(true),
        None | Some("0" | "false") => Ok(false),
        Some(_) => Err(format!("the environment variable {name} must be 1, true, 0 or false")),
    }
}

#[cfg(test)]
mod tests {
    use super::{ColorWhen, GlobalArgs};
    use crate::outside::Verbosity;

    const HASH: &str = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";

    fn with(args: GlobalArgs, environment: &[(&str, &str)]) -> Result<GlobalArgs, String> {
        args.with_environment(|name| {
            environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into())
        })
    }

    #[test]
    fn the_environment_speaks_where_no_option_does() {
        // C5
        let environment = [("DSH_DIR", "a"), ("DSH_PROFILE", "p"), ("DSH_TRUST", HASH), ("DSH_COLOR", "never")];
        let args = with(GlobalArgs::default(), &environment).unwrap();
        assert_eq!((args.dir.unwrap().to_str(), args.dir_by_environment), (Some("a"), true));
        assert_eq!((args.profile.as_deref(), args.trust), (Some("p"), HASH.parse().ok()));
        assert_eq!(args.color, Some(ColorWhen::Never));

        let given = GlobalArgs { dir: Some("b".into()), color: Some(ColorWhen::Auto), ..GlobalArgs::default() };
        let args = with(given, &environment).unwrap();
        assert_eq!((args.dir.unwrap().to_str(), args.dir_by_environment), (Some("b"), false));
        assert_eq!(args.color, Some(ColorWhen::Auto));
    }

    #[test]
    fn quiet_and_verbose_are_switches_of_which_one_may_be_on() {
        let verbosity = |environment: &[(&str, &str)]| with(GlobalArgs::default(), environment).map(|a| a.verbosity());
        assert_eq!(verbosity(&[]), Ok(Verbosity::Normal));
        assert_eq!(verbosity(&[("DSH_QUIET", "1"), ("DSH_VERBOSE", "0")]), Ok(Verbosity::Quiet));
        assert_eq!(verbosity(&[("DSH_QUIET", "false"), ("DSH_VERBOSE", "true")]), Ok(Verbosity::Verbose));
        assert!(verbosity(&[("DSH_QUIET", "1"), ("DSH_VERBOSE", "1")]).is_err());
        assert!(verbosity(&[("DSH_QUIET", "yes")]).is_err());
        let given = GlobalArgs { verbose: true, ..GlobalArgs::default() };
        assert_eq!(with(given, &[("DSH_QUIET", "1")]).unwrap().verbosity(), Verbosity::Verbose);
    }
}
