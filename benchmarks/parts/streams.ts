import { setTimeout as wait } from 'node:timers/promises';
import { createMediaWorker, type MediaWorker } from '@jackfield/adapters/media-worker';
import type { StreamNotice } from '@jackfield/ports';
import { servePart } from '../part.ts';

export interface StreamsOpen {
  readonly legs: number;
  /** All phones share this port. */
  readonly remotePort: number;
}

export interface StreamsConnect {
  readonly streams: number;
  readonly serverPort: number;
  readonly sampleRate: number;
  /** Both tracks; the server also plays. */
  readonly twoWay: boolean;
  readonly noiseCancellationLevel?: number;
}

/** Media with streams: legs in no mix, each with its own stream. */
servePart({
  async start() {
    media = await createMediaWorker({ host, ports: { first: 10_000, last: 19_999 } });
    void media.died.then((error) => {
      throw error;
    });
    media.streams.subscribe((notice) => {
      if (notice.type !== 'stream-played') notices.push(notice);
    });
  },
  async open({ legs, remotePort }: StreamsOpen) {
    while (ports.length < legs) {
      const leg = `leg-${ports.length}`;
      const { port } = await media!.open(leg);
      media!.connect(leg, {
        address: host,
        port: remotePort,
        rtcpPort: remotePort,
        codec: 'PCMU',
        payloadType: 0,
        direction: 'sendrecv',
        ptimeMs: 20,
      });
      ports.push(port);
    }
    return ports;
  },
  async connect({ streams, serverPort, sampleRate, twoWay, noiseCancellationLevel }: StreamsConnect) {
    const before = notices.length;
    for (let index = 0; index < streams; index++) {
      const leg = `leg-${index}`;
      const said = { name: 'inbound', said: [leg], heard: [] };
      const heard = { name: 'outbound', said: [], heard: [leg] };
      media!.streams.open({
        stream: leg,
        call: leg,
        account: 'MA',
        dialect: 'plivo',
        encoding: 'audio/x-l16',
        sampleRate,
        tracks: twoWay ? [said, heard] : [said],
        bidirectional: twoWay,
        hearers: [leg],
        extraHeaders: '',
        stopFrame: true,
        keepLostMs: 0,
        ...(noiseCancellationLevel === undefined ? {} : { noiseCancellationLevel }),
      });
      const url = `ws://${host}:${serverPort}/${index}`;
      media!.streams.connect(leg, {
        url,
        addresses: [host],
        port: serverPort,
        headers: {},
        timeoutMs: 20_000,
      });
      // Spread out like real calls, not all in one millisecond.
      if (index % 10 === 9) await wait(5);
    }
    await until(() => notices.slice(before).length >= streams);
    const failed = notices.slice(before).filter(({ type }) => type !== 'stream-connected');
    if (failed.length > 0) throw new Error(`a stream was not connected: ${JSON.stringify(failed[0])}`);
  },
  async disconnect({ streams }: { readonly streams: number }) {
    for (let index = 0; index < streams; index++) media!.streams.close(`leg-${index}`, 'done');
    await until(() => notices.filter(({ type }) => type === 'stream-over').length >= streams);
    notices.length = 0;
  },
  memory() {
    globalThis.gc?.();
    return process.memoryUsage.rss();
  },
  reset: () => media!.resetStats(),
  stats: () => media!.stats(),
  stop: () => media?.closeAll(),
});

const host = '127.0.0.1';
const ports: number[] = [];
const notices: StreamNotice[] = [];
let media: MediaWorker | undefined;

async function until(isDone: () => boolean): Promise<void> {
  const end = performance.now() + 30_000;
  while (!isDone()) {
    if (performance.now() > end) throw new Error('streams are neither connected nor closed after 30 s');
    await wait(10);
  }
}
