# SPDX-License-Identifier: GPL-2.0-only
#
# What the kernel counted, as the summary shows it, against a count of the records: these were
# compared with ftrace and with what was injected already. Severity and kind of machine checks are
# those that DecodedChecks tells from the registers.
package SummaryChecks;

use strict;
use warnings;
no warnings 'portable';

use DecodedChecks;

sub all {
	my ($recording) = @_;
	return () unless $recording->has('summary');

	my ($event) = @{ $recording->json('summary')->{events} };
	my @checks = (adds_up($recording, $event));

	push @checks, agrees_with_records($recording, $event) if $recording->expected eq 'complete';
	push @checks, agrees_with_ftrace($recording, $event) if $recording->has('seen');
	return @checks;
}

sub sum {
	my ($what, $list) = @_;
	my $sum = 0;

	$sum += $_->{$what} for @$list;
	return $sum;
}

sub differs {
	my ($what, $is, $expected) = @_;

	return $is eq $expected ? () : "$what: $is, expected $expected";
}

# docs/design.md, "Totals": the sums that hold whenever nothing is being counted.
sub adds_up {
	my ($recording, $event) = @_;
	my $severities = 0;

	$severities += $_ for values %{ $event->{by_severity} };
	return ['totals and pages add up',
		differs('settled', $event->{settled} ? 1 : 0, 1),
		differs('events', $event->{events} + $event->{nested_events}, $event->{seen}),
		differs('events in totals', sum('events', $event->{totals}),
			$event->{events} - $event->{no_room_events} - $event->{busy_events}),
		differs('errors in totals', sum('errors', $event->{totals}),
			$event->{errors} - $event->{no_room_errors} - $event->{busy_errors}),
		differs('errors of all severities', $severities, $event->{errors}),
		differs('errors in places', sum('errors', $event->{places}),
			sum('errors', $event->{totals})),
		differs('errors in pages', sum('errors', $event->{pages}) + $event->{evicted_errors},
			$event->{errors_in_pages})];
}

# How many errors a machine check stands for: Intel's processors count the corrected ones in bits
# 52:38, where MCG_CAP has bit 10.
sub errors {
	my ($fields) = @_;
	my $corrected = $fields->{status} >> 38 & 0x7fff;

	return 1 if !exists $fields->{bank} || $fields->{cpuvendor} != DecodedChecks::INTEL
		|| !DecodedChecks::bit($fields->{mcgcap}, 10) || DecodedChecks::bit($fields->{status}, 61);
	return $corrected || 1;
}

# Is there a physical address? Intel's MISC tells of other kinds, 0 and 1 in bits 8:6.
sub has_page {
	my ($fields) = @_;

	return 0 if !exists $fields->{bank} || !DecodedChecks::bit($fields->{status}, 58);
	return $fields->{cpuvendor} != DecodedChecks::INTEL
		|| !DecodedChecks::bit($fields->{status}, 59) || ($fields->{misc} >> 6 & 7) > 1;
}

# include/linux/aer.h
my @aer_severities = qw(uncorrected fatal corrected);

sub key_of_fields {
	my ($fields) = @_;

	return join ' ', $aer_severities[ $fields->{severity} ], @{$fields}{qw(dev_name status)}
		if exists $fields->{dev_name};
	my $severity = DecodedChecks::severity($fields);
	return join ' ', $severity eq 'none' ? ('unknown', 'unknown')
		: ($severity, DecodedChecks::kind($fields)), @{$fields}{qw(socketid cpu bank)};
}

sub key_of_total {
	my ($total) = @_;

	return join ' ', map { $total->{$_} }
		exists $total->{bank} ? qw(severity kind socket cpu bank) : qw(severity label status);
}

sub agrees_with_records {
	my ($recording, $event) = @_;
	my @records = sort { $a->{time_ns} <=> $b->{time_ns} }
		map { @$_ } values %{ $recording->objects_of_cpus };
	my (%counts, %overflows, %pages, %times);

	for my $record (@records) {
		my $fields = $record->{fields};
		my $key = key_of_fields($fields);
		my $errors = errors($fields);

		$counts{$key} += $errors;
		$overflows{$key} += exists $fields->{bank} && DecodedChecks::bit($fields->{status}, 62);
		push @{ $times{$key} }, $record->{time_ns};
		$pages{ $fields->{addr} & ~0xfff } += $errors if has_page($fields);
	}
	return (
		['each place, severity and kind was counted exactly',
			same(\%counts, { map { key_of_total($_) => $_->{errors} } @{ $event->{totals} } })],
		['so were the errors that the hardware itself lost',
			same(\%overflows,
				{ map { key_of_total($_) => $_->{hardware_overflows} } @{ $event->{totals} } })],
		['each page was counted exactly',
			same(\%pages, { map { $_->{address} => $_->{errors} } @{ $event->{pages} } })],
		['first and last time are those of the records',
			map { wrong_times($_, $times{ key_of_total($_) }) } @{ $event->{totals} }],
	);
}

sub same {
	my ($expected, $is) = @_;
	my %keys = (%$expected, %$is);

	return map { differs($_, $is->{$_} // 'missing', $expected->{$_} // 'none') } sort keys %keys;
}

# An event is counted a moment before it is recorded, and after the one before it was.
sub wrong_times {
	my ($total, $times) = @_;
	my $name = key_of_total($total);
	my @problems;

	return "$name: no record" unless $times;
	push @problems, "$name: first at $total->{first_ns}, recorded at $times->[0]"
		if $total->{first_ns} > $times->[0];
	push @problems, "$name: last at $total->{last_ns}, recorded at $times->[-1]"
		if $total->{last_ns} > $times->[-1]
		|| @$times > 1 && $total->{last_ns} < $times->[-2];
	return @problems;
}

# Too many to compare as text: what ftrace has counted, and that pages had to leave.
sub agrees_with_ftrace {
	my ($recording, $event) = @_;
	my $seen = 0;

	$seen += (split)[1] for $recording->lines('seen');
	return ['as many events as ftrace counts, in all',
		differs('events', $event->{events}, $seen),
		$event->{evicted_pages} ? () : 'no page was evicted: this was no storm'];
}

1;
