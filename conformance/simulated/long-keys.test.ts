import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newCallBody, newCallDigits, newParticipant, newSandboxCall } from '@jackfield/contract';
import { defaultEngineLimits } from '@jackfield/media';
import { inSimulatedWorld } from '@jackfield/testkit';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';

const longestDigits = longestOf(newCallDigits.properties.digits);
const longestSent = longestOf(newCallBody.properties.send_digits);

/** The most keys that this parameter may have. */
function longestOf(parameter: TSchema): number {
  return Array.from({ length: 1000 }, (_, n) => n).findLast((n) => Check(parameter, '1'.repeat(n))) ?? 0;
}

it('the media engine queues the keys of the two longest requests', () => {
  const requests = [newCallBody, newParticipant, newSandboxCall];
  const sent = requests.map(({ properties }) => longestOf(properties.send_digits));
  assert.deepEqual([longestDigits, ...sent], [100, 200, 200, 200]);
  assert.equal(defaultEngineLimits.queuedDigits, 2 * Math.max(longestDigits, ...sent));
});

it('a phone gets every key of the longest send_digits, and of the longest request that comes meanwhile', () =>
  inSimulatedWorld({ seed: 91 }, async (world) => {
    const ann = await world.phone('ann');
    const answer_url = 'https://customer.example.com/wait';
    world.customer.serve(answer_url, '<Response><Wait length="1800"/></Response>');
    const send_digits = '12'.repeat(longestSent / 2);
    const body = { from: '+12025550000', to: ann.username, answer_url, send_digits };
    const made = await world.api('POST', 'Call/', body);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    await world.until('the first key', () => (ann.call?.audio.keysHeard.length ?? 0) > 0, 40_000);
    const digits = '3*'.repeat(longestDigits / 2);
    const sent = await world.api('POST', `Call/${made.body.request_uuid}/DTMF/`, { digits });
    assert.equal(sent.status, 202, JSON.stringify(sent.body));
    // A key takes 180 ms with its gap.
    await world.advance(180 * (send_digits.length + digits.length));
    assert.equal(ann.call!.audio.keysHeard.join(''), send_digits + digits);
    ann.hangUp();
    await world.until('the call is over', () => ann.call?.end !== undefined);
  }));
