#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What --help, the man page, the completion and the programs themselves say about commands and
# options is the same.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${OUTPUT:-build}
. packaging/bash-completion/persist-bpf
number=0

# same EXPECTED ACTUAL DESCRIPTION: lists, in any order, with anything between the words
same() {
	local expected actual

	number=$((number + 1))
	expected=$(tr -s '[:space:]' '\n' <<< "$1" | grep . | sort -u)
	actual=$(tr -s '[:space:]' '\n' <<< "$2" | grep . | sort -u)
	if [ -n "$expected" ] && [ "$expected" = "$actual" ]; then
		echo "ok $number - $3"
	else
		echo "not ok $number - $3"
		diff <(echo "$expected") <(echo "$actual") | grep '^[<>]' |
			sed 's/^</# only in the first:/; s/^>/# only in the second:/'
	fi
}

long_options() {
	grep -oE -- '(^|[^-a-z])--[a-z][a-z-]+' | grep -oE -- '--[a-z-]+'
}

# Of the page's source: the options that it names anywhere, and those of them that it introduces, in
# the synopsis or as the begin of a list's entry. The others may be another program's.
named_options() {
	grep -oE '(Fl|,|\|) -[a-z][a-z-]+' | grep -oE -- '-[a-z][a-z-]+' | sed 's/^/-/' | sort -u
}

introduced_options() { # PAGE
	{
		sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$1"
		grep '^\.It Fl' "$1"
	} | named_options
}

page_commands() { # PAGE
	sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$1" | sed -nE 's/^\.Cm ([a-z-]+).*/\1/p'
}

# What is completed for the last of these words
complete_words() { # WORD...
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	_persist "$1" "${@: -1}" "${@: -2:1}"
	printf '%s\n' "${COMPREPLY[@]}"
}

options_of_help() { # PROGRAM COMMAND
	case $1 in
	*/loader) _persist_options "$1" "$2" ;;
	*) "$1" "$2" --help | long_options ;;
	esac
}

# getopt_long(3) takes the beginning of a longer option for that one.
is_abbreviation() { # OPTION, of the command with $options
	! grep -qx -- "$1" <<< "$options" && grep -qx -- "$1..*" <<< "$options"
}

# Those that a command takes, without abbreviations. The loader is kept from doing anything by a root that is in no BPF
# file system and an event that no kernel has.
taken_options() { # PROGRAM COMMAND OPTION...
	local option message
	local -A argument=([--event]=none:none [--config]=/dev/null [--group]=0 [--mode]=0600)

	for option in "${@:3}"; do
		case $1,$option in
		*,--help) echo "$option" ;;
		*/loader,*)
			message=$("$1" "$2" --root "$root" "$option" ${argument[$option]-} 2>&1 < /dev/null)
			grep -qE 'there (is|are) no options? ' <<< "$message" || echo "$option"
			;;
		# For an option with an argument "--help" is one, perhaps the name of an output.
		*) is_abbreviation "$option" ||
			(cd "$root" && "$1" "$2" "$option" --help 2>&1 < /dev/null) |
			grep -q 'unrecognized option' || echo "$option" ;;
		esac
	done
}

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
for program in "$(realpath "$BUILD/loader")" "$(realpath "$BUILD/reader")"; do
	name=${program##*/}
	page=man/persist-$name.1
	commands=$(_persist_commands "$program")
	same "$commands" "$(page_commands $page)" "$name: commands of --help and man page"
	same "$commands" "$(complete_words "$program" "")" "$name: commands of --help and completion"

	all=$("$program" --help | long_options)
	for command in $commands; do
		all+=" $("$program" "$command" --help | long_options)"
	done
	# Those that are named but not introduced count if --help has them.
	same "$all" "$(introduced_options $page; named_options < $page | grep -xF -e "${all// /$'\n'}")" \
		"$name: options of --help and man page"
	for command in $commands; do
		options=$(options_of_help "$program" "$command" | sort -u)
		same "$options" "$(complete_words "$program" "$command" --)" \
			"$name $command: options of --help and completion"
		# shellcheck disable=SC2046 # words
		same "$options" "$(taken_options "$program" "$command" \
			$(tr -s '[:space:]' '\n' <<< "$all" | grep -vx -e --version | sort -u))" \
			"$name $command: options of --help and those it takes"
	done
done

# ---- completion of what is not an option ---------------------------------------------------------

mkdir "$root/events"
ln -s ../mce_record/event "$root/events/mce_record"
ln -s ../mc_event/event "$root/events/mc_event"
same "mce_record mc_event" "$(complete_words "$BUILD/reader" attach --root "$root" "")" \
	"events of the tree that --root names"
same "chrome ctf" "$(complete_words "$BUILD/reader" export --to c)" "formats of an export"
same mce_record "$(complete_words "$BUILD/loader" remove --root "$root" mce)" "by their beginning"
same "mce_record mc_event" "$(complete_words "$BUILD/reader" top --root "$root" -e "")" \
	"behind -e of a reader, too"
_persist_tracepoints() {
	printf '%s\n' ras:mc_event ras:arm_event sched:sched_switch
}
same "ras:mc_event ras:arm_event" "$(complete_words "$BUILD/loader" start -e ra)" "tracepoints behind -e"
same "mc_event arm_event" "$(complete_words "$BUILD/loader" add ras :)" \
	"behind the colon only what follows it"
same mc_event "$(complete_words "$BUILD/loader" start -e ras : mc)" "and by its beginning"
echo "1..$number"
