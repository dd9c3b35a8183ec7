#!/bin/sh
# Installs svc: sh install.sh [--version v1.2.3] [--dir DIR]
#
# Verifies the Ed25519 signature over the list of digests, then the digest of the downloaded
# program. Needs curl or wget, gzip, sha256sum or shasum, and openssl 3 for the signature. Without
# openssl 3, the script stops, unless SVC_SKIP_SIGNATURE=1 is set to rely on HTTPS alone.
set -eu

place=${SVC_RELEASES_URL:-@PLACE@}
folder=${SVC_INSTALL_DIR:-$HOME/.local/bin}
version=

fail() { echo "install.sh: $1" >&2; exit 1; }

while [ $# -gt 0 ]; do
  case $1 in
    --version) [ $# -ge 2 ] || fail "Set --version to a tag such as v1.2.3"; version=${2#v}; shift 2 ;;
    --dir) [ $# -ge 2 ] || fail "Set --dir to a folder"; folder=$2; shift 2 ;;
    *) fail "Unknown argument $1: use --version <tag> or --dir <folder>" ;;
  esac
done

case $(uname -s) in
  Linux) os=unknown-linux-gnu ;;
  Darwin) os=apple-darwin ;;
  *) fail "svc is not available for $(uname -s): on Windows, run install.ps1" ;;
esac
case $(uname -m) in
  x86_64 | amd64) target=x86_64-$os ;;
  aarch64 | arm64) target=aarch64-$os ;;
  *) fail "svc is not available for $(uname -m) processors" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

if [ -n "$version" ]; then base=$place/download/v$version; else base=$place/latest/download; fi

get() {
  if command -v curl >/dev/null 2>&1; then curl -fsSL --retry 2 -o "$work/$1" "$base/$1"
  else wget -q -O "$work/$1" "$base/$1"; fi || fail "Cannot download $base/$1"
}

digest() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi |
    cut -d ' ' -f 1
}

get SHA256SUMS
get SHA256SUMS.sig
cat >"$work/key.pem" <<'KEY'
@PUBLIC_KEY_PEM@
KEY
# On macOS, openssl is LibreSSL, which cannot verify Ed25519 signatures.
if openssl version 2>/dev/null | grep -q '^OpenSSL [3-9]'; then
  openssl pkeyutl -verify -pubin -inkey "$work/key.pem" -rawin -in "$work/SHA256SUMS" \
    -sigfile "$work/SHA256SUMS.sig" >/dev/null 2>&1 ||
    fail "Cannot trust $base/SHA256SUMS: svc's key has not signed it. Nothing was installed"
elif [ "${SVC_SKIP_SIGNATURE:-}" != 1 ]; then
  fail "Install openssl 3 to verify the signature, or set SVC_SKIP_SIGNATURE=1 to trust HTTPS alone"
fi

entry=$(grep -E "^[0-9a-f]{64}  svc-[0-9A-Za-z.-]+-$target\.gz$" "$work/SHA256SUMS") ||
  fail "This release has no program for $target"
wanted=${entry%% *}
file=${entry#*  }
[ -z "$version" ] || [ "$file" = "svc-$version-$target.gz" ] ||
  fail "Cannot use $base: it holds $file"

get "$file"
[ "$(digest "$work/$file")" = "$wanted" ] ||
  fail "Cannot trust $base/$file: its SHA-256 is not the signed one. Nothing was installed"
get svc.1
[ "$(digest "$work/svc.1")" = "$(sed -n 's/  svc\.1$//p' "$work/SHA256SUMS")" ] ||
  fail "Cannot trust $base/svc.1: its SHA-256 is not the signed one. Nothing was installed"
gzip -dc "$work/$file" >"$work/svc" && chmod 755 "$work/svc" || fail "Cannot unpack $file"

mkdir -p "$folder" || fail "Cannot create $folder"
cp "$work/svc" "$folder/.svc.installing" && mv -f "$folder/.svc.installing" "$folder/svc" || {
  rm -f "$folder/.svc.installing"
  fail "Cannot write $folder/svc: choose another folder with --dir"
}
# Next to <prefix>/bin, where man looks for the manual pages of programs in <prefix>/bin.
case $folder in
  */bin)
    pages=${folder%/bin}/share/man/man1
    { mkdir -p "$pages" && cp "$work/svc.1" "$pages/svc.1"; } 2>/dev/null ||
      echo "install.sh: Skipped the manual page: cannot write $pages/svc.1" >&2 ;;
esac
echo "Installed svc $("$folder/svc" --version) in $folder"
case :$PATH: in
  *":$folder:"*) ;;
  *) echo "Add it to your PATH: export PATH=\"$folder:\$PATH\"" ;;
esac
