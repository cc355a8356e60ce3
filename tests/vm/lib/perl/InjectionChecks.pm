# SPDX-License-Identifier: GPL-2.0-only
#
# The reader's records against the machine checks that were asked for: a source that neither
# ftrace nor the reader had a hand in.
package InjectionChecks;

use strict;
use warnings;

sub all {
	my ($recording) = @_;
	return () unless $recording->has('injected') && $recording->expected eq 'complete';

	my @injected = $recording->lines('injected');
	my @shown = sort map { described($_->{fields}) } map { @$_ } values %{ $recording->objects_of_cpus };
	my @asked = sort map { asked_for($_) } @injected;

	return [
		sprintf('each of %d machine checks is shown with bank, status, addr and misc',
			scalar @injected),
		only_in('shown, but not injected', \@shown, \@asked),
		only_in('injected, but not shown', \@asked, \@shown),
	];
}

sub described {
	my ($fields) = @_;

	return sprintf 'bank %d status %016x addr %016x misc %016x',
		map { $fields->{$_} // 0 } qw(bank status addr misc);
}

sub asked_for {
	my ($how, $cpu, $bank, $status, $addr, $misc) = split ' ', $_[0];

	no warnings 'portable';
	# The exception handler shows only those bits of an address that misc (0x8c) says are valid.
	$addr = sprintf '0x%x', hex($addr) & ~0xfff if $how eq 'hw';
	return sprintf 'bank %d status %016x addr %016x misc %016x', $bank,
		map { hex } $status, $addr, $misc;
}

# Those of one sorted list that the other lacks, as often as it lacks them.
sub only_in {
	my ($what, $here, $there) = @_;
	my %count;

	$count{$_}++ for @$there;
	return map { "$what: $_" } grep { --($count{$_} //= 0) < 0 } @$here;
}

1;
