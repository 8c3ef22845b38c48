//! Typed columns as the texts that the rules read.
//!
//! One value has one text, whatever type it is kept in: numbers are written by their shortest decimal form (a float of
//! 32 bits by its own, a decimal exactly and without zeros behind it), days as `YYYY-MM-DD`, instants as RFC 3339 in
//! UTC (without a zone they count as UTC). A float that stands for several whole numbers has U+FFFD behind its digits.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Context, Result, bail, ensure};
use polars::prelude::{ArrowDataType, ChunkTake, IdxCa, NewChunkedArray, PlSmallStr, StringChunked};
use polars_arrow::array::{
    Array, BinaryArray, BinaryViewArray, BooleanArray, DictionaryArray, DictionaryKey, MutablePlString,
    PrimitiveArray, Utf8Array, Utf8ViewArray,
};
use polars_arrow::datatypes::{IntegerType, TimeUnit};
use polars_arrow::offset::Offset;
use polars_arrow::types::{NativeType, i256};

use crate::snapshot::tables::Input;
use crate::types::{Day, Instant};

/// Most rows decoded at a time; larger groups and batches are cut.
pub(super) const SLICE_ROWS: usize = 1 << 19;

/// Most digits of a decimal number: what 256 bits hold.
const DECIMAL_DIGITS_MAX: usize = 76;

const DAY_MILLIS: i64 = 86_400_000;

/// Whole numbers below are the only ones that their float stands for.
const EXACT_BELOW: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
const EXACT_BELOW_F32: f32 = (1_u32 << f32::MANTISSA_DIGITS) as f32;
/// Mark behind a number whose digits its type does not hold, so that no two ids become one.
const INEXACT: &str = "\u{fffd}";

/// A float as text; nothing where it is no number.
pub(super) struct FloatText(pub f64);

impl std::fmt::Display for FloatText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mark = if self.0.abs() < EXACT_BELOW { "" } else { INEXACT };
        if self.0.is_finite() { write!(f, "{}{mark}", self.0) } else { Ok(()) }
    }
}

/// Some rows of a typed file.
#[derive(Debug)]
pub(super) struct Decoded {
    /// The wanted columns as text; nothing where the file has no such column.
    pub columns: Vec<Option<StringChunked>>,
    pub rows: usize,
    /// Number of the first row, from 1.
    pub first: u64,
}

/// Reads something with a library that panics over some damaged files; what it had of them is dropped.
pub(crate) fn guarded<T>(read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| bail!("the data is damaged or of an unsupported type; write the file again"))
}

/// Whether values of this type have a text. Times of day, spans, lists and structs have none.
pub(super) fn has_text(kind: &ArrowDataType) -> bool {
    use ArrowDataType as Kind;
    match kind.to_storage() {
        Kind::Dictionary(_, values, _) => {
            !matches!(values.to_storage(), Kind::Dictionary(..)) && has_text(values)
        }
        Kind::Decimal32(digits, scale)
        | Kind::Decimal64(digits, scale)
        | Kind::Decimal(digits, scale)
        | Kind::Decimal256(digits, scale) => (*digits).max(*scale) <= DECIMAL_DIGITS_MAX,
        kind => {
            is_text(kind) || is_number(kind) || is_time(kind) || matches!(kind, Kind::Null | Kind::Boolean)
        }
    }
}

fn is_text(kind: &ArrowDataType) -> bool {
    use ArrowDataType as Kind;
    let text = matches!(kind, Kind::Utf8 | Kind::LargeUtf8 | Kind::Utf8View);
    text || matches!(kind, Kind::Binary | Kind::LargeBinary | Kind::BinaryView)
}

fn is_number(kind: &ArrowDataType) -> bool {
    use ArrowDataType as Kind;
    let signed = matches!(kind, Kind::Int8 | Kind::Int16 | Kind::Int32 | Kind::Int64 | Kind::Int128);
    let unsigned = matches!(kind, Kind::UInt8 | Kind::UInt16 | Kind::UInt32 | Kind::UInt64 | Kind::UInt128);
    signed || unsigned || matches!(kind, Kind::Float32 | Kind::Float64)
}

fn is_time(kind: &ArrowDataType) -> bool {
    use ArrowDataType as Kind;
    matches!(kind, Kind::Date32 | Kind::Date64 | Kind::Timestamp(..))
}

