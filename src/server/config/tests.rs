//! Precedence of flags, file and defaults, and combinations that are refused.

use super::*;

const NO_ENTROPY: [u8; SECRET_BYTES_MIN] = [7; SECRET_BYTES_MIN];

fn config(flags: ServeFlags, file: Option<&str>) -> Result<ServeConfig, ConfigError> {
    let file = file.map(|text| RawFile::parse(text).expect(text));
    ServeConfig::new(flags, file, Secrets::default(), NO_ENTROPY)
}

fn port(listen: &ListenAddress) -> u16 {
    listen.foremost().port()
}

fn mode_of(listen: &str, payments: Option<Mode>, file: Option<&str>) -> Option<Mode> {
    let listen = Some(listen.parse().expect("an address"));
    let flags = ServeFlags { listen, payments, ..ServeFlags::default() };
    config(flags, file).map(|config| config.options.payments).ok()
}

#[test]
fn answers_are_given_away_in_public_only_when_said() {
    assert_eq!(mode_of("127.0.0.1:8080", None, None), Some(Mode::Off));
    assert_eq!(mode_of("[::1]:8080", None, None), Some(Mode::Off));
    assert_eq!(mode_of("localhost:8080", None, None), Some(Mode::Off));
    assert_eq!(mode_of("127.0.0.1:8080", None, Some("[payment]")), Some(Mode::Off));
    for file in [None, Some(""), Some("[payment.prices]\ndeep = 1")] {
        assert_eq!(mode_of("0.0.0.0:8080", None, file), None);
        assert_eq!(mode_of("[::]:8080", None, file), None);
        assert_eq!(mode_of("0.0.0.0:8080", Some(Mode::Off), file), Some(Mode::Off));
    }
    assert_eq!(mode_of("0.0.0.0:8080", None, Some("payment.mode = \"off\"")), Some(Mode::Off));
}

#[test]
fn a_sandbox_in_public_is_named_and_has_a_url() {
    let url = "payment.public_base_url = \"https://api.example.net\"";
    assert_eq!(mode_of("127.0.0.1:8080", Some(Mode::Sandbox), None), Some(Mode::Sandbox));
    assert_eq!(mode_of("0.0.0.0:8080", Some(Mode::Sandbox), None), None, "no URL to be reached by");
    assert_eq!(mode_of("0.0.0.0:8080", Some(Mode::Sandbox), Some(url)), Some(Mode::Sandbox));
    assert_eq!(mode_of("0.0.0.0:8080", None, Some(url)), None);
}

#[test]
fn live_needs_a_file() {
    let flags = || ServeFlags { payments: Some(Mode::Live), ..ServeFlags::default() };
    assert!(matches!(config(flags(), None), Err(ConfigError::LiveWithoutFile)));
    assert!(matches!(config(flags(), Some("")), Err(ConfigError::Faults(_))));
}

