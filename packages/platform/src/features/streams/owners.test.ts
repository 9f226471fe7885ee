import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import {
  createRecordingLog,
  createSettling,
  createSimulatedStreams,
  createVirtualClock,
  onEmbeddedDatabase,
} from '@jackfield/testkit';
import { createSessionRunner } from '../../kernel/create-session-runner.ts';
import { createUsage } from '../usage/index.ts';
import { createStreams } from './create-streams.ts';
import { exampleOrder, statistics } from './domain/testing/scripted-stream.ts';
import type { StreamNotice } from './public-api.ts';

const [call, program] = ['the call', 'a program as leg'];
const [stream, virtual] = ['11111111-0000-4000-8000-000000000001', '11111111-0000-4000-8000-000000000002'];

onEmbeddedDatabase('The owners of streams', (open) => {
  /** The feature with two live calls and sockets in memory. */
  async function openStreams() {
    const settling = createSettling();
    const clock = createVirtualClock({ settle: settling.settle });
    const database = settling.database(await open());
    const log = createRecordingLog();
    const sockets = createSimulatedStreams(clock, settling.touched);
    const live = new Set([call, program]);
    const whenOver: ((leg: string) => void)[] = [];
    const feature = createStreams({
      clock,
      database,
      log,
      audioStreams: sockets,
      secrets: createSecrets(new Uint8Array(32).fill(7)),
      newUuid: () => assert.fail('the owner gives the identifier'),
      runner: createSessionRunner({ database, clock, log, appendEvents: async () => {} }),
      egress: { resolve: async () => ({ addresses: ['192.0.2.80'], port: 443 }) },
      sounds: { ownedBy() {}, play: () => assert.fail('no hold audio'), stop() {} },
      usage: createUsage({ currency: 'USD', rates: [] }),
      calls: {
        peek: (leg) => (live.has(leg) ? ({} as never) : undefined),
        whenOver: (notify) => whenOver.push(notify),
        isKnown: async (_viewer, leg) => live.has(leg),
      },
      authTokenOf: async (authId) => authId,
    });
    await database.migrate(feature.migrations);
    const notices: (readonly [string, StreamNotice])[] = [];
    feature.ownedBy('test', (owner, notice) => notices.push([owner, notice]));
    const settled = () => clock.advance(10);
    async function hangUp(leg: string): Promise<void> {
      live.delete(leg);
      for (const notify of whenOver) notify(leg);
      settling.touched();
      await settled();
    }
    return { feature, sockets, log, notices, settled, hangUp };
  }

  test('are notified of the beginning and the one end of each; a stream that is a leg outlives other calls', async () => {
    const { feature, sockets, notices, settled, hangUp } = await openStreams();
    const ofCall = exampleOrder({ stream, callUuid: call });
    assert.ok((await feature.start(ofCall)).ok);
    assert.equal((await feature.start({ ...ofCall, stream: virtual })).ok, false, 'the same URL again');
    const asLeg = exampleOrder({
      stream: virtual,
      callUuid: program,
      asLeg: program,
      owner: { kind: 'test', id: 'owner-2' },
    });
    assert.ok((await feature.start(asLeg)).ok);
    await settled();
    assert.equal(sockets.streams.get(virtual)?.order.asLeg, program);
    const tracks = [{ name: '7', said: ['other'], heard: [] }];
    feature.retrack(stream, tracks, ['other']);
    await settled();
    assert.deepEqual(sockets.streams.get(stream)?.tracks, tracks);
    assert.deepEqual(sockets.streams.get(stream)?.hearers, ['other']);
    await hangUp(call);
    assert.ok(sockets.streams.has(virtual));
    feature.stop(virtual, 'API request');
    feature.stop(virtual, 'API request');
    await settled();
    assert.deepEqual(notices, [
      ['owner-1', { type: 'stream-begun', stream }],
      ['owner-2', { type: 'stream-begun', stream: virtual }],
      ['owner-1', { type: 'stream-ended', stream, outcome: 'stopped' }],
      ['owner-2', { type: 'stream-ended', stream: virtual, outcome: 'stopped' }],
    ]);
    assert.deepEqual(sockets.census(), { streams: 0, attempts: 0 });
  });

  test('are notified that a stream has failed when the media engine ends it by an exception, which is logged', async () => {
    const { feature, sockets, log, notices, settled } = await openStreams();
    assert.ok((await feature.start(exampleOrder({ stream, callUuid: call }))).ok);
    await settled();
    const error = new TypeError('a fault of the engine');
    sockets.notify({ type: 'stream-over', stream, statistics, error });
    await settled();
    assert.deepEqual(notices.at(-1), ['owner-1', { type: 'stream-ended', stream, outcome: 'failed' }]);
    const faults = log.lines.filter(({ level }) => level === 'error');
    assert.deepEqual(
      faults.map(({ fields, sentence }) => ({ fields, sentence })),
      [{ fields: { stream, err: error }, sentence: 'stream ended by an exception' }],
    );
  });
});
