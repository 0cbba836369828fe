#!/usr/bin/env bash
# Makes packages for this machine in target/packages, and proves each of them: a static program, a Debian package, an abi3 wheel,
# and an image where `buildah` is. It needs the Rust toolchain, a C compiler, Python 3.9 or later, `unshare` and, for the Debian
# package, `dpkg`. No root. PYTHON names the Python in which the wheel is tried. The names of what to make are arguments
# (`binary deb wheel image`); without them all are made.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=${*:-binary deb wheel image}
target=${CARGO_TARGET_DIR:-$PWD/target}
out=$target/packages
host=$(rustc -vV | sed -n 's/^host: //p')
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
# Files have the time of the last commit: the same sources make the same package.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
mkdir -p "$out"

wants() { [[ " $wanted " == *" $1 "* ]]; }
fail() { echo "packages/build.sh: $*" >&2; exit 1; }
size() { printf '%-50s %s\n' "$(basename "$1")" "$(du -h --apparent-size "$1" | cut -f 1)"; }

# What must come out of a program that works: of two equal messages the first.
posts='今天武汉的樱花开了
今天武漢的櫻花開了'
first='今天武汉的樱花开了'
# Runs quchong in a folder as if that were the whole system: no library, no /dev, no /proc.
in_root() { printf '%s\n' "$posts" | unshare -r chroot "$1" "${@:2}" dedup -q; }

binary() {
  # The C library goes in, too; the target is named so that build scripts are not linked so.
  RUSTFLAGS="-C target-feature=+crt-static" cargo build --release --locked --bin quchong --target "$host" --target-dir "$target"
  quchong=$out/quchong-$version-$host
  strip -o "$quchong" "$target/$host/release/quchong"
  mkdir "$fresh/empty"
  cp "$quchong" "$fresh/empty/quchong"
  [ "$(in_root "$fresh/empty" /quchong)" = "$first" ] || fail "$quchong does not work in an empty root"
  size "$quchong"
}

