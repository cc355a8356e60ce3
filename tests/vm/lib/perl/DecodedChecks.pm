# SPDX-License-Identifier: GPL-2.0-only
#
# What the reader says machine checks mean, against the registers that were recorded: a second
# implementation, of the few things that whoever is on call looks at first.
package DecodedChecks;

use strict;
use warnings;
no warnings 'portable';

use JSON::PP;

sub all {
	my ($recording) = @_;
	return () unless $recording->has('raw');

	my @objects = map { decode_json($_) } $recording->lines('json');
	return (
		meaning($recording, @objects), text_says_the_same($recording, @objects),
		raw_text($recording), raw_json($recording, @objects),
	);
}

# ---- registers ---------------------------------------------------------------------------------

use constant {
	INTEL => 0,
	AMD => 2,
	SER_P => 1 << 24,
};

sub bit {
	my ($value, $bit) = @_;

	return $value >> $bit & 1;
}

# SDM table 15-6; of AMD what the kernel's own severities are made from.
sub severity {
	my ($fields) = @_;
	my ($status, $vendor, $cap) = @$fields{qw(status cpuvendor mcgcap)};
	my ($valid, $uc, $en, $pcc, $s, $ar) = map { bit($status, $_) } 63, 61, 60, 57, 56, 55;

	return 'none' unless $valid;
	return $vendor == AMD && bit($status, 44) ? 'deferred' : 'corrected' unless $uc;
	return $pcc ? 'fatal' : 'uncorrected' if $vendor != INTEL;
	# Some kernels do not fill MCG_CAP in when the machine check is made up by software.
	return $pcc ? 'fatal' : 'uncorrected' unless $cap;
	return 'fatal' unless $cap & SER_P;
	return $en ? 'fatal' : 'uncorrected' if $pcc;
	return 'srar' if $en && $s && $ar;
	return 'srao' if $en && $s;
	return 'uncorrected' if $s || $ar;
	my $code = $status & 0xefff;
	return $code >= 0xc0 && $code <= 0xcf || $code == 0x17a ? 'srao' : 'ucna';
}

my %intel_simple = (
	0x0001 => 'unclassified', 0x0002 => 'microcode_rom', 0x0003 => 'external', 0x0004 => 'frc',
	0x0005 => 'internal_parity', 0x0006 => 'smm_code_access', 0x0400 => 'internal_timer',
	0x0e0b => 'io',
);

# SDM tables 15-8 and 15-9, as patterns of binary digits.
my @intel_compound = (
	[qr/^000001\d{10}$/, 'internal'],
	[qr/^000\d0000000011\d\d$/, 'cache_hierarchy'],
	[qr/^000\d00000001\d{4}$/, 'tlb'],
	[qr/^000\d00001\d{7}$/, 'memory_controller'],
	[qr/^000\d0001\d{8}$/, 'cache'],
	[qr/^000\d00101\d{7}$/, 'extended_memory'],
	[qr/^000\d1\d{11}$/, 'bus'],
);
my @amd_codes = (
	[qr/^000001\d\d00000000$/, 'internal'],
	[qr/^000000000001\d{4}$/, 'tlb'],
	[qr/^00000001\d{8}$/, 'cache'],
	[qr/^00001\d{11}$/, 'bus'],
);

sub kind {
	my ($fields) = @_;
	my $code = $fields->{status} & 0xffff;
	my $digits = sprintf '%016b', $code;
	my $is_intel = $fields->{cpuvendor} == INTEL;

	return $intel_simple{$code} if $is_intel && $intel_simple{$code};
	for my $form ($is_intel ? @intel_compound : @amd_codes) {
		return $form->[1] if $digits =~ $form->[0];
	}
	return 'unknown';
}

# ---- checks ------------------------------------------------------------------------------------

sub meaning {
	my ($recording, @objects) = @_;
	my (@problems, %seen);

	for my $object (@objects) {
		my ($fields, $decoded) = @$object{qw(fields decoded)};
		my $what = sprintf 'bank %d, status %016x', @$fields{qw(bank status)};
		my %expected = (
			severity => severity($fields),
			kind => severity($fields) eq 'none' ? undef : kind($fields),
			bank => $fields->{bank},
			cpu => $fields->{cpu},
		);
		my %shown = (%$decoded, kind => $decoded->{error}{kind});

		$seen{ $expected{severity} }++;
		push @problems, map { "$what: $_ is " . ($shown{$_} // '(nothing)') . ", should be "
				. ($expected{$_} // '(nothing)') }
			grep { ($shown{$_} // '') ne ($expected{$_} // '') } sort keys %expected;
		push @problems, "$what: no core, although the CPU is online"
			unless defined $decoded->{core};
	}
	push @problems, "only these severities: @{[sort keys %seen]}" if keys %seen < 4;
	return ["severity, kind, bank and CPU are what the registers say", @problems];
}

# The first line below a record names the severity; there is one record for each object.
sub text_says_the_same {
	my ($recording, @objects) = @_;
	my %words = (
		none => 'no valid error', corrected => 'corrected', deferred => 'deferred',
		ucna => 'uncorrected, no action required (UCNA)',
		srao => 'uncorrected, action optional (SRAO)',
		srar => 'uncorrected, action required (SRAR)', uncorrected => 'uncorrected',
		fatal => 'fatal',
	);
	my @lines = $recording->lines('text');
	my @problems;

	for my $i (0 .. $#lines) {
		next if $lines[$i] =~ /^\t/;
		my $object = shift @objects or last;
		my $below = $lines[$i + 1] // '';
		my $word = $words{ $object->{decoded}{severity} };

		push @problems, "'$below' where $word was to come"
			unless $below =~ /^\tseverity  \Q$word\E: /;
	}
	push @problems, scalar(@objects) . ' objects are not in the text' if @objects;
	return ['text and JSON agree on the severity of each', @problems];
}

sub raw_text {
	my ($recording) = @_;
	my $raw = join "\n", $recording->lines('raw');
	my $cut = join "\n", grep { !/^\t/ } $recording->lines('text');

	return ['--raw leaves out the lines below the records, and nothing else',
		$raw eq '' ? 'nothing is shown' : $raw eq $cut ? () : 'they differ'];
}

sub raw_json {
	my ($recording, @objects) = @_;
	my $canonical = JSON::PP->new->canonical;
	# The wall clock is asked anew by each reader.
	my $text = sub {
		my ($object) = @_;
		delete @$object{qw(decoded time)};
		return $canonical->encode($object);
	};
	my @raw = map { decode_json($_) } $recording->lines('raw-json');
	my @problems = grep { exists $_->{decoded} } @raw;

	return ['--raw --json leaves out "decoded", and nothing else',
		@problems ? 'there is "decoded"' :
		join("\n", map { $text->($_) } @raw) eq join("\n", map { $text->($_) } @objects) ? () :
		'they differ'];
}

1;
