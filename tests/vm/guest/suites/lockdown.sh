# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel locked down for confidentiality from its start shows no tracepoint's format: tracefs
# is empty. The tools say so.

case $(cat /sys/kernel/security/lockdown) in
*"[confidentiality]"*) ok "the kernel is locked down" ;;
*) not_ok "the kernel is locked down" ;;
esac
loader probe > /tmp/probe 2>&1
succeeds "loader probe names the lockdown" grep -i "lockdown.*confidentiality" /tmp/probe
diag "$(cat /tmp/probe)"
# It cannot be seen here; a remedy that sends the user to another kernel would be wrong.
is "$(grep -A1 '^mce_record' /tmp/probe | grep -c CONFIG_X86_MCE)" 0 \
	"and does not say that the kernel lacks mce_record"
fails "loader start says what is in its way" "[Ll]ockdown" loader start
diag "$(cat /tmp/output)"
is "$(find /sys/fs/bpf -mindepth 1)" "" "and leaves nothing in bpffs"
