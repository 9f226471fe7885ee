import type { CallQualitySample, QualityClass } from '@jackfield/contract/console';
import { estimatedMos } from '@jackfield/contract/estimated-mos';
import type { Instant, LegStatistics } from '@jackfield/ports';

/** Least scores of the classes: satisfied, some dissatisfied and many dissatisfied users of ITU-T G.107 Annex B. */
const leastScores: readonly (readonly [QualityClass, number])[] = [
  ['good', 4.0],
  ['fair', 3.6],
  ['poor', 3.1],
];

function qualityClassOf(mos: number): QualityClass {
  return leastScores.find(([, least]) => mos >= least)?.[0] ?? 'bad';
}

type Counters = Pick<LegStatistics, 'packetsReceived' | 'packetsLost' | 'packetsSent' | 'framesConcealed'>;
const noCounters: Counters = { packetsReceived: 0, packetsLost: 0, packetsSent: 0, framesConcealed: 0 };

/** What happened to the audio of a leg between two measures; undefined while no audio is agreed on. */
export function sampleOf(
  after: LegStatistics,
  before: Counters = noCounters,
  { at, seconds }: { readonly at: Instant; readonly seconds: number },
): CallQualitySample | undefined {
  const { codec, jitterMs, roundTripMs, remoteFractionLost } = after;
  if (codec === undefined) return undefined;
  // RFC 3550 §6.4.1: duplicates and late packets make a count fall.
  const change = (name: keyof Counters) => Math.max(0, after[name] - before[name]);
  const [packetsReceived, packetsLost] = [change('packetsReceived'), change('packetsLost')];
  const mos = estimatedMos({ packetsReceived, packetsLost, jitterMs, roundTripMs }) ?? null;
  return {
    at: new Date(at).toISOString(),
    class: mos === null ? null : qualityClassOf(mos),
    mos,
    codec,
    seconds,
    packets_received: packetsReceived,
    packets_lost: packetsLost,
    packets_sent: change('packetsSent'),
    frames_concealed: change('framesConcealed'),
    loss_percent:
      packetsReceived === 0 ? null : rounded((100 * packetsLost) / (packetsLost + packetsReceived)),
    jitter_ms: rounded(jitterMs),
    round_trip_ms: roundTripMs === undefined ? null : rounded(roundTripMs),
    remote_loss_percent: remoteFractionLost === undefined ? null : rounded(100 * remoteFractionLost),
  };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
