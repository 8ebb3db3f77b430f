/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Published traces that are tables. Where the columns and units come from:
 *   spc       Storage Performance Council trace file format 1.0.1, as in the UMass repository: ASU, LBA of 512-byte
 *             blocks, size in bytes, opcode, seconds since the start, optional further fields
 *   msr       MSR Cambridge (SNIA IOTTA): Timestamp in 100 ns ticks since 1601, Hostname, DiskNumber, Type, Offset and
 *             Size in bytes, ResponseTime
 *   alibaba   Alibaba block traces 2020: device_id, opcode, offset and length in bytes, microseconds
 *   tencent   Tencent CBS 2018: whole seconds, Offset and Size in sectors of 512 bytes, IOType 0 read 1 write, VolumeID
 *   systor    SYSTOR '17 (LUN traces): seconds, response, IOType, LUN, offset and size in bytes; rows without a type
 *   disksim   DiskSim ascii: milliseconds, device, block, blocks of 512 bytes, hex flags whose bit 0 is read
 */
#include "import/table.h"

static int spc_open(struct import *imp, struct fault *fault)
{
	struct table *t = imp->state;

	t->letters = true;
	return table_open(t, "file,offset:512,length,op,time:s", ',', 5, 0, fault);
}

static int msr_open(struct import *imp, struct fault *fault)
{
	struct table *t = imp->state;

	t->words = t->header = true;
	return table_open(t, "time:100ns,file,file,op,offset,length,-", ',', 6, 7, fault);
}

static int alibaba_open(struct import *imp, struct fault *fault)
{
	struct table *t = imp->state;

	t->letters = t->header = true;
	return table_open(t, "file,op,offset,length,time:us", ',', 5, 5, fault);
}

static int tencent_open(struct import *imp, struct fault *fault)
{
	struct table *t = imp->state;

	t->header = true;
	return table_open(t, "time:s,offset:512,length:512,op:read0,file", ',', 5, 5, fault);
}

static int systor_open(struct import *imp, struct fault *fault)
{
	struct table *t = imp->state;

	t->letters = t->header = t->blank_ops = true;
	return table_open(t, "time:s,-,op,file,offset,length", ',', 6, 6, fault);
}

static int disksim_open(struct import *imp, struct fault *fault)
{
	return table_open(imp->state, "time:ms,file,offset:512,length:512,op:bit0", ' ', 5, 5, fault);
}

static int line(struct import *imp, const char *s, size_t n)
{
	return table_line(imp, imp->state, s, n);
}

#define TABLE(id, words, about)                 \
	const struct importer import_##id = {   \
	    .name = #id,                        \
	    .help = words,                      \
	    .state_size = sizeof(struct table), \
	    .open = id##_open,                  \
	    .line = line,                       \
	    .nothing = "no line is " about,     \
	    .comments = true,                   \
	}

TABLE(spc, "SPC traces (UMass): ASU,LBA,size,opcode,seconds", "ASU,LBA,SIZE,OPCODE,SECONDS");
TABLE(msr, "MSR Cambridge: ticks,host,disk,type,offset,size,response", "TIME,HOST,DISK,TYPE,OFFSET,SIZE,RESPONSE");
TABLE(alibaba, "Alibaba 2020: device,opcode,offset,length,microseconds", "DEVICE,OPCODE,OFFSET,LENGTH,TIME");
TABLE(tencent, "Tencent CBS 2018: seconds,sector,sectors,0 or 1,volume", "TIME,OFFSET,SIZE,TYPE,VOLUME");
TABLE(systor, "SYSTOR '17: seconds,response,type,LUN,offset,size", "TIME,RESPONSE,TYPE,LUN,OFFSET,SIZE");
TABLE(disksim, "DiskSim ascii: milliseconds device block blocks flags", "TIME DEVICE BLOCK BLOCKS FLAGS");
