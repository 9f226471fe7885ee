import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { LegNotice, LegStatistics, RefusedTrunkCall, Secrets, TrunkAccess } from '@jackfield/ports';
import { type CallListener, createUserAgent, decodeUtf8, type UserAgent } from '@jackfield/sip';
import type { Transports } from '@jackfield/sip/transport';
import {
  createRecordingLog,
  createVirtualClock,
  openSimulatedTransports,
  SimulatedNetwork,
  seededRandom,
  type VirtualClock,
} from '@jackfield/testkit';
import { createSipEdge } from '../sip-edge.ts';
import { type Admission, admitAll } from './admission.ts';
import { createTrunkAdmission } from './trunk-admission.ts';

const realm = 'sip.example.com';
const trunk = '12345678901234567';
const edgeAt = { address: '10.0.0.1', port: 5060 };
const pbxAt = { address: '10.0.0.2', port: 5060 };
const offer = [
  ...['v=0', 'o=- 1 1 IN IP4 10.0.0.2', 's=-', 'c=IN IP4 10.0.0.2', 't=0 0'],
  ...['m=audio 4000 RTP/AVP 0', ''],
].join('\r\n');

const openTrunk: TrunkAccess = {
  trunk,
  account: 'MA1',
  mainAccount: 'MA1',
  closedBecause: undefined,
  isSecure: false,
  isListed: false,
  credentials: [],
  hasLostCredential: false,
};

const hashWith =
  ({ digest }: Secrets) =>
  (algorithm: 'MD5' | 'SHA-256', text: string) =>
    digest(algorithm === 'MD5' ? 'md5' : 'sha256', decodeUtf8(text));

/** The stored credentials of a user. */
function passwordsWith(secrets: Secrets) {
  const hash = hashWith(secrets);
  return (username: string, password: string) => ({
    username,
    ha1: {
      md5: hash('MD5', `${username}:${realm}:${password}`),
      sha256: hash('SHA-256', `${username}:${realm}:${password}`),
    },
  });
}

/** A telephone system that refuses calls, and the texts that it received. */
function openPbx(clock: VirtualClock, network: SimulatedNetwork, secrets: Secrets) {
  let serial = 0;
  const received: string[] = [];
  const transports: Transports = openSimulatedTransports(network, pbxAt, {
    onMessage(text, flow) {
      received.push(text);
      pbx.receive(text, flow);
    },
  });
  const pbx: UserAgent = createUserAgent({
    clock,
    send: (target, text) => transports.send(target, text),
    flow: (id) => transports.flowById(id),
    address: () => ({ host: pbxAt.address, port: pbxAt.port }),
    token: () => `pbx${++serial}`,
    hash: hashWith(secrets),
    on: { request: (incoming) => incoming.reply(200), invite: (invite) => invite.reject(486) },
  });
  return { pbx, received };
}

/** An edge with one trunk, and a telephone system on the other side of a simulated network. */
async function world(changes: Partial<TrunkAccess> = {}) {
  const clock = createVirtualClock();
  const network = new SimulatedNetwork(clock, seededRandom(1));
  const secrets = createSecrets(new Uint8Array(32).fill(1));
  const passwordOf = passwordsWith(secrets);
  const access: TrunkAccess = { ...openTrunk, credentials: [passwordOf('pbx', 'secret')], ...changes };
  const refusals: RefusedTrunkCall[] = [];
  const asked: string[] = [];
  const otherwise: Admission = admitAll('MA2');
  const notices: LegNotice[] = [];
  const edge = createSipEdge({
    openTransports: async (listener) => openSimulatedTransports(network, edgeAt, listener),
    admission: createTrunkAdmission({
      trunks: {
        async accessOf(id, source) {
          asked.push(`${id} ${source}`);
          return id === trunk ? access : undefined;
        },
        loginOf: async () => undefined,
        refused: (refusal) => void refusals.push(refusal),
      },
      secrets,
      clock,
      domains: [realm, 'alias.example.com'],
      algorithms: ['SHA-256', 'MD5'],
      otherwise,
    }),
    mediaLegs: {
      open: async () => ({ port: 40_000 }),
      connect() {},
      close: async () => ({}) as LegStatistics,
    },
    clock,
    secrets,
    log: createRecordingLog(),
    domains: [realm, 'alias.example.com'],
    addressFor: () => edgeAt.address,
    userAgentName: 'edge',
  });
  edge.telephony.listen((notice) => notices.push(notice));
  await edge.telephony.open();

  const { pbx, received } = openPbx(clock, network, secrets);

  return {
    clock,
    edge,
    notices,
    refusals,
    asked,
    received,
    passwordOf,
    /** The outcome of a call: `answered`, or the status of its refusal. */
    async call(options: { to?: string; host?: string; username?: string; password?: string } = {}) {
      const {
        to = '+12025550100',
        host = `${trunk}.zt.${realm}`,
        username = 'pbx',
        password = 'secret',
      } = options;
      let outcome: string | undefined;
      const listener: CallListener = {
        answered() {
          outcome = 'answered';
        },
        ended(reason) {
          outcome ??= reason.by === 'rejected' ? String(reason.status) : reason.by;
        },
      };
      const call = pbx.invite(
        {
          targets: [{ uri: `sip:${to}@${host}` }],
          routes: [`<sip:${edgeAt.address};lr>`],
          from: '"Front desk" <sip:+12025559999@pbx.example.net>',
          to: `<sip:${to}@${host}>`,
          content: { body: offer, contentType: 'application/sdp' },
          credentials: { username, password },
        },
        listener,
      );
      await clock.advance(50);
      const offered = notices.at(-1);
      if (offered?.type === 'leg-offered') edge.telephony.answer(offered.leg);
      await clock.advance(50);
      const came = outcome;
      call.hangUp();
      await clock.advance(70_000);
      assert.deepEqual({ ...edge.census(), connections: 0 }, { ...nothing });
      return came;
    },
  };
}

