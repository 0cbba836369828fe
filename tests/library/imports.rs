//! Finds which file of `src/` imports what from which other file, by reading the text of the code.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The files: path below src/, and code without comments and tests.
pub struct Sources {
    files: BTreeMap<String, String>,
    /// The file of each module, by module path.
    modules: BTreeMap<Vec<String>, String>,
    /// The `use` imports of each file.
    uses: BTreeMap<String, Vec<Use>>,
}

/// A name that a `use` brings into scope.
struct Use {
    path: Vec<String>,
    name: String,
    is_public: bool,
}

/// An item that one file takes from another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    pub from: String,
    pub to: String,
    pub item: String,
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the code without comments and tests.
fn plain(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    while let Some(line) = lines.next() {
        if !["#[cfg(test)]", "#[cfg(all(test,"].iter().any(|tests| line.trim().starts_with(tests)) {
            code += line;
            code.push('\n');
            continue;
        }
        // A test item ends with its line, or with the line that closes it at the same indentation.
        let indent = &line[..line.len() - line.trim_start().len()];
        let closes = |line: &str| {
            let closer = line.strip_prefix(indent).is_some_and(|rest| rest.starts_with(['}', ']', ')']));
            closer && !line.ends_with(['{', '[', '('])
        };
        let mut item = lines.by_ref().skip_while(|line| line.trim_start().starts_with("#["));
        match item.next() {
            Some(first) if first.ends_with('=') => drop(item.find(|line| line.ends_with(';'))),
            Some(first) if !first.ends_with([';', ',', '}']) => drop(item.find(|line| closes(line))),
            _ => {}
        }
    }
    inside_out(&code)
}

/// Rewrites paths in modules inside a file so that they start from the file: `super` in such a module means the file itself.
fn inside_out(code: &str) -> String {
    let (mut out, mut end) = (String::new(), None);
    for line in code.lines() {
        let (indent, item) = line.split_at(line.len() - line.trim_start().len());
        let item = item.strip_prefix("pub(crate) ").or(item.strip_prefix("pub ")).unwrap_or(item);
        if end.as_ref().is_some_and(|end: &String| line.starts_with(end)) {
            end = None;
        }
        for (at, part) in line.split("super::").enumerate() {
            let is_first = at > 0 && !out.ends_with("::");
            out += if at == 0 {
                ""
            } else if is_first && end.is_some() {
                "self::"
            } else {
                "super::"
            };
            out += part;
        }
        out.push('\n');
        if end.is_none() && item.starts_with("mod ") && item.ends_with('{') {
            end = Some(format!("{indent}}}"));
        }
    }
    out
}

fn module_of(file: &str) -> Vec<String> {
    let path = file.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    match path {
        "lib" | "main" => Vec::new(),
        _ => path.split('/').map(str::to_owned).collect(),
    }
}

