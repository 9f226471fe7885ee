import assert from 'node:assert/strict';
import { createSecrets } from '@jackfield/adapters/secrets';
import {
  type AgreedMedia,
  type DialRequest,
  type LegKey,
  type LegNotice,
  type LegSpec,
  type LegStatistics,
  legSpec,
  type MediaLegs,
} from '@jackfield/ports';
import type { CallListener, IncomingInvite, InviteOptions } from '@jackfield/sip';
import {
  createRecordingLog,
  createVirtualClock,
  openSimulatedTransports,
  SimulatedNetwork,
  seededRandom,
} from '@jackfield/testkit';
import { admitAll } from '../admission/admission.ts';
import { createSipEdge, type SipEdgeDeps } from '../sip-edge.ts';
import { openPhone } from './open-phone.ts';

/** Where the edge listens. */
export const edgeAt = { address: '10.0.0.1', port: 5060 };
/** Where the phone listens. */
export const phoneAt = { address: '10.0.0.2', port: 5060 };
const noStatistics = {} as LegStatistics;

/** The description of the phone. */
export const offer = [
  'v=0',
  'o=- 1 1 IN IP4 10.0.0.2',
  's=-',
  'c=IN IP4 10.0.0.2',
  't=0 0',
  'm=audio 4000 RTP/AVP 0',
  '',
].join('\r\n');

/** Ports that open when the test decides. */
function scriptedMedia() {
  const openLegs = new Set<string>();
  const connected: AgreedMedia[] = [];
  let gate: Promise<void> | undefined;
  let port = 40_000;
  const legs: MediaLegs = {
    async open(leg) {
      await gate;
      assert.ok(!openLegs.has(leg), 'a leg is opened once');
      openLegs.add(leg);
      port += 2;
      return { port };
    },
    connect: (_leg, agreed) => void connected.push(agreed),
    close(leg) {
      openLegs.delete(leg);
      return Promise.resolve(noStatistics);
    },
  };
  return {
    legs,
    openLegs,
    /** Every agreement, in the order in which it was made. */
    connected,
    /** Delays the opening of ports until the returned function is called; with an error they fail. */
    hold(): (error?: Error) => void {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      gate = promise;
      promise.catch(() => {});
      return (error) => (error === undefined ? resolve() : reject(error));
    },
  };
}

/** The phone of a world. */
export interface PhoneConduct {
  readonly at?: { readonly address: string; readonly port: number };
  /** Handles an INVITE that arrives there. */
  readonly invited?: (invite: IncomingInvite) => void;
}

/** An edge, and a bare user agent as the phone at the other end of the wire. */
export async function edgeWorld(
  more: Partial<SipEdgeDeps> = {},
  { at = phoneAt, invited }: PhoneConduct = {},
) {
  const clock = createVirtualClock();
  const random = seededRandom(1);
  const network = new SimulatedNetwork(clock, random);
  const log = createRecordingLog();
  const media = scriptedMedia();
  const notices: LegNotice[] = [];
  const keys: LegKey[] = [];
  const reports: string[] = [];
  const edge = createSipEdge({
    openTransports: async (listener) => openSimulatedTransports(network, edgeAt, listener),
    admission: admitAll('MA1'),
    mediaLegs: media.legs,
    clock,
    secrets: createSecrets(new Uint8Array(32).fill(1)),
    log,
    domains: ['sip.example.com'],
    addressFor: () => edgeAt.address,
    userAgentName: 'edge',
    ...more,
  });
  edge.telephony.listen((notice) => {
    // Media statistics have their own tests.
    if (notice.type === 'leg-ended') notices.push({ type: notice.type, leg: notice.leg, end: notice.end });
    else notices.push(notice);
  });
  edge.telephony.listenToKeys?.((key) => keys.push(key));
  edge.telephony.listenToReports?.(({ body }) => reports.push(body));
  await edge.telephony.open();

  const invites: IncomingInvite[] = [];
  const happened: string[] = [];
  const phone = openPhone(clock, network, at, {
    request: (incoming) => incoming.reply(200),
    invite(invite) {
      invites.push(invite);
      invited?.(invite);
    },
  });
  const listener: CallListener = {
    answered: () => void happened.push('answered'),
    ended: (reason) => void happened.push(reason.by === 'rejected' ? String(reason.status) : reason.by),
  };

  return {
    clock,
    edge,
    media,
    log,
    notices,
    keys,
    reports,
    invites,
    happened,
    types: () => notices.map(({ type }) => type),
    dial: (request: Partial<DialRequest> = {}, spec: Partial<LegSpec> = {}) =>
      edge.telephony.dial({
        leg: 'leg-1',
        spec: legSpec({ from: '+12025550000', callerName: '', to: 'bob', ...spec }),
        callee: 'bob',
        targets: [{ uri: `sip:bob@${phoneAt.address}` }],
        ...request,
      }),
    call: (options: Partial<InviteOptions> = {}, on: CallListener = {}) =>
      phone.invite(
        {
          targets: [{ uri: `sip:bob@${edgeAt.address}` }],
          from: '<sip:alice@sip.example.com>',
          to: '<sip:bob@sip.example.com>',
          content: { body: offer, contentType: 'application/sdp' },
          ...options,
        },
        { ...listener, ...on },
      ),
    /** Both sides have ended, and nothing of any leg is left. */
    async leavesNothing() {
      await clock.advance(70_000);
      assert.deepEqual([...media.openLegs], [], 'no media leg is left');
      assert.deepEqual(edge.census(), {
        legs: 0,
        transactions: 0,
        dialogs: 0,
        timers: 0,
        connections: 0,
      });
      const ends = notices.filter(({ type }) => type === 'leg-ended').map(({ leg }) => leg);
      assert.equal(new Set(ends).size, ends.length, 'each leg ends once');
    },
    close: () => edge.close(),
  };
}

/** Milliseconds after which a message has been answered. */
export const soon = 50;
