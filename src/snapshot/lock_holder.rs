//! Finds the process that holds a file lock, in the kernel's tables in `/proc`.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use rustix::param::clock_ticks_per_second;

use crate::types::Instant;

/// The maximum length of a command in a message, in bytes.
const COMMAND_BYTES_MAX: usize = 200;
/// Microseconds per second.
const SECOND_MICROS: i64 = 1_000_000;
/// The index of the start time among the fields of `/proc/PID/stat` after the name in parentheses.
const START_FIELD: usize = 19;

/// The processes that hold an `flock` lock on a file with this inode, according to the kernel. There may be several,
/// because files of different file systems can have the same inode number.
pub fn holders(inode: u64) -> Vec<u32> {
    fs::read_to_string("/proc/locks").map_or_else(|_| Vec::new(), |locks| holders_in(&locks, inode))
}

fn holders_in(locks: &str, inode: u64) -> Vec<u32> {
    let holder = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_it = words.get(1) == Some(&"FLOCK")
            && words.get(5)?.rsplit(':').next().and_then(|number| number.parse().ok()) == Some(inode);
        is_it.then(|| words.get(4)?.parse().ok()).flatten()
    };
    locks.lines().filter_map(holder).collect()
}

/// Describes a process by its id, its command and its start time, as far as they are known.
pub(super) fn described(pid: u32) -> String {
    let argv = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let argv = argv.split(|&byte| byte == 0).filter(|word| !word.is_empty());
    let command = command(argv.map(|word| String::from_utf8_lossy(word).into_owned()));
    let command = if command.is_empty() { "its command is not known".to_owned() } else { command };
    let since = started(pid).map_or_else(String::new, |start| format!(", running since {start}"));
    format!("pid {pid} ({command}){since}")
}

/// The command of this process.
pub(super) fn own_command() -> String {
    command(std::env::args_os().map(|word: OsString| word.to_string_lossy().into_owned()))
}

/// The name of the program and the arguments that follow its leading flags, up to the next flag. This flag and all
/// later arguments are left out, because values of flags may be secret.
fn command(mut argv: impl Iterator<Item = String>) -> String {
    let Some(program) = argv.next() else { return String::new() };
    let is_flag = |word: &String| word.starts_with('-');
    let program =
        Path::new(&program).file_name().map_or(program.clone(), |name| name.to_string_lossy().into());
    let words: Vec<String> =
        std::iter::once(program).chain(argv.skip_while(is_flag).take_while(|word| !is_flag(word))).collect();
    // Control characters are removed, so that a log line remains one line.
    let line: String = words.join(" ").chars().filter(|letter| !letter.is_control()).collect();
    line[..line.floor_char_boundary(COMMAND_BYTES_MAX)].to_owned()
}

/// The start time of a process, to the second.
fn started(pid: u32) -> Option<Instant> {
    let about = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = about.rsplit_once(") ")?;
    let ticks: i64 = fields.split(' ').nth(START_FIELD)?.parse().ok()?;
    Some(Instant::from_micros((booted()? + ticks / clock_ticks_per_second() as i64) * SECOND_MICROS))
}

/// The boot time of the kernel, in seconds since 1970.
fn booted() -> Option<i64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_locks_are_read() {
        let locks = "1: POSIX  ADVISORY  WRITE 17 08:01:4711 0 EOF\n2: FLOCK  ADVISORY  WRITE 18 08:01:4711 0 EOF\n\
                     2: -> FLOCK  ADVISORY  WRITE 20 08:01:4712 0 EOF\n3: FLOCK  ADVISORY  READ 19 fe:00:4712 0 EOF\n";
        assert_eq!(holders_in(locks, 4711), [18]);
        assert_eq!(holders_in(locks, 4712), [19]);
        assert!(holders_in(locks, 4713).is_empty());
        assert!(holders_in("", 0).is_empty());
    }

    #[test]
    fn command_ends_before_values_of_flags() {
        let named = |words: &[&str]| command(words.iter().map(|&word| word.to_owned()));
        assert_eq!(
            named(&["/usr/bin/pricebook", "snapshots", "prune", "--keep", "1"]),
            "pricebook snapshots prune"
        );
        assert_eq!(named(&["pricebook", "build", "--input", "https://x/?key=1"]), "pricebook build");
        assert_eq!(named(&["a", "--log", "b\nc", "-x", "d"]), "a bc");
        assert_eq!(named(&[]), "");
        assert_eq!(named(&["é".repeat(150).as_str()]).len(), COMMAND_BYTES_MAX);
    }

    #[test]
    fn process_is_described_by_number_command_and_start() {
        let said = described(std::process::id());
        let own = format!("pid {} ({})", std::process::id(), own_command());
        assert!(said.starts_with(&own) && own.len() > 10, "{said}");
        // The start time is measured by the kernel's clock, so it is compared with that clock and not with the clock
        // of the program.
        let uptime = fs::read_to_string("/proc/uptime").unwrap();
        let uptime: f64 = uptime.split(' ').next().unwrap().parse().unwrap();
        let now = booted().unwrap() + uptime as i64;
        let age = now - started(std::process::id()).unwrap().micros() / SECOND_MICROS;
        assert!((-2..3600).contains(&age), "{age} s old");
        // A process id that is never assigned.
        assert_eq!(described(u32::MAX), format!("pid {} (its command is not known)", u32::MAX));
    }
}
