//! The READMEs and the pages of docs/ show what the program does: every command in a ```console block prints the output shown below it.
//! Each page has a Chinese twin with the same commands, each link has a target, and the tables of options are those of the program.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use quchong::Config;
use quchong::compare::Comparer;

use crate::common::quchong;

/// The most lines that a README may have, so that it can be read in five minutes.
const README_LINES: usize = 200;

/// Makes one test for each page, so that a page can be tested, or blessed, alone.
macro_rules! pages {
    ($($name:ident: $page:literal,)+) => {
        $(#[test]
        #[cfg(unix)]
        fn $name() {
            check($page);
        })+
        /// The English pages; see [`twin`].
        const PAGES: &[&str] = &[$($page),+];
    };
}

pages! {
    overview: "README.md",
    first_steps: "docs/guide/first-steps.md",
    how_it_decides: "docs/guide/how-it-decides.md",
    dumps: "docs/guide/dumps.md",
    feeds: "docs/guide/feeds.md",
    service: "docs/guide/service.md",
    formats: "docs/guide/formats.md",
    tuning: "docs/guide/tuning.md",
    evaluating: "docs/guide/evaluating.md",
    papers: "docs/guide/papers.md",
    operations: "docs/guide/operations.md",
    scale: "docs/guide/scale.md",
    python: "docs/guide/python.md",
    recipes: "docs/guide/recipes.md",
    limits: "docs/guide/limits.md",
    options: "docs/reference/options.md",
    examples: "docs/reference/examples.md",
    exit_codes: "docs/reference/exit-codes.md",
    output: "docs/reference/output.md",
    performance: "docs/reference/performance.md",
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The path of the Chinese page that belongs to an English one.
fn twin(page: &str) -> String {
    match page.strip_prefix("docs/") {
        Some(page) => format!("docs/zh/{page}"),
        None => page.replace(".md", ".zh.md"),
    }
}

/// A piece of a page. All pieces in order make up the page.
enum Part {
    Prose(String),
    /// A line `$ command` with its continuation lines, each after a `\`, and the output shown below.
    Session {
        command: String,
        output: String,
    },
}

fn parts(page: &str, text: &str) -> Vec<Part> {
    let (mut parts, mut is_console) = (Vec::new(), false);
    for line in text.split_inclusive('\n') {
        if line.starts_with("```") || !is_console {
            is_console = line.trim_end() == "```console" || is_console && !line.starts_with("```");
            parts.push(Part::Prose(line.to_owned()));
        } else if let Some(command) = line.strip_prefix("$ ") {
            parts.push(Part::Session { command: command.to_owned(), output: String::new() });
        } else if let Some(Part::Session { command, output }) = parts.last_mut() {
            let part = if output.is_empty() && command.ends_with("\\\n") { command } else { output };
            part.push_str(line);
        } else {
            panic!("{page}: a ```console block begins with `$ `, not with {line}");
        }
    }
    parts
}

fn commands(parts: &[Part]) -> Vec<String> {
    let command = |part: &Part| match part {
        Part::Session { command, .. } => Some(command.clone()),
        Part::Prose(_) => None,
    };
    parts.iter().filter_map(command).collect()
}

/// Whether a page is for readers of Chinese, who see the program's messages in Chinese.
fn is_chinese(page: &str) -> bool {
    page.starts_with("docs/zh/") || page.ends_with(".zh.md")
}

/// Runs the commands of a page one after another in a fresh folder with a link to `data`, and returns what each prints.
fn run(page: &str, commands: &[String]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("data"), folder.path().join("data")).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_quchong")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let printed = |command: &String| {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("exec 2>&1; {command}")])
            .current_dir(&folder)
            .env("PATH", &path)
            .env_remove("QUCHONG_SEED")
            .env("QUCHONG_UI", if is_chinese(page) { "zh" } else { "en" });
        String::from_utf8(shell.output().unwrap().stdout).unwrap()
    };
    commands.iter().map(printed).collect()
}

