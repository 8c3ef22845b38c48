//! Serializer of map keys. A struct with flattened fields is serialised as a map, so its field names are map keys.

use std::fmt::Display;

use serde::ser::{Impossible, Serialize, Serializer};

/// Reason why an answer does not fit its columns.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct FillError(String);

impl serde::ser::Error for FillError {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// Serializer methods for types that do not occur in answers.
macro_rules! refused {
    ($($method:ident($($type:ty),*) -> $ok:ty;)*) => {
        $(fn $method(self, $(_: $type),*) -> Result<$ok, FillError> {
            Err(serde::ser::Error::custom(concat!("a table cannot contain a value from ", stringify!($method))))
        })*
    };
}
pub(super) use refused;

/// A serializer of compound values that do not occur in answers. It cannot be constructed.
pub(super) type No<T> = Impossible<T, FillError>;

/// Serializer of a key. It passes the name to a closure.
pub(super) struct Key<F>(pub(super) F);

impl<F: FnOnce(&str) -> Result<(), FillError>> Serializer for Key<F> {
    type Ok = ();
    type Error = FillError;
    type SerializeSeq = No<()>;
    type SerializeTuple = No<()>;
    type SerializeTupleStruct = No<()>;
    type SerializeTupleVariant = No<()>;
    type SerializeMap = No<()>;
    type SerializeStruct = No<()>;
    type SerializeStructVariant = No<()>;

    fn serialize_str(self, name: &str) -> Result<(), FillError> {
        (self.0)(name)
    }

    refused! {
        serialize_bool(bool) -> ();
        serialize_i8(i8) -> ();
        serialize_i16(i16) -> ();
        serialize_i32(i32) -> ();
        serialize_i64(i64) -> ();
        serialize_u8(u8) -> ();
        serialize_u16(u16) -> ();
        serialize_u32(u32) -> ();
        serialize_u64(u64) -> ();
        serialize_f32(f32) -> ();
        serialize_f64(f64) -> ();
        serialize_char(char) -> ();
        serialize_bytes(&[u8]) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_unit_variant(&'static str, u32, &'static str) -> ();
        serialize_seq(Option<usize>) -> No<()>;
        serialize_tuple(usize) -> No<()>;
        serialize_tuple_struct(&'static str, usize) -> No<()>;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No<()>;
        serialize_map(Option<usize>) -> No<()>;
        serialize_struct(&'static str, usize) -> No<()>;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> No<()>;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, key: &T) -> Result<(), FillError> {
        key.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        key: &T,
    ) -> Result<(), FillError> {
        key.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        key: &T,
    ) -> Result<(), FillError> {
        key.serialize(self)
    }
}
