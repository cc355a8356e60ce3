# SPDX-License-Identifier: GPL-2.0-only
#
# One recording of one event: the files a guest brought back of it, parsed.
package Recording;

use strict;
use warnings;

use JSON::PP;

sub new {
	my ($class, $path) = @_;
	my ($name) = $path =~ m{([^/]+)/*$};

	return bless { path => $path, name => $name }, $class;
}

sub has {
	my ($self, $file) = @_;

	return -e "$self->{path}/$file";
}

sub lines {
	my ($self, $file) = @_;

	open my $handle, '<', "$self->{path}/$file" or return ();
	chomp(my @lines = <$handle>);
	return @lines;
}

sub expected {
	my ($self) = @_;
	my ($expected) = $self->lines('expected');

	return $expected // '';
}

# A file that is one JSON value.
sub json {
	my ($self, $file) = @_;

	return decode_json(join "\n", $self->lines($file));
}

# The lines of text as ftrace and perf script print them, in a list for each CPU:
#     comm-123   [001] .....   12.345678: event: what the print format makes of it
# The flags between CPU and time are ftrace's alone. For a system call ftrace prints no event,
# but a text that begins like a call.
sub events_of_cpus {
	my ($self, $file) = @_;
	my %cpus;

	for ($self->lines($file)) {
		my ($comm, $pid, $cpu, $time, $text) =
			/^\s*(.*\S)[-\s]\s*(\d+)\s+\[(\d+)\]\s.*?\s*(\d+\.\d+):\s+(?:[\w:]+:\s)?(.*)$/ or next;
		push @{ $cpus{ $cpu + 0 } },
			{ comm => $comm, pid => $pid, time => $time, text => $text };
	}
	return \%cpus;
}

# The objects the reader printed, records and losses alike, in a list for each CPU.
sub objects_of_cpus {
	my ($self) = @_;
	my %cpus;

	for ($self->lines('json')) {
		my $object = decode_json($_);
		push @{ $cpus{ $object->{cpu} } }, $object;
	}
	return \%cpus;
}

1;
