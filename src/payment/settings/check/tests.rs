//! A configuration is served when it is whole, and every fault of one that is not is named.

use super::*;
use crate::payment::core::offer::offered_by;
use crate::payment::core::secret::for_tests::sound_secret;
use crate::payment::rails::base::{BASE_SEPOLIA_CHAIN_ID, BASE_SEPOLIA_USDC, BaseRail};
use crate::payment::rails::evm::SANDBOX_PAY_TO;
use crate::payment::rails::{base, solana};

const LIVE: &str = r#"
mode = "live"
public_base_url = "https://api.example.net"
[rail.base]
network = "eip155:8453"
asset = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
pay_to = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
facilitator_url = "http://127.0.0.1:4022/"
rpc_url = "http://127.0.0.1:8545"
[rail.solana]
network = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
asset = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
pay_to = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
facilitator_url = "http://127.0.0.1:4023"
rpc_url = "http://127.0.0.1:8899"
[rail.tempo]
chain_id = 4217
asset = "0x20C000000000000000000000b9537d11c60E8b50"
pay_to = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
rpc_url = "http://127.0.0.1:8546"
"#;

fn secrets() -> Secrets {
    Secrets { current: Some(sound_secret()), ..Secrets::default() }
}

fn address(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

fn check(text: &str, mode: Mode, secrets: Secrets) -> Result<Settings, Vec<Fault>> {
    let raw = toml::from_str(text).expect(text);
    Settings::new(&raw, mode, address("127.0.0.1:8080"), secrets, [0xab; SECRET_BYTES_MIN])
}

/// Keys of the faults of the live configuration with one line changed.
fn faults(from: &str, to: &str) -> Vec<String> {
    assert!(LIVE.contains(from), "{from}");
    match check(&LIVE.replace(from, to), Mode::Live, secrets()) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.into_iter().map(|fault| fault.key).collect(),
    }
}

#[test]
fn a_whole_configuration_is_served() {
    let settings = check(LIVE, Mode::Live, secrets()).expect("a configuration");
    assert_eq!((settings.realm.as_str(), settings.offer_ttl_s), ("api.example.net", 60));
    assert_eq!((settings.verify_timeout.as_millis(), settings.settle_timeout.as_millis()), (3_000, 20_000));
    assert_eq!((settings.chain_query.as_millis(), settings.request_deadline.as_millis()), (4_000, 30_000));
    let base = settings.rail::<BaseRail>().expect("base");
    assert_eq!((base.eip712_name.as_str(), base.eip712_version.as_str()), ("USD Coin", "2"));
    assert_eq!((base.facilitator_url.as_str(), base.x402, base.mpp), ("http://127.0.0.1:4022", true, true));
    let offers: Vec<String> = offered_by(&settings.rails)
        .into_iter()
        .map(|(rail, offer)| format!("{rail} {} {} {}", offer.protocol, offer.method, offer.network))
        .collect();
    assert_eq!(
        offers,
        [
            "base x402 exact eip155:8453",
            "solana x402 exact solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
            "tempo mpp tempo eip155:4217",
            "base mpp evm eip155:8453",
        ]
    );
    let elsewhere = settings.clone().with_address(address("127.0.0.1:9"));
    assert_eq!(elsewhere.public_base_url, settings.public_base_url, "it was configured");
}

