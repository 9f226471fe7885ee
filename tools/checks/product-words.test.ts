import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blindLibraries, productWords } from './product-words.ts';

const refused = (path: string, text: string) => blindLibraries.find([{ path, text }]).length;
const mix = 'packages/media/src/mix/mix.ts';

for (const word of productWords) {
  test(`'${word}' is refused in the protocol libraries, in code and in comments`, () => {
    const capital = word.charAt(0).toUpperCase() + word.slice(1);
    assert.equal(refused(mix, `// one ${word} more`), 1);
    assert.equal(refused(mix, `const ${word}Id = 1;`), 1);
    assert.equal(refused(mix, `const of${capital} = 1;`), 1);
    assert.equal(refused(mix, `interface ${capital}Leg {}`), 1);
    assert.equal(refused('packages/platform/src/kernel/outbox.ts', `const ${word}Id = 1;`), 0);
  });
}

test('words of the RFCs and longer words that contain a refused one are allowed', () => {
  assert.equal(
    refused(mix, '// the user agent of an endpoint, accountable, coachwork; const mixed = legs;'),
    0,
  );
});

test('the name of a package is no word of the product', () => {
  assert.equal(refused(mix, "import { mutatedText } from '@jackfield/testkit/mutated';"), 0);
});
