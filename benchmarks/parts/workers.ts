import { createMediaPool, type MediaPool } from '@jackfield/adapters/media-worker';
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
let media: MediaPool | undefined;

/** A pool of media workers in one process. */
servePart({
  async start({ workers, firstPort }: WorkersStart) {
    const ports = { first: firstPort, last: firstPort + workers * portsEach - 1 };
    media = await createMediaPool({ host, ports, workers, sockets: 'native', onWorkerDeath, onFatal: fail });
  },
  async open({ legs, room, remotePort }: WorkersRooms) {
    const ports: number[] = [];
    for (let first = 0; first < legs; first += room) {
      const mix = `room-${first}`;
      const names = Array.from({ length: Math.min(room, legs - first) }, (_, at) => `leg-${first + at}`);
      media!.send({ do: 'open-mix', mix });
      for (const leg of names) {
        const { port } = await media!.open(leg, undefined, mix);
        const agreed = { address: host, port: remotePort, rtcpPort: remotePort, ...telephone };
        media!.connect(leg, agreed);
        ports.push(port);
      }
      const members = names.map((leg) => ({ leg, hears: names.filter((other) => other !== leg) }));
      media!.send({ do: 'set-hearing', mix, members });
    }
    return ports;
  },
  reset: () => media!.resetStats(),
  async stats(): Promise<WorkersStats> {
    const { cpuMs, network, ticks } = await media!.stats();
    return { cpuMs, sent: network.sent, latenessP99Ms: ticks.lateness.p99Ms };
  },
  stop: () => media!.closeAll(),
});

const telephone = { codec: 'PCMU', payloadType: 0, direction: 'sendrecv', ptimeMs: 20 } as const;

function onWorkerDeath(_worker: number, error: Error): never {
  throw error;
}

function fail(error: Error): never {
  throw error;
}