#[test]
fn each_fault_is_named_by_its_key() {
    for (from, to, key) in [
        ("https://api", "http://api", "payment.public_base_url"),
        ("mode = \"live\"", "ledger = \"..\"", "payment.ledger"),
        ("mode = \"live\"", "offer_ttl_s = 0", "payment.offer_ttl_s"),
        ("mode = \"live\"", "offer_ttl_s = 3601", "payment.offer_ttl_s"),
        ("mode = \"live\"", "verify_timeout_ms = 0", "payment.verify_timeout_ms"),
        ("mode = \"live\"", "settle_timeout_ms = 90001", "payment.settle_timeout_ms"),
        ("mode = \"live\"", "chain_look_ms = 99", "payment.chain_look_ms"),
        ("mode = \"live\"", "request_deadline_ms = 999", "payment.request_deadline_ms"),
        ("mode = \"live\"", "reply_ttl_s = 0", "payment.reply_ttl_s"),
        ("mode = \"live\"", "replies_bytes_max = 0", "payment.replies_bytes_max"),
        ("eip155:8453", "base", "payment.rail.base.network"),
        ("eip155:8453", "eip155:84532", "payment.rail.base.asset"),
        ("0x833589fCD6", "0x833589fcD6", "payment.rail.base.asset"),
        ("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "", "payment.rail.base.asset"),
        ("facilitator_url = \"http://127.0.0.1:4022/\"", "", "payment.rail.base.facilitator_url"),
        ("rpc_url = \"http://127.0.0.1:8545\"", "", "payment.rail.base.rpc_url"),
        ("http://127.0.0.1:8899", "ws://127.0.0.1:8899", "payment.rail.solana.rpc_url"),
        ("solana:5ey", "eip155:", "payment.rail.solana.network"),
        ("EPjFW", "EPjFW0", "payment.rail.solana.asset"),
        ("9WzDX", "", "payment.rail.solana.pay_to"),
        ("chain_id = 4217", "", "payment.rail.tempo.chain_id"),
        ("chain_id = 4217", "chain_id = 0", "payment.rail.tempo.chain_id"),
        ("chain_id = 4217", "chain_id = 4217\nprotocols = [\"x402\"]", "payment.rail.tempo.protocols"),
        ("[rail.tempo]", "protocols = [\"mpp\"]\n[rail.tempo]", "payment.rail.solana.protocols"),
        ("[rail.solana]", "protocols = []\n[rail.solana]", "payment.rail.base.protocols"),
        ("[rail.solana]", "protocols = [\"mpp\", \"mpp\"]\n[rail.solana]", "payment.rail.base.protocols"),
        ("[rail.solana]", "eip712_name = \"USDC\"\n[rail.solana]", "payment.rail.base.eip712_name"),
        ("[rail.solana]", "eip712_version = \"1\"\n[rail.solana]", "payment.rail.base.eip712_version"),
    ] {
        assert_eq!(faults(from, to), [key], "{from} → {to}");
    }
    assert_eq!(faults("[rail.solana]", "protocols = [\"mpp\"]\n[rail.solana]"), [""; 0]);
    assert_eq!(faults("[rail.solana]", "eip712_name = \"USD Coin\"\n[rail.solana]"), [""; 0]);
}

#[test]
fn rejects_pay_to_addresses_that_cannot_receive() {
    for wrong in [
        "0x0000000000000000000000000000000000000000",
        "0x000000000000000000000000000000000000dEaD",
        "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    ] {
        let keys = faults("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", wrong);
        assert!(keys.contains(&"payment.rail.base.pay_to".to_owned()), "{wrong}: {keys:?}");
    }
    for wrong in [
        "11111111111111111111111111111111",
        "1nc1nerator11111111111111111111111111111111",
        "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    ] {
        assert_eq!(
            faults("9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM", wrong),
            ["payment.rail.solana.pay_to"],
            "{wrong}"
        );
    }
}

#[test]
fn another_token_needs_the_words_of_its_domain() {
    let other = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    let token = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
    let text = LIVE.replace(other, "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359").replace(token, other);
    let keys: Vec<String> = check(&text, Mode::Live, secrets())
        .expect_err("no domain")
        .into_iter()
        .map(|fault| fault.key)
        .collect();
    assert_eq!(keys, ["payment.rail.base.eip712_name", "payment.rail.base.eip712_version"]);
    let named =
        text.replace("[rail.solana]", "eip712_name = \"Coin\"\neip712_version = \"3\"\n[rail.solana]");
    let settings = check(&named, Mode::Live, secrets()).expect("a domain");
    let base = settings.rail::<BaseRail>().expect("base");
    assert_eq!((base.eip712_name.as_str(), base.eip712_version.as_str()), ("Coin", "3"));
}

#[test]
fn faults_are_told_all_at_once() {
    let text = "offer_ttl_s = 0\n[prices]\nshopper = 0\n[rail.base]\npay_to = \"me\"";
    let found = check(text, Mode::Live, Secrets::default()).expect_err("faults");
    let keys: Vec<&str> = found.iter().map(|fault| fault.key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "payment.public_base_url",
            "payment.prices.shopper",
            "PRICEBOOK_PAYMENT_SECRET",
            "payment.offer_ttl_s",
            "payment.rail.base.network",
            "payment.rail.base.asset",
            "payment.rail.base.pay_to",
            "payment.rail.base.facilitator_url",
            "payment.rail.base.rpc_url",
        ]
    );
    let keys: Vec<String> = check("public_base_url = \"https://api.example.net\"", Mode::Live, secrets())
        .expect_err("no rail")
        .into_iter()
        .map(|fault| fault.key)
        .collect();
    assert_eq!(keys, ["payment.rail"]);
}

