//! The program itself, started with configurations that it must refuse: what it says, and what comes before what.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

/// Starts the server, which must refuse, and hands back what it says.
fn refused(args: &[&str], environment: &[(&str, &str)]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_pricebook"))
        .arg("serve")
        .args(args)
        .env_clear()
        .envs(environment.iter().copied())
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{args:?} {environment:?}");
    assert!(std::fs::read_dir(dir.path()).unwrap().next().is_none(), "nothing is built before the refusal");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_command_line_comes_before_the_environment_and_that_before_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pricebook.toml");
    std::fs::write(&file, "listen = \"0.0.0.0:3\"").unwrap();
    let file = file.to_str().unwrap();
    let says = |args: &[&str], environment: &[(&str, &str)], address: &str| {
        let said = refused(args, environment);
        assert!(said.contains(&format!("{address} is not a loopback address")), "{said}");
    };
    let environment = [("PRICEBOOK_LISTEN", "0.0.0.0:2"), ("PRICEBOOK_CONFIG", file)];
    says(&[], &environment[1..], "0.0.0.0:3");
    says(&[], &environment, "0.0.0.0:2");
    says(&["--listen", "0.0.0.0:1"], &environment, "0.0.0.0:1");
}

#[test]
fn secrets_are_read_and_not_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let file = at("pricebook.toml", "payment.mode = \"live\"");
    let short = at("secret", "hunter2\n");
    let config = ("PRICEBOOK_CONFIG", file.as_str());
    let said = refused(&[], &[config]);
    assert!(said.contains("PRICEBOOK_PAYMENT_SECRET is not set") && said.contains("payment.rail"), "{said}");
    let said = refused(&[], &[config, ("PRICEBOOK_PAYMENT_SECRET_FILE", &short)]);
    assert!(said.contains("PRICEBOOK_PAYMENT_SECRET has 7 bytes") && !said.contains("hunter2"), "{said}");
    let weak = at("weak", &"hunter2".repeat(5));
    let said = refused(&[], &[config, ("PRICEBOOK_PAYMENT_SECRET_FILE", &weak)]);
    assert!(said.contains("repeats 7 bytes") && !said.contains("hunter2"), "{said}");
    std::fs::set_permissions(&weak, Permissions::from_mode(0o644)).unwrap();
    let said = refused(&[], &[config, ("PRICEBOOK_PAYMENT_SECRET_FILE", &weak)]);
    assert!(said.contains("weak: every user of this machine can read the secret"), "{said}");
    let endless = refused(&[], &[config, ("PRICEBOOK_PAYMENT_SECRET_FILE", "/dev/zero")]);
    assert!(endless.contains("/dev/zero, which cannot be read: it is not a regular file"), "{endless}");
    let twice = [
        config,
        ("PRICEBOOK_PAYMENT_SECRET", "hunter2"),
        ("PRICEBOOK_PAYMENT_SECRET_FILE", &short),
        ("PRICEBOOK_FACILITATOR_BEARER_BASE_FILE", "no/such/file"),
    ];
    let said = refused(&[], &twice);
    assert!(said.contains("PRICEBOOK_PAYMENT_SECRET_FILE are both set"), "{said}");
    assert!(said.contains("no/such/file, which cannot be read") && !said.contains("hunter2"), "{said}");
}

#[test]
fn live_needs_a_configuration() {
    assert!(refused(&["--payments", "live"], &[]).contains("--config FILE"));
    let said = refused(&["--config", "no/such.toml"], &[]);
    assert!(said.contains("no/such.toml cannot be read"), "{said}");
}
