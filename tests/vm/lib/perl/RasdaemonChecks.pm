# SPDX-License-Identifier: GPL-2.0-only
#
# What Debian's ras-mc-ctl, unmodified, says about the exported database, against the machine checks
# that were asked for and against what the reader says.
package RasdaemonChecks;

use strict;
use warnings;
no warnings 'portable';

use InjectionChecks;

sub all {
	my ($recording) = @_;
	return () unless $recording->has('rasdaemon.db');

	my @errors = grep { /^\d+ \d{4}-\d\d-\d\d .* error: / } ras_mc_ctl($recording, '--errors');
	return (
		as_injected($recording, @errors), as_recorded($recording, @errors),
		summed_up($recording, @errors),
	);
}

# It looks at one place only: there is the file, in a mount namespace. Root, or root of its own.
sub ras_mc_ctl {
	my ($recording, $option) = @_;
	my $cache = $ENV{PERSIST_CACHE} // ($ENV{XDG_CACHE_HOME} // "$ENV{HOME}/.cache") . '/persist-bpf';
	my @unshare = ('unshare', $> ? '--map-root-user' : (), '--mount');

	local $ENV{PATH} = "$ENV{PATH}:/usr/sbin:$cache/packages/usr/sbin";
	open my $output, '-|', @unshare, 'sh', '-ec', 'exec 2>&1
		mount -t tmpfs none /var/lib
		mkdir /var/lib/rasdaemon
		cat > /var/lib/rasdaemon/ras-mc_event.db < "$1"
		exec ras-mc-ctl "$2"', 'sh', "$recording->{path}/rasdaemon.db", $option
		or return ("unshare: $!");
	my @lines = <$output>;
	close $output;
	chomp @lines;
	return $? ? ("ras-mc-ctl $option: status $?", @lines) : @lines;
}

# "status=0x..., bank=0x..."; what is 0 is not shown.
sub fields {
	my ($line) = @_;
	my %fields = $line =~ /\b(\w+)=0x([0-9a-f]+)\b/g;

	return { map { $_ => hex $fields{$_} } keys %fields };
}

sub as_injected {
	my ($recording, @errors) = @_;
	my @shown = sort map { InjectionChecks::described(fields($_)) } @errors;
	my @asked = sort map { InjectionChecks::asked_for($_) } $recording->lines('injected');

	return [
		sprintf('ras-mc-ctl --errors shows each of %d machine checks once', scalar @asked),
		@asked ? () : ('there are none'),
		InjectionChecks::only_in('shown, but not injected', \@shown, \@asked),
		InjectionChecks::only_in('injected, but not shown', \@asked, \@shown),
	];
}

# All that both show, in the order of time.
sub as_recorded {
	my ($recording, @errors) = @_;
	my @objects = sort { $a->{time_ns} <=> $b->{time_ns} }
		map { @$_ } values %{ $recording->objects_of_cpus };
	my @names = qw(mcgcap mcgstatus status addr misc ip tsc walltime cpu cpuid apicid socketid cs bank);
	my @problems;

	for my $i (0 .. $#objects) {
		my $fields = fields($errors[$i] // '');
		push @problems, map { "error $i: $_: " . ($fields->{$_} // 0) . ", not $objects[$i]{fields}{$_}" }
			grep { ($fields->{$_} // 0) != $objects[$i]{fields}{$_} } @names;
	}
	return ['with every register that the reader shows, in the same order', @problems];
}

sub summed_up {
	my ($recording, @errors) = @_;
	my (%count, %summary);

	/ error: (.*?\(code 0x[0-9a-f]{4}\))/ and $count{$1}++ for @errors;
	/^\t(\d+) (.*\(code 0x[0-9a-f]{4}\)) errors$/ and $summary{$2} = $1
		for ras_mc_ctl($recording, '--summary');
	my @problems = map { "$_: " . ($summary{$_} // 'not there') . ", not $count{$_}" }
		grep { ($summary{$_} // 0) != $count{$_} } sort keys %count;
	push @problems, 'more kinds than errors' if keys %summary > keys %count;
	push @problems, 'no kind at all' unless %count;
	return ['ras-mc-ctl --summary counts them', @problems];
}

1;
