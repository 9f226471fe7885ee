import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeHeapSnapshot } from 'node:v8';
import { createLogger } from '@jackfield/adapters/logger';
import type { ClusterConfig } from '@jackfield/server/src/config.ts';
import { type Embedded, startEmbedded } from '@jackfield/server/src/embedded.ts';
import { readLimits } from '@jackfield/server/src/limit-variables.ts';
import { servePart } from '../part.ts';

/** Settings that a bench changes. */
export interface PlatformStart {
  readonly databaseUrl?: string;
  readonly secretKey?: Uint8Array;
  readonly cluster?: ClusterConfig;
  readonly smsFile?: string;
  /** Addresses that customers may name in URLs and URIs. */
  readonly egressAllow?: readonly string[];
  readonly rtpPorts?: { readonly first: number; readonly last: number };
}

/** The whole platform as in production, with the embedded database in its own directory. */
const dataDir = mkdtempSync(join(tmpdir(), 'jackfield-bench-'));
const authId = 'MABENCHMARK000000000';
const authToken = 'YmVuY2htYXJrYmVuY2htYXJrYmVuY2htYXJr';
const unlimited = 1_000_000_000;
let embedded: Embedded | undefined;

servePart({
  async start(over: PlatformStart = {}) {
    embedded = await startEmbedded({
      config: {
        sandbox: false,
        activity: false,
        keepSignalling: false,
        docs: false,
        metricsAccess: 'open',
        http: { host: '127.0.0.1', port: 0 },
        sip: { host: '127.0.0.1', port: 0, domains: ['sip.localhost'], digest: ['MD5'], srtp: 'off' },
        publicAddress: '127.0.0.1',
        drainSeconds: 0,
        mediaWorkers: 1,
        rtpPorts: { first: 20_000, last: 27_999 },
        dataDir,
        publicUrl: 'http://127.0.0.1',
        callbackDays: 7,
        keptEvents: 1_000_000,
        account: { authId, authToken },
        logLevel: 'error',
        // One machine simulates thousands of phones, and limits per source are not measured.
        limits: readLimits((_variable, fallback) => fallback, true),
        ...over,
      },
      log: createLogger({ level: 'error' }),
      onFatal(error) {
        throw error;
      },
      httpLimits: { requests: unlimited },
    });
    const authorization = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
    return { http: embedded.http, sip: embedded.sip, authId, authorization };
  },
  census: () => embedded?.census(),
  /** Memory after garbage collection, the thorough one: others leave compiled code until it has grown old. */
  async memory() {
    for (let pass = 0; pass < 3; pass++) {
      await globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { heapUsed, external, rss } = process.memoryUsage();
    return { kept: heapUsed + external, heapUsed, external, rss };
  },
  /** Writes what the heap holds. */
  snapshot: (path: string) => writeHeapSnapshot(path),
  async stop() {
    await embedded?.close();
    rmSync(dataDir, { recursive: true, force: true });
  },
});
