import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Flow } from '../message/flow.ts';
import { parseMessage } from '../message/parse-message.ts';
import type { IncomingInvite } from './call-listener.ts';
import { createVirtualClock } from './testing/memory-link.ts';
import { createUserAgent } from './user-agent.ts';

const content = { body: 'v=0', contentType: 'application/sdp' };

/** A gateway at 192.0.2.7 that sends from this port. */
const sentFrom = (remotePort: number, protocol: 'udp' | 'tcp' = 'udp'): Flow => ({
  id: `${protocol}-${remotePort}`,
  protocol,
  reliable: protocol !== 'udp',
  remoteAddress: '192.0.2.7',
  remotePort,
  localAddress: '10.0.0.1',
  localPort: 5060,
});

/** A user agent that answers the call of a gateway, whose Via is `sentBy`. */
function world(flow: Flow, sentBy: string) {
  const clock = createVirtualClock();
  const sent: { readonly way: string; readonly text: string }[] = [];
  let tokens = 0;
  let incoming: IncomingInvite | undefined;
  const ua = createUserAgent({
    clock,
    send: (target, text) =>
      void sent.push({
        way: 'flow' in target ? target.flow : `${target.protocol} ${target.host}:${target.port}`,
        text,
      }),
    flow: (id) => (id.startsWith('udp') ? sentFrom(Number(id.slice(4))) : flow),
    address: () => ({ host: '10.0.0.1', port: 5060 }),
    token: () => `t${tokens++}`,
    on: {
      request() {},
      invite(invite) {
        incoming = invite;
        invite.listen({});
        invite.accept(content);
      },
    },
  });
  let cseq = 0;
  function receive(method: string, over = flow, by = sentBy): void {
    const to = parseMessage(sent.at(-1)?.text ?? '').message?.headers.get('To') ?? '<sip:100@10.0.0.1>';
    if (method !== 'ACK') cseq += 1;
    const fields = [
      `${method} sip:100@10.0.0.1 SIP/2.0`,
      `Via: SIP/2.0/${over.protocol.toUpperCase()} ${by};branch=z9hG4bK${method}${cseq}`,
      'From: <sip:g@192.0.2.7>;tag=g',
      `To: ${to}`,
      'Call-ID: c',
      `CSeq: ${cseq} ${method}`,
      'Contact: <sip:g@192.0.2.7:5060>',
      'Content-Length: 0',
    ];
    ua.receive(`${fields.join('\r\n')}\r\n\r\n`, over);
  }
  receive('INVITE');
  receive('ACK');
  return {
    receive,
    /** Where our BYE goes. */
    bye() {
      incoming?.hangUp();
      const { way } = sent.findLast(({ text }) => text.startsWith('BYE'))!;
      ua.close();
      return way;
    },
  };
}

describe('our requests to a peer that called (RFC 3261 §12.2.1.1, RFC 3581)', () => {
  for (const [rule, flow, sentBy, way] of [
    [
      'that listens at another port than it sends from go to its Contact',
      51_000,
      '192.0.2.7:5060',
      'udp 192.0.2.7:5060',
    ],
    [
      'that names no port, and sends from another than 5060, go to its Contact',
      51_000,
      '192.0.2.7',
      'udp 192.0.2.7:5060',
    ],
    ['that requested rport go to the port that it sends from', 51_000, '192.0.2.7:5060;rport', 'udp-51000'],
    ['that sends from its own port go there', 5070, '192.0.2.7:5070', 'udp-5070'],
    ['behind a NAT go to the port that it sends from', 51_000, '10.1.1.1:5060', 'udp-51000'],
    [
      'that is named in its Via go to the port that it sends from',
      51_000,
      'gateway.example:5060',
      'udp-51000',
    ],
  ] as const) {
    it(rule, () => assert.equal(world(sentFrom(flow), sentBy).bye(), way));
  }

  it('over TCP go back on its connection, whatever its Via names', () => {
    assert.equal(world(sentFrom(51_000, 'tcp'), '192.0.2.7:5060').bye(), 'tcp-51000');
  });

  it('do not follow a request from a port at which it does not listen', () => {
    const { receive, bye } = world(sentFrom(5060), '192.0.2.7:5060');
    receive('INFO', sentFrom(51_000));
    assert.equal(bye(), 'udp-5060');
  });

  it('follow a request from a port that a NAT has changed', () => {
    const { receive, bye } = world(sentFrom(51_000), '10.1.1.1:5060');
    receive('INFO', sentFrom(52_000));
    assert.equal(bye(), 'udp-52000');
  });
});
