import assert from 'node:assert/strict';
import { test } from 'node:test';
import { docstrings } from './docstrings.ts';

const refused = (path: string, text: string) => docstrings.find([{ path, text }]).length;
const path = 'packages/media/src/mix/mix.ts';

test('an exported name of sip, sdp, media and ports without a sentence is refused', () => {
  assert.equal(refused(path, "import { a } from './a.ts';\n\nexport interface Mix {}\n"), 1);
  assert.equal(refused('packages/ports/src/clock.ts', '// A clock.\nexport interface Clock {}\n'), 1);
  assert.equal(refused(path, '/** The sum of all but one. */\nexport interface Mix {}\n'), 0);
});

test('overloads and runs of constants share a sentence, comments to the linter may stand between, other folders are free', () => {
  const overloaded = '/** a */\nexport function a(b: 1): 1;\nexport function a(b: 2): 2;\n';
  assert.equal(refused(path, overloaded), 0);
  assert.equal(refused(path, '/** a */\n// biome-ignore lint: why\nexport type A = {};\n'), 0);
  assert.equal(
    refused(
      path,
      '/** rates in Hz */\nexport const a = 1;\nexport const b = 2; // wide\nexport const c = 3;\n',
    ),
    0,
  );
  assert.equal(refused(path, '/** rate in Hz */\nexport const a = 1;\n\nexport const b = 2;\n'), 1);
  assert.equal(refused('packages/platform/src/kernel/ids.ts', 'export const a = 1;\n'), 0);
});
