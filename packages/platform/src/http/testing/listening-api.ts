import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteDatabase } from '@jackfield/adapters/database-sqlite';
import { createMetrics } from '@jackfield/adapters/metrics';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Metrics } from '@jackfield/ports';
import { createRecordingLog, createVirtualClock, type VirtualClock } from '@jackfield/testkit';
import { createHttpApi, type HttpApiDeps } from '../http-api.ts';

export interface ListeningApi {
  readonly port: number;
  readonly clock: VirtualClock;
  readonly metrics: Metrics;
  /** A connection that is closed with the API. */
  dial(localAddress?: string): Promise<Socket>;
  close(): Promise<void>;
}

/** The real HTTP interface on a real port, with nothing behind it. */
export async function listeningApi(options: Partial<HttpApiDeps> = {}): Promise<ListeningApi> {
  const metrics = createMetrics();
  const clock = createVirtualClock();
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-'));
  const database = createSqliteDatabase({ directory, log: createRecordingLog() });
  const { http: app } = createHttpApi({
    features: [],
    accounts: { authenticate: async () => ({ outcome: 'wrong-credentials' }) },
    database,
    clock,
    log: createRecordingLog(),
    metrics,
    secrets: createSecrets(new Uint8Array(32).fill(1)),
    ready: () => true,
    ...options,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  return {
    port,
    clock,
    metrics,
    async dial(localAddress = '127.0.0.1') {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      sockets.push(socket);
      socket.on('error', () => undefined);
      await once(socket, 'connect', { signal: AbortSignal.timeout(30_000) });
      return socket;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await app.close();
      await database.close();
      rmSync(directory, { recursive: true });
    },
  };
}
