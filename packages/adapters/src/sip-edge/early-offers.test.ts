import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EarlyOffers } from './early-offers.ts';

function world() {
  const done: string[] = [];
  const offers = new EarlyOffers(
    {
      answer(offer) {
        if (offer === 'bad') return undefined;
        done.push(`answer ${offer}`);
        return `answer to ${offer}`;
      },
      giveUpOffer: () => void done.push('give up'),
      offeredBefore: (offer) => void done.push(`await ${offer}`),
    },
    'first',
  );
  return { offers, done };
}

test('RFC 3311 §5.2: what was agreed with the phone that answers counts, whatever others have offered after it', () => {
  const { offers, done } = world();
  assert.equal(offers.answer('a', 'from a'), 'answer to from a');
  assert.equal(offers.answer('b', 'from b'), 'answer to from b');
  offers.answeredBy('b');
  assert.deepEqual(done.splice(0), ['give up', 'answer from a', 'give up', 'answer from b']);
  offers.answeredBy('a');
  assert.deepEqual(done, ['answer from a']);
});

test('A phone that has offered nothing answers our first offer', () => {
  const { offers, done } = world();
  offers.answeredBy('a');
  assert.deepEqual(done, []);
  offers.answer('a', 'from a');
  offers.answeredBy('c');
  assert.deepEqual(done.slice(2), ['await first']);
});

test('An offer without anything in common changes nothing', () => {
  const { offers, done } = world();
  assert.equal(offers.answer('a', 'bad'), undefined);
  offers.answeredBy('a');
  assert.deepEqual(done, ['give up', 'await first']);
});
