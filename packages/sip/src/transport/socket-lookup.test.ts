import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import type { LookupName } from './socket-lookup.ts';
import { createAuthority, noOpenssl } from './testing/certificates.ts';
import type { SendFailure, TransportListener } from './transport-listener.ts';
import { createTransports } from './transports.ts';

const text = 'OPTIONS sip:a@b SIP/2.0\r\nVia: SIP/2.0/TCP c\r\nContent-Length: 0\r\n\r\n';
const protocols = noOpenssl ? (['udp', 'tcp'] as const) : (['udp', 'tcp', 'tls'] as const);

async function sideWith(t: TestContext, lookup: LookupName, listener: Partial<TransportListener> = {}) {
  const authority = noOpenssl ? undefined : createAuthority();
  const tls = authority && {
    port: 0,
    certificate: authority.issue('DNS:phone.example'),
    authorities: [authority.pem],
  };
  const transports = await createTransports({
    host: '127.0.0.1',
    port: 0,
    lookup,
    onMessage: () => undefined,
    ...listener,
    ...(tls && { tls }),
  });
  t.after(() => transports.close());
  return transports;
}

describe('the names of targets', () => {
  it('are looked up by the look-up that was given', async (t) => {
    const asked: string[] = [];
    const arrived = new EventTarget();
    const transports = await sideWith(
      t,
      async (name) => {
        asked.push(name);
        // Such an address first: a socket of one family takes the address of that family.
        return [
          { address: '::1', family: 6 },
          { address: '127.0.0.1', family: 4 },
        ];
      },
      { onMessage: (_text, { protocol }) => arrived.dispatchEvent(new Event(protocol)) },
    );
    for (const protocol of protocols) {
      const { port } = transports.addresses.find((address) => address.protocol === protocol)!;
      const heard = once(arrived, protocol, { signal: AbortSignal.timeout(60_000) });
      transports.send({ protocol, host: 'phone.example', port }, text);
      await heard;
    }
    assert.deepEqual(
      asked,
      protocols.map(() => 'phone.example'),
    );
  });

  it('that have no address fail the message', async (t) => {
    const answers: LookupName[] = [
      () => Promise.reject(new Error('queryA ENOTFOUND phone.example')),
      async () => [],
    ];
    for (const answer of answers) {
      const failures: SendFailure[] = [];
      const failed = new EventTarget();
      const transports = await sideWith(t, answer, {
        onSendFailed(failure) {
          failures.push(failure);
          failed.dispatchEvent(new Event('failure'));
        },
      });
      for (const protocol of protocols) {
        const target = { protocol, host: 'phone.example', port: 5060 };
        const reported = once(failed, 'failure', { signal: AbortSignal.timeout(60_000) });
        transports.send(target, text);
        await reported;
        assert.deepEqual(failures.at(-1)!.target, target);
        assert.match(failures.at(-1)!.sentence, /phone\.example/);
      }
      assert.equal(transports.connections, 0);
    }
  });
});
