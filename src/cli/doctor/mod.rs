//! `pricebook doctor`: checks whether a server could start here with this configuration, and keep running.
//!
//! The checks include those of a server start. Doctor changes nothing: it does not build a snapshot, create a ledger or
//! keep a port. It connects only to the facilitators and nodes in the configuration.

mod ledger;
mod machine;
mod ports;
mod rails;
mod snapshot;

use std::fmt;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::say;
use super::serve::{ServeArgs, flags};
use crate::payment::Mode;
use crate::server::config::{ConfigError, Faults, ServeConfig, ServeFlags};
use crate::server::tls::Tls;

/// Permission bit that allows users outside the file's owner and group to write the file.
const OTHERS_WRITE: u32 = 0o002;

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    serve: ServeArgs,
    /// Prints JSON instead of lines: a list of objects with check, level and message.
    #[arg(long)]
    json: bool,
}

/// Severity of a finding. The variants are in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Ok,
    Warning,
    Error,
}

/// Result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Finding {
    /// Name of the check.
    check: &'static str,
    level: Severity,
    /// State of the checked item. A warning or an error also contains the remedy.
    message: String,
}

/// All findings, in the order of the checks.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
struct Findings(Vec<Finding>);

impl Findings {
    fn ok(&mut self, check: &'static str, message: impl Into<String>) {
        self.0.push(Finding { check, level: Severity::Ok, message: message.into() });
    }

    fn warning(&mut self, check: &'static str, message: impl Into<String>) {
        self.0.push(Finding { check, level: Severity::Warning, message: message.into() });
    }

    fn error(&mut self, check: &'static str, message: impl Into<String>) {
        self.0.push(Finding { check, level: Severity::Error, message: message.into() });
    }

    fn has_error(&self) -> bool {
        self.0.iter().any(|finding| finding.level == Severity::Error)
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Finding { check, level, message } in &self.0 {
            let level = match level {
                Severity::Ok => "ok",
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            // A finding is one line, but its message may quote a text of several lines from another program.
            writeln!(f, "{level:<7}  {check:<13}  {}", message.replace('\n', " "))?;
        }
        Ok(())
    }
}

/// Runs all checks and prints the findings. The exit code is a failure if one of them is an error.
pub(super) fn run(args: DoctorArgs) -> anyhow::Result<ExitCode> {
    let json = args.json;
    let findings = examine(flags(args.serve));
    if json {
        say(serde_json::to_string_pretty(&findings)? + "\n")?;
    } else {
        say(&findings)?;
    }
    Ok(if findings.has_error() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Runs all checks.
fn examine(flags: ServeFlags) -> Findings {
    let mut findings = Findings::default();
    let Some(config) = configuration(flags, &mut findings) else {
        machine::files(None, &mut findings);
        return findings;
    };
    if let Some(files) = &config.tls {
        match Tls::open(files.clone()) {
            Ok(_) => findings.ok("tls", format!("{} and its key match", files.certificate.display())),
            Err(error) => findings.error("tls", error.to_string()),
        }
    }
    let catalog = snapshot::check(&config, &mut findings);
    ports::check("listen", &config.listen, &mut findings);
    if let Some(admin) = &config.admin {
        ports::check("admin", admin, &mut findings);
    }
    let lead = rails::check(config.payment.as_ref(), &mut findings);
    ledger::check(config.payment.as_ref(), &mut findings);
    machine::clock(lead, catalog.as_ref(), &mut findings);
    machine::files(Some(config.connections_max), &mut findings);
    if let Some(catalog) = &catalog {
        machine::memory(catalog, config.residence, &mut findings);
    }
    findings
}

/// Loads the configuration. If it has faults, it is loaded again with payments off, so that the other checks can run.
/// Returns `None` if that fails too.
fn configuration(flags: ServeFlags, findings: &mut Findings) -> Option<ServeConfig> {
    const CHECK: &str = "configuration";
    let file = flags.config.clone();
    if let Some(path) = &file {
        file_rights(path, findings);
    }
    let unpaid = ServeFlags { payments: Some(Mode::Off), ..flags.clone() };
    match ServeConfig::load(flags) {
        Ok(config) => {
            let source = file.map_or_else(|| "no file".to_owned(), |path| path.display().to_string());
            let (listen, payments) = (&config.listen, config.options.payments);
            findings.ok(CHECK, format!("{source}: clients at {listen}, payments {payments}"));
            Some(config)
        }
        Err(ConfigError::Faults(Faults(faults))) => {
            for fault in &faults {
                findings.error(CHECK, fault.to_string());
            }
            ServeConfig::load(unpaid).ok()
        }
        Err(error) => {
            findings.error(CHECK, error.to_string());
            ServeConfig::load(unpaid).ok()
        }
    }
}

/// Warns if other users can write the file, because the file names the receiver of payments.
fn file_rights(path: &Path, findings: &mut Findings) {
    if let Ok(about) = path.metadata()
        && about.permissions().mode() & OTHERS_WRITE != 0
    {
        let path = path.display();
        findings.warning("configuration", format!("every user can change {path}: run chmod o-w"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_a_line() {
        let mut findings = Findings::default();
        findings.ok("tls", "sound");
        assert!(!findings.has_error());
        findings.warning("clock", "it is\nlate");
        findings.error("configuration", "wrong");
        let lines = [
            "ok       tls            sound",
            "warning  clock          it is late",
            "error    configuration  wrong",
        ];
        assert_eq!(findings.to_string().lines().collect::<Vec<_>>(), lines);
        assert!(findings.has_error());
        let json = serde_json::to_string(&findings.0[0]).expect("JSON");
        assert_eq!(json, r#"{"check":"tls","level":"ok","message":"sound"}"#);
    }
}