#[test]
fn secrets_are_long_and_never_printed() {
    let short = Some(Secret::new("hunter2"));
    let blank = Secret::new("hunter2 hunter2");
    let wrong = Secrets {
        current: short.clone(),
        previous: short,
        bearers: [(base::NAME, blank.clone()), (solana::NAME, blank)].into(),
        ..Secrets::default()
    };
    let found = check(LIVE, Mode::Live, wrong).expect_err("faults");
    let keys: Vec<&str> = found.iter().map(|fault| fault.key.as_str()).collect();
    assert_eq!(
        keys,
        [
            Secrets::CURRENT,
            Secrets::PREVIOUS,
            Secrets::PREVIOUS,
            "PRICEBOOK_FACILITATOR_BEARER_BASE",
            "PRICEBOOK_FACILITATOR_BEARER_SOLANA",
        ]
    );
    assert!(found.iter().all(|fault| !fault.to_string().contains("hunter2")), "{found:?}");
    let weak = Secrets { current: Some(Secret::new("hunter2".repeat(5))), ..Secrets::default() };
    let found = check(LIVE, Mode::Live, weak).expect_err("a fault");
    assert_eq!((found.len(), found[0].key.as_str()), (1, Secrets::CURRENT), "{found:?}");
    assert!(found[0].to_string().contains("repeats 7 bytes"), "{found:?}");
    let bearer = Secret::new("hunter2");
    let whole = Secrets {
        previous: Some(Secret::new("hunter2:b61d5c9f0e83a47209d8c1f35e6a7b42")),
        bearers: [(base::NAME, bearer.clone())].into(),
        ..secrets()
    };
    let settings = check(LIVE, Mode::Live, whole).expect("a configuration");
    assert_eq!(settings.rail::<BaseRail>().and_then(|base| base.bearer.clone()), Some(bearer));
    assert!(settings.secret_previous.is_some());
    assert!(!format!("{settings:?}").contains("hunter2"));
}

#[test]
fn a_sandbox_works_without_a_file() {
    let settings = check("", Mode::Sandbox, Secrets::default()).expect("a sandbox");
    assert_eq!(settings.public_base_url, "http://127.0.0.1:8080");
    assert_eq!(settings.secret.expose(), "ab".repeat(SECRET_BYTES_MIN));
    let base = settings.rail::<BaseRail>().expect("base");
    assert_eq!(
        (base.chain_id, base.asset, base.pay_to),
        (BASE_SEPOLIA_CHAIN_ID, BASE_SEPOLIA_USDC, SANDBOX_PAY_TO)
    );
    assert_eq!((base.network.as_str(), base.eip712_name.as_str()), ("eip155:84532", "USDC"));
    assert_eq!(offered_by(&settings.rails).len(), 2);
    let bound = settings.with_address(address("127.0.0.1:41234"));
    assert_eq!(
        (bound.public_base_url.as_str(), bound.realm.as_str()),
        ("http://127.0.0.1:41234", "127.0.0.1")
    );
}

#[test]
fn a_sandbox_takes_no_real_money() {
    let settings = check(LIVE, Mode::Sandbox, Secrets::default()).expect("a sandbox");
    assert_eq!(settings.public_base_url, "https://api.example.net");
    assert_eq!(settings.rails.len(), 1);
    assert_eq!(settings.rail::<BaseRail>().map(|base| base.pay_to), Some(SANDBOX_PAY_TO));
    let own = LIVE
        .replace("eip155:8453", "eip155:84532")
        .replace("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "0x036CbD53842c5426634e7929541eC2318f3dCF7e");
    let settings = check(&own, Mode::Sandbox, Secrets::default()).expect("a sandbox");
    let base = settings.rail::<BaseRail>().expect("base");
    assert_eq!(base.pay_to.to_string(), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
    // What is configured is checked, also where it is left out.
    assert!(check(&LIVE.replace("EPjFW", "EPjFW0"), Mode::Sandbox, Secrets::default()).is_err());
}
