import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createStreamFramer, type Frame } from '../transport/stream-framer.ts';
import { createMemoryLink } from '../user-agent/testing/memory-link.ts';

const here = new URL('./', import.meta.url);
const namesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, here)).map((file) => file.replace(/\.dat$/, ''));
const upTo = (section: string, last: number): string[] =>
  Array.from({ length: last }, (_, index) => `${section}.${index + 1}`);

const tests = readdirSync(here)
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => readFileSync(new URL(file, here), 'utf8'))
  .join('\n');

for (const { rfc, sections } of [
  {
    rfc: 'RFC 4475',
    // The table of contents of its section 3: 49 messages.
    sections: [
      ...upTo('3.1.1', 13),
      ...upTo('3.1.2', 19),
      ...upTo('3.2', 1),
      ...upTo('3.3', 15),
      ...upTo('3.4', 1),
    ],
  },
  // §4.5 and §4.10 have two messages each.
  { rfc: 'RFC 5118', sections: [...upTo('4', 10), '4.5', '4.10'] },
]) {
  const names = namesIn(rfc.toLowerCase().replace(' ', ''));

  test(`Every section of ${rfc} with a message has its file, and there are no others`, () => {
    const kept = names.map((name) => name.slice(0, name.indexOf('-')));
    assert.deepEqual(kept.sort(), sections.sort());
  });

  test(`Every message of ${rfc} has a test with its section as title`, () => {
    for (const name of names) {
      const dash = name.indexOf('-');
      const title = `it('${rfc} §${name.slice(0, dash)} ${name.slice(dash + 1)}: `;
      assert.ok(tests.includes(title), title);
      assert.ok(tests.includes(`read('${name}')`), name);
    }
  });
}

test('A stream of torture messages gives the same frames whole and byte by byte, and an endpoint survives all of them', () => {
  for (const folder of ['rfc4475', 'rfc5118']) {
    const link = createMemoryLink({ protocol: 'tcp' });
    link.alice.ua.close();
    for (const name of namesIn(folder)) {
      const text = readFileSync(new URL(`${folder}/${name}.dat`, here), 'latin1');
      const whole = createStreamFramer().push(text);
      const framer = createStreamFramer();
      const pieces: Frame[] = [];
      for (const character of text) pieces.push(...framer.push(character));
      assert.deepEqual(pieces, whole, name);
      for (const frame of whole) {
        if (frame.kind !== 'ping' && frame.text !== undefined) link.inject('bob', frame.text);
      }
    }
    assert.equal(link.bob.ua.counters.listenerErrors, 0);
    link.clock.advance(1_000_000);
    assert.equal(link.bob.ua.census().transactions, 0);
  }
});
