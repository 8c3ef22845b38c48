# `just` lists these; https://just.systems. Each is a line that can be typed without it.

# What belongs before every commit: under a minute after a change of one line.
quick:
    cargo fmt --check
    cargo clippy --lib -- -D warnings
    cargo test --quiet --lib --test tidy

# Everything that must hold before a change lands, as CI runs it.
full:
    .ci/run

# One test binary, one room: `just it catalog`.
it filter="":
    cargo test --test it {{filter}}

# Golden files of the interface are written anew; look at the difference.
golden:
    INSTA_UPDATE=always cargo test --test it openapi
    UPDATE_GOLDEN=1 cargo test --test it input_page
