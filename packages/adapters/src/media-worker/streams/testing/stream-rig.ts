import type { TestContext } from 'node:test';
import type { StreamNotice, StreamOrder, StreamTarget } from '@jackfield/ports';
import { createMediaWorker, type MediaWorker, type MediaWorkerOptions } from '../../media-worker.ts';
import { agreedWith, createPhone, type LoopbackPhone } from '../../testing/loopback-phone.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts';

export const stream = '0f0b7a9e-6d0f-4b1c-9a53-6a2f0f6f1a11';
export const call = '1f0b7a9e-6d0f-4b1c-9a53-6a2f0f6f1a22';

/** The default order of `open`. */
const order: StreamOrder = {
  stream,
  call,
  account: 'MA0123456789ABCDEFGH',
  dialect: 'plivo',
  encoding: 'audio/x-l16',
  sampleRate: 8000,
  tracks: [{ name: 'inbound', said: ['a'], heard: [], keysOf: ['a'] }],
  bidirectional: true,
  hearers: ['a'],
  extraHeaders: 'k=v;k2="ö"',
  stopFrame: true,
  keepLostMs: 0,
};

/** A worker with one phone on leg `a`, a server, and all notifications. */
export interface StreamRig {
  readonly media: MediaWorker;
  readonly server: TestServer;
  readonly phone: LoopbackPhone;
  readonly notices: StreamNotice[];
  /** The first notification of this kind, from number `from` on. */
  noticeOf<Type extends StreamNotice['type']>(
    type: Type,
    from?: number,
  ): Promise<Extract<StreamNotice, { type: Type }>>;
  open(more?: Partial<StreamOrder>): void;
  readonly order: StreamOrder;
  connect(url?: string, more?: Partial<Pick<StreamTarget, 'resumed' | 'timeoutMs' | 'addresses'>>): void;
  /** Closes the stream and returns the census, which should be empty. */
  census(): Promise<Readonly<Record<string, number>>>;
}

export interface StreamRigOptions extends Partial<MediaWorkerOptions> {
  readonly server?: TestServerOptions;
  readonly hz?: number;
}

export async function createStreamRig(
  context: TestContext,
  firstPort: number,
  options: StreamRigOptions = {},
): Promise<StreamRig> {
  const { server: serverOptions, hz = 700, ...workerOptions } = options;
  const media = await createMediaWorker({
    host: '127.0.0.1',
    ports: { first: firstPort, last: firstPort + 7 },
    ...workerOptions,
  });
  context.after(() => media.closeAll());
  const server = await startTestServer(serverOptions);
  context.after(() => server.stop());
  const { port } = await media.open('a');
  const phone = await createPhone(hz, port);
  context.after(() => phone.close());
  media.connect('a', agreedWith(phone));
  const notices: StreamNotice[] = [];
  let changed = Promise.withResolvers<void>();
  media.streams.subscribe((notice) => {
    notices.push(notice);
    changed.resolve();
    changed = Promise.withResolvers<void>();
  });
  return {
    media,
    server,
    phone,
    notices,
    async noticeOf(type, from = 0) {
      for (let at = from; ; ) {
        for (; at < notices.length; at++) {
          const notice = notices[at]!;
          if (notice.type === type) return notice as never;
        }
        await changed.promise;
      }
    },
    open: (more = {}) => media.streams.open({ ...order, ...more }),
    order,
    connect: (url = server.url, more = {}) =>
      media.streams.connect(stream, {
        url,
        addresses: ['127.0.0.1'],
        port: server.port,
        headers: { 'X-Signature-V3': 'abc' },
        timeoutMs: 5000,
        ...more,
      }),
    async census() {
      const { streams, streamSockets, taps, streamSources } = await media.census();
      return { streams, streamSockets, taps, streamSources };
    },
  };
}

export const nothing = { streams: 0, streamSockets: 0, taps: 0, streamSources: 0 };
