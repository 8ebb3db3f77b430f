# SPDX-License-Identifier: GPL-2.0-or-later
# What a machine may lack: a test that needs it is skipped with the reason.
# shellcheck shell=bash

need_jq() {
	command -v jq >/dev/null || skip "no jq here"
}

# A terminal of its own, by script(1), as containers without /dev/pts have none.
need_terminal() {
	script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip "no pseudo-terminal, or no script(1), here"
}
