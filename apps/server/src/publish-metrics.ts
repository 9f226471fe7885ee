import type { MediaPool, StreamCounters } from '@jackfield/adapters/media-worker';
import type { DiskRecorder } from '@jackfield/adapters/recorder';
import type { LegRecognition } from '@jackfield/adapters/speech-recognition';
import { askedSeldom, type Platform } from '@jackfield/platform';
import type { Clock, Metrics } from '@jackfield/ports';
import type { SipEdge } from '@jackfield/signalling';

import type { MediaTotals } from './counted-media-legs.ts';
import { version } from './version.ts';

export interface PublishedParts {
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly platform: Platform;
  readonly edge: SipEdge;
  readonly media: Pick<MediaPool, 'census' | 'stats' | 'workerLoads' | 'deaths'>;
  readonly mediaTotals: MediaTotals;
  readonly recorder: Pick<DiskRecorder, 'stats'>;
  /** Absent without a speech engine. */
  readonly recognition?: Pick<LegRecognition, 'running'>;
}

/** All metrics of one scrape share one answer of a thread, in ms. */
const freshMs = 100;

/** Publishes gauges and fault counters at /metrics; all are read at the scrape. */
export function publishMetrics(parts: PublishedParts): void {
  publishBuild(parts);
  publishSignalling(parts);
  publishSessions(parts);
  publishRoutes(parts);
  publishMedia(parts);
  publishRecorder(parts);
  publishRecognition(parts);
}

function publishSignalling({ metrics, edge }: PublishedParts): void {
  const { gauge } = metrics;
  gauge('jackfield_sip_legs', 'SIP legs that have not ended.', () => edge.census().legs);
  gauge('jackfield_sip_dialogs', 'SIP calls whose signalling is not over.', () => edge.census().dialogs);
  gauge('jackfield_sip_transactions', 'SIP transactions that are alive.', () => edge.census().transactions);
  gauge('jackfield_sip_timers', 'Timers of SIP that are armed.', () => edge.census().timers);
  gauge('jackfield_sip_connections', 'Open SIP connections.', () => edge.census().connections);
  gauge('jackfield_sip_banned_sources', 'SIP sources that are not heard.', () => edge.bannedSources());
  for (const name of Object.keys(edge.counters())) {
    const metric = `jackfield_sip_${snakeCase(name)}_total`;
    metrics.total(metric, `Counted by the SIP stack: ${wordsOf(name)}.`, () => edge.counters()[name] ?? 0);
  }
}

function publishSessions({ metrics, platform }: PublishedParts): void {
  const census = () => platform.runner.census();
  const byKind = (value: (kind: ReturnType<typeof census>[string]) => number) => ({
    label: 'kind',
    values: () => Object.entries(census()).map(([kind, counts]) => [kind, value(counts)] as const),
  });
  metrics.gauge(
    'jackfield_sessions',
    'Live sessions by kind.',
    byKind(({ sessions }) => sessions),
  );
  metrics.total(
    'jackfield_sessions_dropped_total',
    'Inputs that came for no session of their kind.',
    byKind(({ dropped }) => dropped),
  );
  const live = (kind: string) => () => census()[kind]?.sessions ?? 0;
  metrics.gauge('jackfield_live_calls', 'Legs of calls that have not ended.', live('call-leg'));
  metrics.gauge(
    'jackfield_live_multiparty_calls',
    'Multiparty calls that have not ended.',
    live('multiparty-call'),
  );
}

function publishBuild({ metrics }: PublishedParts): void {
  metrics.gauge('jackfield_build_info', 'Always 1; its label is the version of the platform.', {
    label: 'version',
    values: () => [[version, 1]],
  });
}

function publishRoutes({ metrics, edge }: PublishedParts): void {
  const sentence = 'Legs dialled through carriers, whichever was tried, that have not ended.';
  metrics.gauge('jackfield_carrier_legs', sentence, () => edge.routedLegs().carriers);
  const ofTrunks = 'Legs dialled to inbound trunks, whichever target was tried, that have not ended.';
  metrics.gauge('jackfield_trunk_legs', ofTrunks, () => edge.routedLegs().trunks);
}

