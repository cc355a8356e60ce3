# SPDX-License-Identifier: GPL-2.0-only
#
# After stop the kernel has nothing of ours any more.

succeeds "the default events stood everything above" \
	loader status --json
succeeds "loader stop" loader stop
is "$(find $root 2> /dev/null)" "" "its directory is gone"
# The kernel frees programs and maps a little after their last reference.
succeeds "no program, map or link of ours is left" \
	within 10 no_more_bpf_objects_than /tmp/bpf-objects-before
succeeds "loader stop again is not an error" loader stop
fails "the reader says that nothing is recorded" "no tree of persistent events" reader attach mce_record
