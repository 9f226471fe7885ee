import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { CallListener } from '../user-agent/call-listener.ts';
import { createUserAgent } from '../user-agent/user-agent.ts';
import type { UserAgent, UserAgentDeps } from '../user-agent/user-agent-options.ts';
import { createAuthority, noOpenssl } from './testing/certificates.ts';
import { createTransports } from './transports.ts';

const content = { body: 'v=0', contentType: 'application/sdp' };
const clock: UserAgentDeps['clock'] = {
  now: () => Date.now(),
  startTimer(at, fire) {
    const timer = setTimeout(fire, Math.max(0, at - Date.now()));
    return () => clearTimeout(timer);
  },
};

it('A peer that is called by name over TLS, and names its address in Contact, gets ACK and BYE', {
  skip: noOpenssl,
}, async () => {
  const authority = createAuthority();
  const certificate = authority.issue('DNS:sip.alpha.example');

  /** A user agent over TLS that finds `sip.alpha.example` at this port of the machine. */
  async function side(name: string, alpha: number, invite?: UserAgentDeps['on']['invite']) {
    let tokens = 0;
    const transports = await createTransports({
      host: '127.0.0.1',
      port: 0,
      tls: { port: 0, certificate, authorities: [authority.pem] },
      onMessage: (text, flow) => ua.receive(text, flow),
      onSendFailed: ({ text, target }) => ua.transportFailed(text, target),
      onFlowClosed: ({ id }) => ua.flowClosed(id),
    });
    const { port } = transports.addresses.find(({ protocol }) => protocol === 'tls')!;
    const identity = 'sip.alpha.example';
    const ua: UserAgent = createUserAgent({
      clock,
      send: transports.send,
      flow: transports.flowById,
      address: () => ({ host: '127.0.0.1', port }),
      token: () => `${name}${tokens++}`,
      locate: (_uri, found) => found([{ protocol: 'tls', host: '127.0.0.1', port: alpha, identity }]),
      on: { request() {}, ...(invite && { invite }) },
    });
    return {
      ua,
      port,
      async close() {
        ua.close();
        await transports.close();
      },
    };
  }

  const { promise: over, resolve } = Promise.withResolvers<void>();
  const events: string[] = [];
  const heard: CallListener = {
    acknowledged: () => void events.push('acknowledged'),
    ended(reason) {
      events.push(`ended ${reason.by}`);
      resolve();
    },
  };
  const carrier = await side('carrier', 0, (incoming) => {
    incoming.listen(heard);
    incoming.accept(content);
  });
  const own = await side('own', carrier.port);
  const call = own.ua.invite(
    {
      targets: [{ uri: 'sip:1@sip.alpha.example;transport=tls' }],
      from: '<sip:a@x>',
      to: '<sip:1@x>',
      content,
    },
    {
      answered: () => setImmediate(() => call.hangUp()),
      ended: (reason) => reason.by !== 'local' && resolve(),
    },
  );
  await over;
  await own.close();
  await carrier.close();
  assert.deepEqual(events, ['acknowledged', 'ended remote-bye']);
});
