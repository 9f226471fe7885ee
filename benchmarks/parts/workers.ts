import { createMediaWorker, type MediaWorker } from '@jackfield/adapters/media-worker';
import { createPlacement, type Placement } from '@jackfield/media';
import { servePart } from '../part.ts';

export interface WorkersStart {
  readonly workers: number;
  /** Each worker has a part of the ports from here on. */
  readonly firstPort: number;
}

export interface WorkersRooms {
  readonly legs: number;
  readonly room: number;
  readonly remotePort: number;
}

/** The threads of all workers together. */
export interface WorkersStats {
  readonly cpuMs: number;
  /** Packets sent: one for each participant and frame. */
  readonly sent: number;
  /** p99 of the worst worker. */
  readonly latenessP99Ms: number;
}

const host = '127.0.0.1';
const portsEach = 2000;
let media: readonly MediaWorker[] = [];
let placement: Placement | undefined;

/** Several media workers in one process; each room lives in the worker that placement chooses. */
servePart({
  async start({ workers, firstPort }: WorkersStart) {
    placement = createPlacement({ workers });
    const starting = Array.from({ length: workers }, (_, worker) => {
      const first = firstPort + worker * portsEach;
      const ports = { first, last: first + portsEach - 1 };
      return createMediaWorker({ host, ports, sockets: 'native', onDeath: fail });
    });
    media = await Promise.all(starting);
  },
  async open({ legs, room, remotePort }: WorkersRooms) {
    const ports: number[] = [];
    for (let first = 0; first < legs; first += room) {
      const mix = `room-${first}`;
      const names = Array.from({ length: Math.min(room, legs - first) }, (_, at) => `leg-${first + at}`);
      const worker = media[placement!.open(mix, names.length)!]!;
      for (const leg of names) {
        const { port } = await worker.open(leg);
        const agreed = { address: host, port: remotePort, rtcpPort: remotePort, ...telephone };
        worker.connect(leg, agreed);
        ports.push(port);
      }
      worker.send({ do: 'open-mix', mix });
      const members = names.map((leg) => ({ leg, hears: names.filter((other) => other !== leg) }));
      worker.send({ do: 'set-hearing', mix, members });
    }
    return ports;
  },
  reset() {
    for (const worker of media) worker.resetStats();
  },
  async stats(): Promise<WorkersStats> {
    const all = await Promise.all(media.map((worker) => worker.stats()));
    return {
      cpuMs: all.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
      sent: all.reduce((sum, { network }) => sum + network.sent, 0),
      latenessP99Ms: Math.max(...all.map(({ ticks }) => ticks.lateness.p99Ms)),
    };
  },
  async stop() {
    await Promise.all(media.map((worker) => worker.closeAll()));
  },
});

const telephone = { codec: 'PCMU', payloadType: 0, direction: 'sendrecv', ptimeMs: 20 } as const;

function fail(error: Error): never {
  throw error;
}
