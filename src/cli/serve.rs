//! `pricebook serve`: the arguments of the server.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;

use crate::payment::Mode;
use crate::server::config::{ListenAddress, ServeConfig, ServeFlags};
use crate::server::serve;

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// Configuration file; pricebook.example.toml lists every key.
    ///
    /// Options and environment variables take precedence over the file.
    #[arg(long, env = "PRICEBOOK_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Directory of snapshots; its file CURRENT names the snapshot to serve [default: snapshots].
    #[arg(long, env = "PRICEBOOK_SNAPSHOTS", value_name = "DIR")]
    snapshots: Option<PathBuf>,
    /// Address and port for clients; a host name is accepted, as in localhost:8080 [default: 127.0.0.1:8080].
    #[arg(long, env = "PRICEBOOK_LISTEN", value_name = "ADDR")]
    listen: Option<ListenAddress>,
    /// Address and port for /livez, /readyz and /metrics [default: none; these paths are not served].
    #[arg(long, env = "PRICEBOOK_ADMIN", value_name = "ADDR")]
    admin: Option<ListenAddress>,
    /// Allows --admin to be an address that other machines can reach.
    #[arg(long)]
    admin_public: bool,
    /// Payment mode of paid routes: off, sandbox or live.
    ///
    /// The mode must be set, here or in the file, unless the server listens on a loopback address. The mode live needs
    /// --config.
    #[arg(long, env = "PRICEBOOK_PAYMENTS", value_name = "MODE")]
    payments: Option<Mode>,
    /// Maximum requests per minute of one client; 0 disables the limit [default: 600].
    #[arg(long, env = "PRICEBOOK_RATE", value_name = "COUNT")]
    rate: Option<u32>,
    /// Applies the rate limit to clients on loopback addresses too.
    #[arg(long, env = "PRICEBOOK_RATE_LOOPBACK", value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", value_parser = BoolishValueParser::new())]
    rate_loopback: Option<bool>,
    /// Starts without verifying the snapshot, for files that were verified before and have not changed since.
    ///
    /// File lengths are still checked. A snapshot that later replaces the served one is always verified.
    #[arg(long)]
    skip_verification: bool,
    /// Copies snapshots into memory instead of mapping their files.
    ///
    /// Later changes of the files have no effect on the copies. A copy needs as much memory as the snapshot has bytes.
    /// While a new snapshot replaces the served one, both copies are in memory.
    #[arg(long, env = "PRICEBOOK_PRIVATE_COPY", value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", value_parser = BoolishValueParser::new())]
    private_copy: Option<bool>,
}

/// Serves requests until the process receives a signal to stop.
pub(super) fn run(args: ServeArgs) -> anyhow::Result<()> {
    serve::run(&ServeConfig::load(flags(args))?)
}

/// Converts the arguments into settings. Absent arguments are `None` or false.
pub(super) fn flags(args: ServeArgs) -> ServeFlags {
    let ServeArgs {
        config,
        snapshots,
        listen,
        admin,
        admin_public,
        payments,
        rate,
        rate_loopback,
        skip_verification,
        private_copy,
    } = args;
    ServeFlags {
        config,
        snapshots,
        listen,
        admin,
        admin_public,
        payments,
        requests_per_minute: rate,
        rate_loopback,
        skip_verification,
        private_copy,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Serve {
        #[command(flatten)]
        args: ServeArgs,
    }

    fn asked(args: &[&str]) -> Result<ServeFlags, String> {
        let serve = Serve::try_parse_from(["serve"].iter().chain(args)).map_err(|error| error.to_string())?;
        Ok(flags(serve.args))
    }

    #[test]
    fn leaves_unnamed_flags_to_the_configuration_file() {
        let flags = asked(&["--rate-loopback=false", "--payments", "sandbox"]).expect("a command line");
        assert_eq!((flags.rate_loopback, flags.payments), (Some(false), Some(Mode::Sandbox)));
        assert_eq!((flags.listen, flags.snapshots, flags.requests_per_minute), (None, None, None));
        let flags = asked(&["--rate-loopback", "--rate", "0"]).expect("a command line");
        assert_eq!(
            (flags.rate_loopback, flags.requests_per_minute, flags.payments),
            (Some(true), Some(0), None)
        );
        assert!(asked(&["--payments", "free"]).is_err_and(|error| error.contains("off, sandbox or live")));
    }

    #[test]
    fn names_are_addresses() {
        let flags = asked(&["--listen", "localhost:8080", "--admin", "[::1]:9090"]).expect("a command line");
        assert_eq!(flags.listen.map(|listen| listen.to_string()).as_deref(), Some("localhost:8080"));
        assert_eq!(flags.admin.map(|admin| admin.addresses().len()), Some(1));
        assert!(asked(&["--listen", "8080"]).is_err_and(|error| error.contains("localhost:8080")));
    }
}
