import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRecordingLog, createVirtualClock, eachDatabase } from '@jackfield/testkit';
import type { RequestAccount } from '../../http/index.ts';
import type { CallingNotice } from '../sandbox-phones/index.ts';
import { createSandboxCalls, type SandboxCallsDeps } from './create-sandbox-calls.ts';

const main = 'MA000000000000000000';
const other = 'MA111111111111111111';
const accountOf = (authId: string): RequestAccount => ({
  authId,
  isSubaccount: false,
  parent: null,
  main: authId,
});

eachDatabase('calls of sandbox phones', (open) => {
  async function world(limits: SandboxCallsDeps['limits'] = {}) {
    const database = await open([]);
    /** Sizes of the files on the disk. */
    const files = new Map<string, number>();
    const ordered: string[] = [];
    let notify: (notice: CallingNotice) => void = () => {};
    let uuids = 0;
    const deps: SandboxCallsDeps = {
      database,
      clock: createVirtualClock(),
      log: createRecordingLog(),
      secrets: { randomUuid: () => `00000000-0000-7000-8000-${String(++uuids).padStart(12, '0')}` },
      recorder: {
        async start({ recording }) {
          files.set(`${recording}.wav`, 44);
        },
        stop: async () => ({ durationMs: 1000, bytes: 1000 }),
        retrack() {},
        pause() {},
        resume() {},
        subscribe: () => () => {},
      },
      recordingFiles: {
        size: async (name) => files.get(name),
        read: () => Promise.reject(new Error('not asked for')),
        remove: async (name) => void files.delete(name),
        repair: async () => undefined,
      },
      network: {
        call: async ({ leg }) => void ordered.push(leg),
        hangUp: () => {},
        listen(listener) {
          notify = listener;
        },
      },
      publicUrl: 'http://127.0.0.1:8080',
      domains: ['sip.localhost'],
      registrations: { credentialOf: async () => undefined },
      answering: { isDialled: () => false, accountOf: async () => undefined },
      accountOfNumber: async (number) => (number.startsWith('+1202') ? main : other),
      isWithin: async (account, owner) => account === owner,
      limits,
    };
    const feature = createSandboxCalls(deps);
    await database.migrate(feature.migrations);
    const run = async (index: number, body: object, params: object = {}, query: object = {}) =>
      feature.routes[0]!.routes[index]!.run({
        account: accountOf(main),
        params,
        query,
        body,
        apiId: '',
        now: 0,
        // biome-ignore lint/suspicious/noExplicitAny: whatever the route answers
      }) as any;
    return {
      deps,
      feature,
      files,
      ordered,
      order: (to = '+12025550777') => run(0, { to }),
      get: (call: string) => run(2, {}, { sandbox_call_uuid: call }),
      list: async () => (await run(1, {})).value.objects,
      notify: (notice: CallingNotice) => notify(notice),
    };
  }

  it('a call that a phone is ordered to make is expected once, as a call of the carrier sandbox', async () => {
    const { order, feature, ordered } = await world();
    const { value } = await order();
    assert.deepEqual(ordered, [value.sandbox_call_uuid]);
    assert.deepEqual(feature.expected(value.sandbox_call_uuid), {
      leg: value.call_uuid,
      account: main,
      callee: '+12025550777',
      carrier: 'sandbox',
    });
    assert.equal(feature.expected(value.sandbox_call_uuid), undefined);
  });

  it('a number of another account is refused, and no phone is ordered to call', async () => {
    const { order, ordered } = await world();
    const { ok, problem } = await order('+13125550777');
    assert.equal(ok, false);
    assert.match(problem.sentence, /^to must be a number or an application of the account/);
    assert.deepEqual(ordered, []);
  });

  it('calls beyond the limit are refused with 429 until a live call has ended', async () => {
    const { order, notify } = await world({ live: 1 });
    const { value } = await order();
    assert.equal((await order()).problem.code, 'too-many-requests');
    notify({ type: 'leg-ended', leg: value.sandbox_call_uuid, end: { by: 'local' } });
    assert.equal((await order()).ok, true);
  });

  it('the oldest recordings are removed beyond the limit of bytes, and the oldest calls beyond the limit of calls', async () => {
    const { order, get, list, files, notify, feature } = await world({ recordedBytes: 2500, kept: 4 });
    const calls: string[] = [];
    for (let each = 0; each < 5; each++) {
      const leg = (await order()).value.sandbox_call_uuid;
      calls.push(leg);
      notify({ type: 'leg-answered', leg });
      notify({ type: 'leg-ended', leg, end: { by: 'remote-bye' } });
      while ((await get(leg)).value.recording === 'running') await new Promise(setImmediate);
    }
    while (files.size > 2 || (await list()).length > 4) await new Promise(setImmediate);
    assert.deepEqual([...files.keys()], [`${calls[3]}.wav`, `${calls[4]}.wav`]);
    assert.equal((await get(calls[0]!)).problem.code, 'not-found');
    assert.equal((await get(calls[1]!)).value.recording, 'removed');
    await feature.close();
    assert.deepEqual([...files.keys()], [], 'they go with the process');
  });

  it('an unanswered call leaves no file, and the next start removes the files of a killed process', async () => {
    const { order, get, notify, files, deps } = await world();
    const leg = (await order()).value.sandbox_call_uuid;
    notify({ type: 'leg-ended', leg, end: { by: 'rejected', sipStatus: 404 } });
    while (files.size > 0) await new Promise(setImmediate);
    const { state, sip_status: sipStatus, recording } = (await get(leg)).value;
    assert.deepEqual([state, sipStatus, recording], ['ended', 404, 'none']);
    await order();
    assert.equal(files.size, 1);
    await createSandboxCalls(deps).endIncarnation({ number: 0 });
    assert.equal(files.size, 0);
  });
});
