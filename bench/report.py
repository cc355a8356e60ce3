# SPDX-License-Identifier: GPL-2.0-only
"""The results for people: text, Markdown and plots."""

import subprocess

from statistics_of_rounds import TableValues
from targets import TARGETS

WIDE = "wide"
WIDE_MEANS = f"{WIDE}: the middle half of the rounds spreads over more than a tenth of the median"


def number(value):
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def table_rows(table):
    """Header and rows of text cells."""
    values = TableValues(table)
    rows = []
    for case in table["cases"]:
        summary = values.summary(case["name"])
        if not summary:
            rows.append([case["label"], "-", "", "", case["skipped"] or ""])
            continue
        ratio = case["reference"] and values.ratio(case["name"], case["reference"])
        rows.append(
            [
                case["label"],
                number(summary.median),
                f"{summary.spread:.0%}",
                f"{ratio.median:.2f}" if ratio else "",
                WIDE if summary.is_wide else "",
            ]
        )
    return ["", table["unit"], "spread", ratio_header(table), ""], rows


def ratio_header(table):
    references = {case["reference"] for case in table["cases"] if case["reference"]}
    if len(references) != 1:
        return "ratio"
    labels = {case["name"]: case["label"] for case in table["cases"]}
    return f"to {labels[references.pop()]}"


def target_rows(tables):
    rows = []
    for target in TARGETS:
        summary = target.measured(tables)
        if not summary:
            rows.append([target.what, str(target), "-", "", "not measured"])
            continue
        verdict = "reached" if target.is_met(summary) else "missed"
        note = f"{verdict}, {WIDE}" if summary.is_wide else verdict
        rows.append([target.what, str(target), number(summary.median), f"{summary.spread:.0%}", note])
    return ["", "target", "measured", "spread", ""], rows


# ---- text --------------------------------------------------------------------------------------


def text_table(title, header, rows):
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = [title]
    for row in [header, *rows]:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1])]
        lines.append(("  " + "  ".join([*cells, row[-1]])).rstrip())
    return "\n".join(lines) + "\n"


# ---- Markdown ----------------------------------------------------------------------------------

BEGIN = "<!-- results of make bench: begin -->"
END = "<!-- results of make bench: end -->"


def markdown_table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 2) + "---|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def ratio_rows(table):
    """What a document quotes: absolute values say more about the machine than about the programs."""
    values = TableValues(table)
    rows = []
    for case in table["cases"]:
        ratio = case["reference"] and values.ratio(case["name"], case["reference"])
        if ratio:
            wide = WIDE if ratio.is_wide else ""
            rows.append([case["label"], f"{ratio.median:.2f}", f"{ratio.spread:.0%}", wide])
        elif case["skipped"]:
            rows.append([case["label"], "-", "", case["skipped"]])
    return ["", ratio_header(table), "spread", ""], rows


def document_rows(table):
    has_ratios = any(case["reference"] for case in table["cases"])
    return ratio_rows(table) if has_ratios else table_rows(table)


def markdown(results):
    tables = {table["name"]: table for table in results["tables"]}
    machine = results["machine"]
    parts = [
        f"Linux {machine['kernel']}, {machine['cpu']}, {machine['cpus']} CPUs, clock source "
        f"{machine['clocksource']}; {', '.join(machine['tools'])}.\n"
    ]
    parts += [f"**Warning:** {warning}\n" for warning in results["warnings"]]
    parts += ["### Targets\n", markdown_table(*target_rows(tables)), f"{WIDE_MEANS}.\n"]
    for table in tables.values():
        parts += [f"### {table['title']}\n", markdown_table(*document_rows(table))]
    return "\n".join(parts)


def put_into_document(path, results):
    document = path.read_text(encoding="utf-8")
    before, _, rest = document.partition(BEGIN)
    if not rest or END not in rest:
        raise SystemExit(f"{path}: there is no place for the results: {BEGIN} ... {END}")
    after = rest.partition(END)[2]
    path.write_text(f"{before}{BEGIN}\n\n{markdown(results)}\n{END}{after}", encoding="utf-8")


# ---- plots -------------------------------------------------------------------------------------

PLOT = """
set terminal svg size 800,{height} dynamic background "white" font "sans-serif,13"
set output "{output}"
set title "{title}" noenhanced
set xlabel "{unit}"
set xrange [0:*]
set grid xtics
set style fill solid 0.7
set yrange [{rows}-0.5:-0.5]
set bars 0.5
unset key
plot "-" using ($2/2):0:($2/2):(0.35):ytic(1) with boxxyerror linecolor "#4878a8", \\
     "-" using 2:0:3:4 with xerrorbars linecolor "#303030" pointtype -1
{bars}e
{errors}e
"""


def quartiles(values):
    ordered = sorted(values)
    return ordered[len(ordered) // 4], ordered[-1 - len(ordered) // 4]


def plot(table, directory):
    """One bar for each case, with the quartiles of its rounds."""
    values = TableValues(table)
    measured = [case for case in table["cases"] if values.of(case["name"])]
    if not measured:
        return
    bars = errors = ""
    for case in measured:
        median = values.summary(case["name"]).median
        low, high = quartiles(values.of(case["name"]))
        label = case["label"].replace('"', "'").replace("_", "\\\\_")
        bars += f'"{label}" {median}\n'
        errors += f'"{label}" {median} {low} {high}\n'
    script = PLOT.format(
        height=110 + 24 * len(measured),
        output=directory / f"{table['name']}.svg",
        title=table["title"],
        unit=table["unit"],
        rows=len(measured),
        bars=bars,
        errors=errors,
    )
    subprocess.run(("gnuplot",), input=script, text=True, check=True)
