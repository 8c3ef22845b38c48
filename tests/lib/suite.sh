# Sourced by tests/*/run: what the suites beside cargo's have in common. Sets `here`, the suite's folder, and `root`.
#
#   SUITE_KEEP   anything: keep the working folder, with every log
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
servers=()

missing() {
  echo "tests/$(basename "$here")/run cannot run: $*" >&2
  exit 2
}

python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2> /dev/null \
  || missing "python3 must be 3.11 or newer and have venv (Debian: apt-get install python3-venv)"

# Sets `binary`, the program to test, which is built unless PRICEBOOK_BIN names one, and `work`, a folder that is gone at
# the end, as the servers are. Nothing of the caller's own configuration leaks in.
begin() {
  binary=${PRICEBOOK_BIN:-}
  if [ -z "$binary" ]; then
    (cd "$root" && cargo build)
    binary="${CARGO_TARGET_DIR:-$root/target}/debug/pricebook"
  fi
  [ -x "$binary" ] || missing "$binary is not there; build it with cargo build, or name one in PRICEBOOK_BIN"
  binary=$(cd "$(dirname "$binary")" && pwd)/$(basename "$binary")
  unset "${!PRICEBOOK_@}"
  work=$(mktemp -d)
  trap end EXIT
  trap 'exit 130' INT TERM
}

end() {
  local status=$? server
  for server in ${servers[@]+"${servers[@]}"}; do
    kill "$server" 2> /dev/null || true
    wait "$server" 2> /dev/null || true
  done
  if [ "$status" != 0 ]; then tail -n 20 "$work"/*.log >&2 2> /dev/null || true; fi
  if [ -n "${SUITE_KEEP:-}" ]; then echo "kept: $work"; else rm -rf "$work"; fi
}

# Builds a snapshot into a folder of $work.
build() { # FOLDER FLAG...
  local folder=$1
  shift
  "$binary" build "$@" --out "$work/$folder" > "$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
}

# Starts a server; its address is in the variable NAME when it listens, what it says in $work/NAME.log. The system chooses
# the port when the server takes it: one that is looked up before may be somebody else's by then.
serve() { # NAME FLAG...
  local name=$1 log="$work/$1.log" address
  shift
  # The shell that starts it opens the log later than it is read here.
  : > "$log"
  "$binary" serve --listen 127.0.0.1:0 "$@" >> "$log" 2>&1 &
  servers+=($!)
  for _ in $(seq 300); do
    address=$(sed -n 's/.* address=\([0-9.:]*\).*/\1/p' "$log")
    if [ -n "$address" ]; then
      printf -v "$name" '%s' "http://$address"
      return
    fi
    kill -0 "${servers[-1]}" 2> /dev/null || break
    sleep 0.1
  done
  cat "$log"
  exit 1
}
