# SPDX-License-Identifier: GPL-2.0-only
#
# The counters: they add up, three ways of asking give the same, and they agree with the
# records that are shown.
package CounterChecks;

use strict;
use warnings;

sub all {
	my ($recording) = @_;
	return () unless $recording->has('counters');

	return (
		adds_up($recording), agrees_with_status($recording),
		agrees_with_records($recording), agrees_with_ftrace($recording),
	);
}

# bpftool's dump: { cpu => { seen => ..., recorded => ..., lost_...} }
sub counters {
	my ($recording) = @_;
	my ($element) = @{ $recording->json('counters') };
	my $formatted = $element->{formatted} // $element;

	return { map { $_->{cpu} => $_->{value} } @{ $formatted->{values} } };
}

sub lost {
	my ($counters) = @_;
	my $lost = 0;

	$lost += $counters->{$_} for grep { /^lost_/ } keys %$counters;
	return $lost;
}

sub adds_up {
	my ($recording) = @_;
	my $cpus = counters($recording);

	return ['seen = recorded + lost on each CPU',
		map { "CPU $_: seen $cpus->{$_}{seen}, recorded $cpus->{$_}{recorded}, lost "
			. lost($cpus->{$_}) }
		grep { $cpus->{$_}{seen} != $cpus->{$_}{recorded} + lost($cpus->{$_}) }
		sort keys %$cpus];
}

# loader status shows the same numbers, and sums of them.
sub agrees_with_status {
	my ($recording) = @_;
	my $counters = counters($recording);
	my ($status) = @{ $recording->json('status')->{events} };
	my (@problems, %sum);

	for my $cpu (@{ $status->{cpus} }) {
		my %shown = amounts($cpu);
		my $held = $counters->{ $cpu->{cpu} };

		for my $what (sort keys %shown) {
			push @problems, "CPU $cpu->{cpu}: $what is $shown{$what}, the map has $held->{$what}"
				if $shown{$what} != $held->{$what};
			$sum{$what} += $shown{$what};
		}
	}
	push @problems, 'not every CPU of the map is shown'
		if @{ $status->{cpus} } != keys %$counters;

	my %total = amounts($status);
	push @problems, map { "$_ is $total{$_} in all, $sum{$_} when summed up" }
		grep { $total{$_} != $sum{$_} } sort keys %total;
	return ['loader status shows the counters', @problems];
}

# The counters in a status object, named as in the map.
sub amounts {
	my ($object) = @_;
	my $lost = $object->{lost};

	return (
		(map { $_ => $object->{$_} } qw(seen recorded)),
		(map { ("lost_$_" => $lost->{$_}) } keys %$lost),
	);
}

# What was recorded and is still there is shown; what was overwritten is in the losses.
sub agrees_with_records {
	my ($recording) = @_;
	return () unless $recording->has('json');
	my ($cpus, $shown) = (counters($recording), $recording->objects_of_cpus);
	my @problems;

	for my $cpu (sort keys %$cpus) {
		my $accounted = 0;

		$accounted += $_->{lost} // 1 for @{ $shown->{$cpu} // [] };
		push @problems, "CPU $cpu: shown and lost are $accounted, seen were $cpus->{$cpu}{seen}"
			if $accounted != $cpus->{$cpu}{seen};
	}
	return ['records and losses shown add up to what was seen', @problems];
}

sub agrees_with_ftrace {
	my ($recording) = @_;
	return () unless $recording->has('seen');
	my $cpus = counters($recording);
	my %seen = map { split ' ' } $recording->lines('seen');

	return ['as many events seen on each CPU as ftrace counts',
		map { "CPU $_: seen $cpus->{$_}{seen}, ftrace counts $seen{$_}" }
		grep { $cpus->{$_}{seen} != $seen{$_} } sort keys %seen];
}

1;
