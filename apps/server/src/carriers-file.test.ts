import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readCarriersFile } from './carriers-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'carriers-'));
after(() => rmSync(directory, { recursive: true }));

function fileWith(caps: object): string {
  const path = join(directory, 'carriers.json');
  const carrier = { name: 'alpha', host: '192.0.2.1', prefixes: [{ prefix: '' }], caps };
  writeFileSync(path, JSON.stringify({ carriers: [carrier] }));
  return path;
}

test('a file of carriers is read', () => {
  const { carriers, accounts } = readCarriersFile(fileWith({ concurrent_calls: 1 }), false);
  assert.equal(carriers[0]?.host, '192.0.2.1');
  assert.deepEqual(accounts, []);
});

test('a missing file, or a carrier without a cap, stops the start with the variable and the file', () => {
  const missing = join(directory, 'missing.json');
  assert.throws(() => readCarriersFile(missing, false), {
    name: 'StartFailure',
    message: `JACKFIELD_CARRIERS: the file ${missing} does not exist`,
  });
  assert.throws(
    () => readCarriersFile(fileWith({}), false),
    /^StartFailure: JACKFIELD_CARRIERS: .*carriers\.json: line 1: carriers\[0\]\.caps must have/,
  );
});

test('a spend cap needs prices', () => {
  const path = fileWith({ spend_per_hour: '1.00' });
  assert.throws(() => readCarriersFile(path, false), /carriers\[0\]\.caps\.spend_per_hour needs prices/);
  assert.equal(readCarriersFile(path, true).carriers.length, 1);
});

test('a mistake is named with its line, also where a file is no JSON', () => {
  const path = join(directory, 'carriers.json');
  for (const [text, sentence] of [
    [
      '{ "carriers": [ {\n  "name": "alpha",\n  "host": 7,\n  "prefixes": [ { "prefix": "" } ], "caps": { "concurrent_calls": 1 } } ] }',
      'line 3: carriers[0].host must be a host name or an IP address (IPv6 in brackets), not 7',
    ],
    [
      '{ "carriers": [\n  { "name": "alpha"\n    "host": "192.0.2.1" } ] }',
      'line 3: the list of carriers is no JSON: , or } is expected',
    ],
  ] as const) {
    writeFileSync(path, text);
    assert.throws(() => readCarriersFile(path, false), {
      message: `JACKFIELD_CARRIERS: ${path}: ${sentence}`,
    });
  }
});
