import type { LegStatistics } from './commands.ts';
import type { Leg } from './leg.ts';

/** The current counters of the leg. */
export function statisticsOf(leg: Leg): LegStatistics {
  const { past, rtp } = leg;
  const { counters } = leg.jitter;
  const { packetsReceived, roundTripMs } = leg;
  const { jitterMs } = leg.received;
  const packetsLost = past.lost + counters.lost;
  return {
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
    ...(leg.agreed === undefined ? {} : { codec: leg.agreed.codec }),
    ...(leg.protection === undefined ? {} : { protection: leg.protection.agreed.suite }),
    ...(roundTripMs === undefined ? {} : { roundTripMs }),
    ...(leg.remoteFractionLost === undefined ? {} : { remoteFractionLost: leg.remoteFractionLost }),
  };
}
