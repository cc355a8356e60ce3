// SPDX-License-Identifier: GPL-2.0-only
/* `reader decode`: what the registers of a machine check mean, wherever they come from. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_generator.h"
#include "mce/mce_decode.h"
#include "mce/mce_json.h"
#include "mce/mce_text.h"
#include "reader_command.h"

static const char decode_help[] =
	"usage: {reader} decode --status REGISTER [OPTION]...\n"
	"\n"
	"Says what the registers of a machine check mean, wherever they come from: a log, a photo of\n"
	"a screen, another machine. Only what is given is taken into account.\n"
	"\n"
	"      --status REGISTER     MCi_STATUS\n"
	"      --addr REGISTER       MCi_ADDR\n"
	"      --misc REGISTER       MCi_MISC\n"
	"      --ipid REGISTER       MCA_IPID (AMD)\n"
	"      --synd REGISTER       MCA_SYND (AMD)\n"
	"      --mcgstatus REGISTER  MCG_STATUS; \"MCGs\" in the kernel's log\n"
	"      --mcgcap REGISTER     MCG_CAP; \"MCGc\"\n"
	"      --vendor VENDOR       intel, amd, hygon, ..., or the kernel's number for it, which is\n"
	"                            before the colon behind \"PROCESSOR\"\n"
	"      --cpuid REGISTER      EAX of CPUID leaf 1; behind that colon\n"
	"      --bank N, --cpu N, --core N, --socketid N, --apicid N, --cs N, --ip N, --tsc N,\n"
	"      --ppin N, --microcode N, --walltime SECONDS   as mce_record has them\n"
	"      --json                one JSON object\n"
	"  -h, --help                show this\n"
	"\n"
	"Numbers are decimal, or hexadecimal with 0x in front.\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

/* ---- the command line -------------------------------------------------------------------- */

struct decode_options {
	struct mce_registers registers;
	bool json;
};

/* An option of a register is its number and this. */
#define OPT_REGISTER 256

enum {
	OPT_JSON = OPT_REGISTER + MCE_NR_REGISTERS,
	OPT_VENDOR,
};

static const struct option long_options[] = {
#define X(id, name) { #name, required_argument, NULL, OPT_REGISTER + MCE_##id },
	MCE_REGISTERS(X)
#undef X
		{ "vendor", required_argument, NULL, OPT_VENDOR },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* How wide the kernel makes it; a longer number is a mistake. */
static uint64_t largest(enum mce_register reg)
{
	switch (reg) {
	case MCE_BANK:
	case MCE_CS:
	case MCE_CPUVENDOR:
		return UINT8_MAX;
	case MCE_CPU:
	case MCE_CORE:
	case MCE_CPUID:
	case MCE_APICID:
	case MCE_SOCKETID:
	case MCE_MICROCODE:
		return UINT32_MAX;
	default:
		return UINT64_MAX;
	}
}

/* As many digits as the kernel and most others print of a register, in hexadecimal. */
#define REGISTER_DIGITS 16

/* Returns 0, or -EINVAL for what is no number, -ERANGE, or -EDOM for one that lacks its 0x. */
static int parse_register(const char *text, uint64_t max, uint64_t *value)
{
	static const char digits[] = "0123456789";
	bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;

	if (!is_hex && *text && !text[strspn(text, "0123456789abcdefABCDEF")] &&
	    (text[strspn(text, digits)] || strlen(text) == REGISTER_DIGITS))
		return -EDOM;
	if (!strchr(digits, *text) || !*text)
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, is_hex ? 16 : 10);
	if (*end || end == text)
		return -EINVAL;
	return errno || *value > max ? -ERANGE : 0;
}

static int set_register(struct mce_registers *registers, enum mce_register reg, const char *option,
			const char *text)
{
	uint64_t value, max = largest(reg);
	char what[96];

	switch (parse_register(text, max, &value)) {
	case 0:
		mce_registers__set(registers, reg, value);
		return -1;
	case -EDOM:
		snprintf(what, sizeof(what), "--%s wants 0x before a hexadecimal number, not",
			 option);
		break;
	case -ERANGE:
		snprintf(what, sizeof(what), "--%s wants a number from 0 to 0x%llx, not", option,
			 (unsigned long long)max);
		break;
	default:
		snprintf(what, sizeof(what), "--%s wants a number, not", option);
	}
	return usage_error(what, text);
}

static int set_vendor(struct mce_registers *registers, const char *text)
{
	uint32_t vendor;

	if (*text >= '0' && *text <= '9')
		return set_register(registers, MCE_CPUVENDOR, "vendor", text);
	if (mce_vendor__find(text, &vendor))
		return usage_error(
			"--vendor wants intel, amd, hygon, zhaoxin, centaur, what /proc/cpuinfo "
			"shows as vendor_id, or the kernel's number, not",
			text);
	mce_registers__set(registers, MCE_CPUVENDOR, vendor);
	return -1;
}

/* Returns -1 to go on, or the status with which to exit. */
static int parse_options(int argc, char **argv, struct decode_options *options)
{
	int option, index, status;

	while ((option = next_option(argc, argv, "h", long_options, &index)) != -1) {
		status = -1;
		if (option == 'h')
			return print_help();
		else if (option == OPT_JSON)
			options->json = true;
		else if (option == OPT_VENDOR)
			status = set_vendor(&options->registers, optarg);
		else if (option >= OPT_REGISTER && option < OPT_REGISTER + MCE_NR_REGISTERS)
			status = set_register(&options->registers, option - OPT_REGISTER,
					      long_options[index].name, optarg);
		else
			return EXIT_USAGE; /* and a message was printed */
		if (status >= 0)
			return status;
	}
	if (optind < argc)
		return unexpected_argument(argv[optind]);
	if (!mce_registers__has(&options->registers, MCE_STATUS))
		return missing_argument("--status REGISTER");
	return -1;
}

/* ---- the output -------------------------------------------------------------------------- */

static int write_text(const struct mce_decoded *decoded)
{
	struct text_out out = { 0 };

	mce_text__print(&out, decoded, "");
	out = (struct text_out){ .buf = malloc(out.len), .cap = out.len };
	if (!out.buf)
		return -ENOMEM;
	mce_text__print(&out, decoded, "");
	fwrite(out.buf, 1, out.len, stdout);
	free(out.buf);
	return fflush(stdout) ? -errno : 0;
}

static int write_json(const struct mce_decoded *decoded)
{
	struct json_generator generator;
	const unsigned char *text;
	size_t len;
	int err;

	err = json_generator__init(&generator);
	if (err)
		return err;
	json_generator__open_map(&generator, NULL);
	mce_json__generate_registers(&generator, "fields", &decoded->registers);
	mce_json__generate(&generator, "decoded", decoded);
	json_generator__close_map(&generator);
	err = json_generator__end(&generator, &text, &len);
	if (!err)
		printf("%.*s\n", (int)len, (const char *)text);
	json_generator__destroy(&generator);
	if (!err && fflush(stdout))
		err = -errno;
	return err;
}

static int run(int argc, char **argv)
{
	struct decode_options options = { 0 };
	struct mce_decoded decoded;
	int status, err;

	status = parse_options(argc, argv, &options);
	if (status >= 0)
		return status;
	mce_decode(&decoded, &options.registers);
	err = options.json ? write_json(&decoded) : write_text(&decoded);
	if (err && err != -EPIPE)
		log_error(&log_to_stderr, "standard output: %s", strerror(-err));
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

const struct reader_command decode_command = {
	.name = "decode",
	.summary = "say what the registers of a machine check mean",
	.help = decode_help,
	.run = run,
};
