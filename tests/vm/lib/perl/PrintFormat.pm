# SPDX-License-Identifier: GPL-2.0-only
#
# Formats the fields of a record as its print format says: an implementation independent of
# ours, as far as the events of the VM tests need it.
package PrintFormat;

use strict;
use warnings;

# parse(format text): the printf format and the names of its arguments' fields.
sub parse {
	my ($text) = @_;
	my ($printf, $arguments) = $text =~ /^print fmt: "(.*?)", (.*)$/m or return;
	my @fields = map { /REC->(\w+)/ || /__print_dynamic_array\((\w+)/ ? $1 : '' }
		split /,\s*(?=REC->|__)/, $arguments;

	# Perl's integers are as long as the kernel's longest and know no length modifiers.
	$printf =~ s/%([-0]*\d*)(?:ll|L)/%$1/g;
	return { printf => $printf, fields => \@fields };
}

sub text {
	my ($format, $values) = @_;

	return sprintf $format->{printf}, map {
		my $value = $values->{$_} // '(missing)';
		ref $value ? '{' . join(',', map { sprintf '0x%x', $_ } @$value) . '}' : $value;
	} @{ $format->{fields} };
}

1;
