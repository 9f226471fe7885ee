import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import { type LegNotice, type LegStatistics, legSpec } from '@jackfield/ports';
import { createHeaders, createUserAgent, type IncomingInvite, type UserAgent } from '@jackfield/sip';
import {
  createRecordingLog,
  createVirtualClock,
  openSimulatedTransports,
  SimulatedNetwork,
  seededRandom,
} from '@jackfield/testkit';
import { trustEverybody } from '../admission/admission.ts';
import { createSipEdge } from '../sip-edge.ts';
import { forwardsLeftOf } from './forwards-left.ts';

const edgeAt = { address: '10.0.0.1', port: 5060 };
const phoneAt = { address: '10.0.0.2', port: 5060 };
const content = {
  body: 'v=0\r\no=- 1 1 IN IP4 10.0.0.2\r\ns=-\r\nc=IN IP4 10.0.0.2\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n',
  contentType: 'application/sdp',
};

/** An edge that dials every caller back for the same call, and a telephone system that calls it again: a loop. */
async function circle(firstForwards: number | undefined, isGoingRound: boolean) {
  const clock = createVirtualClock();
  const network = new SimulatedNetwork(clock, seededRandom(1));
  let serial = 0;
  let port = 40_000;
  const edge = createSipEdge({
    openTransports: async (listener) => openSimulatedTransports(network, edgeAt, listener),
    admission: trustEverybody('MA1'),
    mediaLegs: {
      async open() {
        port += 2;
        return { port };
      },
      connect() {},
      close: async () => ({}) as LegStatistics,
    },
    clock,
    secrets: createSecrets(new Uint8Array(32).fill(1)),
    log: createRecordingLog(),
    domains: ['sip.example.com'],
    publicAddress: edgeAt.address,
    userAgentName: 'edge',
  });
  const parents = new Map<string, string>();
  const statuses: (number | undefined)[] = [];
  edge.telephony.listen((notice: LegNotice) => {
    if (notice.type === 'leg-offered') {
      const leg = `for-${notice.leg}`;
      parents.set(leg, notice.leg);
      edge.telephony.dial({
        leg,
        spec: legSpec({ from: 'alice', callerName: '', to: 'bob' }),
        callee: 'bob',
        targets: [{ uri: `sip:bob@${phoneAt.address}` }],
        forwards: notice.leg,
      });
    }
    if (notice.type !== 'leg-ended') return;
    const parent = parents.get(notice.leg);
    if (parent === undefined) return;
    statuses.push(notice.end.sipStatus);
    edge.telephony.hangUp(parent, notice.end.sipStatus);
  });
  await edge.telephony.open();

  const arrived: number[] = [];
  const answers: string[] = [];
  const transports = openSimulatedTransports(network, phoneAt, {
    onMessage: (text, flow) => system.receive(text, flow),
  });
  const call = (maxForwards: number | undefined, invite?: IncomingInvite) =>
    system.invite(
      {
        targets: [{ uri: `sip:bob@${edgeAt.address}` }],
        from: '<sip:alice@sip.example.com>',
        to: '<sip:bob@sip.example.com>',
        content,
        ...(maxForwards === undefined ? {} : { maxForwards }),
      },
      {
        ended(reason) {
          const told = reason.by === 'rejected' ? reason.status : 500;
          if (invite === undefined) answers.push(String(told));
          else invite.reject(told);
        },
      },
    );
  const system: UserAgent = createUserAgent({
    clock,
    send: (target, text) => transports.send(target, text),
    flow: (id) => transports.flowById(id),
    address: () => ({ host: phoneAt.address, port: phoneAt.port }),
    token: () => `system${++serial}`,
    on: {
      request: (incoming) => incoming.reply(405),
      invite(invite) {
        const left = forwardsLeftOf(invite.request);
        arrived.push(left);
        if (!isGoingRound) invite.reject(486);
        else if (left === 0) invite.reject(483);
        else call(left - 1, invite);
      },
    },
  });
  call(firstForwards);
  await clock.advance(60_000);
  const { legs } = edge.census();
  await edge.close();
  return { arrived, answers, statuses, legs };
}

describe('how often a call may be forwarded (RFC 7332)', () => {
  it('RFC 7332 §3: a leg that is dialled for another has its Max-Forwards less one', async () => {
    assert.deepEqual((await circle(17, false)).arrived, [16]);
    assert.deepEqual((await circle(undefined, false)).arrived, [69]);
  });

  it('RFC 3261 §16.3: where none is left the call is refused with 483 and nothing is sent', async () => {
    const { arrived, answers, statuses, legs } = await circle(0, false);
    assert.deepEqual(
      { arrived, answers, statuses, legs },
      { arrived: [], answers: ['483'], statuses: [483], legs: 0 },
    );
  });

  it('a call that goes round through a telephone system ends with 483 at its first caller, and nothing is left', async () => {
    const { arrived, answers, legs } = await circle(9, true);
    assert.deepEqual(arrived, [8, 6, 4, 2, 0]);
    assert.deepEqual([answers, legs], [['483'], 0]);
  });

  it('RFC 3261 §16.6: a request without the field counts as one with 70', () => {
    assert.equal(forwardsLeftOf({ headers: createHeaders([]) }), 70);
    assert.equal(forwardsLeftOf({ headers: createHeaders([['Max-Forwards', '0068']]) }), 68);
  });
});
