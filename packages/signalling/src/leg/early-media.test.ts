import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHeaders, type SipResponse } from '@jackfield/sip';
import { EarlyMedia } from './early-media.ts';

function response(tag: string, body: string): SipResponse {
  const headers = createHeaders([['To', `<sip:bob@example.com>;tag=${tag}`]]);
  return { kind: 'response', status: 183, reason: 'Session Progress', headers, body };
}

function world() {
  const done: string[] = [];
  const early = new EarlyMedia(
    {
      answer(offer) {
        if (offer === 'bad') return undefined;
        done.push(`answer ${offer}`);
        return `answer to ${offer}`;
      },
      preview(offer, answer) {
        if (answer === 'bad') return false;
        done.push(`hear ${answer} to ${offer}`);
        return true;
      },
      giveUpOffer: () => void done.push('give up'),
      cameFrom: () => {},
      offeredBefore: (offer) => void done.push(`await ${offer}`),
    },
    'first',
  );
  return { early, done };
}

test('RFC 3311 §5.2: what was agreed with the phone that answers counts, whatever others have offered after it', () => {
  const { early, done } = world();
  assert.equal(early.answer('a', 'from a'), 'answer to from a');
  assert.equal(early.answer('b', 'from b'), 'answer to from b');
  early.answeredBy(response('b', ''));
  assert.deepEqual(done.splice(0), ['give up', 'answer from a', 'give up', 'answer from b']);
  early.answeredBy(response('a', ''));
  assert.deepEqual(done, ['answer from a']);
});

test('A phone that has offered nothing answers our first offer', () => {
  const { early, done } = world();
  early.answeredBy(response('a', ''));
  assert.deepEqual(done, []);
  early.answer('a', 'from a');
  early.answeredBy(response('c', ''));
  assert.deepEqual(done.slice(2), ['await first']);
});

test('An offer without anything in common changes nothing', () => {
  const { early, done } = world();
  assert.equal(early.answer('a', 'bad'), undefined);
  early.answeredBy(response('a', ''));
  assert.deepEqual(done, ['give up', 'await first']);
});

test('RFC 3960 §2: of the phones that a call was forked to, the first with early media is heard, until one answers the call', () => {
  const { early, done } = world();
  assert.equal(early.hears(response('a', 'tone of a')), true);
  assert.equal(early.hears(response('b', 'tone of b')), false);
  assert.equal(early.hears(response('a', 'another of a')), true);
  assert.deepEqual(done, ['hear tone of a to first', 'hear another of a to first']);
  // The description of the 2xx is the answer, whoever was heard before.
  assert.equal(early.answeredBy(response('b', 'of the 200')), 'of the 200');
});

test('A 2xx without a description means the one that came before it from the same phone', () => {
  const { early } = world();
  early.hears(response('a', 'tone of a'));
  early.hears(response('b', 'tone of b'));
  assert.equal(early.answeredBy(response('b', '')), 'tone of b');
  assert.equal(early.answeredBy(response('c', '')), '');
});

test('A description without anything in common is not heard, and leaves the place to the next phone', () => {
  const { early, done } = world();
  assert.equal(early.hears(response('a', 'bad')), false);
  assert.equal(early.hears(response('b', 'tone of b')), true);
  assert.deepEqual(done, ['hear tone of b to first']);
});

test('A phone that has offered something of its own is heard as agreed there, whatever it said before', () => {
  const { early, done } = world();
  early.hears(response('a', 'tone of a'));
  early.answer('b', 'from b');
  assert.equal(early.hears(response('b', 'late')), true);
  assert.equal(early.hears(response('a', 'again')), false);
  assert.deepEqual(done.slice(1), ['give up', 'answer from b']);
  early.answeredBy(response('a', 'of the 200'));
  assert.deepEqual(done.slice(3), ['await first']);
});

test('No more phones are kept than a call may fork to', () => {
  const { early } = world();
  for (let each = 0; each < 100; each++) early.hears(response(`fork ${each}`, `tone ${each}`));
  assert.equal(early.answeredBy(response('fork 63', '')), 'tone 63');
  assert.equal(early.answeredBy(response('fork 64', '')), '');
});

test('A body of another type is no description', () => {
  const { early, done } = world();
  const headers = createHeaders([
    ['To', '<sip:bob@example.com>;tag=a'],
    ['Content-Type', 'text/plain'],
  ]);
  assert.equal(early.hears({ ...response('a', 'hello'), headers }), false);
  assert.equal(early.hears(response('a', '')), false);
  assert.deepEqual(done, []);
});