/// Removes seconds, rates and memory, which differ from machine to machine, and keeps the text before them.
fn without_measurements(output: &str) -> String {
    let line = |line| {
        let parts = [("quchong: in ", "; "), ("quchong: 读入 ", "；")];
        let end = parts.iter().find(|(begin, _)| str::starts_with(line, begin)).map_or("\n", |(_, end)| end);
        line.split_once(end).map_or(line, |(totals, _)| totals)
    };
    output.trim_end().lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the page with its tables of options, one for each group, replaced by those that the program prints.
fn with_table(page: &str, text: &str) -> String {
    let format = if is_chinese(page) { "markdown-zh" } else { "markdown" };
    let table = String::from_utf8(quchong().args(["settings", "--format", format]).output().unwrap().stdout).unwrap();
    let head = table.lines().next().unwrap();
    let (before, rest) =
        text.split_once(head).unwrap_or_else(|| panic!("{page}: there is no table that begins with {head}"));
    let (_, after) = rest.split_once("\n\n## ").unwrap_or_else(|| panic!("{page}: no section follows the tables"));
    format!("{before}{table}\n## {after}")
}

/// Compares a page and its twin with what their commands print, or under `QUCHONG_BLESS=1` writes the printed output into them.
fn check(english: &str) {
    let mut errors = Vec::new();
    let mut last: Option<Vec<String>> = None;
    for page in [english.to_owned(), twin(english)] {
        let text = read(&page);
        let parts = parts(&page, &text);
        let commands = commands(&parts);
        // Texts differ between the languages, and so do the filters that pick lines from messages.
        let ascii = |command: &String| {
            let told = [" | grep ", " | sed "].iter().filter_map(|picks| command.find(picks)).min();
            command[..told.unwrap_or(command.len())].replace(|char: char| !char.is_ascii(), "")
        };
        let same = |others: Vec<String>| others.iter().map(ascii).eq(commands.iter().map(ascii));
        if last.is_some_and(|others| !same(others)) {
            errors.push(format!("{page}: its commands are not those of {english}"));
        }
        let outputs = run(&page, &commands);
        let mut printed = outputs.iter();
        let mut blessed = String::new();
        for part in &parts {
            match part {
                Part::Prose(line) => blessed += line,
                Part::Session { command, output } => {
                    let printed = printed.next().unwrap();
                    // Measurements of a release build stay in the page.
                    let is_same = without_measurements(printed) == without_measurements(output);
                    if !is_same {
                        errors.push(format!("{page}: {command}prints\n{printed}instead of\n{output}"));
                    }
                    blessed += &format!("$ {command}{}", if is_same { output } else { printed });
                }
            }
        }
        if page.ends_with("/options.md") {
            let tabled = with_table(&page, &blessed);
            if tabled != blessed {
                errors.push(format!("{page}: the table of options is not as `quchong settings` shows it"));
            }
            blessed = tabled;
        }
        if std::env::var_os("QUCHONG_BLESS").is_some() {
            errors.clear();
            fs::write(root().join(&page), blessed).unwrap();
        }
        last = Some(commands);
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

/// Returns all Markdown files below docs/, as paths from the root.
fn book() -> Vec<String> {
    let mut folders = vec![root().join("docs")];
    let mut pages = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    pages.sort();
    pages
}

#[test]
fn the_readme_is_short() {
    for readme in ["README.md", "README.zh.md"] {
        let lines = read(readme).lines().count();
        assert!(lines <= README_LINES, "{readme} has {lines} lines, {README_LINES} are allowed");
    }
}

#[test]
fn every_page_is_tested_and_has_a_twin_and_a_line_in_the_summary() {
    let mut expected: Vec<String> = PAGES.iter().flat_map(|page| [(*page).to_owned(), twin(page)]).collect();
    expected.retain(|page| page.starts_with("docs/"));
    expected.push("docs/SUMMARY.md".to_owned());
    expected.sort();
    assert_eq!(book(), expected);
    let listed = links(&read("docs/SUMMARY.md"));
    for page in book().iter().filter(|page| *page != "docs/SUMMARY.md") {
        let times = listed.iter().filter(|link| format!("docs/{link}") == *page).count();
        assert_eq!(times, 1, "docs/SUMMARY.md: how often it lists {page}");
    }
}

/// The tables of pairs are right: for an earlier message and a later one, each row gives the verdict of the default settings.
#[test]
fn pairs_are_judged_as_the_tables_say() {
    let mut comparer = Comparer::new(&Config::default()).unwrap();
    let mut errors = Vec::new();
    let pages = [("README.md", 8), ("docs/guide/how-it-decides.md", 20), ("docs/reference/examples.md", 50)];
    for (page, least) in pages {
        for page in [page.to_owned(), twin(page)] {
            let mut rows = 0;
            for line in read(&page).lines() {
                let [_, earlier, later, verdict, ..] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
                    continue;
                };
                let is_repeat =
                    ["repeat", "重复", "完全重复", "近似重复", "去掉"].iter().any(|word| verdict.starts_with(word));
                if is_repeat || ["kept", "保留"].iter().any(|word| verdict.starts_with(word)) {
                    rows += 1;
                    if comparer.compare(earlier, later).verdict.is_kept() == is_repeat {
                        errors.push(format!("{page}: {line}"));
                    }
                }
            }
            assert!(rows >= least, "{page}: only {rows} pairs were found");
        }
    }
    assert!(errors.is_empty(), "judged otherwise:\n{}", errors.join("\n"));
}

/// The lines outside fenced blocks, without inline `code`.
fn prose(text: &str) -> Vec<String> {
    let mut is_fence = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let is_mark = line.trim_start().starts_with("```");
        is_fence ^= is_mark;
        if !is_fence && !is_mark {
            lines.push(line.split('`').step_by(2).collect());
        }
    }
    lines
}

/// The targets of links that are not web addresses.
fn links(text: &str) -> Vec<String> {
    let target = |rest: &str| rest.split_once(')').map(|(target, _)| target.to_owned());
    let of_line = |line: String| line.split("](").skip(1).filter_map(target).collect::<Vec<_>>();
    prose(text).into_iter().flat_map(of_line).filter(|link| !link.contains("://")).collect()
}

/// The anchors of a page's headings, made as GitHub and mdBook make them.
fn anchors(text: &str) -> Vec<String> {
    let mut is_fence = false;
    let outside = text.lines().filter(|line| {
        is_fence ^= line.starts_with("```");
        !is_fence
    });
    let heading = |line: &str| {
        let kept = |char: char| match char {
            ' ' => Some('-'),
            char => (char.is_alphanumeric() || "-_".contains(char)).then_some(char),
        };
        let title = line.trim_start_matches('#');
        (title.len() < line.len()).then(|| title.trim().to_lowercase().chars().filter_map(kept).collect())
    };
    outside.filter_map(heading).collect()
}

#[test]
fn links_have_targets() {
    let of_root = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let others = ["spark/README.md", "python/README.md", "data/README.md"].map(str::to_owned);
    let pages = of_root.filter(|name| name.ends_with(".md")).chain(book()).chain(others);
    let mut errors = Vec::new();
    for page in pages {
        let text = read(&page);
        for link in links(&text) {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let own = root().join(&page);
            let file: PathBuf = if path.is_empty() { own } else { own.parent().unwrap().join(path) };
            let is_there = match fs::read_to_string(&file) {
                Ok(text) => anchor.is_empty() || anchors(&text).iter().any(|known| known == anchor),
                Err(_) => anchor.is_empty() && file.exists(),
            };
            if !is_there {
                errors.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(errors.is_empty(), "links without a target:\n{}", errors.join("\n"));
}
