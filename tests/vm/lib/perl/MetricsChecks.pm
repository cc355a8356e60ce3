# SPDX-License-Identifier: GPL-2.0-only
#
# The metrics of machine checks, against what was recorded and against the words that the reader has
# for it.
package MetricsChecks;

use strict;
use warnings;

use JSON::PP;

use InjectionChecks;

sub all {
	my ($recording) = @_;
	return () unless $recording->has('metrics');

	my @objects = map { @$_ } values %{ $recording->objects_of_cpus };
	return (counters($recording, @objects), machine_checks($recording, @objects), severities($recording, @objects));
}

# Of one metric, the values by the labels named: "a b" => 5
sub values_of {
	my ($recording, $metric, @labels) = @_;
	my %values;

	for ($recording->lines('metrics')) {
		my ($labels, $value) = /^\Q$metric\E\{([^}]*)\} (\S+)$/ or next;
		my %label = $labels =~ /(\w+)="([^"]*)"/g;
		next unless $label{event} eq 'mce_record' && $value;
		$values{ join ' ', @label{@labels} } += $value;
	}
	return \%values;
}

sub differences {
	my ($told, $expected) = @_;
	my %keys = (%$told, %$expected);

	return map { "$_: " . ($told->{$_} // 0) . ", not " . ($expected->{$_} // 0) }
		grep { ($told->{$_} // 0) != ($expected->{$_} // 0) } sort keys %keys;
}

sub counters {
	my ($recording, @objects) = @_;

	return [
		sprintf('the metrics count %d seen and recorded', scalar @objects),
		map { differences(values_of($recording, "persist_event_${_}_total", 'event'), { mce_record => scalar @objects }) }
			qw(seen recorded),
	];
}

sub machine_checks {
	my ($recording, @objects) = @_;
	my %expected;

	$expected{"$_->{fields}{cpu} $_->{fields}{bank} $_->{decoded}{severity}"}++ for @objects;
	return [
		'machine checks by CPU, bank and severity',
		differences(values_of($recording, 'persist_machine_checks_total', qw(cpu bank severity)), \%expected),
	];
}

sub severities {
	my ($recording, @objects) = @_;
	my %expected;

	$expected{ $_->{decoded}{severity} }++ for @objects;
	return [
		'hardware errors by severity',
		differences(values_of($recording, 'persist_hardware_errors_total', 'severity'), \%expected),
	];
}

1;
