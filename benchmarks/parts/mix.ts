import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMediaWorker } from '@jackfield/adapters/media-worker';
import { createMediaHost, type HostStats, openDgramSockets } from '@jackfield/media/io';
import { servePart } from '../part.ts';

export type MixSockets = 'dgram' | 'native' | 'best';

export interface MixStart {
  readonly sockets: MixSockets;
  /** The engine's own thread, or this process's main thread: the floor that the thread is measured against. */
  readonly thread: 'worker' | 'main';
}

export interface MixRooms {
  readonly legs: number;
  readonly room: number;
  /** All phones share this port. */
  readonly remotePort: number;
}

/** Media alone: an engine with its sockets, and rooms in which everybody hears everybody else. */
servePart({
  async start({ sockets, thread }: MixStart) {
    media = thread === 'worker' ? await inWorker(sockets) : onMainThread();
  },
  async open({ legs, room, remotePort }: MixRooms) {
    const agreed = {
      address: host,
      port: remotePort,
      rtcpPort: remotePort,
      codec: 'PCMU',
      payloadType: 0,
      direction: 'sendrecv',
      ptimeMs: 20,
    } as const;
    while (ports.length < legs) {
      const leg = `leg-${ports.length}`;
      const { port } = await media!.open(leg);
      media!.connect(leg, agreed);
      ports.push(port);
    }
    for (; opened < Math.ceil(legs / room); opened++) openRoom(opened, room, legs);
    return ports;
  },
  reset: () => media!.resetStats(),
  stats: () => media!.stats(),
  /** Bursts of 50 ms of what a main thread does: JSON and regular expressions, with a turn of the loop between. */
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
  stop: () => media?.closeAll(),
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

function inWorker(sockets: MixSockets): Promise<Engine> {
  return createMediaWorker({
    host,
    ports: range,
    sockets,
    onDeath(error) {
      throw error;
    },
  });
}

function onMainThread(): Engine {
  const engine = createMediaHost({ host, ports: range, openSockets: openDgramSockets, notify: () => {} });
  return { ...engine, send: engine.apply };
}

function openRoom(index: number, room: number, legs: number): void {
  const first = index * room;
  const names = Array.from({ length: Math.min(room, legs - first) }, (_, at) => `leg-${first + at}`);
  media!.send({ do: 'open-mix', mix: `room-${index}` });
  const members = names.map((leg) => ({ leg, hears: names.filter((other) => other !== leg) }));
  media!.send({ do: 'set-hearing', mix: `room-${index}`, members });
}