#[test]
fn the_command_line_comes_before_the_file_and_the_file_before_the_defaults() {
    let file = "listen = \"127.0.0.1:1\"\nsnapshots = \"a\"\nadmin = \"127.0.0.1:2\"\nrate = 3\nrate_loopback = true\n\
                private_copy = true\n\
                payment.mode = \"sandbox\"\npayment.prices.deep = 4";
    let by_default = config(ServeFlags::default(), None).expect("the defaults");
    assert_eq!((by_default.listen, by_default.snapshots.to_str()), (LISTEN.into(), Some(SNAPSHOTS)));
    assert_eq!((by_default.admin, by_default.options.rate_loopback), (None, false));
    assert_eq!(by_default.options.requests_per_minute, Some(REQUESTS_PER_MINUTE));
    assert!(by_default.payment.is_none());

    let by_file = config(ServeFlags::default(), Some(file)).expect("a file");
    assert_eq!((port(&by_file.listen), by_file.snapshots.to_str()), (1, Some("a")));
    assert_eq!((by_file.admin.as_ref().map(port), by_file.options.rate_loopback), (Some(2), true));
    assert_eq!(by_file.options.requests_per_minute, NonZeroU32::new(3));
    let settings = by_file.payment.expect("a sandbox");
    assert_eq!((settings.mode, settings.prices), (Mode::Sandbox, by_file.options.prices));

    let flags = ServeFlags {
        config: None,
        snapshots: Some("b".into()),
        listen: Some("127.0.0.1:5".parse().expect("an address")),
        admin: Some("127.0.0.1:6".parse().expect("an address")),
        payments: Some(Mode::Off),
        admin_public: false,
        requests_per_minute: Some(0),
        rate_loopback: Some(false),
        skip_verification: true,
        private_copy: Some(false),
    };
    let by_flags = config(flags, Some(file)).expect("a command line");
    assert_eq!((port(&by_flags.listen), by_flags.snapshots.to_str()), (5, Some("b")));
    assert_eq!((by_flags.admin.as_ref().map(port), by_flags.options.rate_loopback), (Some(6), false));
    let residences = [by_default.residence, by_file.residence, by_flags.residence];
    assert_eq!(residences, [Residence::Mapped, Residence::Copied, Residence::Mapped]);
    assert_eq!((by_file.verification, by_flags.verification), (Verification::Once, Verification::Lengths));
    assert_eq!((by_flags.options.requests_per_minute, by_flags.payment.is_none()), (None, true));
    assert_eq!(by_flags.options.prices, by_file.options.prices, "quotes say them also where nobody pays");
}

#[test]
fn payments_can_be_switched_off_whatever_the_file_says_of_them() {
    let file = "payment.mode = \"live\"\npayment.offer_ttl_s = 0";
    let flags = ServeFlags { payments: Some(Mode::Off), ..ServeFlags::default() };
    assert!(config(flags, Some(file)).is_ok_and(|config| config.payment.is_none()));
    let flags = ServeFlags { payments: Some(Mode::Off), ..ServeFlags::default() };
    let error = config(flags, Some("payment.prices.deep = 0")).expect_err("no price");
    assert!(error.to_string().contains("payment.prices.deep is 0"), "{error}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let flags = ServeFlags { config: Some("no/such.toml".into()), ..ServeFlags::default() };
    let error = ServeConfig::load(flags).expect_err("no file");
    assert!(error.to_string().contains("no/such.toml"), "{error}");
}

#[test]
fn the_example_is_a_configuration_once_somebody_is_paid() {
    let text = include_str!("../../../pricebook.example.toml");
    let secrets = || Secrets {
        current: Some(crate::payment::core::secret::for_tests::sound_secret()),
        channel_key: Some(crate::payment::core::secret::Secret::new("07".repeat(32))),
        ..Secrets::default()
    };
    let load = |text: &str| {
        let file = RawFile::parse(text).expect("a file");
        ServeConfig::new(ServeFlags::default(), Some(file), secrets(), NO_ENTROPY)
    };
    let Err(ConfigError::Faults(Faults(faults))) = load(text) else { panic!("it pays nobody") };
    let keys: Vec<&str> = faults.iter().map(|fault| fault.key.as_str()).collect();
    let rails = ["base", "solana", "tempo"].map(|rail| format!("payment.rail.{rail}.pay_to"));
    assert_eq!(keys, rails);
    let own = text
        .replace("0x000000000000000000000000000000000000dEaD", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
        .replace(
            "1nc1nerator11111111111111111111111111111111",
            "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM",
        );
    let config = load(&own).expect("a configuration");
    let settings = config.payment.expect("live");
    assert_eq!(
        (settings.mode, crate::payment::core::offer::offered_by(&settings.rails).len()),
        (Mode::Live, 5)
    );
    // The values that the example describes as defaults are the defaults.
    let by_default = ServeConfig::new(ServeFlags::default(), None, Secrets::default(), NO_ENTROPY);
    let by_default = by_default.expect("the defaults");
    assert_eq!((config.listen, config.snapshots), (by_default.listen, by_default.snapshots));
    assert_eq!(config.options.requests_per_minute, by_default.options.requests_per_minute);
    assert_eq!(config.options.rate_loopback, by_default.options.rate_loopback);
    assert_eq!(settings.prices, Prices::DEFAULT);
}
