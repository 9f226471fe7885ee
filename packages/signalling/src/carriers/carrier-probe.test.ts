import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import {
  createRecordingLog,
  createVirtualClock,
  openSimulatedTransports,
  SimulatedNetwork,
  seededRandom,
} from '@jackfield/testkit';
import { openPhone } from '../testing/open-phone.ts';
import { openCarrierProbe } from './carrier-probe.ts';

const probeAt = { address: '10.0.0.1', port: 5070 };
const carrierAt = { address: '10.0.0.2', port: 5060 };
const limitMs = 8_000;

/** A probe, and at the other end a carrier that answers each request with this status; none without one. */
async function world(status: number | undefined) {
  const clock = createVirtualClock();
  const network = new SimulatedNetwork(clock, seededRandom(1));
  const methods: string[] = [];
  openPhone(clock, network, carrierAt, {
    request({ request, reply }) {
      methods.push(request.method);
      if (status !== undefined) reply(status);
    },
  });
  const probe = await openCarrierProbe({
    openTransports: async (listener) => openSimulatedTransports(network, probeAt, listener),
    clock,
    secrets: createSecrets(new Uint8Array(32).fill(1)),
    log: createRecordingLog(),
    addressFor: () => probeAt.address,
    domain: 'sip.example.com',
  });
  return { clock, probe, methods };
}

describe('A probe of a carrier', () => {
  for (const status of [200, 403, 503]) {
    it(`reports the status of the answer to its OPTIONS, ${status}`, async () => {
      const { clock, probe, methods } = await world(status);
      const answer = probe.probe(`sip:${carrierAt.address}`, limitMs);
      await clock.advance(limitMs / 2);
      assert.equal(await answer, status);
      assert.deepEqual(methods, ['OPTIONS']);
      await probe.close();
    });
  }

  it('reports no status of a carrier that is silent until the limit', async () => {
    const { clock, probe } = await world(undefined);
    const answer = probe.probe(`sip:${carrierAt.address}`, limitMs);
    await clock.advance(limitMs);
    assert.equal(await answer, undefined);
    await probe.close();
  });
});
