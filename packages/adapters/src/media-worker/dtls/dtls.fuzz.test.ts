import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mutatedBytes } from '@jackfield/testkit/mutated';
import fc from 'fast-check';
import { openDtls } from './open-dtls.ts';

const folder = new URL('../../../../media/corpus/datagrams/', import.meta.url);
const corpus = readdirSync(folder)
  .filter((name) => name.startsWith('dtls-'))
  .map((name) => new Uint8Array(readFileSync(new URL(name, folder))));

const mutated = mutatedBytes(fc.constantFrom(...corpus), {
  put: fc.uint8Array({ maxLength: 12 }),
  cut: 8,
  maxEdits: 4,
});

test('a session survives any datagrams in any order, sends at most eight times as many bytes as it received, and never connects', async () => {
  const opened = await openDtls();
  if ('problem' in opened) throw new Error(opened.problem);
  const { endpoint } = opened;
  fc.assert(
    fc.property(
      fc.constantFrom('server' as const, 'client' as const),
      fc.array(fc.oneof(mutated, fc.uint8Array({ maxLength: 2000 })), { maxLength: 12 }),
      (role, datagrams) => {
        const session = endpoint.open(role);
        // A client sends the first datagram.
        session.take();
        let [received, sent] = [0, 0];
        for (const datagram of datagrams) {
          session.receive(datagram, datagram.length);
          received += datagram.length;
          for (const { length } of session.take()) {
            assert.ok(length <= 1200, `a datagram of ${length} bytes`);
            sent += length;
          }
        }
        // Only sources that ICE has checked reach a session; this limits the amplification by one of them.
        assert.ok(sent <= 8 * received + 1200, `${sent} bytes for ${received}`);
        assert.notEqual(session.state, 'connected');
        assert.equal(session.keys(), undefined);
        session.close();
        assert.deepEqual(session.take(), []);
      },
    ),
    { numRuns: 1500 },
  );
  assert.equal(endpoint.openCount, 0);
  endpoint.close();
});
