# SPDX-License-Identifier: GPL-2.0-only
#
# Readers that follow sleep until an event wakes them; an event that was cleared begins again.

follow_event="$some_event/name=follow,wakeup=1/"
succeeds "loader add, with wakeups" loader add "$follow_event"
fire 0 3 5000
timeout 60 reader attach --follow --count 8 follow > /tmp/followed &
follower=$!
succeeds "a reader follows, and shows what was there" \
	within 20 sh -c '[ "$(wc -l < /tmp/followed)" = 3 ]'
fire 1 2 5010
fire 0 3 5020
wait $follower
is $? 0 "it ends with the 8th record"
is "$(wc -l < /tmp/followed)" 8 "and has shown all of them"
reader attach follow > /tmp/text
is "$(sort /tmp/followed)" "$(sort /tmp/text)" "they are what is recorded"

succeeds "loader clear" loader clear follow
is "$(reader attach follow | wc -l)" 0 "no record is left"
fire 1 4 5030
is "$(reader attach follow | wc -l)" 4 "those that come are recorded"
is "$(reader attach --cursor-file /tmp/cursor follow | wc -l)" 4 "a reader that keeps its place shows them"
fire 1 1 5040
is "$(reader attach --cursor-file /tmp/cursor follow | wc -l)" 1 "and goes on with what came since"
succeeds "loader remove" loader remove follow
rm -f /results/injected
