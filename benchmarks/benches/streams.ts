import { setTimeout as wait } from 'node:timers/promises';
import type { HostStats } from '@jackfield/media/io';
import { besideOthers, quantile, quietMachine } from '../measure.ts';
import { type Part, startPart } from '../part.ts';
import type { RtpLoad, RtpOutcome } from '../parts/rtp-load.ts';
import type { PeerOutcome, PeerRun, PeerStart } from '../parts/stream-peer.ts';
import type { SinkOutcome } from '../parts/stream-sink.ts';
import type { StreamsConnect, StreamsOpen } from '../parts/streams.ts';
import type { Bench, Figure } from '../report.ts';

const patienceMs = 8000;
const latestMs = 20;

interface Kind {
  readonly what: string;
  readonly sizes: readonly number[];
  readonly sampleRate: number;
  readonly twoWay: boolean;
  readonly noiseCancellationLevel?: number;
}

const kinds: readonly Kind[] = [
  { what: 'one way, L16 at 8 kHz', sizes: [200, 400, 600, 800], sampleRate: 8000, twoWay: false },
  { what: 'one way, L16 at 16 kHz', sizes: [200, 400, 600], sampleRate: 16_000, twoWay: false },
  { what: 'two way, both tracks, L16 at 8 kHz', sizes: [100, 200, 300, 400], sampleRate: 8000, twoWay: true },
  {
    what: 'one way with noise cancellation',
    sizes: [10, 20, 30, 40],
    sampleRate: 8000,
    twoWay: false,
    noiseCancellationLevel: 85,
  },
];

/** Streams of a media thread: the number that a core carries, the delay of a frame, and the cost. */
export const streams: Bench = {
  name: 'streams',
  async run({ profile }) {
    const latencies = await measureLatency(profile);
    const figures: Figure[] = [...latencies.figures];
    const details: Record<string, unknown> = { latencies: latencies.details };
    for (const kind of kinds) {
      const trials = await search(kind, profile);
      const best = trials.findLast(({ passed }) => passed);
      const reference = best ?? trials[0]!;
      figures.push({
        what: `${kind.what}: streams without a late frame`,
        value: best?.streams ?? 0,
        unit: 'streams',
        note: `${reference.cpuPercent.toFixed(3)} % of a core each, tick p99 ${reference.latenessP99Ms.toFixed(1)} ms late, latest frame ${reference.sink.latestMs.toFixed(1)} ms; other processes used ${Math.round(reference.othersPercent)} % of the machine`,
      });
      figures.push({
        what: `${kind.what}: what the CPU alone allows`,
        value: Math.floor(100 / reference.cpuPercent),
        unit: 'streams per core',
        note: `extrapolated from ${reference.streams}; ${reference.kibibytes.toFixed(0)} KiB a stream beside its leg`,
      });
      details[kind.what] = trials;
    }
    return { figures, details };
  },
};

interface Trial {
  readonly streams: number;
  readonly passed: boolean;
  readonly cpuPercent: number;
  readonly latenessP99Ms: number;
  readonly latenessMaxMs: number;
  readonly kibibytes: number;
  readonly othersPercent: number;
  readonly sink: SinkOutcome;
}

/** Increases the size until a trial fails. */
async function search(kind: Kind, profile: string | undefined): Promise<Trial[]> {
  const trials: Trial[] = [];
  for (const size of kind.sizes) {
    await quietMachine(patienceMs);
    const trial = await tryStreams(kind, size, profile);
    trials.push(trial);
    if (!trial.passed) break;
  }
  return trials;
}

const seconds = 9;
const settleSeconds = 5;
const [remotePort, serverPort] = [9_520, 9_521];

