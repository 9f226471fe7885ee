import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import {
  type DialRequest,
  type LegNotice,
  type LegStatistics,
  legSpec,
  type PeerNodes,
  type TransferRequest,
} from '@jackfield/ports';
import type { Flow } from '@jackfield/sip';
import type { TransportListener, Transports } from '@jackfield/sip/transport';
import { createRecordingLog, createVirtualClock, type VirtualClock } from '@jackfield/testkit';
import { admitAll } from '../admission/admission.ts';
import { createSipEdge, type SipEdge } from '../sip-edge.ts';

const flow: Flow = {
  id: 'udp-1',
  protocol: 'udp',
  reliable: false,
  localAddress: '10.0.0.1',
  localPort: 5060,
  remoteAddress: '10.0.0.2',
  remotePort: 5060,
};

const spec = legSpec({ from: 'alice', callerName: '', to: 'bob' });
const sdp =
  'v=0\r\no=- 1 1 IN IP4 10.0.0.2\r\ns=-\r\nc=IN IP4 10.0.0.2\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n';

interface WrittenRequest {
  readonly method: string;
  readonly cseq: number;
  readonly callId: string;
  readonly toTag: string;
  readonly more: readonly string[];
  readonly body: string;
  readonly branch: number;
}

/** A request of alice to bob. */
function requestOf({ method, cseq, callId, toTag, more, body, branch }: WrittenRequest): string {
  return [
    `${method} sip:bob@sip.example.com SIP/2.0`,
    `Via: SIP/2.0/UDP 10.0.0.2:5060;branch=z9hG4bK${branch}`,
    `From: <sip:alice@sip.example.com>;tag=alice${callId}`,
    `To: <sip:bob@sip.example.com>${toTag === '' ? '' : `;tag=${toTag}`}`,
    `Call-ID: ${callId}`,
    `CSeq: ${cseq} ${method}`,
    'Contact: <sip:alice@10.0.0.2>',
    ...more,
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

/** An edge over a transport that passes on what is sent. */
function createEdge(
  clock: VirtualClock,
  send: (text: string) => void,
  opened: (listener: TransportListener) => void,
  nodes?: PeerNodes,
): SipEdge {
  return createSipEdge({
    ...(nodes && { nodes }),
    openTransports: async (listener) => {
      opened(listener);
      return {
        send: (_target: unknown, text: string) => send(text),
        flowById: () => flow,
        addresses: [{ protocol: 'udp', address: '10.0.0.1', port: 5060 }],
        counters: {},
        connections: 0,
        keep() {},
        cut() {},
        close: () => Promise.resolve(),
      } as unknown as Transports;
    },
    admission: admitAll('MA1'),
    mediaLegs: {
      open: async () => ({ port: 40_000 }),
      connect() {},
      close: () => Promise.resolve({} as LegStatistics),
    },
    clock,
    secrets: createSecrets(new Uint8Array(32).fill(1)),
    log: createRecordingLog(),
    domains: ['sip.example.com'],
    addressFor: () => '10.0.0.1',
    userAgentName: 'edge',
  });
}

/** An edge, and a phone that writes its messages by hand. */
async function world(take?: (request: TransferRequest) => boolean | Promise<boolean>, nodes?: PeerNodes) {
  const clock = createVirtualClock();
  const [sent, notices]: [string[], LegNotice[]] = [[], []];
  let listener: TransportListener | undefined;
  const edge = createEdge(
    clock,
    (text) => void sent.push(text),
    (given) => {
      listener = given;
    },
    nodes,
  );
  edge.telephony.listen((notice) => notices.push(notice));
  if (take) edge.telephony.listenToTransfers?.(take);
  await edge.telephony.open();
  let serial = 0;

  async function send(
    method: string,
    cseq: number,
    callId: string,
    toTag: string,
    more: string[],
    body = '',
  ) {
    const text = requestOf({ method, cseq, callId, toTag, more, body, branch: ++serial });
    listener?.onMessage(text, flow);
    await clock.advance(50);
  }

  /** An answered call; returns the To tag and the leg. */
  async function call(callId: string): Promise<{ tag: string; leg: string }> {
    await send('INVITE', 1, callId, '', [], sdp);
    const { leg } = notices.findLast(({ type }) => type === 'leg-offered')!;
    edge.telephony.answer(leg);
    await clock.advance(50);
    const answer = sent.findLast(
      (text) => text.startsWith('SIP/2.0 200') && text.includes(`Call-ID: ${callId}`),
    );
    const tag = /\r\nTo: [^\r]*;tag=([\w.]+)/.exec(answer ?? '')?.[1] ?? '';
    await send('ACK', 1, callId, tag, []);
    return { tag, leg };
  }

  /** A dialled call to these targets; the target at index `answering` answers. Returns the fields of its REFER. */
  async function dialled(targets: DialRequest['targets'], answering: number) {
    edge.telephony.dial({ leg: 'ours', spec, callee: 'bob', targets });
    await clock.advance(50);
    const invite = sent.filter((text) => text.startsWith('INVITE '))[answering]!;
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(invite)![1]!.trim();
    const copied = ['Via', 'From', 'Call-ID', 'CSeq'].map((name) => `${name}: ${field(name)}`);
    const answer = ['SIP/2.0 200 OK', ...copied, `To: ${field('To')};tag=bob`, 'Contact: <sip:bob@10.0.0.2>'];
    const described = ['Content-Type: application/sdp', `Content-Length: ${sdp.length}`, '', sdp];
    listener?.onMessage([...answer, ...described].join('\r\n'), flow);
    await clock.advance(50);
    return async (cseq: number, referTo: string) => {
      const lines = [
        'REFER sip:edge@10.0.0.1 SIP/2.0',
        `Via: SIP/2.0/UDP 10.0.0.2:5060;branch=z9hG4bK${++serial}`,
        ...[`From: ${field('To')};tag=bob`, `To: ${field('From')}`, `Call-ID: ${field('Call-ID')}`],
        ...[`CSeq: ${cseq} REFER`, 'Contact: <sip:bob@10.0.0.2>', `Refer-To: <${referTo}>`],
        ...['Content-Length: 0', '', ''],
      ];
      listener?.onMessage(lines.join('\r\n'), flow);
      await clock.advance(50);
      return sent.findLast((text) => text.startsWith('SIP/2.0'))!;
    };
  }

  /** The phone accepts the last request. */
  async function accept(): Promise<void> {
    const copied = /^(?:Via|From|To|Call-ID|CSeq): .*$/gm;
    const lines = ['SIP/2.0 200 OK', ...(sent.at(-1)!.match(copied) ?? []), 'Content-Length: 0', '', ''];
    listener?.onMessage(lines.map((line) => line.trim()).join('\r\n'), flow);
    await clock.advance(50);
  }

  return {
    clock,
    sent,
    notices,
    edge,
    send,
    accept,
    call,
    dialled,
    last: () => sent.at(-1)!.split('\r\n')[0],
  };
}

test('RFC 3515 §2.4.2: a REFER is declined with 603 where no listener carries transfers out', async () => {
  const w = await world();
  const { tag } = await w.call('1');
  await w.send('REFER', 2, '1', tag, ['Refer-To: <sip:carol@sip.example.com>']);
  assert.equal(w.last(), 'SIP/2.0 603 Decline');
  w.edge.hangUpAll();
  await w.edge.close();
});

test('A transfer is reported, accepted with 202 and a NOTIFY of 100, and its outcome comes in a second NOTIFY', async () => {
  const asked: TransferRequest[] = [];
  const w = await world((request) => asked.push(request) > 0);
  const { tag, leg } = await w.call('1');
  const more = ['Refer-To: <sip:+12025550100@sip.example.com>', 'Referred-By: <sip:alice@sip.example.com>'];
  await w.send('REFER', 2, '1', tag, more);
  assert.deepEqual(asked, [{ leg, to: '+12025550100', referredBy: 'alice' }]);
  assert.ok(w.sent.some((text) => text.startsWith('SIP/2.0 202 Accepted')));
  assert.match(w.sent.at(-1)!, /^NOTIFY sip:alice@10\.0\.0\.2 [\s\S]*\r\n\r\nSIP\/2\.0 100 Trying\r\n$/);
  await w.accept();
  w.edge.telephony.reportTransfer?.(leg, 200);
  assert.match(w.sent.at(-1)!, /\r\nSubscription-State: terminated;reason=noresource\r\n/);
  assert.match(w.sent.at(-1)!, /\r\n\r\nSIP\/2\.0 200 OK\r\n$/);
  w.edge.hangUpAll();
  await w.edge.close();
});

test('A transfer is reported with the number of a tel URI in Referred-By', async () => {
  const asked: TransferRequest[] = [];
  const w = await world((request) => asked.push(request) > 0);
  const { tag, leg } = await w.call('1');
  const more = ['Refer-To: <tel:+1-202-555-0100>', 'Referred-By: <tel:+1-202-555-0111>'];
  await w.send('REFER', 2, '1', tag, more);
  assert.deepEqual(asked, [{ leg, to: '+12025550100', referredBy: '+12025550111' }]);
  w.edge.hangUpAll();
  await w.edge.close();
});

test('A transfer to a target that is not ours, or by another method, is declined and not reported', async () => {
  const w = await world(() => assert.fail('notified'));
  const { tag } = await w.call('1');
  for (const [index, target] of [
    'sip:carol@elsewhere.example',
    'sip:c@sip.example.com;method=BYE',
    'mailto:x',
  ].entries()) {
    await w.send('REFER', 2 + index, '1', tag, [`Refer-To: <${target}>`]);
    assert.equal(w.last(), 'SIP/2.0 603 Decline', target);
  }
  w.edge.hangUpAll();
  await w.edge.close();
});

test('RFC 3891: a Replaces in Refer-To names the other call of the phone by its dialog', async () => {
  const asked: TransferRequest[] = [];
  const w = await world((request) => asked.push(request) > 0);
  const first = await w.call('1');
  const other = await w.call('2');
  const named = (tag: string) =>
    `Refer-To: <sip:bob@sip.example.com?Replaces=2%3Bto-tag%3D${tag}%3Bfrom-tag%3Dalice2>`;
  await w.send('REFER', 2, '1', first.tag, [named('unknown')]);
  assert.equal(w.last(), 'SIP/2.0 603 Decline');
  await w.send('REFER', 3, '1', first.tag, [named(other.tag)]);
  assert.deepEqual(asked, [{ leg: first.leg, to: 'bob', replaces: other.leg }]);
  w.edge.hangUpAll();
  await w.edge.close();
});

test('RFC 3891 §3: an INVITE with Replaces gets 400 when malformed, 481 without such a dialog, 486 or 603 with one', async () => {
  const w = await world();
  const { tag } = await w.call('1');
  const statuses: (string | undefined)[] = [];
  const values = [
    ['Replaces: 1'],
    [`Replaces: 1;to-tag=${tag};from-tag=alice1`, `Replaces: 1;to-tag=${tag};from-tag=alice1`],
    ['Replaces: 1;to-tag=x;from-tag=alice1'],
    [`Replaces: 1;to-tag=${tag};from-tag=alice1;early-only`],
    [`Replaces: 1;to-tag=${tag};from-tag=alice1`],
  ];
  for (const [index, more] of values.entries()) {
    await w.send('INVITE', 1, `r${index}`, '', more, sdp);
    statuses.push(w.last()?.slice(8, 11));
  }
  assert.deepEqual(statuses, ['400', '400', '481', '486', '603']);
  w.edge.hangUpAll();
  await w.edge.close();
});

test('RFC 3891 §3: where transfers are carried out, an INVITE with Replaces is offered with the leg that it replaces', async () => {
  const w = await world(() => true);
  const { tag, leg } = await w.call('1');
  await w.send('INVITE', 1, 'r', '', [`Replaces: 1;to-tag=${tag};from-tag=alice1`, 'Require: replaces'], sdp);
  const offered = w.notices.at(-1);
  assert.deepEqual(offered?.type === 'leg-offered' && offered.replaces, leg);
  w.edge.hangUpAll();
  await w.edge.close();
});

test('RFC 3261 §12: calls with one Call-ID, as of a request that proxies have led back to us, are distinguished by their tags', async () => {
  const w = await world(() => true);
  const { tag, leg } = await w.call('1');
  await w.send('INVITE', 5, '1', '', [], sdp);
  const second = w.notices.findLast(({ type }) => type === 'leg-offered')!;
  assert.notEqual(second.leg, leg);
  await w.send('INVITE', 1, 'r', '', [`Replaces: 1;to-tag=${tag};from-tag=alice1`], sdp);
  const offered = w.notices.at(-1);
  assert.equal(offered?.type === 'leg-offered' && offered.replaces, leg);
  w.edge.hangUpAll();
  await w.edge.close();
});

test('RFC 4488 §4: a phone that wants no subscription gets "Refer-Sub: false" and no NOTIFY', async () => {
  const w = await world(() => true);
  const { tag, leg } = await w.call('1');
  await w.send('REFER', 2, '1', tag, [
    'Refer-To: <sip:carol@sip.example.com>',
    'Refer-Sub: false',
    'Require: norefersub',
  ]);
  assert.match(w.sent.at(-1)!, /^SIP\/2\.0 202 Accepted[\s\S]*\r\nRefer-Sub: false\r\n/);
  w.edge.telephony.reportTransfer?.(leg, 200);
  assert.ok(w.sent.every((text) => !text.startsWith('NOTIFY')));
  w.edge.hangUpAll();
  await w.edge.close();
});

test('A Replaces in Refer-To identifies the other call, whatever URI it is part of', async () => {
  const asked: TransferRequest[] = [];
  const w = await world((request) => asked.push(request) > 0);
  const first = await w.call('1');
  const other = await w.call('2');
  const replaces = `Replaces=2%3Bto-tag%3D${other.tag}%3Bfrom-tag%3Dalice2`;
  await w.send('REFER', 2, '1', first.tag, [`Refer-To: <sip:10.0.0.1:5060?${replaces}>`]);
  assert.deepEqual(asked, [{ leg: first.leg, to: '', replaces: other.leg }]);
  w.edge.hangUpAll();
  await w.edge.close();
});

test('A Replaces that names another node is passed on with the node while that runs, and answered when the platform has asked there', async () => {
  const nodes: PeerNodes = { own: 'one', isAlive: (token) => token === 'two', notify() {}, listen() {} };
  const asked: TransferRequest[] = [];
  const w = await world((request) => {
    asked.push(request);
    return Promise.resolve(asked.length === 2);
  }, nodes);
  const { tag, leg } = await w.call('1');
  const statuses: (string | undefined)[] = [];
  const dialogOf = (node: string) => `7;to-tag=0123456789abcdef01234567.${node};from-tag=alice7`;
  for (const [index, node] of ['three', 'two', 'two'].entries()) {
    const replaces = encodeURIComponent(dialogOf(node));
    await w.send('REFER', 2 + index, '1', tag, [`Refer-To: <sip:10.0.0.1?Replaces=${replaces}>`]);
    statuses.push(w.sent.findLast((text) => text.startsWith('SIP/2.0'))?.slice(8, 11));
  }
  assert.deepEqual(statuses, ['603', '603', '202']);
  const request = { leg, to: '', replacesAt: { node: 'two', dialog: dialogOf('two') } };
  assert.deepEqual(asked, [request, request]);
  assert.deepEqual(
    [`1;from-tag=alice1;to-tag=${tag}`, dialogOf('one'), 'x'].map((dialog) =>
      w.edge.telephony.legOf?.(dialog),
    ),
    [leg, undefined, undefined],
  );
  w.edge.hangUpAll();
  await w.edge.close();
});

test('A REFER of a phone that may not call gets 401 with the code of its INVITE; a phone beside it that may call gets 202', async () => {
  const bob = { uri: 'sip:bob@10.0.0.2' };
  const confined = { ...bob, mayCall: false } as const;
  for (const [targets, answering, isRefused] of [
    [[confined], 0, true],
    [[bob, confined], 1, true],
    [[bob, { ...bob, otherFlows: [confined] }], 1, true],
    [[confined, bob], 1, false],
  ] as const) {
    const asked: TransferRequest[] = [];
    const w = await world((request) => asked.push(request) > 0);
    const refer = await w.dialled(targets, answering);
    const answer = await refer(1, 'sip:+12025550100@sip.example.com');
    if (isRefused) assert.match(answer, /^SIP\/2\.0 401 [\s\S]*\r\nX-Plivo-Jwt-Error-Code: 10008\r\n/);
    else assert.match(answer, /^SIP\/2\.0 202 /);
    assert.equal(asked.length, isRefused ? 0 : 1);
    // Joining two calls dials no target.
    const other = await w.call('2');
    const replaces = `Replaces=2%3Bto-tag%3D${other.tag}%3Bfrom-tag%3Dalice2`;
    if (isRefused) await refer(2, `sip:10.0.0.1?${replaces}`);
    assert.equal(asked.length, 1);
    w.edge.hangUpAll();
    await w.edge.close();
  }
});