deb() {
  local architecture root=$fresh/deb doc man control
  local maintainer="${DEBFULLNAME:-quchong} <${DEBEMAIL:-quchong@localhost.localdomain}>"
  architecture=$(dpkg --print-architecture)
  doc=$root/usr/share/doc/quchong man=$root/usr/share/man/man1 control=$root/DEBIAN
  umask 022
  mkdir -p "$control" "$doc/examples" "$man" "$root/usr/share/lintian/overrides" "$root/usr/share/bash-completion/completions" \
    "$root/usr/share/zsh/vendor-completions" "$root/usr/share/fish/vendor_completions.d"
  install -D "$quchong" "$root/usr/bin/quchong"
  "$quchong" completions bash >"$root/usr/share/bash-completion/completions/quchong"
  "$quchong" completions zsh >"$root/usr/share/zsh/vendor-completions/_quchong"
  "$quchong" completions fish >"$root/usr/share/fish/vendor_completions.d/quchong.fish"
  "$quchong" man | gzip -9n >"$man/quchong.1.gz"
  # Its commands, as the help lists them.
  for command in $(QUCHONG_UI=en "$quchong" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    [ "$command" = help ] || "$quchong" man "$command" | gzip -9n >"$man/quchong-$command.1.gz"
  done
  cp -r README.md README.zh.md docs "$doc"
  install -m 644 examples/*.py contrib/*.service "$doc/examples"
  sed -i "s,/usr/local/bin/,/usr/bin/," "$doc/examples"/*.service
  gzip -9n <CHANGELOG.md >"$doc/changelog.gz"
  printf 'quchong (%s) unstable; urgency=medium\n\n  * Made by packages/build.sh.\n\n -- %s  %s\n' "$version-1" "$maintainer" \
    "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.Debian.gz"
  { cat LICENSE; printf '\n'; cat LICENSE-MIT; printf '\nOn Debian the Apache License is in /usr/share/common-licenses/Apache-2.0.\n'; } >"$doc/copyright"
  # It is static on purpose, and who builds it says by DEBEMAIL where they can be reached.
  printf 'quchong: %s *\n' statically-linked-binary shared-library-lacks-prerequisites bogus-mail-host \
    bogus-mail-host-in-debian-changelog initial-upload-closes-no-bugs >"$root/usr/share/lintian/overrides/quchong"
  chmod -R u=rwX,go=rX "$root"
  (cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$control/md5sums"
  cat >"$control/control" <<CONTROL
Package: quchong
Version: $version-1
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -k -s "$root/usr" | cut -f 1)
Section: text
Priority: optional
Description: deduplicator for short Chinese texts
 Drops exact and near repeats from posts, headlines, chat and SMS: from files,
 feeds and over HTTP. It knows facts: a report with another number, place or
 negation is no repeat.
 .
 The program is linked statically, and depends on no other package.
CONTROL
  package=$out/quchong_$version-1_$architecture.deb
  dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
  if command -v lintian >/dev/null; then lintian --fail-on error "$package"; fi

  # Into a system that has nothing else, and out of it again.
  local system=$fresh/system
  mkdir -p "$system/var/lib/dpkg/info" "$system/var/lib/dpkg/updates"
  touch "$system/var/lib/dpkg/status"
  PATH=$PATH:/usr/sbin:/sbin unshare -r dpkg --root="$system" --log=/dev/null --install "$package" >/dev/null
  [ "$(in_root "$system" /usr/bin/quchong)" = "$first" ] || fail "$package does not work once it is installed"
  zcat "$system/usr/share/man/man1/quchong-dedup.1.gz" | grep -q window || fail "$package has no manual page of dedup"
  PATH=$PATH:/usr/sbin:/sbin unshare -r dpkg --root="$system" --log=/dev/null --purge quchong >/dev/null
  [ -z "$(find "$system" -name '*quchong*')" ] || fail "$package leaves something behind"
  size "$package"
}

wheel() {
  local python=${PYTHON:-}
  # The oldest one here that the wheel is for: it works in all later ones.
  for each in python3.9 python3.10 python3.11 python3.12 python3.13 python3; do
    python=${python:-$("$each" -c 'import sys; print(sys.executable) if sys.version_info >= (3, 9) else None' 2>/dev/null || true)}
  done
  [ -n "$python" ] || fail "there is no Python 3.9 or later"
  "$python" -m venv "$fresh/tools"
  "$fresh/tools/bin/python" -m pip --quiet --disable-pip-version-check install 'maturin>=1.9,<2'
  (cd python && CARGO_TARGET_DIR=$target "$fresh/tools/bin/maturin" build --release --locked --strip --out "$fresh/wheels")
  "$python" -m venv "$fresh/venv"
  "$fresh/venv/bin/python" -m pip --quiet --disable-pip-version-check install --no-index "$fresh/wheels"/*.whl
  said=$(cd "$fresh" && "$fresh/venv/bin/python" -c '
import sys, quchong
verdicts = quchong.Deduplicator().judge_batch(sys.argv[1].splitlines())
print(*[verdict.kind for verdict in verdicts])' "$posts")
  [ "$said" = "kept exact" ] || fail "the wheel says: $said"
  local made=("$fresh/wheels"/*.whl)
  mv "${made[0]}" "$out"
  size "$out/$(basename "${made[0]}")"
  echo "  tried in $("$python" --version)"
}

# As the last stage of Containerfile, of the program that is there.
image() {
  if ! command -v buildah >/dev/null; then echo "no image: there is no buildah"; return; fi
  local storage=(--root "$fresh/storage" --runroot "$fresh/runroot" --storage-driver vfs) container archive
  container=$(buildah "${storage[@]}" from scratch)
  buildah "${storage[@]}" copy --quiet "$container" "$quchong" /quchong >/dev/null
  buildah "${storage[@]}" config --entrypoint '["/quchong"]' "$container"
  [ "$(printf '%s\n' "$posts" | buildah "${storage[@]}" run --isolation chroot "$container" -- /quchong dedup -q)" = "$first" ] ||
    fail "the image does not work"
  archive=$out/quchong-$version-image.tar
  rm -f "$archive"
  buildah "${storage[@]}" commit --quiet --timestamp "$SOURCE_DATE_EPOCH" "$container" "oci-archive:$archive:quchong:$version" >/dev/null
  buildah "${storage[@]}" rm "$container" >/dev/null
  size "$archive"
}

if wants binary || wants deb || wants image; then binary; fi
for each in deb wheel image; do
  if wants "$each"; then "$each"; fi
done