const nothing = { legs: 0, transactions: 0, dialogs: 0, timers: 0, connections: 0 };

describe('a call through a trunk', () => {
  it('is challenged, and with the right password offered as a leg of its account, with the caller of its From', async () => {
    const w = await world();
    assert.equal(await w.call(), 'answered');
    const [notice] = w.notices;
    assert.ok(notice?.type === 'leg-offered');
    const { account, endpoint, trunk: through, from, to, callerName, sourceAddress } = notice;
    assert.deepEqual(
      { account, endpoint, through, from, to, callerName, sourceAddress },
      {
        account: 'MA1',
        endpoint: '',
        through: trunk,
        from: '+12025559999',
        to: '+12025550100',
        callerName: 'Front desk',
        sourceAddress: pbxAt.address,
      },
    );
    assert.match(w.received[0]!, /^SIP\/2\.0 401 /m);
    assert.deepEqual(w.refusals, []);
    assert.equal(await w.call({ host: `${trunk}.zt.alias.example.com` }), 'answered');
  });

  it('from an address of its list is not challenged', async () => {
    const w = await world({ isListed: true, credentials: [] });
    assert.equal(await w.call(), 'answered');
    assert.ok(w.received.every((text) => !/^SIP\/2\.0 401 /m.test(text)));
    assert.deepEqual(w.asked, [`${trunk} ${pbxAt.address}`]);
  });

  it('with the previous password is admitted while that is valid', async () => {
    const w = await world();
    const both = await world({
      credentials: [w.passwordOf('pbx', 'new'), w.passwordOf('pbx', 'secret')],
    });
    assert.equal(await both.call(), 'answered');
    assert.equal(await both.call({ password: 'new' }), 'answered');
    assert.equal(await both.call({ password: 'older' }), '401');
    assert.deepEqual(
      both.refusals.map(({ reason }) => reason),
      ['wrong-password'],
    );
  });

  it('of a trunk that does not exist gets the answer to a wrong password', async () => {
    const shapes: string[][] = [];
    for (const options of [
      { password: 'wrong' },
      { username: 'nobody' },
      { host: `99999999999999.zt.${realm}` },
    ]) {
      const w = await world();
      assert.equal(await w.call(options), '401');
      assert.equal(w.asked.length, 2);
      assert.deepEqual(w.notices, []);
      shapes.push(
        w.received.map((text) =>
          text
            .replace(/nonce="[^"]+"/g, 'nonce')
            .replace(/\d{14,17}\.zt/g, 'trunk')
            .replace(/(?:tag=|branch=|Call-ID: )\S+/gi, '')
            .replace(/^Date:.*$/gm, ''),
        ),
      );
    }
    assert.ok(shapes[0]!.every((text) => /^SIP\/2\.0 401 /.test(text)));
    assert.deepEqual(shapes[1], shapes[0]);
    assert.deepEqual(shapes[2], shapes[0]);
  });

  it('reports to the account why it was refused, and its claim', async () => {
    const w = await world();
    await w.call({ password: 'wrong' });
    await w.call({ username: 'other' });
    assert.deepEqual(
      w.refusals.map(({ access, ...reported }) => [access.trunk, reported]),
      [
        ['wrong-password', 'pbx'],
        ['wrong-username', 'other'],
      ].map(([reason, username]) => [
        trunk,
        { reason, sourceAddress: pbxAt.address, username, from: '+12025559999', to: '+12025550100' },
      ]),
    );
  });

  for (const [why, changes] of [
    ['credential-deleted', { credentials: [], hasLostCredential: true }],
    ['address-not-listed', { credentials: [] }],
    ['trunk-disabled', { closedBecause: 'trunk-disabled', isListed: true }],
    ['trunk-inbound', { closedBecause: 'trunk-inbound' }],
    ['not-over-tls', { isSecure: true, isListed: true }],
  ] as const) {
    it(`is refused at once with 403: ${why}`, async () => {
      const w = await world(changes);
      assert.equal(await w.call(), '403');
      assert.deepEqual(
        w.refusals.map(({ reason }) => reason),
        [why],
      );
      assert.deepEqual(w.notices, []);
    });
  }

  it('to a host that is no known trunk is decided by the next admission', async () => {
    const w = await world();
    for (const host of [
      realm,
      `1234567890123.zt.${realm}`,
      `${trunk}.zt.elsewhere.example`,
      `x.${trunk}.zt.${realm}`,
    ]) {
      await w.call({ host });
    }
    assert.deepEqual(w.asked, []);
    const accounts = w.notices.map((notice) => (notice.type === 'leg-offered' ? notice.account : ''));
    assert.deepEqual(accounts.filter(Boolean), ['MA2']);
  });
});
