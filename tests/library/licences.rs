//! Packages that are linked into quchong, or build it, have permissive licences and come from crates.io.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::process::Command;

use spdx::{Expression, LicenseReq, ParseMode};

/// Licences that require no more than naming them.
const PERMISSIVE: &[&str] = &[
    "Apache-2.0",
    "BSD-3-Clause",
    // tiny-keccak, which seeds a macro while arrow-array is compiled; it is in the public domain.
    "CC0-1.0",
    "ISC",
    "MIT",
    // libbz2-rs-sys; like BSD-4-Clause without its advertising clause.
    "bzip2-1.0.6",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// An exception to a licence only permits more, so exceptions are ignored.
fn is_permissive(licence: &LicenseReq) -> bool {
    licence.license.id().is_some_and(|id| PERMISSIVE.contains(&id.name))
}

/// Whether a licence expression can be met by permissive licences alone. Old packages write `MIT/Apache-2.0`.
fn allows(licence: &str) -> bool {
    Expression::parse_mode(licence, ParseMode::LAX).is_ok_and(|expression| expression.evaluate(is_permissive))
}

/// Returns cargo's metadata of all packages needed on this machine, with every feature.
fn packages() -> Vec<serde_json::Value> {
    let run = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let version = run("rustc", &["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let args = ["metadata", "--format-version=1", "--locked", "--offline", "--all-features", "--filter-platform", host];
    let metadata: serde_json::Value = serde_json::from_str(&run(env!("CARGO"), &args)).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

#[test]
fn every_dependency_is_permissive_and_from_the_registry() {
    assert!(allows("GPL-3.0 OR MIT") && allows("MIT/Apache-2.0") && allows("Apache-2.0 WITH LLVM-exception"));
    assert!(!allows("GPL-3.0") && !allows("MIT AND GPL-2.0") && !allows("free for all"));
    let packages = packages();
    assert!(packages.len() > 100, "{}", packages.len());
    for package in &packages {
        let text = |field: &str| package[field].as_str().unwrap_or_default();
        let name = text("name");
        assert!(allows(text("license")), "{name} is under {:?}", text("license"));
        if name == "quchong" {
            let wanted = package["dependencies"].as_array().unwrap();
            assert!(wanted.iter().all(|dependency| dependency["req"] != "*"), "a dependency of any version");
        } else {
            assert_eq!(text("source"), CRATES_IO, "{name}");
        }
    }
}
