//! How much memory a build may take.

use std::fs;

/// Least memory that a build is given, in bytes.
pub const MEMORY_BYTES_MIN: u64 = 256 << 20;
/// Of the machine's memory the part that a build takes unless it is told otherwise.
const MACHINE_PART: u64 = 4;
/// Where groups of processes are bounded, in two versions of the system.
const GROUP_FILES: [&str; 2] = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];

/// A quarter of the memory of this machine, or of the group of processes that this one belongs to, in bytes.
pub fn default_memory() -> u64 {
    (machine_memory().unwrap_or_default() / MACHINE_PART).max(MEMORY_BYTES_MIN)
}

/// The memory of this machine, or of the group of processes that this one belongs to, in bytes; `None` where the system
/// does not tell.
pub fn machine_memory() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let group =
        GROUP_FILES.iter().filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok()).min();
    machine.into_iter().chain(group).min()
}

/// The memory of a machine in bytes, as Linux tells it.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Reads an amount of memory: `512M`, `4G`, `2GiB`, or bytes.
///
/// # Errors
/// With a sentence, when it is none or less than [`MEMORY_BYTES_MIN`].
pub fn parse_memory(text: &str) -> Result<u64, String> {
    let unreadable = || "not an amount of memory: write 512M or 4G".to_owned();
    let digits = text.trim_end_matches(|character: char| !character.is_ascii_digit());
    let shift = match text[digits.len()..].to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(unreadable()),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    match bytes.ok_or_else(unreadable)? {
        little if little < MEMORY_BYTES_MIN => Err(format!("must be at least {}M", MEMORY_BYTES_MIN >> 20)),
        bytes => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_as_people_do() {
        for (text, bytes) in
            [("1G", 1 << 30), ("512m", 512 << 20), ("2GiB", 2 << 30), ("268435456", 256 << 20)]
        {
            assert_eq!(parse_memory(text), Ok(bytes), "{text}");
        }
        for text in ["", "G", "1.5G", "255M", "-1G", "1X", "99999999999T"] {
            assert!(parse_memory(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_machine_tells_its_memory() {
        assert_eq!(total("MemTotal:       24590824 kB\nMemFree: 1 kB\n"), Some(24_590_824 << 10));
        assert_eq!(total("MemFree: 1 kB\n"), None);
        assert!(default_memory() >= MEMORY_BYTES_MIN);
    }
}
