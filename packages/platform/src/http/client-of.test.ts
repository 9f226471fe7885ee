import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { clientNamedBy } from './client-of.ts';

const clientOf = clientNamedBy(['192.0.2.0/24']);

function client(remoteAddress: string, forwardedFor?: string, protocol?: string) {
  const headers = {
    ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }),
    ...(protocol === undefined ? {} : { 'x-forwarded-proto': protocol }),
  };
  return clientOf({ headers, socket: { remoteAddress } as IncomingMessage['socket'] });
}

describe('The client of a request', () => {
  it('is the last address that is no proxy, whatever the client wrote before it', () => {
    const named = client('192.0.2.1', '203.0.113.9, 198.51.100.7, 192.0.2.2', 'https');
    assert.deepEqual(named, { address: '198.51.100.7', isEncrypted: true });
  });

  it('is the first proxy where all are proxies', () => {
    assert.equal(client('192.0.2.1', '192.0.2.3, 192.0.2.2')?.address, '192.0.2.3');
  });

  it('spoke TLS where the last proxy says so, and only there', () => {
    assert.equal(client('192.0.2.1', '198.51.100.7', 'http')?.isEncrypted, false);
    assert.equal(client('192.0.2.1', '198.51.100.7')?.isEncrypted, false);
    assert.equal(client('192.0.2.1', '198.51.100.7', 'https, http')?.isEncrypted, false);
  });

  it('is not named by a peer that is no proxy, by nothing, or by no address', () => {
    assert.equal(client('198.51.100.1', '203.0.113.9', 'https'), undefined);
    assert.equal(client('192.0.2.1'), undefined);
    assert.equal(client('192.0.2.1', ''), undefined);
    assert.equal(client('192.0.2.1', 'unknown'), undefined);
  });
});
