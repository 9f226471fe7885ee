import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { spawnBound } from './support/bound-child.ts';
import { eachLine } from './support/lines.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { blocksRunBy } from './support/snippets.ts';

const root = join(import.meta.dirname, '..');

/** The suites of the examples, unchanged: `npm test` runs them in worlds of their own, and here they run on a server. */
describe('suites of @jackfield/testing on a server', { timeout: 240_000 }, () => {
  let platform: PlatformProcess;
  let environment: Readonly<Record<string, string>>;

  before(async () => {
    // Both pages have the command of the server and, behind it, that of the tests.
    const [shown, ...others] = ['docs/guides/testing.md', 'packages/testing/README.md'].map((page) => {
      const text = blocksRunBy(page, import.meta.filename).map((block) => block.text);
      const [, speech] = /^JACKFIELD_SANDBOX_SPEECH=(\w+) npx jackfield dev$/m.exec(text.join('')) ?? [];
      const [, server] = /^JACKFIELD_TEST_SERVER=(\S+) node --test/m.exec(text.join('')) ?? [];
      return { speech: speech ?? assert.fail(page), server: server ?? assert.fail(page) };
    });
    for (const other of others) assert.deepEqual(other, shown);
    platform = await PlatformProcess.start({ JACKFIELD_SANDBOX_SPEECH: shown!.speech });
    const server = shown!.server
      .replace('<auth_id>', platform.authId)
      .replace('<auth_token>', platform.authToken)
      .replace('127.0.0.1:8080', new URL(platform.httpUrl).host);
    environment = { JACKFIELD_TEST_SERVER: server, JACKFIELD_TEST_SIP: platform.sipAddress };
  });

  after(async () => {
    // A verification whose account is deleted before the receipt of its message came waits for it until its limit.
    await platform.until('the end of the calls', 'Call/?status=live', ({ calls }) => calls.length === 0);
    await platform.stop();
  });

  async function run(
    ...files: readonly string[]
  ): Promise<{ status: number | null; lines: readonly string[] }> {
    const lines: string[] = [];
    // Of the runner of this file, whose child would run nothing.
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const child = spawnBound(process.execPath, ['--test', '--test-reporter=tap', ...files], {
      cwd: root,
      env: { ...inherited, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    eachLine(child.stdout!, (line) => lines.push(line));
    eachLine(child.stderr!, (line) => lines.push(line));
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, lines };
  }

  it('pass as they do in a world of their own, side by side', async () => {
    const { status, lines } = await run(
      'examples/contact-centre/contact-centre.test.ts',
      'examples/voice-agents/receptionist.test.ts',
      'examples/sign-in/sign-in.test.ts',
    );
    const text = lines.join('\n');
    assert.equal(status, 0, text);
    const passed = lines.filter((line) => /^ *ok /.test(line));
    assert.equal(passed.filter((line) => !line.includes('# SKIP')).length, 9, text);
    assert.equal(passed.filter((line) => line.includes('# SKIP')).length, 1, text);
  });

  it('leave nothing of theirs on the server', async () => {
    for (const list of ['Subaccount/', 'Number/', 'Endpoint/', 'Application/', 'SipTrunk/Trunk/']) {
      const { body } = await platform.api('GET', list);
      assert.deepEqual(body.objects, [], list);
    }
  });
});
