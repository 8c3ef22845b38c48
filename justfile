# `just` lists these; https://just.systems. Each is a line that can be typed without it.

# What belongs before every commit: a minute after a change of one line. Many tests wait for a time to be over, so more
# of them run at once than there are cores.
quick:
    cargo fmt --check
    cargo clippy --lib -- -D warnings
    cargo test --quiet --lib -- --test-threads 8

# Everything that must hold before a change lands, as CI runs it.
full:
    .ci/run

# The tests of one module from outside: `just it catalog`.
it filter="":
    cargo test --test it {{filter}}

# A server under everything that goes wrong, every answer compared: `just soak 180`.
soak seconds="60":
    tests/soak/run {{seconds}}

# Every decoder of what comes from outside and the ledger's model, so many times as many cases as in a plain test run.
fuzz factor="20":
    PRICEBOOK_FUZZ={{factor}} cargo test --test it fuzz
    PRICEBOOK_FUZZ={{factor}} cargo test --lib -- decoder_tests model_tests

# Golden files of the interface are written anew; look at the difference.
golden:
    INSTA_UPDATE=always cargo test --test it example_answers
    INSTA_UPDATE=always cargo test --test it openapi
    UPDATE_GOLDEN=1 cargo test --test it input_page
    UPDATE_GOLDEN=1 cargo test --test it export_page
    UPDATE_GOLDEN=1 cargo test --test it command_page
    UPDATE_GOLDEN=1 cargo test --test it formats

# Both clients are generated, into ops/clients/out.
clients:
    ops/clients/generate
