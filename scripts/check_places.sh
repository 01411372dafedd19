#!/usr/bin/env bash
# Whether the package works where it is taken to: a line for each place, ok, failed or not here.
#
#   scripts/check_places.sh [PYTHON]
#
# Builds, installs and packs in a folder of its own, which is removed unless something failed. Takes
# some ten minutes and needs the package index. What fails stands in a file for each place.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
python=${1:-python3}
work=$(mktemp -d)
chmod 755 "$work"
failed=0
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=2
unset NUMBA_CACHE_DIR PYTHONPATH

place() { # NAME COMMAND...: 0 is ok, 77 not here
    local name=$1 log="$work/$(tr -c 'a-z0-9\n' _ <<<"${1,,}").log" said
    shift
    (set -e; cd "$work"; "$@") >"$log" 2>&1
    case $? in
        0) said=ok ;;
        77) said="not here" ;;
        *) said="failed: $log" failed=1 ;;
    esac
    printf '%-58s%s\n' "$name" "$said"
}

answers() { # PYTHON...: a hand, many hands, distances, values, by what is installed there
    cat >"$work/answers.py" <<'PY'
import fastmj
hand = "123456789m12355p"
batch = fastmj.HandBatch.from_hands([hand] * 3)
assert fastmj.score_hand(hand).total == 23
assert fastmj.score_batch(batch).total.tolist() == [23] * 3
assert fastmj.parse_hands([hand]).batch.counts.tolist() == batch.counts[:1].tolist()
assert fastmj.shanten_batch(batch.counts).best.tolist() == [-1] * 3
print(fastmj.__file__)
PY
    (cd / && HOME="$work/home" XDG_CACHE_HOME="$work/home" "$@" "$work/answers.py")
}

tests() { # PYTHON TESTS...: of the source distribution, with what is installed there
    local python=$1
    shift
    cd "$work"/fastmj-*/
    "$python" -m pytest -p no:cacheprovider -rs "$@"
}

a_test() { # NAME: a test that may be skipped where it cannot be done
    local said
    said=$(tests "$work/away/bin/python" tests/test_cache.py -k "$1") || { echo "$said"; return 1; }
    echo "$said"
    grep -q '[1-9][0-9]* passed' <<<"$said" || return 77
}

build() {
    "$python" -m venv tools
    tools/bin/pip install hatchling
    (cd "$root" && "$work/tools/bin/python" -m hatchling build -d "$work/dist")
    tar xf dist/*.tar.gz
}

away() { # PYTHON FOLDER: the wheel installed into a fresh environment
    "$1" -m venv "$2"
    "$2/bin/pip" install "$(echo "$work"/dist/*.whl)" pytest pytest-benchmark hypothesis
    answers "$work/$2/bin/python" | tee said
    grep -q "^$work/$2/" said
    "$2/bin/fastmj" score 123456789m12355p
}

plain_locale() { # as the interpreter takes it, and where it must not help itself
    local settings
    for settings in "" "PYTHONUTF8=0 PYTHONCOERCECLOCALE=0"; do
        env LC_ALL=C $settings "$work/away/bin/fastmj" score 123456789m12355p
        env LC_ALL=C $settings "$work/away/bin/fastmj" score --explain '[123m][789m]123p79pCC8p'
        answers env LC_ALL=C $settings "$work/away/bin/python"
    done
    env LC_ALL=C "$work/away/bin/fastmj" fans 清龙
}

packed() { # by PyInstaller, without another word; compiled once
    away/bin/pip install pyinstaller
    answers "$work/away/bin/python"
    away/bin/pyinstaller --log-level WARN "--$1" --name "app_$1" answers.py
    local app=dist/app_$1
    [ -d "$app" ] && app=$app/app_$1
    rm -rf home
    answers "$work/$app"
    find home -name '*.nbc' | sort >before
    [ -s before ]
    touch mark
    answers "$work/$app"
    [ -z "$(find home -newer mark -name '*.nbc')" ]
}

another() { # VERSION: the wheel and some tests there
    local found
    for found in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
        "$found" -c 'import venv' || continue
        away "$found" "away$1"
        tests "$work/away$1/bin/python" tests/test_cache.py tests/test_notation.py
        return
    done
    return 77
}

place "wheel and source distribution are built" build
place "the wheel, installed elsewhere" away "$python" away
place "tests of the source distribution" tests "$work/away/bin/python" \
    tests/test_notation.py tests/test_status.py tests/test_svg.py
place "a user without a home or rights to the installation" a_test without_a_home
place "import from a zip archive" a_test archive
place "every cache file emptied, cut, flipped" a_test "whatever_has_become or damaged"
place "a full disk" a_test full_disk
place "LC_ALL=C" plain_locale
place "PyInstaller, a folder" packed onedir
place "PyInstaller, a file" packed onefile
for version in 3.10 3.13 3.14; do
    place "Python $version" another "$version"
done
[ $failed = 0 ] && rm -rf "$work"
exit $failed
