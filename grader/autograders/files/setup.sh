#!/usr/bin/env bash
# Installs kgrade once, when the autograder's image is made.
set -eu
SOURCE="$(cd "$(dirname "$0")" && pwd)"
HOME_OF_KGRADE="${KGRADE_HOME:-$SOURCE/kgrade}"
cd "$SOURCE"

# g++ for files with their own solve(); bubblewrap confines what students wrote.
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update
    apt-get install -y --no-install-recommends python3 python3-venv g++ bubblewrap
fi
python3 -m venv "$HOME_OF_KGRADE"
"$HOME_OF_KGRADE/bin/pip" install --quiet "kgrade[@EXTRA@] @ file://$SOURCE/@WHEEL@"
"$HOME_OF_KGRADE/bin/python" -m grader.autograders.prepare "$SOURCE/cache"
