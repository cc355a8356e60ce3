/* SPDX-License-Identifier: GPL-2.0-only */
/* Where mce_record's fields are in the record of the running kernel; shared with the loader. */
#ifndef MCE_LAYOUT_H
#define MCE_LAYOUT_H

/* The longest record known has 120 bytes of fixed fields, or 128 on a kernel with PREEMPT_RT. */
#define MCE_RECORD_MAX	     160
#define MCE_VENDOR_DATA_SIZE 16

struct mce_layout {
	__u16 mcgcap;
	__u16 mcgstatus;
	__u16 status;
	__u16 addr;
	__u16 misc;
	__u16 synd;
	__u16 ipid;
	__u16 ip;
	__u16 tsc;
	__u16 ppin;
	__u16 walltime;
	__u16 cpu;
	__u16 cpuid;
	__u16 apicid;
	__u16 socketid;
	__u16 cs;
	__u16 bank;
	__u16 cpuvendor;
	__u16 microcode;
	__u16 v_data;
	__u16 v_data_offset; /* where the bytes of v_data are */
	__u16 argument_is_hw_err;
};

#endif