/// Says that values of this type are not read, and what to write in their place.
fn remedy(kind: &ArrowDataType) -> String {
    use ArrowDataType as Kind;
    match kind.to_storage() {
        Kind::List(_) | Kind::LargeList(_) | Kind::FixedSizeList(..) => {
            "lists are not supported; join the values to one text, as in \"Food > Pasta\"".to_owned()
        }
        Kind::Struct(_) | Kind::Map(..) => {
            "structs and maps are not supported; write a column for each field that is needed".to_owned()
        }
        kind => format!("values of type {kind:?} are not supported; write text, numbers, days or instants"),
    }
}

/// Fails over the first wanted column whose values have no text; `positions` and `columns` go together.
pub(super) fn check(
    names: &[String],
    kinds: &[ArrowDataType],
    positions: &[Option<usize>],
    columns: &[Input],
) -> Result<()> {
    for (column, at) in columns.iter().zip(positions).filter_map(|(column, at)| Some((column, (*at)?))) {
        let (kind, name) = (&kinds[at], &names[at]);
        let column = if name == column.name { String::new() } else { format!(" ({})", column.name) };
        ensure!(has_text(kind), "column {name}{column}: {}", remedy(kind));
    }
    Ok(())
}

/// The columns at `positions`. A column of the file is read once, however many of ours it feeds.
pub(super) fn columns_at(
    positions: &[Option<usize>],
    mut read: impl FnMut(usize) -> Result<StringChunked>,
) -> Result<Vec<Option<StringChunked>>> {
    let mut columns: Vec<Option<StringChunked>> = Vec::with_capacity(positions.len());
    for (column, position) in positions.iter().enumerate() {
        let known = positions[..column].iter().position(|other| other == position);
        columns.push(match (*position, known) {
            (_, Some(known)) => columns[known].clone(),
            (Some(position), None) => Some(read(position)?),
            (None, None) => None,
        });
    }
    Ok(columns)
}

/// The values of the parts of a column as text, in one piece.
pub(super) fn texts<'a>(arrays: impl IntoIterator<Item = &'a dyn Array>) -> Result<StringChunked> {
    let parts = arrays.into_iter().map(text).collect::<Result<Vec<_>>>()?;
    let column = StringChunked::from_chunk_iter(PlSmallStr::EMPTY, parts);
    Ok(column.rechunk().into_owned())
}

fn text(array: &dyn Array) -> Result<Utf8ViewArray> {
    use ArrowDataType as Kind;
    match array.dtype().to_storage() {
        Kind::Utf8View => Ok(typed::<Utf8ViewArray>(array)?.clone()),
        Kind::Utf8 => Ok(typed::<Utf8Array<i32>>(array)?.iter().collect::<MutablePlString>().freeze()),
        Kind::LargeUtf8 => Ok(typed::<Utf8Array<i64>>(array)?.iter().collect::<MutablePlString>().freeze()),
        Kind::BinaryView => Ok(lossy(typed::<BinaryViewArray>(array)?.iter())),
        Kind::Binary => binary::<i32>(array),
        Kind::LargeBinary => binary::<i64>(array),
        Kind::Boolean => {
            let words = |value| if value { "true" } else { "false" };
            let values = typed::<BooleanArray>(array)?.iter().map(|value| value.map(words));
            Ok(values.collect::<MutablePlString>().freeze())
        }
        Kind::Null => Ok(Utf8ViewArray::new_null(Kind::Utf8View, array.len())),
        Kind::Dictionary(key, ..) => dictionary(*key, array),
        Kind::Date32 => each::<i32>(array, |day, out| write(out, Day::from_days(day))),
        Kind::Date64 => each::<i64>(array, |millis, out| {
            if millis % DAY_MILLIS == 0 {
                let days = millis / DAY_MILLIS;
                write(out, Day::from_days(days.clamp(i32::MIN.into(), i32::MAX.into()) as i32));
            } else {
                write(out, instant(millis, TimeUnit::Millisecond));
            }
        }),
        Kind::Timestamp(unit, _) => {
            let unit = *unit;
            each::<i64>(array, move |tick, out| write(out, instant(tick, unit)))
        }
        kind => number(kind, array),
    }
}

