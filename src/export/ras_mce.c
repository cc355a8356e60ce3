// SPDX-License-Identifier: GPL-2.0-only
/* Machine checks in words, for the columns in which rasdaemon has its own. */
#include "export/ras_values.h"

#include "mce/mce_decode.h"
#include "mce/mce_text.h"

/* More than any of the texts needs; what is longer is cut off. */
#define TEXT_SIZE 512

static void decode(const struct ras_row *row, struct mce_decoded *decoded)
{
	struct mce_registers registers;

	mce_registers__read(&registers, row->event, row->record);
	mce_decode(decoded, &registers);
}

static int bind_printed(const struct ras_row *row, int index,
			void (*print)(struct text_out *out, const struct mce_decoded *decoded))
{
	struct mce_decoded decoded;
	char text[TEXT_SIZE];
	struct text_out out = { .buf = text, .cap = sizeof(text) };

	decode(row, &decoded);
	print(&out, &decoded);
	text_out__finish(&out);
	return sqlite3_bind_text(row->insert, index, text, -1, SQLITE_TRANSIENT);
}

int ras_bind__mce_error(const struct ras_row *row, int index, const struct ras_column *column)
{
	(void)column;
	return bind_printed(row, index, mce_text__print_error);
}

int ras_bind__mce_action(const struct ras_row *row, int index, const struct ras_column *column)
{
	(void)column;
	return bind_printed(row, index, mce_text__print_severity);
}

int ras_bind__mce_bank(const struct ras_row *row, int index, const struct ras_column *column)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	struct mce_decoded decoded;

	(void)column;
	decode(row, &decoded);
	sqlite3_str_appendf(text, "%llu", (unsigned long long)mce_decoded__get(&decoded, MCE_BANK));
	if (decoded.has_smca && decoded.smca.unit)
		sqlite3_str_appendf(text, " (%s)", decoded.smca.unit->text);
	return ras_bind__finished(row, index, text);
}

static void append_word(sqlite3_str *text, const char *word)
{
	sqlite3_str_appendf(text, "%s%s", sqlite3_str_length(text) ? " " : "", word);
}

int ras_bind__mce_mcgstatus(const struct ras_row *row, int index, const struct ras_column *column)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	const struct mce_flag *flag;
	struct mce_decoded decoded;

	(void)column;
	decode(row, &decoded);
	for (size_t i = 0; (flag = mce_mcg_flag(i)); i++)
		if (mce_decoded__mcg(&decoded, flag->bit))
			append_word(text, flag->id);
	return ras_bind__finished(row, index, text);
}

int ras_bind__mce_status(const struct ras_row *row, int index, const struct ras_column *column)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	const struct mce_flag *flag;
	struct mce_decoded decoded;
	bool is_amd;

	(void)column;
	decode(row, &decoded);
	is_amd = mce_vendor_is_amd(decoded.vendor);
	for (size_t i = 0; (flag = mce_status_flag(i, is_amd)); i++)
		if (mce_decoded__status(&decoded, flag->bit))
			append_word(text, flag->id);
	return ras_bind__finished(row, index, text);
}

int ras_bind__mce_code(const struct ras_row *row, int index, const struct ras_column *column)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	struct mce_decoded decoded;

	(void)column;
	decode(row, &decoded);
	sqlite3_str_appendf(text, "code 0x%04x, model-specific 0x%04x", decoded.code_value,
			    decoded.model_code);
	if (decoded.has_smca && decoded.smca.error)
		sqlite3_str_appendf(text, ": %s", decoded.smca.error->text);
	return ras_bind__finished(row, index, text);
}

int ras_bind__mce_location(const struct ras_row *row, int index, const struct ras_column *column)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	struct mce_decoded decoded;
	int channel;

	(void)column;
	decode(row, &decoded);
	channel = decoded.has_smca ? decoded.smca.channel : decoded.code.channel;
	if (channel >= 0)
		sqlite3_str_appendf(text, "channel=%d", channel);
	if (decoded.has_smca && decoded.smca.chip_select >= 0)
		sqlite3_str_appendf(text, " chip_select=%d", decoded.smca.chip_select);
	return ras_bind__finished(row, index, text);
}
