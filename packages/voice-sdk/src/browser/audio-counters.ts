import type { AudioCounters } from '../quality/quality-sample.ts';

/** A report of `getStats`, of which only the fields of audio are read. */
type Report = Readonly<Record<string, unknown>> & { readonly type: string };

/** The counters of a call's audio in the statistics of its peer connection (W3C webrtc-stats). */
export function countersOf(reports: { forEach(each: (report: Report) => void): void }): AudioCounters {
  const byType = new Map<string, Report>();
  const byId = new Map<unknown, Report>();
  reports.forEach((report) => {
    byId.set(report.id, report);
    // Of several pairs of candidates the one in use has been nominated.
    if (report.type !== 'candidate-pair' || report.nominated === true) byType.set(report.type, report);
  });
  const number = (type: string, field: string, factor = 1): number | undefined => {
    const value = byType.get(type)?.[field];
    return typeof value === 'number' ? value * factor : undefined;
  };
  const local = byId.get(byType.get('candidate-pair')?.localCandidateId);
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const codec = byId.get(byType.get('inbound-rtp')?.codecId)?.mimeType;
  return {
    packetsReceived: number('inbound-rtp', 'packetsReceived') ?? 0,
    packetsLost: number('inbound-rtp', 'packetsLost') ?? 0,
    packetsSent: number('outbound-rtp', 'packetsSent') ?? 0,
    jitterMs: number('inbound-rtp', 'jitter', 1000) ?? 0,
    roundTripMs:
      number('candidate-pair', 'currentRoundTripTime', 1000) ??
      number('remote-inbound-rtp', 'roundTripTime', 1000),
    remoteLossPercent: number('remote-inbound-rtp', 'fractionLost', 100),
    inputLevel: number('media-source', 'audioLevel'),
    outputLevel: number('inbound-rtp', 'audioLevel'),
    codec: text(codec)?.replace(/^audio\//, ''),
    transport: text(local?.protocol),
  };
}