fn number(kind: &ArrowDataType, array: &dyn Array) -> Result<Utf8ViewArray> {
    use ArrowDataType as Kind;
    match kind {
        Kind::Float64 => each::<f64>(array, |value, out| write(out, FloatText(value))),
        Kind::Float32 => each::<f32>(array, |value, out| {
            if value.is_finite() {
                write(out, value);
                out.push_str(if value.abs() < EXACT_BELOW_F32 { "" } else { INEXACT });
            }
        }),
        Kind::Int8 => each::<i8>(array, |value, out| write(out, value)),
        Kind::Int16 => each::<i16>(array, |value, out| write(out, value)),
        Kind::Int32 => each::<i32>(array, |value, out| write(out, value)),
        Kind::Int64 => each::<i64>(array, |value, out| write(out, value)),
        Kind::Int128 => each::<i128>(array, |value, out| write(out, value)),
        Kind::UInt8 => each::<u8>(array, |value, out| write(out, value)),
        Kind::UInt16 => each::<u16>(array, |value, out| write(out, value)),
        Kind::UInt32 => each::<u32>(array, |value, out| write(out, value)),
        Kind::UInt64 => each::<u64>(array, |value, out| write(out, value)),
        Kind::UInt128 => each::<u128>(array, |value, out| write(out, value)),
        Kind::Decimal32(_, scale) => {
            each::<i32>(array, |value, out| decimal(&value.to_string(), *scale, out))
        }
        Kind::Decimal64(_, scale) => {
            each::<i64>(array, |value, out| decimal(&value.to_string(), *scale, out))
        }
        Kind::Decimal(_, scale) => each::<i128>(array, |value, out| decimal(&value.to_string(), *scale, out)),
        Kind::Decimal256(_, scale) => {
            each::<i256>(array, |value, out| decimal(&value.0.to_string(), *scale, out))
        }
        _ => bail!("values of type {kind:?} are not supported"),
    }
}

fn typed<A: Array>(array: &dyn Array) -> Result<&A> {
    array
        .as_any()
        .downcast_ref()
        .with_context(|| format!("values of type {:?} cannot be decoded", array.dtype()))
}

fn write(out: &mut String, value: impl std::fmt::Display) {
    let _ = write!(out, "{value}");
}

fn each<T: NativeType>(array: &dyn Array, text: impl Fn(T, &mut String)) -> Result<Utf8ViewArray> {
    let (array, mut written) = (typed::<PrimitiveArray<T>>(array)?, String::new());
    let mut out = MutablePlString::with_capacity(array.len());
    for value in array {
        if let Some(value) = value {
            written.clear();
            text(*value, &mut written);
            out.push_value(&written);
        } else {
            out.push_null();
        }
    }
    Ok(out.freeze())
}

fn binary<O: Offset>(array: &dyn Array) -> Result<Utf8ViewArray> {
    Ok(lossy(typed::<BinaryArray<O>>(array)?.iter()))
}

/// Bytes as UTF-8; what is none becomes replacement characters, as in other formats.
fn lossy<'a>(values: impl Iterator<Item = Option<&'a [u8]>>) -> Utf8ViewArray {
    values.map(|value| value.map(String::from_utf8_lossy)).collect::<MutablePlString>().freeze()
}

fn dictionary(key: IntegerType, array: &dyn Array) -> Result<Utf8ViewArray> {
    match key {
        IntegerType::Int8 => looked_up::<i8>(array),
        IntegerType::Int16 => looked_up::<i16>(array),
        IntegerType::Int32 => looked_up::<i32>(array),
        IntegerType::Int64 => looked_up::<i64>(array),
        IntegerType::UInt8 => looked_up::<u8>(array),
        IntegerType::UInt16 => looked_up::<u16>(array),
        IntegerType::UInt32 => looked_up::<u32>(array),
        IntegerType::UInt64 => looked_up::<u64>(array),
        _ => bail!("dictionary keys of type {key:?} are not supported"),
    }
}

