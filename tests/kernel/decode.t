#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# reader decode: registers from anywhere. What they mean is the unit tests' part; this is the
# command line, the two outputs, and what is said of a mistake.

TIME_LIMIT=60
. "${0%/*}/lib.sh"

# decodes DESCRIPTION EXPECTED-LINES ARGUMENT...
decodes() {
	run "$READER" decode "${@:3}"
	is "$status:$err" "0:" "$1: succeeds"
	is "$out" "$2" "$1"
}

# refuses EXTENDED-REGULAR-EXPRESSION ARGUMENT...: wrong usage, on standard error alone
refuses() {
	run "$READER" decode "${@:2}"
	[ "$status" = 2 ] && [ -z "$out" ] && grep -qE -- "^reader decode: $1; " <<< "$err"
	report $? "refused: decode ${*:2}" || diag "$status: $out$err"
}

# A line of a kernel's log, of QEMU and of a photo of a server that had stopped.
decodes "a corrected error" \
"severity  corrected: the hardware corrected it, nothing was lost
error     cache: instruction fetch, instructions, level 1 (code 0x0151)
address   0xfedcba987000, physical, known to 4 KiB; page 0xfedcba987
from      bank 5, CPU 3, core 1, socket 1, APIC ID 0x46
processor Intel family 0x6 model 0x55 stepping 0x4, microcode 0x5003604, PPIN 0x123456789
time      2026-01-02T03:04:05Z" \
	--status 0x9c00000000000151 --addr 0xfedcba987000 --misc 0x8c --mcgcap 0x1000c1c \
	--mcgstatus 0 --vendor intel --cpuid 0x50654 --bank 5 --cpu 3 --core 1 --socketid 1 \
	--apicid 0x46 --microcode 0x5003604 --ppin 0x123456789 --walltime 1767323045

decodes "an uncorrected error that demands action" \
"severity  uncorrected, action required (SRAR): bad data was about to be used; what needs it must not go on
error     cache: data read, data, level 0 (code 0x0134)
          model-specific code 0x0010
address   0x12345000, physical, known to 4 KiB; page 0x12345
note      signalled by a machine check exception (S)
exception on this CPU alone (LMCE), interrupted code can go on (RIPV) and has to do with it (EIPV)
from      bank 1
processor Intel" \
	--status 0xbd80000000100134 --addr 0x12345678 --misc 0x8c --vendor 0 --mcgcap 0xf000c14 \
	--mcgstatus 0xf --bank 1

decodes "a memory error of AMD" \
"severity  corrected: the hardware corrected it, nothing was lost
error     cache: read, instructions or data, level 3 or any (code 0x011b)
unit      memory controller (UMC), instance 0x250f00
          ECC error in data read from DRAM (DramEccErr, extended code 0)
memory    channel 2, chip select 1, syndrome 0x1234 of 16 bits
address   0x12345, within its memory channel, no system address
note      another error came while the bank held this one; one of them is lost (OVER)
note      ECC corrected it (CECC)
from      bank 15
processor AMD family 0x17 model 0x1 stepping 0x2" \
	--status 0xdc2040000000011b --vendor amd --cpuid 0x800f12 --ipid 0x9600250f00 \
	--synd 0x000012340a400001 --addr 0x12345 --misc 0xd01a000101000000 --bank 15

decodes "a status alone" \
"severity  fatal: what the processor was doing is lost: the system must be reset
error     cache: data read, data, level 1 (code 0x0135)
missing   MCi_ADDR: it has the address
missing   MCi_MISC: it has the address's kind and how exact it is
missing   the vendor: only what all vendors share was decoded" \
	--status 0xbe00000000000135

decodes "a decimal number" \
"severity  no valid error: the bank's VAL bit is clear, and nothing else in it means anything" \
	--status 12

run "$READER" decode --json --status 0xbe00000000000135 --vendor intel --mcgcap 0x1000c14
is "$(jq -r '[.decoded.severity, .decoded.error.kind, .decoded.status.context_corrupt,
	(.decoded.missing | join("+"))] | map(tostring) | join(" ")' <<< "$out")" \
	"fatal cache true addr+misc" "JSON has what the registers mean"
ok "and the registers, exactly" grep -q \
	'^{"fields":{"mcgcap":16780308,"status":13690942867206308149,"cpuvendor":0},"decoded":{' \
	<<< "$out"
is "$(wc -l <<< "$out")" 1 "in one line"

refuses "--status REGISTER is missing"
refuses "--status REGISTER is missing" --addr 0x1000
refuses "unexpected argument '0x1'" --status 1 0x1
refuses "--status wants 0x before a hexadecimal number, not 'be00000000000135'" \
	--status be00000000000135
refuses "--status wants 0x before a hexadecimal number, not '8800000000000151'" \
	--status 8800000000000151
refuses "--status wants a number, not '0x'" --status 0x
refuses "--status wants a number, not ''" --status ""
refuses "--status wants a number, not '-1'" --status -1
refuses "--status wants a number, not '12 34'" --status "12 34"
refuses "--status wants a number from 0 to 0xffffffffffffffff, not '0x1be00000000000135'" --status 0x1be00000000000135
refuses "--bank wants a number from 0 to 0xff, not '256'" --status 1 --bank 256
refuses "--cpu wants a number from 0 to 0xffffffff, not '4294967296'" --status 1 --cpu 4294967296
refuses "--vendor wants intel, amd, hygon, zhaoxin, centaur, what /proc/cpuinfo shows as vendor_id, or the kernel's number, not 'nobody'" \
	--status 1 --vendor nobody
refuses "--vendor wants a number from 0 to 0xff, not '256'" --status 1 --vendor 256
refuses "unknown option '--nonsense'" --status 1 --nonsense
refuses "option '--status' wants an argument" --status

run "$READER" decode --help
is "$status" 0 "--help succeeds"
ok "and is a help text" grep -q "^usage: .*/reader decode --status REGISTER" <<< "$out"
"$READER" decode --status 1 > /dev/full 2> "$TMP/err"
is "$?" 1 "what cannot be written is a failure"
ok "that is told" grep -q "^reader: error: standard output: No space left on device" "$TMP/err"

finish
