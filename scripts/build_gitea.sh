#!/usr/bin/env bash
# Builds Gitea, the forge that tests/e2e/gitea_test.ts uses, from its Go module, and puts it into
# the given folder, together with the files that it reads. Needs the go command and a C compiler.
# The first build takes about ten minutes of CPU time. If the folder already contains Gitea,
# the script does nothing.
set -euo pipefail

version=v1.26.0
target=${1:?usage: build_gitea.sh <folder>}
if [[ -x $target/gitea && -d $target/templates ]]; then exit 0; fi

export PATH=$PATH:/usr/local/go/bin GOFLAGS="-p=2 -mod=mod" CGO_ENABLED=1
mkdir -p "$(dirname "$target")"
work=$(mktemp -d "$target.XXXXXX")
trap 'rm -rf "$work"' EXIT
module=$(cd "$work" && go mod download -json "code.gitea.io/gitea@$version" |
  sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
cp -r "$module" "$work/source"
chmod -R u+w "$work/source"
cd "$work/source"
timeout 1500 go build -trimpath -tags "sqlite sqlite_unlock_notify" \
  -ldflags "-s -w -X main.Version=${version#v}" -o "$work/built/gitea" .
cp -r options templates public LICENSE "$work/built/"
rm -rf "$target"
mv "$work/built" "$target"
