/*
 * RFC 3550 §6.4: every packet of a compound starts alike.
 *
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |V=2|P|  count  |      PT       |    length in words, minus 1   |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   SR 200: SSRC, NTP (2 words), RTP time, packets, octets, count × report block (6 words)
 *   RR 201: SSRC, count × report block    SDES 202: count × (SSRC, items)    BYE 203: count × SSRC, reason
 */

/** The report of one receiver about one stream (RFC 3550 §6.4.1). */
export interface ReportBlock {
  ssrc: number;
  /** Share of packets lost since the last report, in 1/256. */
  fractionLost: number;
  /** Packets lost since the start, −2²³…2²³−1. */
  cumulativeLost: number;
  extendedHighestSequenceNumber: number;
  /** In timestamp units. */
  jitter: number;
  /** Middle 32 bits of the NTP time of the last sender report; 0 without one. */
  lastSenderReport: number;
  /** Time since that report, in 1/65536 s. */
  delaySinceLastSenderReport: number;
}

/** The report of a sender about itself (RFC 3550 §6.4.1). */
export interface SenderInfo {
  readonly ntpSeconds: number;
  readonly ntpFraction: number;
  readonly rtpTimestamp: number;
  readonly packets: number;
  readonly octets: number;
}

/** One packet of a compound, with the fields that we read (RFC 3550 §6.4–6.7). */
export type RtcpPacket =
  | {
      readonly type: 'sender-report';
      readonly ssrc: number;
      readonly sender: SenderInfo;
      readonly reports: readonly ReportBlock[];
    }
  | { readonly type: 'receiver-report'; readonly ssrc: number; readonly reports: readonly ReportBlock[] }
  /** Only the canonical name is read; other items are skipped. */
  | { readonly type: 'source-description'; readonly ssrc: number; readonly cname: string }
  | { readonly type: 'goodbye'; readonly ssrcs: readonly number[]; readonly reason: string }
  /** APP, feedback and other types, known by number. */
  | { readonly type: 'other'; readonly packetType: number };

/** A blank report block, to be filled by `ReceiverStatistics.report`. */
export function createReportBlock(): ReportBlock {
  return {
    ssrc: 0,
    fractionLost: 0,
    cumulativeLost: 0,
    extendedHighestSequenceNumber: 0,
    jitter: 0,
    lastSenderReport: 0,
    delaySinceLastSenderReport: 0,
  };
}

/**
 * Reads a compound packet. Undefined when it is invalid: RFC 3550 A.2 checks versions and lengths, allows padding only
 * at the end and requires a report first. More than `maxPackets` packets (default 16) are refused. Reduced-size packets
 * are refused too, because we never negotiate them (RFC 5506 §4).
 */
export function readRtcp(
  bytes: Uint8Array,
  length: number,
  maxPackets = 16,
): readonly RtcpPacket[] | undefined {
  if (length < 8 || length > bytes.length || length % 4 !== 0) return undefined;
  const packets: RtcpPacket[] = [];
  let offset = 0;
  while (offset < length) {
    if (packets.length === maxPackets || length - offset < 4) return undefined;
    const first = bytes[offset]!;
    const end = offset + 4 + ((bytes[offset + 2]! << 8) | bytes[offset + 3]!) * 4;
    if (first >> 6 !== 2 || end > length) return undefined;
    let contentEnd = end;
    if ((first & 0x20) !== 0) {
      const padding = bytes[end - 1]!;
      if (end !== length || padding === 0 || padding % 4 !== 0 || padding > end - offset - 4)
        return undefined;
      contentEnd -= padding;
    }
    const type = bytes[offset + 1]!;
    if (offset === 0 && type !== 200 && type !== 201) return undefined;
    if (!readOne(bytes, offset + 4, contentEnd, type, first & 0x1f, packets)) return undefined;
    offset = end;
  }
  return packets;
}

function readOne(
  bytes: Uint8Array,
  start: number,
  end: number,
  type: number,
  count: number,
  into: RtcpPacket[],
): boolean {
  switch (type) {
    case 200: {
      const blocks = readReports(bytes, start + 24, end, count);
      if (blocks === undefined) return false;
      into.push({
        type: 'sender-report',
        ssrc: word(bytes, start),
        sender: {
          ntpSeconds: word(bytes, start + 4),
          ntpFraction: word(bytes, start + 8),
          rtpTimestamp: word(bytes, start + 12),
          packets: word(bytes, start + 16),
          octets: word(bytes, start + 20),
        },
        reports: blocks,
      });
      return true;
    }
    case 201: {
      const blocks = readReports(bytes, start + 4, end, count);
      if (blocks === undefined) return false;
      into.push({ type: 'receiver-report', ssrc: word(bytes, start), reports: blocks });
      return true;
    }
    case 202:
      return readDescriptions(bytes, start, end, count, into);
    case 203: {
      if (start + count * 4 > end) return false;
      const ssrcs: number[] = [];
      for (let i = 0; i < count; i++) ssrcs.push(word(bytes, start + i * 4));
      const reasonAt = start + count * 4;
      const reasonLength = reasonAt < end ? bytes[reasonAt]! : 0;
      if (reasonAt + 1 + reasonLength > end && reasonLength > 0) return false;
      into.push({ type: 'goodbye', ssrcs, reason: text(bytes, reasonAt + 1, reasonLength) });
      return true;
    }
    default:
      into.push({ type: 'other', packetType: type });
      return true;
  }
}

