//! Completions and the manual come from the command line itself, endpoints included.

use std::fs;
use std::process::Command;

use pricebook::endpoints;

fn pricebook(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_pricebook")).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn shells_complete_endpoints_and_their_options() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = pricebook(&["completions", shell]);
        for word in ["price-history", "entity-uid", "aggregate-by", "last_30_days", "doctor"] {
            assert!(text.contains(word), "{shell} knows no {word}");
        }
    }
}

#[test]
fn bash_takes_what_it_is_given() {
    let text = pricebook(&["completions", "bash"]);
    let script = format!(
        "{text}\nCOMP_WORDS=(pricebook query best-price --country '') COMP_CWORD=4\n\
         _pricebook pricebook '' --country\necho \"${{COMPREPLY[@]}}\""
    );
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("script");
    fs::write(&file, script).unwrap();
    let output = Command::new("bash").arg("--norc").arg(&file).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.trim(), "us ca", "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_command_has_its_page() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("man/man1");
    pricebook(&["man", "--out", out.to_str().unwrap()]);
    let page = |name: &str| {
        let text = fs::read_to_string(out.join(format!("{name}.1")))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        text.replace('\\', "")
    };
    for route in endpoints::routes() {
        let name = route.path.rsplit('/').next().unwrap();
        let text = page(&format!("pricebook-query-{name}"));
        for param in route.params.iter().filter(|param| param.name != "quote") {
            assert!(
                text.contains(&format!("--{}", param.name.replace('_', "-"))),
                "{name} has no {}",
                param.name
            );
        }
    }
    for name in ["pricebook", "pricebook-serve", "pricebook-doctor", "pricebook-ledger-backup"] {
        assert!(page(name).contains(".SH NAME"), "{name}");
    }
    assert!(page("pricebook-query").contains("Exit codes:"));
    assert!(!out.join("pricebook-floor.1").exists(), "what is hidden has none");
    let again = dir.path().join("again");
    pricebook(&["man", "--out", again.to_str().unwrap()]);
    for entry in fs::read_dir(&out).unwrap().map(|entry| entry.unwrap()) {
        assert_eq!(fs::read(entry.path()).unwrap(), fs::read(again.join(entry.file_name())).unwrap());
    }
}
