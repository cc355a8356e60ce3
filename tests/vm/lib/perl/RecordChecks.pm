# SPDX-License-Identifier: GPL-2.0-only
#
# The reader's records against ftrace's. Both saw the same events from the first on, so on each
# CPU the record with sequence number N is ftrace's N-th line, whatever is missing between.
package RecordChecks;

use strict;
use warnings;

use PrintFormat;

# How far our time of an event may be from ftrace's: both read the clock within the same
# tracepoint, but an emulated CPU may lose its turn in between.
use constant SECONDS_APART => 2;

sub all {
	my ($recording) = @_;
	return () unless $recording->has('json');

	my @checks = (sequence($recording), losses($recording));
	if ($recording->has('threads')) {
		push @checks, threads($recording);
	} elsif ($recording->has('ftrace')) {
		push @checks, number($recording) if $recording->expected eq 'complete';
		push @checks, fields($recording), text($recording), heading($recording);
	}
	return @checks;
}

sub is_loss {
	return exists $_[0]{lost};
}

# Sequence numbers begin at 1 and no number is neither shown nor said to be lost.
sub sequence {
	my ($recording) = @_;
	my $cpus = $recording->objects_of_cpus;
	my @problems = %$cpus ? () : 'no record at all';

	for my $cpu (sort keys %$cpus) {
		my $next = 1;

		for my $object (@{ $cpus->{$cpu} }) {
			my ($from, $to) = is_loss($object) ?
				@$object{qw(from_seq to_seq)} : ($object->{seq}) x 2;
			push @problems, "CPU $cpu: $from where $next was to come" if $from != $next;
			$next = $to + 1;
		}
	}
	return ['sequence numbers are complete', @problems];
}

sub losses {
	my ($recording) = @_;
	my $cpus = $recording->objects_of_cpus;
	my @problems;

	for my $cpu (sort keys %$cpus) {
		my @losses = grep { is_loss($_) } @{ $cpus->{$cpu} };

		push @problems, map { "CPU $cpu: lost $_->{lost} from $_->{from_seq} to $_->{to_seq}" }
			grep { $_->{lost} != $_->{to_seq} - $_->{from_seq} + 1 } @losses;
		if ($recording->expected eq 'complete') {
			push @problems, "CPU $cpu: records are missing" if @losses;
			next;
		}
		# One gap: records, a loss, records.
		my $shape = join '', map { is_loss($_) ? 'L' : 'r' } @{ $cpus->{$cpu} };
		push @problems, "CPU $cpu: not first records, one loss, latest records: $shape"
			unless $shape =~ /^r+Lr+$/;
		push @problems, map { "CPU $cpu: lost because of '$_->{reason}'" }
			grep { $_->{reason} ne 'overwritten' } @losses;
	}
	return [
		$recording->expected eq 'complete' ? 'nothing is lost' :
			'the first and the latest records, and one loss, counted, between', @problems
	];
}

sub number {
	my ($recording) = @_;
	my ($ftrace, $ours) = ($recording->events_of_cpus('ftrace'), $recording->objects_of_cpus);
	my %cpus = (%$ftrace, %$ours);

	return ['as many records as ftrace has on each CPU',
		map { sprintf 'CPU %d: %d, ftrace has %d', $_, scalar @{ $ours->{$_} // [] },
			scalar @{ $ftrace->{$_} // [] } }
		grep { @{ $ours->{$_} // [] } != @{ $ftrace->{$_} // [] } } sort keys %cpus];
}

# compare(recording, objects of CPUs, difference): walks over each record beside ftrace's of it.
sub compare {
	my ($recording, $difference) = @_;
	my ($ftrace, $ours) = ($recording->events_of_cpus('ftrace'), $recording->objects_of_cpus);
	my @problems;

	for my $cpu (sort keys %$ours) {
		for my $record (grep { !is_loss($_) } @{ $ours->{$cpu} }) {
			my $line = $ftrace->{$cpu}[$record->{seq} - 1];
			my $problem = $line ? $difference->($record, $line) : 'ftrace has no such event';
			push @problems, "CPU $cpu, record $record->{seq}: $problem" if $problem;
		}
	}
	return @problems;
}

sub fields {
	my ($recording) = @_;
	my $format = PrintFormat::parse(join "\n", $recording->lines('format'))
		or return ['JSON fields', 'the print format was not understood'];

	return ['each field in JSON is what ftrace printed', compare($recording, sub {
		my ($record, $line) = @_;
		my $text = PrintFormat::text($format, $record->{fields});
		return $text eq $line->{text} ? '' : "'$text', ftrace has '$line->{text}'";
	})];
}

# The text output has no sequence numbers; its lines are the records of the JSON in their order.
sub text {
	my ($recording) = @_;
	my ($ours, $records) = ($recording->events_of_cpus('text'), $recording->objects_of_cpus);
	my $ftrace = $recording->events_of_cpus('ftrace');
	my @problems;

	for my $cpu (sort keys %$records) {
		my @seqs = map { $_->{seq} } grep { !is_loss($_) } @{ $records->{$cpu} };
		my @lines = @{ $ours->{$cpu} // [] };

		push @problems, sprintf 'CPU %d: %d lines for %d records', $cpu, scalar @lines, scalar @seqs
			if @lines != @seqs;
		for my $i (0 .. ($#lines < $#seqs ? $#lines : $#seqs)) {
			my $expected = $ftrace->{$cpu}[$seqs[$i] - 1]{text} // '(nothing)';
			push @problems, "CPU $cpu, record $seqs[$i]: '$lines[$i]{text}', ftrace has '$expected'"
				if $lines[$i]{text} ne $expected;
		}
	}
	return ['each line of text is what ftrace printed', @problems];
}

# Where ftrace did not see the same events from the first on: what some threads did.
sub threads {
	my ($recording) = @_;
	my ($ftrace, $ours) = map { texts_of_threads($recording, $_) } qw(ftrace text);
	my @problems;

	for my $tid ($recording->lines('threads')) {
		my ($theirs, $shown) = map { join "\n", @{ $_->{$tid} // [] } } $ftrace, $ours;

		push @problems, "thread $tid: ftrace has nothing" if $theirs eq '';
		push @problems, "thread $tid: '$shown', ftrace has '$theirs'" if $shown ne $theirs;
	}
	return ['each line of text of our threads is what ftrace printed', @problems];
}

sub texts_of_threads {
	my ($recording, $file) = @_;
	my %texts;

	for my $lines (values %{ $recording->events_of_cpus($file) }) {
		push @{ $texts{ $_->{pid} } }, $_->{text} for @$lines;
	}
	# A thread may have moved between CPUs, whose lines are apart here: order does not count.
	return { map { $_ => [sort @{ $texts{$_} }] } keys %texts };
}

# What stands before the event's own text. ftrace looks names up afterwards, in a table that other
# threads take places of: "<...>" is one that it does not know any more.
sub heading {
	my ($recording) = @_;

	return ['thread, CPU and time of each record are those of ftrace', compare($recording, sub {
		my ($record, $line) = @_;
		return "tid $record->{tid}, ftrace has $line->{pid}" if $record->{tid} != $line->{pid};
		return "comm '$record->{comm}', ftrace has '$line->{comm}'"
			if $record->{comm} ne $line->{comm} && $line->{comm} ne '<...>';
		return "time $record->{time_ns}, ftrace has $line->{time}"
			if abs($record->{time_ns} / 1e9 - $line->{time}) > SECONDS_APART;
		return '';
	})];
}

1;
