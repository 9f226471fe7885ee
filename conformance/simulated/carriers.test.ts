import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  eventStreamOf,
  inSimulatedWorld,
  type SimulatedPhone,
  type SimulatedWorld,
  type SimulatedWorldOptions,
} from '@jackfield/testkit';
import { cluster } from '../support/simulated-nodes.ts';

const number = '+442079460100';
const answerUrl = 'https://customer.example.com/answer';
const hangupUrl = 'https://customer.example.com/hangup';

const alpha = {
  name: 'alpha',
  host: '10.0.2.1',
  prefixes: [{ prefix: '44' }],
  caps: { concurrent_calls: 10 },
  probe_seconds: 0,
};
const beta = {
  ...alpha,
  name: 'beta',
  host: '10.0.2.2',
  prefixes: [{ prefix: '44', priority: 2 }],
};

const registered = {
  ...alpha,
  username: 'jackfield',
  password: 'the secret of the carrier',
  registration: { aor: 'sip:jackfield@10.0.2.1', expires: 600 },
};

/** 0.60 a minute, billed by the second. */
const rates: SimulatedWorldOptions['rates'] = {
  currency: 'USD',
  rates: [{ prefix: '44', direction: 'outbound', perMinute: 60_000, initialSeconds: 1, incrementSeconds: 1 }],
};

function gatewayOf(world: SimulatedWorld, { name, host }: typeof alpha): SimulatedPhone {
  world.customer.serve(answerUrl, '<Response><Wait length="60"/></Response>');
  return world.gateway(name, host);
}