async function tryStreams(kind: Kind, size: number, profile: string | undefined): Promise<Trial> {
  const { sampleRate, twoWay, noiseCancellationLevel } = kind;
  const [tested, load, sink] = [
    startPart('streams', { profile }),
    startPart('rtp-load'),
    startPart('stream-sink'),
  ];
  const parts: readonly Part[] = [tested, load, sink];
  try {
    await Promise.all([
      tested.ask('start'),
      load.ask('bind', { port: remotePort }),
      sink.ask('start', { port: serverPort }),
    ]);
    const ports = await tested.ask<readonly number[]>('open', {
      legs: size,
      remotePort,
    } satisfies StreamsOpen);
    const before = await tested.ask<number>('memory');
    await tested.ask('connect', {
      streams: size,
      serverPort,
      sampleRate,
      twoWay,
      ...(noiseCancellationLevel === undefined ? {} : { noiseCancellationLevel }),
    } satisfies StreamsConnect);
    if (twoWay) await sink.ask('play', { playing: true });
    const { value, othersPercent } = await besideOthers(parts, async () => {
      const heard = load.ask<RtpOutcome>('run', { ports, room: 1, seconds, settleSeconds } satisfies RtpLoad);
      await wait(settleSeconds * 1000);
      await Promise.all([tested.ask('reset'), sink.ask('reset')]);
      const first = await tested.ask<HostStats>('stats');
      const began = performance.now();
      await wait((seconds - settleSeconds - 0.5) * 1000);
      const last = await tested.ask<HostStats>('stats');
      const tookMs = performance.now() - began;
      const outcome = await sink.ask<SinkOutcome>('outcome');
      const after = await tested.ask<number>('memory');
      await heard;
      return { first, last, tookMs, outcome, after };
    });
    const { first, last, tookMs, outcome, after } = value;
    const { lateness, skipped } = last.ticks;
    const tracks = twoWay ? 2 : 1;
    const expected = (tookMs / 20) * size * tracks;
    const isWhole = outcome.frames > expected * 0.98;
    return {
      streams: size,
      passed: lateness.maxMs <= latestMs && skipped === 0 && outcome.late === 0 && isWhole,
      cpuPercent: ((last.cpuMs - first.cpuMs) / tookMs / size) * 100,
      latenessP99Ms: lateness.p99Ms,
      latenessMaxMs: lateness.maxMs,
      kibibytes: (after - before) / size / 1024,
      othersPercent,
      sink: outcome,
    };
  } finally {
    await Promise.all(parts.map((part) => part.stop()));
  }
}

const fewStreams = 20;
const [latencySeconds, latencySettleSeconds] = [35, 12];

/** Few streams, so that load does not affect the latency. */
async function measureLatency(profile: string | undefined) {
  const [tested, peer] = [startPart('streams', { profile }), startPart('stream-peer')];
  try {
    await Promise.all([
      tested.ask('start'),
      peer.ask('start', { port: remotePort, serverPort } satisfies PeerStart),
    ]);
    const legs = { legs: fewStreams, remotePort } satisfies StreamsOpen;
    const ports = await tested.ask<readonly number[]>('open', legs);
    const opened = { streams: fewStreams, serverPort, sampleRate: 8000, twoWay: true };
    await tested.ask('connect', opened satisfies StreamsConnect);
    const order = { ports, seconds: latencySeconds, settleSeconds: latencySettleSeconds };
    await quietMachine(patienceMs);
    const { value, othersPercent } = await besideOthers([tested, peer], () =>
      peer.ask<PeerOutcome>('run', order satisfies PeerRun),
    );
    const lost = value.pulsesLost > 0 ? `, ${value.pulsesLost} pulses lost` : '';
    const others = `other processes used ${Math.round(othersPercent)} % of the machine${lost}`;
    const figures: Figure[] = [];
    const add = (what: string, values: readonly number[], part: number, atMost?: number): void => {
      const sorted = Float64Array.from(values).sort();
      figures.push({
        what,
        value: quantile(sorted, part),
        unit: 'ms',
        ...(atMost === undefined ? {} : { budget: { atMost } }),
        note: `${sorted.length} of them; ${others}`,
      });
    };
    add('RTP to socket, p50', value.toSocketMs, 0.5);
    add('RTP to socket, p99', value.toSocketMs, 0.99, 5);
    add('playAudio to RTP, p50', value.toPhoneMs, 0.5);
    add('playAudio to RTP, p99', value.toPhoneMs, 0.99);
    add('clearAudio to silence on the wire, p50', value.toSilenceMs, 0.5);
    add('clearAudio to silence on the wire, p99', value.toSilenceMs, 0.99, 20);
    return { figures, details: value };
  } finally {
    await Promise.all([tested.stop(), peer.stop()]);
  }
}