/// Expands `a::{b, c::d as e}` into its paths, each with the name that it brings into scope.
fn expand(tree: &str, before: &[String], found: &mut Vec<(Vec<String>, String)>) {
    let tree = tree.trim();
    let brace = tree.find('{');
    let head = &tree[..brace.unwrap_or(tree.len())];
    let (head, alias) = head.split_once(" as ").map_or((head, None), |(head, alias)| (head, Some(alias.trim())));
    let mut path = before.to_vec();
    path.extend(head.split("::").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()));
    let Some(brace) = brace else {
        let last = path.last().cloned().unwrap_or_default();
        if last == "self" {
            path.pop();
        }
        let name = alias.map_or_else(|| path.last().cloned().unwrap_or_default(), str::to_owned);
        return found.push((path, name));
    };
    let inside = &tree[brace + 1..tree.rfind('}').unwrap()];
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inside[start..at].trim().is_empty() {
                    expand(&inside[start..at], &path, found);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// Returns the `use` statements of a file, and its code without them.
fn uses_of(code: &str) -> (Vec<Use>, String) {
    let (mut uses, mut rest, mut open) = (Vec::new(), String::new(), String::new());
    for line in code.lines() {
        let begins = line.trim_start();
        let begins = begins.strip_prefix("pub(crate) ").or(begins.strip_prefix("pub(super) ")).unwrap_or(begins);
        if open.is_empty() && !begins.starts_with("use ") && !begins.starts_with("pub use ") {
            rest += line;
            rest.push('\n');
            continue;
        }
        open += line.trim();
        open.push(' ');
        if let Some((statement, behind)) = open.split_once(';') {
            let (visibility, tree) = statement.split_once("use ").unwrap();
            let mut found = Vec::new();
            expand(tree, &[], &mut found);
            let is_public = !visibility.is_empty();
            uses.extend(found.into_iter().map(|(path, name)| Use { path, name, is_public }));
            rest += behind;
            rest.push('\n');
            open.clear();
        }
    }
    assert!(open.is_empty(), "a `use` that does not end: {open}");
    (uses, rest)
}

impl Sources {
    /// Reads the sources of this crate.
    pub fn of_this_crate() -> Self {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut paths = Vec::new();
        walk(&src, &mut paths);
        let read = |path: PathBuf| {
            let name = path.strip_prefix(&src).unwrap().display().to_string();
            (name, fs::read_to_string(&path).unwrap())
        };
        Self::new(paths.into_iter().map(read))
    }

    /// Makes sources from these files, given by path below src/ and text.
    pub fn new(files: impl Iterator<Item = (String, String)>) -> Self {
        let mut files: BTreeMap<_, _> = files.map(|(name, text)| (name, plain(&text))).collect();
        // A stand-in for a module is not a module of its own: it has the imports of the module.
        let stand_ins: Vec<String> = files
            .values()
            .flat_map(|code| code.split("path = \"").skip(1))
            .map(|rest| rest.split('"').next().unwrap().to_owned())
            .collect();
        let is_tests = |name: &str| name.ends_with("tests.rs") || name.contains("/tests/");
        files.retain(|name, _| !is_tests(name) && !stand_ins.iter().any(|path| name.ends_with(path)));
        let modules =
            files.keys().map(|name| (module_of(name), name.clone())).filter(|(_, name)| name != "main.rs").collect();
        let uses = files.iter().map(|(name, code)| (name.clone(), uses_of(code).0)).collect();
        Self { files, modules, uses }
    }

    /// Returns the files and their code.
    pub fn code(&self) -> impl Iterator<Item = (&String, &String)> {
        self.files.iter()
    }

    /// Returns every import between files.
    pub fn imports(&self) -> BTreeSet<Import> {
        let mut imports = BTreeSet::new();
        for (file, code) in &self.files {
            let rest = uses_of(code).1;
            // An item that is only re-exported inside a module is imported by the files that use it.
            let is_used = |import: &&Use| {
                let leaves = || {
                    self.resolve(&module_of(file), &import.path, 0).is_some_and(|(to, _)| module(&to) != module(file))
                };
                !import.is_public || words(&rest).any(|word| word == import.name) || file != "lib.rs" && leaves()
            };
            let children = self.modules.keys().filter(|module| module.starts_with(&module_of(file)));
            let children = children.filter_map(|module| module.get(module_of(file).len()));
            let roots = ["crate", "self", "super", "quchong"].into_iter().chain(children.map(String::as_str)).collect();
            let paths =
                self.uses[file].iter().filter(is_used).map(|import| import.path.clone()).chain(paths_in(&rest, &roots));
            for path in paths {
                if let Some((to, item)) = self.resolve(&module_of(file), &path, 0).filter(|(to, _)| to != file) {
                    imports.insert(Import { from: file.clone(), to, item });
                }
            }
        }
        imports
    }

    /// Returns the file that defines the item at a path in `module`, and the item's name there; `None` for items of other crates.
    fn resolve(&self, module: &[String], path: &[String], depth: usize) -> Option<(String, String)> {
        assert!(depth < 10, "{path:?} in {module:?} leads round in a circle");
        let mut at = module.to_vec();
        let mut rest = path;
        let mut is_ours = false;
        while let Some(first) = rest.first() {
            match first.as_str() {
                "crate" | "quchong" if !is_ours => at.clear(),
                "self" => {}
                "super" => drop(at.pop()),
                _ => break,
            }
            (is_ours, rest) = (true, &rest[1..]);
        }
        while let Some((first, behind)) = rest.split_first() {
            let below = [&at[..], std::slice::from_ref(first)].concat();
            if !self.modules.contains_key(&below) {
                break;
            }
            (at, rest, is_ours) = (below, behind, true);
        }
        let file = self.modules.get(&at).filter(|_| is_ours)?;
        let item = rest.first().map_or("self", String::as_str);
        let handed_on = self.uses[file].iter().find(|import| import.name == item && at != module);
        match handed_on {
            Some(import) => self.resolve(&at, &import.path, depth + 1),
            None => Some((file.clone(), item.to_owned())),
        }
    }
}

/// Returns the top-level module that a file belongs to.
pub fn module(file: &str) -> &str {
    file.split(['/', '.']).next().unwrap()
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !is_word(c)).filter(|word| !word.is_empty())
}

/// Returns the paths in the code itself that start with one of these names.
fn paths_in(code: &str, roots: &BTreeSet<&str>) -> Vec<Vec<String>> {
    let paths = code.split(|c: char| !is_word(c) && c != ':' && c != '$').filter(|path| path.contains("::"));
    let paths = paths.map(|path| path.trim_matches(':').split("::").map(str::to_owned).collect::<Vec<_>>());
    // A macro writes `$crate`.
    let bare = paths.map(|mut path| {
        path[0] = path[0].trim_start_matches('$').to_owned();
        path
    });
    bare.filter(|path| roots.contains(&*path[0])).collect()
}

/// Returns the groups of files that import each other in a circle. A file may use the files of its folder. These may use its types, with
/// their methods, and its constants; a function that they need must be in a file of its own.
pub fn circles(imports: &BTreeSet<Import>) -> Vec<Vec<String>> {
    let is_child = |import: &Import| module_of(&import.from).starts_with(&module_of(&import.to));
    let is_noun = |import: &Import| import.item.starts_with(char::is_uppercase);
    let counted = imports.iter().filter(|import| !(is_child(import) && is_noun(import)));
    let mut next = BTreeMap::<&str, BTreeSet<&str>>::new();
    for import in counted {
        next.entry(&*import.from).or_default().insert(&*import.to);
    }
    let reach = |from: &str| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(file) = open.pop() {
            for to in next.get(&*file).into_iter().flatten() {
                if reached.insert((*to).to_owned()) {
                    open.push((*to).to_owned());
                }
            }
        }
        reached
    };
    let reached: BTreeMap<&str, BTreeSet<String>> = next.keys().map(|file| (*file, reach(file))).collect();
    let with = |file: &str| -> Vec<String> {
        let back = |other: &&String| reached.get(&***other).is_some_and(|reached| reached.contains(file));
        reached[file].iter().filter(back).cloned().collect()
    };
    let all: BTreeSet<Vec<String>> =
        reached.keys().map(|file| with(file)).filter(|circle| !circle.is_empty()).collect();
    all.into_iter().collect()
}