/// The values that the keys of a dictionary mean. Rows share the bytes of a value.
fn looked_up<K: DictionaryKey>(array: &dyn Array) -> Result<Utf8ViewArray> {
    let array = typed::<DictionaryArray<K>>(array)?;
    let values = StringChunked::with_chunk(PlSmallStr::EMPTY, text(array.values().as_ref())?);
    let keys = array.keys_iter().map(|key| key.map(u32::try_from).transpose());
    let keys = keys.collect::<Result<Vec<_>, _>>().context("a dictionary has too many values")?;
    let rows = values.take(&IdxCa::from_iter_options(PlSmallStr::EMPTY, keys.into_iter()))?;
    Ok(rows.rechunk().downcast_as_array().clone())
}

/// The decimal number of these digits, the last `scale` of them behind the point.
fn decimal(digits: &str, scale: usize, out: &mut String) {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let (whole, fraction) = digits.split_at(digits.len().saturating_sub(scale));
    let zeros = scale - fraction.len();
    out.push_str(sign);
    out.push_str(if whole.is_empty() { "0" } else { whole });
    let fraction = fraction.trim_end_matches('0');
    if !fraction.is_empty() {
        out.push('.');
        out.extend(std::iter::repeat_n('0', zeros));
        out.push_str(fraction);
    }
}

/// The instant, floored to microseconds; beyond the calendar its end, which no rule takes.
fn instant(tick: i64, unit: TimeUnit) -> Instant {
    Instant::from_micros(match unit {
        TimeUnit::Nanosecond => tick.div_euclid(1_000),
        TimeUnit::Microsecond => tick,
        TimeUnit::Millisecond => tick.saturating_mul(1_000),
        TimeUnit::Second => tick.saturating_mul(1_000_000),
    })
}

#[cfg(test)]
mod tests {
    use polars_arrow::datatypes::Field;

    use super::*;

    fn all(array: &dyn Array) -> Vec<Option<String>> {
        assert!(has_text(array.dtype()), "{:?}", array.dtype());
        texts([array]).unwrap().iter().map(|text| text.map(str::to_owned)).collect()
    }

    fn of<T: NativeType>(kind: ArrowDataType, values: impl IntoIterator<Item = T>) -> Vec<String> {
        let array = PrimitiveArray::from_vec(values.into_iter().collect()).to(kind);
        all(&array).into_iter().map(Option::unwrap).collect()
    }

    #[test]
    fn decimals_are_exact() {
        use ArrowDataType as Kind;
        let written = |digits: &str, scale| {
            let mut out = String::new();
            decimal(digits, scale, &mut out);
            out
        };
        for (digits, scale, text) in [
            ("499", 2, "4.99"),
            ("-499", 2, "-4.99"),
            ("0", 2, "0"),
            ("5", 3, "0.005"),
            ("-5", 1, "-0.5"),
            ("471100", 2, "4711"),
            ("4711", 0, "4711"),
            ("4700", 0, "4700"),
            ("12345678901234567890123456789012345678", 10, "1234567890123456789012345678.9012345678"),
        ] {
            assert_eq!(written(digits, scale), text, "{digits} e-{scale}");
        }
        assert_eq!(of(Kind::Decimal32(9, 2), [1_999_i32]), ["19.99"]);
        assert_eq!(of(Kind::Decimal64(18, 2), [-1_i64]), ["-0.01"]);
        assert_eq!(of(Kind::Decimal(38, 38), [i128::MAX]), ["1.70141183460469231731687303715884105727"]);
        let wide = i256::from_words(-1, -5);
        assert_eq!(of(Kind::Decimal256(76, 1), [wide]), ["-0.5"]);
        assert!(!has_text(&Kind::Decimal(38, usize::MAX)));
    }

    #[test]
    fn a_type_without_text_is_named_with_a_remedy() {
        use ArrowDataType as Kind;
        for (kind, start) in [
            (
                Kind::List(Box::new(Field::new(PlSmallStr::EMPTY, Kind::Utf8View, true))),
                "lists are not supported",
            ),
            (Kind::Struct(vec![]), "structs and maps are not supported"),
            (Kind::Time64(TimeUnit::Microsecond), "values of type Time64"),
        ] {
            assert!(!has_text(&kind));
            assert!(remedy(&kind).starts_with(start), "{kind:?}");
        }
    }

