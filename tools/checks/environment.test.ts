import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environment } from './environment.ts';

const refused = (path: string, text: string) => environment.find([{ path, text }]).length;

for (const planted of [
  'const port = process.env.PORT;',
  "const port = process['env'].PORT;",
  'const { env } = process;',
  "import { env } from 'node:process';",
  "process.loadEnvFile('.env');",
]) {
  test(`refused outside read-environment.ts: ${planted}`, () => {
    assert.equal(refused('packages/adapters/src/logger/index.ts', planted), 1);
    assert.equal(refused('apps/server/src/main.ts', planted), 1);
    assert.equal(refused('apps/server/src/read-environment.ts', planted), 0);
    assert.equal(refused('packages/testing/src/test-environment.ts', planted), 0);
  });
}

test('tests, tools, benchmarks and conformance may read it; other modules may export an env', () => {
  for (const path of [
    'apps/server/src/main.test.ts',
    'tools/run.ts',
    'benchmarks/bench.ts',
    'conformance/x.ts',
  ]) {
    assert.equal(refused(path, 'process.env.CI;'), 0);
  }
  assert.equal(
    refused('apps/server/src/main.ts', "import { env } from './embedded.ts'; process.exit(0);"),
    0,
  );
});
