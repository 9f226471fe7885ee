import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Egress, EgressAddresses, EgressRequest } from '@jackfield/ports';
import { createVirtualClock, eachDatabase, openSimulatedWorld } from '@jackfield/testkit';
import type { RequestAccount } from '../../http/index.ts';
import { createSandboxFaults } from './create-sandbox-faults.ts';
import { createCurrentFaults } from './switches/current-faults.ts';
import { withReceiverDown } from './switches/unreached-receivers.ts';

const operator = 'MA000000000000000000';
const accountOf = (authId: string): RequestAccount => ({
  authId,
  isSubaccount: false,
  parent: null,
  main: authId,
});

function world() {
  const clock = createVirtualClock();
  const faults = createCurrentFaults(clock);
  let refusal: () => number | undefined = () => undefined;
  const feature = createSandboxFaults({
    clock,
    faults,
    network: {
      refuseWith(asked) {
        refusal = asked;
      },
    },
  });
  feature.open?.(operator, undefined);
  const run = async (index: number, { body = {}, params = {}, as = operator } = {}) =>
    feature.routes![0]!.routes[index]!.run({
      account: accountOf(as),
      params,
      query: {},
      body,
      apiId: '',
      now: 0,
      // biome-ignore lint/suspicious/noExplicitAny: the answer of each route
    }) as any;
  return {
    clock,
    faults,
    refusal: () => refusal(),
    begin: (body: object) => run(1, { body }),
    end: (fault: string) => run(2, { params: { fault } }),
    run,
    on: async () =>
      (await run(0)).value.objects
        .filter(({ is_on: isOn }: { is_on: boolean }) => isOn)
        .map(({ name }: { name: string }) => name),
  };
}

describe('Faults of the sandbox', () => {
  it('a fault stays until it is ended, and calls are refused with its status meanwhile', async () => {
    const { begin, end, refusal, on } = world();
    for (const [name, status] of [
      ['carrier-busy', 503],
      ['codec-loss', 488],
    ]) {
      assert.equal(refusal(), undefined);
      assert.equal((await begin({ name })).value.ends_at, null);
      assert.deepEqual([refusal(), await on()], [status, [name]]);
      assert.equal((await end(String(name))).ok, true);
    }
    assert.deepEqual(await on(), []);
  });

  it('a fault with a time ends by itself, and begins anew where it is begun again', async () => {
    const { clock, begin, on, refusal } = world();
    const { value } = await begin({ name: 'carrier-busy', seconds: 60 });
    assert.equal(Date.parse(value.ends_at) - clock.wallNow(), 60_000);
    await clock.advance(59_000);
    await begin({ name: 'carrier-busy', seconds: '60' });
    await clock.advance(59_000);
    assert.deepEqual(await on(), ['carrier-busy']);
    await clock.advance(1_000);
    assert.deepEqual([await on(), refusal()], [[], undefined]);
  });

  it('messages are ten seconds late unless the order says otherwise, and on time without the fault', async () => {
    const { begin, end, faults } = world();
    assert.equal(faults.lateMs(), 0);
    assert.equal((await begin({ name: 'sms-late' })).value.late_seconds, 10);
    assert.equal(faults.lateMs(), 10_000);
    assert.equal((await begin({ name: 'SMS-LATE', late_seconds: 3 })).value.late_seconds, 3);
    await end('sms-late');
    assert.equal(faults.lateMs(), 0);
  });

  it('an unknown fault is 404, and so is each switch for another account than the first', async () => {
    const { run, end, on } = world();
    assert.equal((await end('earthquake')).problem.code, 'not-found');
    const as = 'MA111111111111111111';
    for (const index of [0, 1, 2]) {
      const answer = await run(index, { as, body: { name: 'sms-late' }, params: { name: 'sms-late' } });
      assert.equal(answer.problem.code, 'not-found');
    }
    assert.deepEqual(await on(), []);
  });

  it('while the receiver is down no request and no stream reaches it', async () => {
    const { begin, end, faults } = world();
    const reached: string[] = [];
    const egress: Egress & EgressAddresses = {
      async send({ url }) {
        reached.push(url);
        return { status: 200, headers: {}, body: new Uint8Array() };
      },
      async resolve(url) {
        reached.push(url);
        return { addresses: ['192.0.2.1'], port: 443 };
      },
    };
    const faulty = withReceiverDown(egress, faults);
    const request = { url: 'https://program.test/' } as EgressRequest;
    await begin({ name: 'receiver-down' });
    for (const outcome of [await faulty.send(request), await faulty.resolve('wss://program.test/', 1)]) {
      assert.equal('problem' in outcome && outcome.problem.kind, 'unreachable');
    }
    assert.deepEqual(reached, []);
    await end('receiver-down');
    assert.ok('status' in (await faulty.send(request)));
    assert.ok('addresses' in (await faulty.resolve('wss://program.test/', 1)));
  });
});

eachDatabase('Late messages of the sandbox', (open) => {
  test('are in the inbox when they arrive, and their receipts come after that', async () => {
    const world = await openSimulatedWorld({
      database: open,
      phones: 'none',
      settings: {
        sms: 'sandbox-inbox',
        sandboxNetwork: { call: async () => {}, hangUp: () => {}, listen: () => {}, refuseWith: () => {} },
      },
    });
    const begun = await world.api('POST', 'Sandbox/Fault/', { name: 'sms-late', late_seconds: 30 });
    assert.equal(begun.status, 201);
    const recipient = '+14155552671';
    const { body } = await world.api('POST', 'Verify/Session/', { recipient });
    const inbox = async () => (await world.api('GET', 'Sandbox/Message/')).body.objects;
    await world.advance(29_000);
    assert.deepEqual(await inbox(), []);
    await world.advance(1_000);
    const [message] = await inbox();
    assert.deepEqual([message.to, message.status], [recipient, 'sent']);
    await world.advance(1_000);
    assert.equal((await inbox())[0].status, 'delivered');
    const otp = /\d{4,8}/.exec(message.text)?.[0];
    const verified = await world.api('POST', `Verify/Session/${body.session_uuid}/`, { otp });
    assert.equal(verified.status, 200);
  });
});
