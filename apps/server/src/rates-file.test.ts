import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readRates } from './rates-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'rates-'));
after(() => rmSync(directory, { recursive: true }));

test('a table of rates is read', () => {
  const path = join(directory, 'rates.json');
  writeFileSync(
    path,
    JSON.stringify({ currency: 'EUR', rates: [{ prefix: '49', direction: 'both', per_minute: '0.00850' }] }),
  );
  assert.equal(readRates(path).currency, 'EUR');
});

test('a missing or faulty file stops the start with the variable, the file and the fault', () => {
  const missing = join(directory, 'missing.json');
  assert.throws(() => readRates(missing), {
    name: 'StartFailure',
    message: `JACKFIELD_RATES: the file ${missing} does not exist`,
  });
  const wrong = join(directory, 'wrong.json');
  writeFileSync(wrong, JSON.stringify({ currency: 'EUR', rates: [{ prefix: 'x' }] }));
  assert.throws(() => readRates(wrong), /^StartFailure: JACKFIELD_RATES: .*wrong\.json: /);
});
