//! Finds the values at a few paths of a JSON text; nothing else is built.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The values that were looked for, as JSON text, in the order of their paths. If a key occurs twice, its last value counts, as in
/// most JSON readers.
pub(super) type Found<'de, const N: usize> = [Option<&'de RawValue>; N];

/// The remaining steps of each path; `None` for a path that leads elsewhere.
pub(super) type Paths<'w, const N: usize> = [Option<&'w [String]>; N];

/// Follows the paths through one value. Everything off the paths is skipped, at any depth, without being built.
pub(super) struct PathFinder<'w, 'de, const N: usize> {
    pub(crate) paths: Paths<'w, N>,
    pub(crate) found: &'w mut Found<'de, N>,
}

/// The remaining steps of the paths after `key`.
fn follow<'w, const N: usize>(paths: Paths<'w, N>, key: &str) -> Paths<'w, N> {
    paths.map(|path| path.and_then(<[String]>::split_first).and_then(|(first, rest)| (first == key).then_some(rest)))
}

fn lead_elsewhere<const N: usize>(paths: Paths<'_, N>) -> bool {
    paths.iter().all(Option::is_none)
}

impl<'de, const N: usize> DeserializeSeed<'de> for PathFinder<'_, 'de, N> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let is_here = |path: Option<&[String]>| path.is_some_and(<[String]>::is_empty);
        if !self.paths.into_iter().any(is_here) {
            return deserializer.deserialize_any(self);
        }
        let value = <&RawValue as serde::Deserialize>::deserialize(deserializer)?;
        for (found, _) in self.found.iter_mut().zip(self.paths).filter(|(_, path)| is_here(*path)) {
            *found = Some(value);
        }
        Ok(())
    }
}

impl<'de, const N: usize> Visitor<'de> for PathFinder<'_, 'de, N> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(paths) = map.next_key_seed(Key(self.paths))? {
            if lead_elsewhere(paths) {
                map.next_value::<IgnoredAny>()?;
            } else {
                // The last of equal keys counts, whatever was found below the earlier ones.
                for (found, _) in self.found.iter_mut().zip(paths).filter(|(_, path)| path.is_some()) {
                    *found = None;
                }
                map.next_value_seed(PathFinder { paths, found: &mut *self.found })?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        for index in 0_usize.. {
            let paths = follow(self.paths, &index.to_string());
            let more = if lead_elsewhere(paths) {
                seq.next_element::<IgnoredAny>()?.is_some()
            } else {
                seq.next_element_seed(PathFinder { paths, found: &mut *self.found })?.is_some()
            };
            if !more {
                break;
            }
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Compares a key with the next step of each path, without copying the key.
struct Key<'w, const N: usize>(Paths<'w, N>);

impl<'de, 'w, const N: usize> DeserializeSeed<'de> for Key<'w, N> {
    type Value = Paths<'w, N>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Paths<'w, N>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'w, const N: usize> Visitor<'_> for Key<'w, N> {
    type Value = Paths<'w, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Paths<'w, N>, E> {
        Ok(follow(self.0, key))
    }
}