function publishMedia({ metrics, clock, media, mediaTotals }: PublishedParts): void {
  const census = askedSeldom(clock, () => media.census(), freshMs);
  const stats = askedSeldom(clock, () => media.stats(), freshMs);
  publishStreams(metrics, census, stats);
  const existing = {
    legs: 'legs',
    mixes: 'mixes',
    plays: 'sounds being played',
    clips: 'clips',
    captures: 'captures for recordings',
  } as const;
  for (const [name, what] of Object.entries(existing)) {
    const key = name as keyof typeof existing;
    metrics.gauge(
      `jackfield_media_${name}`,
      `Media ${what} that are open.`,
      async () => (await census())[key],
    );
  }
  metrics.gauge('jackfield_media_sockets', 'UDP sockets of media.', async () => (await census()).sockets);
  metrics.gauge(
    'jackfield_media_leaks',
    'Sources that reach a leg which must not hear them; anything but 0 is a fault.',
    async () => (await stats()).leaks,
  );
  const ofLoads =
    'What each media worker carries, in participants of G.711; a room counts as three at least.';
  metrics.gauge('jackfield_media_worker_load', ofLoads, {
    label: 'worker',
    values: () => media.workerLoads(),
  });
  metrics.total(
    'jackfield_media_worker_deaths_total',
    'Media workers that died; each time its calls ended and a new one started.',
    () => media.deaths,
  );
  const ticks = (part: 'lateness' | 'duration', sentence: string) =>
    metrics.histogram(`jackfield_media_tick_${part}_seconds`, sentence, async () => {
      const { count, sumMs, upTo } = (await stats()).ticks[part];
      return {
        count,
        sum: sumMs / 1000,
        upTo: upTo.map((each) => ({ bound: each.ms / 1000, count: each.count })),
      };
    });
  ticks('lateness', 'How late ticks of the media threads begin.');
  ticks('duration', 'How long ticks of the media threads take.');
  const total = (name: string, sentence: string, value: () => number | Promise<number>) =>
    metrics.total(`jackfield_media_${name}_total`, sentence, value);
  total('ticks', 'Ticks of the media engines.', async () => (await stats()).ticks.ticks);
  total('ticks_skipped', 'Ticks left out after a stall.', async () => (await stats()).ticks.skipped);
  total('stalls', 'Stalls after which ticks began anew.', async () => (await stats()).ticks.rebased);
  total('cpu_seconds', 'CPU time of the media threads.', async () => (await stats()).cpuMs / 1000);
  total('send_errors', 'Packets that the system refused.', async () => (await stats()).network.sendErrors);
  total('early_packets', 'Packets to legs not connected yet.', async () => (await stats()).engine.early);
  total('ignored_commands', 'Orders to nothing that exists.', async () => (await stats()).engine.ignored);
  total('digits_refused', 'Keys that could not be sent.', async () => (await stats()).engine.digitsRefused);
  for (const name of Object.keys(mediaTotals)) {
    const key = name as keyof MediaTotals;
    total(
      `ended_legs_${snakeCase(name)}`,
      `Over all legs that have ended: ${wordsOf(name)}.`,
      () => mediaTotals[key],
    );
  }
}

/** Uses the shared answer of the scrape: each reading of the deepest queue resets it. */
function publishStreams(
  metrics: Metrics,
  census: () => ReturnType<MediaPool['census']>,
  stats: () => ReturnType<MediaPool['stats']>,
): void {
  const counters = async () => (await stats()).streams;
  metrics.gauge('jackfield_streams', 'Audio streams that are open.', async () => (await census()).streams);
  metrics.gauge(
    'jackfield_stream_sockets',
    'WebSockets of streams, those being connected included.',
    async () => (await census()).streamSockets,
  );
  metrics.gauge(
    'jackfield_stream_queue_deepest_seconds',
    'The deepest play-out queue of a stream since the last scrape.',
    async () => (await counters()).deepestQueueMs / 1000,
  );
  const total = (name: string, sentence: string, value: (from: StreamCounters) => number) =>
    metrics.total(`jackfield_stream_${name}_total`, sentence, async () => value(await counters()));
  total('frames_sent', 'Media frames sent to servers.', (from) => from.framesSent);
  total('frames_dropped', 'Media frames dropped for slow readers.', (from) => from.framesDropped);
  total('frames_received', 'Messages of servers.', (from) => from.framesReceived);
  total('frames_refused', 'Messages of servers that could not be used.', (from) => from.framesRefused);
  total('play_dropped_seconds', 'Audio refused by full queues.', (from) => from.playDroppedMs / 1000);
  total('connected', 'Connections made.', (from) => from.connected);
  total('unreachable', 'Attempts to connect that failed.', (from) => from.unreachable);
  total('lost', 'Connections lost or closed by servers.', (from) => from.lost);
}

function publishRecorder({ metrics, clock, recorder }: PublishedParts): void {
  const stats = askedSeldom(clock, () => recorder.stats(), freshMs);
  const value = (key: 'open' | 'waitingBytes' | 'writtenBytes' | 'droppedPortions') => async () =>
    (await stats())?.[key] ?? 0;
  metrics.gauge('jackfield_recorder_files', 'Recordings that are being written.', value('open'));
  metrics.gauge('jackfield_recorder_waiting_bytes', 'Audio that waits for the disk.', value('waitingBytes'));
  // The counters restart with the recorder's thread, if it dies.
  metrics.gauge('jackfield_recorder_written_bytes', 'Audio that was written.', value('writtenBytes'));
  metrics.gauge(
    'jackfield_recorder_dropped_portions',
    'Audio that could not be kept.',
    value('droppedPortions'),
  );
}

function publishRecognition({ metrics, recognition }: PublishedParts): void {
  const sentence = 'Speech recognitions that have not ended.';
  metrics.gauge('jackfield_recognitions', sentence, () => recognition?.running ?? 0);
}

function wordsOf(name: string): string {
  return snakeCase(name).replaceAll('_', ' ');
}

function snakeCase(name: string): string {
  return name.replaceAll('-', '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