    #[test]
    fn a_value_has_one_text_in_every_type() {
        use ArrowDataType as Kind;
        assert_eq!(
            of(Kind::Float64, [4.99_f64, 12.0, 1e21, -0.5]),
            ["4.99", "12", "1000000000000000000000\u{fffd}", "-0.5"]
        );
        assert_eq!(of(Kind::Float64, [f64::NAN, f64::INFINITY, -f64::INFINITY]), ["", "", ""]);
        assert_eq!(of(Kind::Float32, [4.99_f32, 12.0, f32::NAN]), ["4.99", "12", ""]);
        assert_eq!(of(Kind::Int8, [-7_i8]), ["-7"]);
        assert_eq!(of(Kind::UInt64, [u64::MAX]), ["18446744073709551615"]);
        assert_eq!(of(Kind::Date32, [20_000, i32::MAX]), ["2024-10-04", "9999-12-31"]);
        assert_eq!(
            of(Kind::Date64, [20_000 * DAY_MILLIS, 1, i64::MAX]),
            ["2024-10-04", "1970-01-01T00:00:00.001Z", "9999-12-31T23:59:59.999999Z"]
        );
        for (unit, tick, text) in [
            (TimeUnit::Second, 1, "1970-01-01T00:00:01Z"),
            (TimeUnit::Millisecond, 1_500, "1970-01-01T00:00:01.5Z"),
            (TimeUnit::Nanosecond, -1, "1969-12-31T23:59:59.999999Z"),
            (TimeUnit::Second, i64::MAX, "9999-12-31T23:59:59.999999Z"),
        ] {
            let zone = Some(PlSmallStr::from_static("America/New_York"));
            assert_eq!(of(Kind::Timestamp(unit, zone), [tick]), [text]);
            assert_eq!(of(Kind::Timestamp(unit, None), [tick]), [text]);
        }
        let words = [Some("true".to_owned()), None, Some("false".to_owned())];
        assert_eq!(all(&BooleanArray::from([Some(true), None, Some(false)])), words);
    }

    #[test]
    fn texts_are_the_same_however_they_are_kept() {
        let texts = [Some("a"), None, Some("a longer text than fits into a view"), Some("")];
        let expected: Vec<_> = texts.iter().map(|text| text.map(str::to_owned)).collect();
        let bytes = texts.map(|text| text.map(str::as_bytes));
        let views: Utf8ViewArray = texts.into_iter().collect::<MutablePlString>().freeze();
        assert_eq!(all(&views), expected);
        assert_eq!(all(&Utf8Array::<i32>::from(texts)), expected);
        assert_eq!(all(&Utf8Array::<i64>::from(texts)), expected);
        assert_eq!(all(&BinaryArray::<i32>::from(bytes)), expected);
        assert_eq!(all(&BinaryArray::<i64>::from(bytes)), expected);
        let keys = PrimitiveArray::from([Some(2_u8), None, Some(1), Some(0)]);
        let rows = DictionaryArray::try_from_keys(keys, views.boxed(), false).unwrap();
        let looked_up = all(&rows);
        assert_eq!(looked_up, [expected[2].clone(), None, None, expected[0].clone()]);
        assert_eq!(all(&BinaryArray::<i32>::from([Some(b"caf\xe9")])), [Some("caf\u{fffd}".to_owned())]);
        assert_eq!(all(&Utf8ViewArray::new_null(ArrowDataType::Null, 0)), []);
    }

    #[test]
    fn names_columns_of_unsupported_types() {
        use ArrowDataType as Kind;
        let names = ["a".to_owned(), "Preis".to_owned()];
        let kinds = [Kind::Int8, Kind::Time64(TimeUnit::Microsecond)];
        let price = crate::snapshot::tables::ObservationInput::ALL
            .iter()
            .find(|column| column.name == "price")
            .unwrap();
        let error = check(&names, &kinds, &[Some(0), Some(1)], &[*price, *price]).unwrap_err().to_string();
        assert!(
            error.starts_with("column Preis (price): values of type Time64(Microsecond) are not supported"),
            "{error}"
        );
        check(&names, &kinds, &[Some(0), None], &[*price, *price]).unwrap();
        let nested = Kind::Dictionary(IntegerType::Int8, Box::new(Kind::Duration(TimeUnit::Second)), false);
        assert!(!has_text(&nested));
    }

    #[test]
    fn a_panic_is_an_error() {
        assert!(guarded::<()>(|| panic!("a bitmap is too short")).is_err());
    }
}
