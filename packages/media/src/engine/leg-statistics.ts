import type { LegStatistics } from './commands.ts';
import type { Leg } from './leg.ts';

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** The current counters of the leg. */
export function statisticsOf(leg: Leg): LegStatistics {
  const { past, rtp } = leg;
  const { counters } = leg.jitter;
  const { packetsReceived, roundTripMs } = leg;
  const { jitterMs } = leg.received;
  const packetsLost = past.lost + counters.lost;
  const statistics: Writable<LegStatistics> = {
    packetsReceived,
    bytesReceived: leg.bytesReceived,
    packetsSent: past.packetsSent + rtp.packetsSent,
    bytesSent: past.octetsSent + rtp.octetsSent,
    packetsLost,
    jitterMs,
    framesConcealed: past.concealedFrames + counters.concealedFrames,
    packetsLate: past.late + counters.late,
    strangersDropped: leg.strangers + leg.latch.counters.foreign,
    malformedDropped: leg.malformed,
    unauthenticatedDropped: leg.unprotected.unauthenticated,
    replayedDropped: leg.unprotected.replayed,
    digitsReceived: leg.digitsReceived,
    digitsSent: leg.digitsSent,
  };
  if (leg.agreed !== undefined) statistics.codec = leg.agreed.codec;
  if (leg.protection !== undefined) statistics.protection = leg.protection.agreed.suite;
  if (roundTripMs !== undefined) statistics.roundTripMs = roundTripMs;
  if (leg.remoteFractionLost !== undefined) statistics.remoteFractionLost = leg.remoteFractionLost;
  return statistics;
}
