import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createResponse } from '../message/create-response.ts';
import type { Flow } from '../message/flow.ts';
import type { SipRequest } from '../message/message.ts';
import { parseMessage } from '../message/parse-message.ts';
import { printMessage } from '../message/print-message.ts';
import type { DialogSnapshot } from './call-listener.ts';
import type { HostTarget, SendTarget } from './send-target.ts';
import { createVirtualClock } from './testing/memory-link.ts';
import { createUserAgent } from './user-agent.ts';

const content = { body: 'offer', contentType: 'application/sdp' };
const verified: HostTarget = {
  protocol: 'tls',
  host: '192.0.2.1',
  port: 5061,
  identity: 'sip.alpha.example',
};
const standby: HostTarget = { ...verified, host: '192.0.2.2' };

/** A user agent that finds the carrier at two addresses; what it sends is recorded. */
function world() {
  const sent: { readonly target: SendTarget; readonly request: SipRequest; readonly text: string }[] = [];
  let tokens = 0;
  const ua = createUserAgent({
    clock: createVirtualClock(),
    send(target, text) {
      const { message } = parseMessage(text);
      if (message?.kind === 'request') sent.push({ target, request: message, text });
    },
    flow: () => undefined,
    locate: (_uri, found) => found([verified, standby]),
    address: () => ({ host: '10.0.0.1', port: 5061 }),
    token: () => `t${tokens++}`,
    on: { request() {} },
  });
  const targets = (method: string) =>
    sent.filter(({ request }) => request.method === method).map(({ target }) => target);
  return {
    ua,
    targets,
    invite: () =>
      ua.invite(
        {
          targets: [{ uri: 'sip:1@sip.alpha.example;transport=tls' }],
          from: '<sip:a@x>',
          to: '<sip:1@x>',
          content,
        },
        {},
      ),
    fail() {
      const { text, target } = sent.at(-1)!;
      ua.transportFailed(text, target);
    },
    answer(...headers: readonly (readonly [string, string])[]) {
      const invite = sent.findLast(({ request }) => request.method === 'INVITE')!;
      const response = createResponse(invite.request, 200, undefined, { toTag: 'r', headers });
      ua.receive(printMessage(response), {} as Flow);
    },
  };
}

/** The target of the ACK after an answer with this Contact. */
function ackTo(contact: string, ...routes: readonly (readonly [string, string])[]): SendTarget | undefined {
  const { invite, answer, targets, ua } = world();
  invite();
  answer(...routes, ['Contact', `<${contact}>`]);
  ua.close();
  return targets('ACK')[0];
}

describe('requests in a dialog whose INVITE went over TLS to a domain', () => {
  for (const [rule, contact] of [
    ['to a Contact at the address and port of its connection', 'sip:1@192.0.2.1:5061;transport=tls'],
    ['to a Contact at its address and the default port', 'sip:1@192.0.2.1;transport=tls'],
    ['to a Contact with a sips URI at its address', 'sips:1@192.0.2.1'],
  ] as const) {
    it(`${rule} expect the certificate of the domain`, () => assert.deepEqual(ackTo(contact), verified));
  }

  it('to a Record-Route at the address and port of its connection expect the certificate of the domain', () => {
    const route = ['Record-Route', '<sip:192.0.2.1:5061;transport=tls;lr>'] as const;
    assert.deepEqual(ackTo('sip:1@10.1.1.1;transport=tls', route), verified);
  });

  for (const [rule, contact, target] of [
    ['to another address', 'sip:1@192.0.2.9;transport=tls', { host: '192.0.2.9', identity: '192.0.2.9' }],
    [
      'to an address that was not called',
      'sip:1@192.0.2.2;transport=tls',
      { host: '192.0.2.2', identity: '192.0.2.2' },
    ],
    ['to another port', 'sip:1@192.0.2.1:5071;transport=tls', { port: 5071, identity: '192.0.2.1' }],
    [
      'to another name',
      'sip:1@beta.example;transport=tls',
      { host: 'beta.example', identity: 'beta.example' },
    ],
    [
      'to another name at its address',
      'sip:1@beta.example;maddr=192.0.2.1;transport=tls',
      { identity: 'beta.example' },
    ],
  ] as const) {
    it(`${rule} expect its own certificate`, () =>
      assert.deepEqual(ackTo(contact), { ...verified, ...target }));
  }

  it('to its address over another transport have no identity', () => {
    const target = { protocol: 'tcp', host: '192.0.2.1', port: 5061 };
    assert.deepEqual(ackTo('sip:1@192.0.2.1:5061;transport=tcp'), target);
  });

  it('after the first address has failed expect the domain at the second alone', () => {
    const { invite, fail, answer, targets, ua } = world();
    const call = invite();
    fail();
    answer(['Contact', '<sip:1@192.0.2.2;transport=tls>']);
    call.hangUp();
    assert.deepEqual([targets('ACK'), targets('BYE')], [[standby], [standby]]);
    ua.close();
  });

  it('expect it as well when another process ends the dialog', () => {
    const first = world();
    const call = first.invite();
    first.answer(['Contact', '<sip:1@192.0.2.1;transport=tls>']);
    const snapshot = JSON.parse(JSON.stringify(call.snapshot())) as DialogSnapshot;
    first.ua.close();
    const next = world();
    next.ua.endDialog(snapshot);
    assert.deepEqual(next.targets('BYE'), [verified]);
    next.ua.close();
  });
});
