import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { everyWorldHas } from '@jackfield/testkit';

// The same tests once more: each request and each phone enters at a random node of three.
everyWorldHas({ nodes: 3 });

describe('on three nodes', async () => {
  await import('./answered-elsewhere.test.ts');
  await import('./calls.test.ts');
  await import('./documents.test.ts');
  await import('./early-media.test.ts');
  await import('./long-keys.test.ts');
  await import('./srtp.test.ts');
  await import('./trunks.test.ts');
});

/** Files of this folder that do not run again, and why. */
const runOnce: Readonly<Record<string, string>> = {
  'cluster-faults.test.ts': 'its worlds have three nodes',
  'cluster-walk.test.ts': 'its worlds have three nodes',
  'deletes-at-a-wrong-node.test.ts': 'its worlds have three nodes',
  'embedded-statements.test.ts': 'it counts what one process on its own database does',
  'foreign-flows.test.ts': 'its worlds have three nodes',
  'media-links.test.ts': 'its worlds have three nodes',
  'moved-calls-of-nodes.test.ts': 'its worlds have three nodes',
  'password-guesses.test.ts':
    'each node counts its own bans (docs/operate/cluster.md#what-is-not-promised-yet)',
  'takeover.test.ts': 'its worlds have three nodes',
  'transfers-of-nodes.test.ts': 'its worlds have three nodes',
  'transfers-walk.test.ts': 'its worlds have three nodes',
  'two-incarnations.test.ts': 'its worlds are nodes on PostgreSQL',
};

it('each test file of this folder runs on three nodes, or is listed with the reason', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
  const [again, once] = [
    files.filter((name) => name.endsWith('on-three-nodes.test.ts')),
    files.filter((name) => !name.endsWith('on-three-nodes.test.ts')),
  ];
  const imported = again.flatMap((name) => {
    const text = readFileSync(join(import.meta.dirname, name), 'utf8');
    return [...text.matchAll(/await import\('\.\/([^']+)'\)/g)].map((match) => match[1]!);
  });
  assert.deepEqual([...imported, ...Object.keys(runOnce)].sort(), once.sort());
});
