//! UTC days as numbers since 1970-01-01, written out from the calendar's rules.

/// Names of the months, in English.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub fn from_civil(y: i64, m: i64, d: i64) -> i64 {
    let y = if m <= 2 { y - 1 } else { y };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let doy = (153 * ((m + 9) % 12) + 2) / 5 + d - 1;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}

pub fn civil(day: i64) -> (i64, i64, i64) {
    let z = day + 719_468;
    let (era, doe) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (d, m) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
    (yoe + era * 400 + i64::from(m <= 2), m, d)
}

pub fn text(day: i64) -> String {
    let (y, m, d) = civil(day);
    format!("{y:04}-{m:02}-{d:02}")
}

pub fn month_label(day: i64) -> String {
    text(day)[..7].to_string()
}

pub fn month_start(day: i64) -> i64 {
    let (y, m, _) = civil(day);
    from_civil(y, m, 1)
}

pub fn quarter_start(day: i64) -> i64 {
    let (y, m, _) = civil(day);
    from_civil(y, (m - 1) / 3 * 3 + 1, 1)
}

/// The ISO week's label: the year is the one that holds the week's Thursday.
pub fn week_label(day: i64) -> String {
    let thursday = day - (day + 3).rem_euclid(7) + 3;
    let (y, _, _) = civil(thursday);
    format!("{y:04}-W{:02}", (thursday - from_civil(y, 1, 1)) / 7 + 1)
}

/// Seconds since 1970 as RFC 3339 with `Z`.
pub fn instant_text(secs: i64) -> String {
    let (day, s) = (secs.div_euclid(86_400), secs.rem_euclid(86_400));
    format!("{}T{:02}:{:02}:{:02}Z", text(day), s / 3600, s / 60 % 60, s % 60)
}

fn digits(s: &str, range: std::ops::Range<usize>) -> Option<i64> {
    let part = s.get(range)?;
    if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    part.parse().ok()
}

/// `YYYY-MM-DD` that exists in the calendar.
pub fn parse(s: &str) -> Option<i64> {
    if s.len() != 10 || s.get(4..5)? != "-" || s.get(7..8)? != "-" {
        return None;
    }
    let (y, m, d) = (digits(s, 0..4)?, digits(s, 5..7)?, digits(s, 8..10)?);
    let day = (1..=12).contains(&m).then(|| from_civil(y, m, d))?;
    (civil(day) == (y, m, d)).then_some(day)
}

/// A day, or an RFC 3339 instant with its offset: (UTC seconds, whether an instant was given).
pub fn parse_moment(s: &str) -> Option<(i64, bool)> {
    if let Some(day) = parse(s) {
        return Some((day * 86_400, false));
    }
    let day = parse(s.get(..10)?)?;
    if s.get(10..11)? != "T" || s.get(13..14)? != ":" || s.get(16..17)? != ":" {
        return None;
    }
    let (h, m, sec) = (digits(s, 11..13)?, digits(s, 14..16)?, digits(s, 17..19)?);
    if h > 23 || m > 59 || sec > 59 {
        return None;
    }
    let mut rest = s.get(19..)?;
    if let Some(r) = rest.strip_prefix('.') {
        rest = r.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == r.len() {
            return None;
        }
    }
    let offset = if rest == "Z" {
        0
    } else {
        let sign = match rest.get(..1)? {
            "+" => 1,
            "-" => -1,
            _ => return None,
        };
        if rest.len() != 6 || rest.get(3..4)? != ":" {
            return None;
        }
        sign * (digits(rest, 1..3)? * 3600 + digits(rest, 4..6)? * 60)
    };
    Some((day * 86_400 + h * 3600 + m * 60 + sec - offset, true))
}
