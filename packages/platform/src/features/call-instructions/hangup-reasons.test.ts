import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';

const base = 'https://customer.example.com';
const answerUrl = `${base}/answer`;

/** The reasons in the record and in the hangup callback of an outgoing call to a phone that answers. */
async function reasonsOf(world: SimulatedWorld, to: string) {
  const made = await world.api('POST', 'Call/', {
    from: '+12025550199',
    to,
    answer_url: answerUrl,
    hangup_url: `${base}/hangup`,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const hangupCallback = () =>
    world.customer.requests.find(
      ({ url, fields }) => url === `${base}/hangup` && fields.CallUUID === made.body.request_uuid,
    );
  await world.until('the end is reported', () => hangupCallback() !== undefined, 30_000);
  const { hangup_cause_code, hangup_reason } = (await world.api('GET', `Call/${made.body.request_uuid}/`))
    .body;
  assert.equal(hangupCallback()?.fields.HangupReason, hangup_reason ?? undefined);
  return { code: hangup_cause_code, reason: hangup_reason };
}

describe('hangup_reason of the record and HangupReason of the callback', () => {
  it('say where a document has its fault, in at most 500 characters', () =>
    inSimulatedWorld({ seed: 71 }, async (world) => {
      const { username } = await world.phone('ann');
      world.customer.serve(answerUrl, '<Response>\n  <Speek>Hello</Speek>\n</Response>');
      const broken = await reasonsOf(world, username);
      assert.equal(broken.code, 8011);
      assert.match(broken.reason, /line 2\b.*<Speek>|<Speek>.*line 2\b/);
      world.customer.serve(answerUrl, `<Response><Play loop="${'x\u0085'.repeat(700)}">a</Play></Response>`);
      const long = await reasonsOf(world, username);
      assert.equal(long.code, 8011);
      assert.ok(long.reason.length <= 500, long.reason);
      assert.doesNotMatch(long.reason, /\p{Cc}/u);
    }));

  it('say why a URL was not reached: its status, or that no answer came', () =>
    inSimulatedWorld({ seed: 72 }, async (world) => {
      const { username } = await world.phone('ann');
      world.customer.serve(answerUrl, { status: 404 });
      assert.deepEqual(await reasonsOf(world, username), {
        code: 7011,
        reason: `${answerUrl} answered with status 404 instead of 200`,
      });
      world.customer.serve(answerUrl, undefined);
      const silent = await reasonsOf(world, username);
      assert.equal(silent.code, 7011);
      assert.match(silent.reason, /no answer came within \d+ ms/);
    }));

  it('say what is missing in a destination, and nothing where the cause says it all', () =>
    inSimulatedWorld({ seed: 73 }, async (world) => {
      const phone = await world.phone('ann');
      const incomplete = await reasonsOf(world, 'sip:alice@sip.example.com');
      assert.equal(incomplete.code, 2000);
      assert.match(
        incomplete.reason,
        /^"alice" is no endpoint of this account: a username ends in the twelve digits/,
      );
      const other = await reasonsOf(world, 'alice261121120000');
      assert.match(
        other.reason,
        /^"alice261121120000" is no endpoint of this account: GET Endpoint\/ lists them/,
      );
      world.customer.serve(answerUrl, '<Response><Hangup/></Response>');
      assert.deepEqual(await reasonsOf(world, phone.username), { code: 4000, reason: null });
    }));
});
