import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMediaWorker } from '@jackfield/adapters/media-worker';
import { createRecorder, type DiskRecorder } from '@jackfield/adapters/recorder';
import { createMediaHost, type HostStats, openDgramSockets } from '@jackfield/media/io';
import { servePart } from '../part.ts';

export type MixSockets = 'dgram' | 'native' | 'best';

export interface MixStart {
  readonly sockets: MixSockets;
  /** The engine's own thread, or the main thread of this process as the floor. */
  readonly thread: 'worker' | 'main';
  /** See MediaWorkerOptions; default `normal`. */
  readonly priority?: MixPriority;
}

export type MixPriority = 'normal' | 'raised' | 'real-time';

export interface MixRooms {
  readonly legs: number;
  readonly room: number;
  /** All phones share this port. */
  readonly remotePort: number;
  /** Default PCMU. */
  readonly codec?: MixCodec;
  /** Records each room into a WAV file of one track; needs the engine in its own thread. */
  readonly isRecorded?: boolean;
}

/** G.711, or Opus at 48 kHz. */
export type MixCodec = 'PCMU' | 'opus';

/** Costs of this process: memory in bytes after a collection, and CPU of the recorder's thread. */
export interface MixCosts {
  readonly residentBytes: number;
  readonly recorderCpuMs: number;
}

/** Media alone: an engine with its sockets, and rooms in which all members hear each other. */
servePart({
  async start({ sockets, thread, priority = 'normal' }: MixStart) {
    if (thread === 'main') media = onMainThread();
    else {
      const worker = await inWorker(sockets, priority);
      media = worker;
      directory = mkdtempSync(join(tmpdir(), 'jackfield-bench-'));
      recorder = await createRecorder({
        directory,
        media: { send: worker.send, sendCapturesTo: (openPort) => worker.sendCapturesTo(openPort()) },
      });
    }
  },
  async open({ legs, room, remotePort, codec = 'PCMU', isRecorded = false }: MixRooms) {
    const agreed = {
      address: host,
      port: remotePort,
      rtcpPort: remotePort,
      codec,
      payloadType: codec === 'opus' ? 111 : 0,
      direction: 'sendrecv',
      ptimeMs: 20,
    } as const;
    while (ports.length < legs) {
      const leg = `leg-${ports.length}`;
      const { port } = await media!.open(leg);
      media!.connect(leg, agreed);
      ports.push(port);
    }
    for (; opened < Math.ceil(legs / room); opened++) {
      const said = openRoom(opened, room, legs);
      if (!isRecorded) continue;
      const tracks = [{ said, heard: [] }];
      await recorder!.start({ recording: randomUUID(), format: 'wav', tracks });
    }
    return ports;
  },
  reset: () => media!.resetStats(),
  stats: () => media!.stats(),
  async costs(): Promise<MixCosts> {
    globalThis.gc?.();
    const stats = await recorder?.stats();
    return { residentBytes: process.memoryUsage().rss, recorderCpuMs: stats?.cpuMs ?? 0 };
  },
  /**
   * Bursts of 50 ms of typical work of a main thread: JSON and regular expressions, with a turn of the loop between.
   */
  async busy({ seconds }: { readonly seconds: number }) {
    const end = performance.now() + seconds * 1000;
    let matched = 0;
    while (performance.now() < end) {
      const burst = performance.now() + 50;
      while (performance.now() < burst) {
        const text = JSON.stringify(JSON.parse(document));
        matched += text.match(/sip:[a-z]+\d+@[a-z.]+/g)?.length ?? 0;
      }
      await nextTurn();
    }
    return matched;
  },
  async stop() {
    await recorder?.close();
    await media?.closeAll();
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  },
});

interface Engine {
  open(leg: string): Promise<{ port: number }>;
  connect: Awaited<ReturnType<typeof createMediaWorker>>['connect'];
  send: Awaited<ReturnType<typeof createMediaWorker>>['send'];
  stats(): Promise<HostStats> | HostStats;
  resetStats(): void;
  closeAll(): Promise<void>;
}

const host = '127.0.0.1';
const range = { first: 10_000, last: 19_999 };
const document = JSON.stringify(
  Array.from({ length: 200 }, (_, index) => ({ contact: `sip:phone${index}@example.org`, expires: index })),
);
const ports: number[] = [];
let opened = 0;
let media: Engine | undefined;
let recorder: DiskRecorder | undefined;
let directory: string | undefined;

async function inWorker(sockets: MixSockets, priority: MixPriority): ReturnType<typeof createMediaWorker> {
  const worker = await createMediaWorker({ host, ports: range, sockets, priority });
  void worker.died.then((error) => {
    throw error;
  });
  return worker;
}

function onMainThread(): Engine {
  const engine = createMediaHost({ host, ports: range, openSockets: openDgramSockets, notify: () => {} });
  return { ...engine, send: engine.apply };
}

function openRoom(index: number, room: number, legs: number): readonly string[] {
  const first = index * room;
  const names = Array.from({ length: Math.min(room, legs - first) }, (_, at) => `leg-${first + at}`);
  media!.send({ do: 'open-mix', mix: `room-${index}` });
  const members = names.map((leg) => ({ leg, hears: names.filter((other) => other !== leg) }));
  media!.send({ do: 'set-hearing', mix: `room-${index}`, members });
  return names;
}