function readReports(
  bytes: Uint8Array,
  start: number,
  end: number,
  count: number,
): ReportBlock[] | undefined {
  if (start + count * 24 > end) return undefined;
  const blocks: ReportBlock[] = [];
  for (let at = start; blocks.length < count; at += 24) {
    blocks.push({
      ssrc: word(bytes, at),
      fractionLost: bytes[at + 4]!,
      cumulativeLost: (word(bytes, at + 4) << 8) >> 8,
      extendedHighestSequenceNumber: word(bytes, at + 8),
      jitter: word(bytes, at + 12),
      lastSenderReport: word(bytes, at + 16),
      delaySinceLastSenderReport: word(bytes, at + 20),
    });
  }
  return blocks;
}

/** RFC 3550 §6.5: chunks of items; a zero byte ends each chunk, padded to a word. */
function readDescriptions(
  bytes: Uint8Array,
  start: number,
  end: number,
  count: number,
  into: RtcpPacket[],
): boolean {
  let at = start;
  for (let chunk = 0; chunk < count; chunk++) {
    if (at + 4 > end) return false;
    const ssrc = word(bytes, at);
    let cname = '';
    at += 4;
    while (true) {
      if (at >= end) return false;
      const item = bytes[at]!;
      if (item === 0) break;
      if (at + 2 > end || at + 2 + bytes[at + 1]! > end) return false;
      if (item === 1) cname = text(bytes, at + 2, bytes[at + 1]!);
      at += 2 + bytes[at + 1]!;
    }
    at = start + (((at - start) >> 2) + 1) * 4;
    into.push({ type: 'source-description', ssrc, cname });
  }
  return true;
}

/**
 * Writes the compound of a participant (RFC 3550 §6.1): a sender report, or a receiver report when `sender` is
 * undefined, then its canonical name and, with `goodbye`, BYE. Returns the bytes written. Returns −1 when `out` is too
 * small or a part is too long (31 report blocks, 255 bytes of ASCII name).
 */
export function writeRtcp(
  out: Uint8Array,
  ssrc: number,
  cname: string,
  sender: SenderInfo | undefined,
  reports: readonly ReportBlock[],
  goodbye = false,
): number {
  const reportBytes = (sender === undefined ? 8 : 28) + reports.length * 24;
  // SSRC, item type and length, the name, at least one zero byte.
  const chunkBytes = ((6 + cname.length) >> 2) * 4 + 4;
  const total = reportBytes + 4 + chunkBytes + (goodbye ? 8 : 0);
  if (reports.length > 31 || cname.length > 255 || total > out.length) return -1;

  putHead(out, 0, reports.length, sender === undefined ? 201 : 200, reportBytes);
  putWord(out, 4, ssrc);
  let at = 8;
  if (sender !== undefined) {
    putWord(out, 8, sender.ntpSeconds);
    putWord(out, 12, sender.ntpFraction);
    putWord(out, 16, sender.rtpTimestamp);
    putWord(out, 20, sender.packets);
    putWord(out, 24, sender.octets);
    at = 28;
  }
  for (const block of reports) {
    putWord(out, at, block.ssrc);
    putWord(out, at + 4, (block.fractionLost << 24) | (block.cumulativeLost & 0xffffff));
    putWord(out, at + 8, block.extendedHighestSequenceNumber);
    putWord(out, at + 12, block.jitter);
    putWord(out, at + 16, block.lastSenderReport);
    putWord(out, at + 20, block.delaySinceLastSenderReport);
    at += 24;
  }
  putHead(out, at, 1, 202, 4 + chunkBytes);
  putWord(out, at + 4, ssrc);
  out.fill(0, at + 8, at + 4 + chunkBytes);
  out[at + 8] = 1;
  out[at + 9] = cname.length;
  for (let i = 0; i < cname.length; i++) out[at + 10 + i] = cname.charCodeAt(i) & 0x7f;
  at += 4 + chunkBytes;
  if (goodbye) {
    putHead(out, at, 1, 203, 8);
    putWord(out, at + 4, ssrc);
    at += 8;
  }
  return at;
}

function putHead(out: Uint8Array, at: number, count: number, type: number, bytes: number): void {
  out[at] = 0x80 | count;
  out[at + 1] = type;
  out[at + 2] = (bytes / 4 - 1) >>> 8;
  out[at + 3] = bytes / 4 - 1;
}

function putWord(out: Uint8Array, at: number, value: number): void {
  out[at] = value >>> 24;
  out[at + 1] = value >>> 16;
  out[at + 2] = value >>> 8;
  out[at + 3] = value;
}

function word(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

/** Names and reasons are only displayed, so one character per byte suffices. */
function text(bytes: Uint8Array, at: number, length: number): string {
  let result = '';
  for (let i = 0; i < length; i++) result += String.fromCharCode(bytes[at + i]!);
  return result;
}
