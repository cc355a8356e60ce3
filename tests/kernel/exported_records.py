#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What an export holds, as lines that are equal if the records are.

  exported_records.py json FILE             what `reader attach --json` has shown
  exported_records.py json-of-doubles FILE  the same with strings for what a double does not hold
  exported_records.py chrome FILE           trace events; a file that was cut off gets its end
  exported_records.py ctf DIRECTORY         a trace, read with babeltrace2's library

A record is one JSON object, a loss another one. Any complaint of a reader ends this with an error.
"""
# Debian's own Python, for that is the one to which its packages belong.
import json
import sys


def show(**what):
    print(json.dumps(what, sort_keys=True))


def of_doubles(value):
    """Integers beyond 2^53 as strings of their digits."""
    if isinstance(value, dict):
        return {key: of_doubles(member) for key, member in value.items()}
    if isinstance(value, list):
        return [of_doubles(member) for member in value]
    if isinstance(value, int) and abs(value) > 1 << 53:
        return str(value)
    return value


def show_json(path, convert):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            if "lost" in item:
                show(event=item["event"], cpu=item["cpu"], lost=item["lost"])
                continue
            for key in "id", "time":
                del item[key]
            show(**convert(item))


def load_chrome(path):
    with open(path, encoding="utf-8") as file:
        text = file.read().rstrip(" \n")
    if not text.endswith("]"):
        text = text.rstrip(",") + "]"
    # Exact, to tell whether the nanoseconds are.
    return json.loads(text, parse_float=str)


def show_chrome(path):
    for event in load_chrome(path):
        if event["ph"] == "M":
            continue
        args = event.pop("args")
        if event["cat"] == "lost":
            show(event=args["event"], cpu=event["tid"], lost=args["lost"])
            continue
        micros, nanos = event["ts"].split(".")
        assert len(nanos) == 3 and event["ph"] == "i" and event["s"] == "t"
        show(event=event["name"], system=event["cat"], cpu=event["tid"],
             time_ns=int(micros) * 1000 + int(nanos), **args)


def value_of(field):
    import bt2

    if isinstance(field, bt2._StringFieldConst):
        return str(field)
    if isinstance(field, bt2._ArrayFieldConst):
        return [int(element) for element in field]
    return int(field)


def fields_of(structure):
    import bt2

    fields = dict(structure.items())
    # The length of a sequence is a field before it.
    for name, field in structure.items():
        if isinstance(field, bt2._DynamicArrayFieldConst):
            del fields["_" + name + "_length"]
    return {name: value_of(field) for name, field in fields.items()}


def show_ctf(path):
    import bt2

    for message in bt2.TraceCollectionMessageIterator(path):
        if isinstance(message, bt2._DiscardedEventsMessageConst):
            name, cpu = message.stream.name.rsplit("/", 1)[1].rsplit("-cpu", 1)
            show(event=name, cpu=int(cpu), lost=message.count)
        elif isinstance(message, bt2._DiscardedPacketsMessageConst):
            sys.exit("babeltrace2 misses packets")
        elif isinstance(message, bt2._EventMessageConst):
            event = message.event
            system, name = event.name.split(":", 1)
            record = fields_of(event.common_context_field)
            if record.pop("incomplete"):
                record["incomplete"] = True
            show(event=name, system=system, cpu=int(event.packet.context_field["cpu_id"]),
                 time_ns=message.default_clock_snapshot.value,
                 fields=fields_of(event.payload_field), **record)


form, source = sys.argv[1:]
if form == "json":
    show_json(source, lambda item: item)
elif form == "json-of-doubles":
    show_json(source, of_doubles)
elif form == "chrome":
    show_chrome(source)
elif form == "ctf":
    show_ctf(source)
else:
    sys.exit(__doc__)
