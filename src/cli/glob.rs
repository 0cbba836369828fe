//! The files that a command reads, given by names, patterns and lists.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::formats::parse::BOM;
use crate::locale::tr;
use anyhow::{Context, anyhow, bail, ensure};
use glob::{MatchOptions, Pattern};
use tracing::info;
use walkdir::WalkDir;

/// Expands the named files. A name that has `*`, `?` or `[` in it and is not the name of a file is a pattern. The files that match take
/// its place, sorted by the bytes of their names. Unless `quiet`, reports which files these are. In a pattern:
/// - No folder matches.
/// - Only a dot matches the dot at the beginning of a name.
/// - `**` stands for any number of nested folders, but does not follow links.
///
/// # Errors
/// A pattern cannot be read or matches no file, or a folder in it cannot be listed.
pub(crate) fn expand(named: &[PathBuf], quiet: bool) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for name in named {
        match name.to_str().filter(|text| text.contains(['*', '?', '[']) && name.symlink_metadata().is_err()) {
            None => files.push(name.clone()),
            Some(pattern) => files.extend(matching(pattern, quiet)?),
        }
    }
    Ok(files)
}

fn matching(pattern: &str, quiet: bool) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = paths(pattern)?;
    files.retain(|path| !path.is_dir());
    files.sort_unstable_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
    files.dedup();
    let (Some(first), Some(last)) = (files.first(), files.last()) else {
        bail!(tr!(
            "{pattern}: there is no such file, and no file matches it as a pattern; name one that is there",
            pattern
        ));
    };
    if !quiet {
        let (first, last) = (first.display(), last.display());
        info!(
            "{}",
            tr!(
                "{pattern}: one file, {first}"
                    | "{pattern}: {n} files, read in the order of their names' bytes, from {first} to {last}"
                        % files.len(),
                pattern = pattern,
                first = first,
                last = last
            )
        );
    }
    Ok(files)
}

/// Only a dot matches the dot at the beginning of a name.
const OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// All paths that a pattern matches, including folders.
fn paths(pattern: &str) -> anyhow::Result<Vec<PathBuf>> {
    let (root, below) = match pattern.strip_prefix('/') {
        Some(below) => (Path::new("/"), below),
        None => (Path::new(""), pattern),
    };
    let parts: Vec<&str> = below.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    for part in &parts {
        Pattern::new(part).with_context(|| tr!("{pattern}: there is no such file, and as a pattern", pattern))?;
    }
    let mut paths = Vec::new();
    collect(root, &parts, &mut paths).with_context(|| pattern.to_owned())?;
    if below.ends_with('/') {
        paths.retain(|path| path.is_dir());
    }
    Ok(paths)
}

/// Adds the paths in `folder` that these parts of a pattern match.
///
/// The glob crate would do this, too, but it panics at names that are not UTF-8, and follows links below `**`.
fn collect(folder: &Path, parts: &[&str], paths: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let Some((part, rest)) = parts.split_first() else {
        paths.push(folder.to_owned());
        return Ok(());
    };
    if *part == "**" {
        return collect_below(folder, parts, paths);
    }
    if !part.contains(['*', '?', '[']) {
        let path = folder.join(part);
        return if path.exists() { collect(&path, rest, paths) } else { Ok(()) };
    }
    let pattern = Pattern::new(part)?;
    let Some(listed) = listed(folder) else { return Ok(()) };
    for found in fs::read_dir(listed)? {
        let name = found?.file_name();
        if pattern.matches_with(&name.to_string_lossy(), OPTIONS) {
            collect(&folder.join(name), rest, paths)?;
        }
    }
    Ok(())
}

/// The name by which a folder is listed, if it is one.
fn listed(folder: &Path) -> Option<&Path> {
    let named = if folder == Path::new("") { Path::new(".") } else { folder };
    named.is_dir().then_some(named)
}

/// The same for parts that begin with `**`: a link may lead back to a folder above, so links are not followed.
fn collect_below(folder: &Path, parts: &[&str], paths: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let whole = Pattern::new(&parts.join("/"))?;
    let may_be_hidden = parts.iter().any(|part| part.starts_with('.'));
    let Some(listed) = listed(folder) else { return Ok(()) };
    let below = WalkDir::new(listed).min_depth(1).into_iter();
    for found in below.filter_entry(|found| may_be_hidden || !found.file_name().as_encoded_bytes().starts_with(b".")) {
        let found = found?;
        let path = found.path().strip_prefix(listed).unwrap_or(found.path());
        if whole.matches_with(&path.to_string_lossy(), OPTIONS) {
            paths.push(folder.join(path));
        }
    }
    Ok(())
}

/// The files to read: first the expanded `named` files, then the files that are named in the file `list`, or on standard input if that is
/// `-`. If there is a NUL in a list, each name ends with NUL, and otherwise with a line end of Unix or Windows. A byte-order mark is skipped.
///
/// # Errors
/// Those of [`expand`]; the list cannot be read, or names no file.
pub(crate) fn with_listed(named: &[PathBuf], list: Option<&Path>, quiet: bool) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = expand(named, quiet)?;
    let Some(list) = list else { return Ok(files) };
    let stdin = list == Path::new("-");
    ensure!(
        !stdin || named.iter().all(|path| path != Path::new("-")),
        tr!(
            "--files-from -: standard input is the list; it cannot be read for messages too; name a file for one of them"
        )
    );
    let mut bytes = Vec::new();
    let read = if stdin {
        io::stdin().read_to_end(&mut bytes)
    } else {
        File::open(list).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    let name = list.display().to_string();
    read.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            anyhow!(tr!("--files-from {name}: there is no such file; name one that lists files", name))
        }
        io::ErrorKind::IsADirectory => {
            anyhow!(tr!("--files-from {name}: is a folder; name a file that lists files", name))
        }
        _ => anyhow!(tr!("--files-from {name}: cannot be read: {error}; name another file", name, error)),
    })?;
    let bytes = bytes.strip_prefix(BOM).unwrap_or(&bytes);
    let end = if bytes.contains(&0) { 0 } else { b'\n' };
    let names = bytes.split(|byte| *byte == end);
    let names = names.map(|name| if end == 0 { name } else { name.strip_suffix(b"\r").unwrap_or(name) });
    let names = names.filter(|name| !name.is_empty());
    let listed = names.map(path).collect::<anyhow::Result<Vec<_>>>().with_context(|| format!("--files-from {name}"))?;
    ensure!(!listed.is_empty(), tr!("--files-from {name}: names no file; write one name on each line", name));
    files.extend(listed);
    Ok(files)
}

#[cfg(unix)]
fn path(name: &[u8]) -> anyhow::Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Ok(std::ffi::OsStr::from_bytes(name).into())
}

#[cfg(not(unix))]
fn path(name: &[u8]) -> anyhow::Result<PathBuf> {
    Ok(std::str::from_utf8(name)?.into())
}
