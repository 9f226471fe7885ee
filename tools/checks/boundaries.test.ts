import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundaries } from './boundaries.ts';

const refused = (path: string, text: string) =>
  boundaries.find([{ path, text }]).map((each) => each.sentence);

/** Each row: the rule, the file, the planted import, the import that is allowed in its place. */
const rows: readonly (readonly [rule: string, path: string, planted: string, fixed: string])[] = [
  [
    'sip imports nothing of ours',
    'packages/sip/src/dialog/dialog.ts',
    "import { offer } from '@jackfield/sdp';",
    "import { parse } from '../message/parse-message.ts';",
  ],
  [
    'pure code touches no Node',
    'packages/media/src/mix/mix.ts',
    "import { Worker } from 'node:worker_threads';",
    "import { ring } from './ring.ts';",
  ],
  [
    'pure code takes nothing from the edge of its package',
    'packages/sip/src/dialog/dialog.ts',
    "import { bindUdp } from '../transport/udp.ts';",
    "import { via } from '../message/via.ts';",
  ],
  [
    'contract imports nothing of ours',
    'packages/contract/src/account.ts',
    "import type { Problem } from '@jackfield/platform';",
    "import { Type } from 'typebox';",
  ],
  [
    'platform imports no adapter',
    'packages/platform/src/features/calls/store.ts',
    "import { open } from '@jackfield/adapters/database-sqlite';",
    "import type { Database } from '@jackfield/ports';",
  ],
  [
    'platform imports no sip',
    'packages/platform/src/features/calls/effects.ts',
    "import type { SipRequest } from '@jackfield/sip';",
    "import type { Telephony } from '@jackfield/ports';",
  ],
  [
    'ports import nothing of ours',
    'packages/ports/src/telephony.ts',
    "import type { SipRequest } from '@jackfield/sip';",
    "import type { Instant } from './machine.ts';",
  ],
  [
    'ports touch no Node',
    'packages/ports/src/source-of.ts',
    "import { isIP } from 'node:net';",
    "import { quoted } from './quoted.ts';",
  ],
  [
    'signalling knows no adapter',
    'packages/signalling/src/leg/leg.ts',
    "import { createSecrets } from '@jackfield/adapters/secrets';",
    "import type { Secrets } from '@jackfield/ports';",
  ],
  [
    'an adapter knows ports and not the platform',
    'packages/adapters/src/clock/system-clock.ts',
    "import type { Platform } from '@jackfield/platform';",
    "import type { Clock } from '@jackfield/ports';",
  ],
  [
    'an adapter imports no other adapter',
    'packages/adapters/src/recorder/recorder.ts',
    "import { engine } from '../media-worker/engine.ts';",
    "import { gate } from './disk-gate.ts';",
  ],
  [
    'the console knows contract only',
    'apps/console/src/calls.ts',
    "import type { Calls } from '@jackfield/platform';",
    "import type { Call } from '@jackfield/contract';",
  ],
  [
    'testkit is for tests',
    'packages/adapters/src/clock/index.ts',
    "import { virtualClock } from '@jackfield/testkit';",
    "import type { Clock } from '@jackfield/ports';",
  ],
  [
    'another package is imported by its name',
    'packages/signalling/src/leg/leg.ts',
    "import { parse } from '../../../sip/src/message/parse-message.ts';",
    "import { parse } from '@jackfield/sip';",
  ],
  [
    'relative imports end in .ts',
    'packages/sip/src/dialog/dialog.ts',
    "import { via } from '../message/via';",
    "import { via } from '../message/via.ts';",
  ],
  [
    'a domain folder knows no wire schema',
    'packages/platform/src/features/calls/domain/call.ts',
    "import type { CallResponse } from '@jackfield/contract';",
    "import type { Leg } from './leg.ts';",
  ],
  [
    'a domain folder imports no package',
    'packages/platform/src/features/calls/domain/call.ts',
    "import type { FastifyRequest } from 'fastify';",
    "import { quoted } from '@jackfield/ports';",
  ],
  [
    'a domain folder imports no I/O of its feature',
    'packages/platform/src/features/calls/domain/call.ts',
    "import type { Row } from '../store.ts';",
    "import type { Row } from './row.ts';",
  ],
  [
    'a domain folder takes only types from another door',
    'packages/platform/src/features/calls/domain/call.ts',
    "import { createAccounts } from '../../accounts/index.ts';",
    "import type { Account } from '../../accounts/index.ts';",
  ],
  [
    'product code imports no test',
    'packages/sip/src/dialog/dialog.ts',
    "import { invite } from './dialog.test.ts';",
    "import { invite } from './invite.ts';",
  ],
  [
    'import() can be read',
    'packages/platform/src/http/server.ts',
    'await import(name);',
    "await import('./routes.ts');",
  ],
  [
    'a worker is started from the own adapter',
    'packages/adapters/src/media-worker/worker.ts',
    "new Worker(new URL('../speech-espeak/child.ts', import.meta.url));",
    "new Worker(new URL('./thread.ts', import.meta.url));",
  ],
];

for (const [rule, path, planted, fixed] of rows) {
  test(rule, () => {
    assert.equal(refused(path, planted).length, 1, `not refused: ${planted}`);
    assert.deepEqual(refused(path, fixed), []);
  });
}

test('only sip/transport and media/io touch Node', () => {
  for (const path of ['packages/sip/src/transport/udp.ts', 'packages/media/src/io/udp.ts']) {
    assert.deepEqual(refused(path, "import dgram from 'node:dgram';"), []);
  }
});

test('tests may use Node and the simulated world', () => {
  const text = "import { test } from 'node:test';\nimport { world } from '@jackfield/testkit';";
  assert.deepEqual(refused('packages/sip/src/dialog/dialog.test.ts', text), []);
});

test('a violation names the line', () => {
  const text = "import { a } from './a.ts';\n\nimport { b } from '@jackfield/platform';\n";
  assert.equal(boundaries.find([{ path: 'packages/sip/src/x.ts', text }])[0]?.line, 3);
});
