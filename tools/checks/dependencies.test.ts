import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dependencies } from './dependencies.ts';

const manifest = (path: string, content: object) => ({ path, text: JSON.stringify(content) });
const manifests = [
  manifest('package.json', { devDependencies: { 'fast-check': '4' } }),
  manifest('packages/sdp/package.json', {
    dependencies: { 'sdp-transform': '3' },
    devDependencies: { 'sdp-samples': '1' },
    peerDependencies: { 'sdp-phone': '2' },
  }),
  manifest('packages/adapters/package.json', { dependencies: { '@jackfield/sip': '0.1.0', pg: '8' } }),
];
const refused = (path: string, text: string) =>
  dependencies.find([...manifests, { path, text }]).map((each) => each.sentence);

test('a package that is not in the own package.json is refused', () => {
  const path = 'packages/adapters/src/database-postgres/index.ts';
  assert.match(refused(path, "import x from 'sdp-transform';")[0] ?? '', /package\.json of adapters/);
  assert.equal(refused(path, "import x from '@jackfield/media';").length, 1);
  assert.deepEqual(refused(path, "import pg from 'pg'; import { a } from '@jackfield/sip';"), []);
});

test('what the user of a package brings counts as its dependency', () => {
  assert.deepEqual(refused('packages/sdp/src/a.ts', "import phone from 'sdp-phone';"), []);
});

test("tests also use the root's development dependencies and the workspace", () => {
  const text = "import fc from 'fast-check'; import { a } from '@jackfield/testkit';";
  assert.equal(refused('packages/sdp/src/a.ts', text).length, 2);
  assert.deepEqual(refused('packages/sdp/src/a.test.ts', text), []);
});

test("tests also use their own package's development dependencies", () => {
  const text = "import samples from 'sdp-samples';";
  assert.equal(refused('packages/sdp/src/a.ts', text).length, 1);
  assert.deepEqual(refused('packages/sdp/src/a.test.ts', text), []);
  assert.equal(refused('packages/adapters/src/a.test.ts', text).length, 1);
});

test('folders without a package.json use what the workspace has', () => {
  assert.deepEqual(refused('conformance/postgres.test.ts', "import pg from 'pg';"), []);
  assert.equal(refused('conformance/postgres.test.ts', "import x from 'left-pad';").length, 1);
});

test('a module of Node needs its node: prefix', () => {
  assert.equal(refused('packages/adapters/src/clock/index.ts', "import fs from 'fs';").length, 1);
});
