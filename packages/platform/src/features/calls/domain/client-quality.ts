/** One sample of a phone in a page: of what it received, unless a field says otherwise. */
export interface ClientSample {
  readonly packets_received: number;
  readonly packets_lost: number;
  readonly packets_sent: number;
  readonly jitter_ms: number;
  readonly round_trip_ms?: number;
  readonly mos?: number;
  readonly codec?: string;
  readonly transport?: string;
}

/** What a page reports of its call. */
export interface ClientReport {
  readonly samples: readonly ClientSample[];
  readonly warnings: readonly string[];
}

/** All reports of one call together, of constant size. */
export interface ClientQuality {
  readonly samples: number;
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly packetsSent: number;
  /** The highest. */
  readonly jitterMs: number;
  readonly roundTripMs: number | null;
  /** The sum of the scores and their number, for the mean; the lowest. */
  readonly mosSum: number;
  readonly mosCount: number;
  readonly worstMos: number | null;
  readonly codec: string | null;
  readonly transport: string | null;
  /** Each warning once, in the order of their first report. */
  readonly warnings: readonly string[];
}

/** Samples of one report: five minutes of samples each five seconds. */
const mostSamples = 60;
/** Warnings of one report, and of all reports of a call. */
export const mostWarnings = 16;
/** Longest name of a codec, transport or warning. */
const longestName = 32;
const mostPackets = 1_000_000;
const longestMs = 60_000;

const nothing: ClientQuality = {
  samples: 0,
  packetsReceived: 0,
  packetsLost: 0,
  packetsSent: 0,
  jitterMs: 0,
  roundTripMs: null,
  mosSum: 0,
  mosCount: 0,
  worstMos: null,
  codec: null,
  transport: null,
  warnings: [],
};

/** The quality of a call after another report of its page. */
export function withReport(before: ClientQuality | null, { samples, warnings }: ClientReport): ClientQuality {
  const start = before ?? nothing;
  const scores = samples.flatMap(({ mos }) => (mos === undefined ? [] : [mos]));
  const trips = samples.flatMap(({ round_trip_ms: ms }) => (ms === undefined ? [] : [ms]));
  const sum = (of: (sample: ClientSample) => number): number =>
    samples.reduce((total, sample) => total + of(sample), 0);
  const last = samples.at(-1);
  return {
    samples: start.samples + samples.length,
    packetsReceived: start.packetsReceived + sum((sample) => sample.packets_received),
    packetsLost: start.packetsLost + sum((sample) => sample.packets_lost),
    packetsSent: start.packetsSent + sum((sample) => sample.packets_sent),
    jitterMs: Math.max(start.jitterMs, ...samples.map((sample) => sample.jitter_ms)),
    roundTripMs: trips.length === 0 ? start.roundTripMs : Math.max(start.roundTripMs ?? 0, ...trips),
    mosSum: start.mosSum + scores.reduce((total, score) => total + score, 0),
    mosCount: start.mosCount + scores.length,
    worstMos: scores.length === 0 ? start.worstMos : Math.min(start.worstMos ?? 5, ...scores),
    codec: last?.codec ?? start.codec,
    transport: last?.transport ?? start.transport,
    warnings: [...new Set([...start.warnings, ...warnings])].slice(0, mostWarnings),
  };
}

/** The report in the body of an INFO, within the limits of the API; undefined for anything else. */
export function readReport(text: string): ClientReport | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { samples, warnings = [] } = (value ?? {}) as Partial<Record<keyof ClientReport, unknown>>;
  if (!Array.isArray(samples) || samples.length === 0 || samples.length > mostSamples) return undefined;
  if (!Array.isArray(warnings) || warnings.length > mostWarnings || !warnings.every(isName)) return undefined;
  const read = samples.map(readSample);
  return read.every((sample) => sample !== undefined) ? { samples: read, warnings } : undefined;
}

function readSample(value: unknown): ClientSample | undefined {
  const given = (value ?? {}) as Partial<Record<keyof ClientSample, unknown>>;
  const { packets_received, packets_lost, packets_sent, jitter_ms, round_trip_ms, mos, codec, transport } =
    given;
  if (!isWithin(packets_received, mostPackets) || !isWithin(packets_lost, mostPackets)) return undefined;
  if (!isWithin(packets_sent, mostPackets) || !isWithin(jitter_ms, longestMs)) return undefined;
  if (round_trip_ms !== undefined && !isWithin(round_trip_ms, longestMs)) return undefined;
  if (mos !== undefined && (!isWithin(mos, 5) || mos < 1)) return undefined;
  if (codec !== undefined && !isName(codec)) return undefined;
  if (transport !== undefined && !isName(transport)) return undefined;
  return {
    packets_received,
    packets_lost,
    packets_sent,
    jitter_ms,
    ...(round_trip_ms !== undefined && { round_trip_ms }),
    ...(mos !== undefined && { mos }),
    ...(codec !== undefined && { codec }),
    ...(transport !== undefined && { transport }),
  };
}

function isWithin(value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= most;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= longestName && /^[\w./-]+$/.test(value);
}