/** Makes a call; gives what the hangup callback says about it once it has ended. */
async function calls(world: SimulatedWorld, more: object = {}) {
  const { status, body } = await world.api('POST', 'Call/', {
    from: '+12025550000',
    to: number,
    answer_url: answerUrl,
    hangup_url: hangupUrl,
    ...more,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return async (limitMs = 60_000) => {
    const found = () =>
      world.customer.requests.find(
        ({ url, fields }) => url === hangupUrl && fields.CallUUID === body.request_uuid,
      );
    await world.until('the end of the call is reported', () => found() !== undefined, limitMs);
    const { HangupCauseCode, HangupSource } = found()!.fields;
    return [HangupCauseCode, HangupSource];
  };
}

/** The nodes of a cluster get back what no call has used for 5 s, and one start in 1.5 s (docs/decisions/0072-budgets-of-carriers-are-granted.md). */
async function untilGranted(world: SimulatedWorld): Promise<void> {
  if (world.cluster !== undefined) await world.advance(8_000);
}

async function eventsOf(world: SimulatedWorld, prefix: string) {
  const events = await eventStreamOf(world);
  return events.filter(({ type }) => type.startsWith(prefix)).map(({ type, data }) => ({ type, data }));
}

describe('A call through a carrier', () => {
  it('reaches the number at the carrier, and each side hears that the other hangs up', () =>
    inSimulatedWorld({ seed: 301, carriers: [alpha] }, async (world) => {
      const gateway = gatewayOf(world, alpha);
      const end = await calls(world);
      await world.until('the carrier is called', () => gateway.call?.isUp);
      gateway.hangUp();
      assert.deepEqual(await end(), ['4000', 'Call recipient']);
      assert.equal(gateway.invites, 1);
    }));

  it('ends as busy when the carrier says so, and is not sent to another one', () =>
    inSimulatedWorld({ seed: 302, carriers: [alpha, beta] }, async (world) => {
      const [first, second] = [gatewayOf(world, alpha), gatewayOf(world, beta)];
      first.behaviour = { does: 'reject', status: 486 };
      const end = await calls(world);
      assert.deepEqual(await end(), ['3010', 'Call recipient']);
      assert.deepEqual([first.invites, second.invites], [1, 0]);
    }));

  for (const [what, behaviour] of [
    ['answers 503', { does: 'reject', status: 503 }],
    ['is silent for 8 s', { does: 'nothing' }],
  ] as const) {
    it(`goes to the second carrier when the first ${what}`, () =>
      inSimulatedWorld({ seed: 303, carriers: [alpha, beta] }, async (world) => {
        const [first, second] = [gatewayOf(world, alpha), gatewayOf(world, beta)];
        first.behaviour = behaviour;
        const end = await calls(world);
        await world.until('the second carrier is called', () => second.call?.isUp, 12_000);
        second.hangUp();
        assert.deepEqual(await end(), ['4000', 'Call recipient']);
        assert.equal(first.invites, 1);
      }));
  }

  for (const [what, credentials, invites] of [
    ['refuses our credentials', { username: 'us', password: 'changed since' }, 2],
    ['asks for credentials that the file does not have', {}, 1],
  ] as const) {
    it(`goes to the second carrier when the first ${what}`, () =>
      inSimulatedWorld({ seed: 331, carriers: [{ ...alpha, ...credentials }, beta] }, async (world) => {
        const [first, second] = [gatewayOf(world, alpha), gatewayOf(world, beta)];
        const challenge = 'Digest realm="alpha.example", nonce="one", algorithm=MD5';
        first.behaviour = { does: 'reject', status: 407, headers: [['Proxy-Authenticate', challenge]] };
        const end = await calls(world);
        await world.until('the second carrier is called', () => second.call?.isUp);
        second.hangUp();
        assert.deepEqual(await end(), ['4000', 'Call recipient']);
        assert.equal(first.invites, invites);
      }));
  }

  it('goes to the second carrier for the Retry-After of the first, and then to the first again (RFC 3261 §21.5.4)', () =>
    inSimulatedWorld({ seed: 330, carriers: [alpha, beta] }, async (world) => {
      const [first, second] = [gatewayOf(world, alpha), gatewayOf(world, beta)];
      first.behaviour = { does: 'reject', status: 503, headers: [['Retry-After', '120 (maintenance)']] };
      second.behaviour = { does: 'reject', status: 486 };
      const end = await calls(world);
      await end();
      assert.deepEqual([first.invites, second.invites], [1, 1]);
      const next = await calls(world);
      assert.deepEqual(await next(), ['3010', 'Call recipient']);
      // Each node of a cluster learns it from its own call.
      const asked = world.cluster === undefined ? 1 : first.invites;
      assert.deepEqual([first.invites, second.invites], [asked, 2]);
      await world.advance(120_000);
      const last = await calls(world);
      await last();
      assert.deepEqual([first.invites, second.invites], [asked + 1, 3]);
    }));

  it('goes to the second carrier at once while no machine has the address of the first', () =>
    inSimulatedWorld({ seed: 304, carriers: [{ ...alpha, probe_seconds: 3600 }, beta] }, async (world) => {
      const second = gatewayOf(world, beta);
      // RFC 3261 §17.1.4: OPTIONS has failed when Timer F fires, after 32 s.
      await world.advance(33_000);
      assert.deepEqual(
        (await eventsOf(world, 'carrier.')).map(({ type }) => type),
        // Each node asks for itself.
        Array.from({ length: world.cluster?.nodes.length ?? 1 }, () => 'carrier.unreachable'),
      );
      const end = await calls(world);
      await world.until('the second carrier is called', () => second.call?.isUp, 1000);
      second.hangUp();
      assert.deepEqual(await end(), ['4000', 'Call recipient']);
      // The next OPTIONS is answered, and the one after it is sent when the test has ended.
      gatewayOf(world, alpha);
      await world.advance(60_000);
    }));
});

describe('A caller id that a carrier replaces', () => {
  it('reaches the called phone neither as the caller nor in the name, and a name that is no number stays', () =>
    inSimulatedWorld(
      { seed: 311, carriers: [{ ...alpha, caller_id: { rule: 'replace', number: '+442079460999' } }] },
      async (world) => {
        const gateway = gatewayOf(world, alpha);
        for (const [more, name] of [
          [{}, undefined],
          [{ caller_name: 'Ann, +33 6 11 11 11 11' }, undefined],
          [{ caller_name: 'Acme' }, 'Acme'],
        ] as const) {
          const end = await calls(world, { from: '+33611111111', ...more });
          await world.until('the carrier is called', () => gateway.call?.isUp);
          assert.deepEqual([gateway.call?.caller, gateway.call?.callerName], ['+442079460999', name]);
          gateway.hangUp();
          await end();
        }
      },
    ));
});

describe('A cap of a carrier', () => {
  it('on concurrent calls ends the call beyond it, and the next call after an end goes through', () =>
    inSimulatedWorld(
      { seed: 305, carriers: [{ ...alpha, caps: { concurrent_calls: 1 } }] },
      async (world) => {
        const gateway = gatewayOf(world, alpha);
        const first = await calls(world);
        await world.until('the carrier is called', () => gateway.call?.isUp);
        assert.deepEqual(await (await calls(world))(), ['5030', 'Service']);
        gateway.hangUp();
        assert.deepEqual(await first(), ['4000', 'Call recipient']);
        await untilGranted(world);
        const third = await calls(world);
        await world.until(
          'the carrier is called again',
          () => gateway.calls.length === 2 && gateway.call?.isUp,
        );
        gateway.hangUp();
        assert.deepEqual(await third(), ['4000', 'Call recipient']);
      },
    ));

  it('on calls per second ends the call beyond it for the rest of the second', () =>
    inSimulatedWorld(
      { seed: 306, carriers: [{ ...alpha, caps: { calls_per_second: 1 } }] },
      async (world) => {
        const gateway = gatewayOf(world, alpha);
        gateway.behaviour = { does: 'reject', status: 486 };
        await untilGranted(world);
        const [first, second] = [await calls(world), await calls(world)];
        assert.deepEqual(await second(), ['1020', 'Service']);
        assert.deepEqual(await first(), ['3010', 'Call recipient']);
        await world.advance(1000);
        await untilGranted(world);
        assert.deepEqual(await (await calls(world))(), ['3010', 'Call recipient']);
        assert.equal(gateway.invites, 2);
      },
    ));

  it('on spend reserves the worst case before the INVITE, and is free again when the call has ended', () =>
    inSimulatedWorld(
      { seed: 307, carriers: [{ ...alpha, caps: { spend_per_hour: '1.00' } }], rates },
      async (world) => {
        const gateway = gatewayOf(world, alpha);
        // 60 s and 32 s more cost 0.92: a second call of this length is beyond the cap.
        const first = await calls(world, { time_limit: 60 });
        await world.until('the carrier is called', () => gateway.call?.isUp);
        assert.deepEqual(await (await calls(world, { time_limit: 60 }))(), ['1010', 'Service']);
        gateway.hangUp();
        assert.deepEqual(await first(), ['4000', 'Call recipient']);
        await untilGranted(world);
        const third = await calls(world, { time_limit: 60 });
        await world.until('the carrier is called again', () => gateway.calls.length === 2);
        gateway.hangUp();
        await third();
      },
    ));
});

describe('A registration with a carrier', () => {
  it('is refreshed before it expires, is removed at the end, and begins again after a restart', () =>
    inSimulatedWorld(
      {
        seed: 308,
        carriers: [registered],
      },
      async (world) => {
        const gateway = gatewayOf(world, alpha);
        gateway.answers = (method) => (method === 'REGISTER' ? 200 : 405);
        const registers = () => gateway.requests.filter((method) => method === 'REGISTER').length;
        await world.until('the carrier is registered with', () => registers() > 0, 40_000);
        await world.advance(100);
        const before = registers();
        await world.advance(480_000);
        assert.equal(registers(), before + 1, 'refreshed at four fifths of 600 s');
        await world.restart();
        await world.until('it is registered again', () => registers() > before + 1, 40_000);
        const events = (await eventsOf(world, 'carrier.')).map(({ type }) => type);
        assert.deepEqual(new Set(events), new Set(['carrier.registered']));
      },
    ));

  it('goes to another node as soon as its node gets the signal to stop, however long its calls last', () =>
    inSimulatedWorld({ seed: 310, carriers: [registered], nodes: 2 }, async (world) => {
      const gateway = gatewayOf(world, alpha);
      gateway.answers = (method) => (method === 'REGISTER' ? 200 : 405);
      const { nodes } = cluster(world);
      const role = 'registration with carrier alpha';
      const rolesOf = async () => (await nodes[0]!.call('GET', 'Operator/Node/')).body.objects;
      const holds = async (node: number) => (await rolesOf())[node].roles.includes(role);
      const isHeld = async () => (await holds(0)) || (await holds(1));
      await world.until('a node holds the registration', isHeld, 40_000);
      const [holder, other] = (await holds(0)) ? [0, 1] : [1, 0];
      await world.advance(1_000);
      const before = gateway.requests.length;
      nodes[holder]!.platform.drain();
      await world.until('the other node holds it', () => holds(other), 5_000);
      await world.until('it is removed and begun again', () => gateway.requests.length === before + 2);
    }));
});

describe('A call from a carrier', () => {
  it('is known by its address, belongs to the account of the number, and runs its application', () =>
    inSimulatedWorld({ seed: 309, carriers: [alpha] }, async (world) => {
      const gateway = gatewayOf(world, alpha);
      const stranger = world.gateway('stranger', '10.0.2.9');
      const application = await world.api('POST', 'Application/', {
        app_name: 'menu',
        answer_url: answerUrl,
      });
      const { app_id } = application.body;
      assert.equal((await world.api('POST', 'Number/', { number, app_id })).status, 201);
      world.customer.serve(answerUrl, '<Response><Speak>welcome to the menu</Speak></Response>');
      const call = gateway.dial(number);

      await world.until('the document runs', () => call.isUp);
      const asked = world.customer.requests.find(({ url }) => url === answerUrl);
      assert.deepEqual([asked?.fields.To, asked?.fields.Direction], [number, 'inbound']);
      call.hangUp();
      const refused = stranger.dial(number);
      await world.until('a call from elsewhere is refused', () => refused.end !== undefined, 40_000);
      assert.equal(refused.end?.by === 'rejected' && refused.end.status, 401);
    }));
});
