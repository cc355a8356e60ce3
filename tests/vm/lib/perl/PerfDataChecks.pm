# SPDX-License-Identifier: GPL-2.0-only
#
# The file that `reader record` wrote in the guest, as perf on this machine reads it, against what
# the reader showed there.
package PerfDataChecks;

use strict;
use warnings;

sub all {
	my ($recording) = @_;
	return () unless $recording->has('perf.data') and $recording->has('text');

	my ($script, $err) = map { "$recording->{path}/$_" } qw(perf.script perf.err);
	my $status = system("perf script -i '$recording->{path}/perf.data' > '$script' 2> '$err'");
	return (
		['perf script reads perf.data', $status ? ("status $status", $recording->lines('perf.err')) : ()],
		same_records($recording),
	);
}

# Both show the same records, from the same clock. Of what perf prints itself only mce_record is
# compared: other print formats libtraceevent may not understand as the kernel does. Other events
# also may have gone on between the reader's one command and the other.
sub same_records {
	my ($recording) = @_;
	my ($ours, $perfs) = map { $recording->events_of_cpus($_) } qw(text perf.script);
	my $records = $recording->objects_of_cpus;
	my $is_mce = grep { $_ eq 'name: mce_record' } $recording->lines('format');
	my @problems = %$perfs ? () : 'perf shows no record';

	for my $cpu (sort keys %$ours) {
		my @ours = @{ $ours->{$cpu} };
		my @perfs = @{ $perfs->{$cpu} // [] };
		my @records = grep { $_->{fields} } @{ $records->{$cpu} };

		push @problems, sprintf 'CPU %d: %d records, perf shows %d', $cpu, scalar @ours, scalar @perfs
			if @perfs < @ours or $is_mce && @perfs > @ours;
		for my $i (0 .. ($#ours < $#perfs ? $#ours : $#perfs)) {
			my ($our, $perf) = ($ours[$i], $perfs[$i]);

			push @problems, "CPU $cpu: '" . heading($our) . "', perf shows '" . heading($perf) . "'"
				if heading($our) ne heading($perf);
			push @problems, "CPU $cpu: '$our->{text}', perf shows '$perf->{text}'"
				if $is_mce and not is_same_mce($our, $perf, $records[$i]{fields});
		}
	}
	return ['perf shows of perf.data what the reader shows', @problems];
}

# The print format of some kernels is too new for some versions of perf, which then show the fields.
sub is_same_mce {
	my ($our, $perf, $fields) = @_;

	return $our->{text} eq $perf->{text} unless $perf->{text} =~ /^\[FAILED TO PARSE\] (.*)/;
	my %shown = map { /^(\w+)=(\d+)$/ ? ($1 => $2) : () } split ' ', $1;
	return not grep { ($shown{$_} // '') ne $fields->{$_} }
		qw(mcgcap mcgstatus status addr misc tsc walltime cpu bank);
}

# perf calls all idle threads swapper.
sub heading {
	my ($line) = @_;
	my $comm = $line->{pid} ? $line->{comm} : 'swapper';

	return "$comm $line->{pid} $line->{time}";
}

1;
