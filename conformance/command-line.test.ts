import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { spawnBound } from './support/bound-child.ts';
import { loudestToneDb, readWav } from './support/heard.ts';
import { eachLine, Happenings } from './support/lines.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { serverMain } from './support/server-main.ts';

const talks = '+12025550101';
const tone = '+12025550109';
const toneHz = 1000;

describe('the commands over the API', { timeout: 120_000 }, () => {
  let platform: PlatformProcess;
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jackfield-'));
    platform = await PlatformProcess.start();
  });

  after(async () => {
    await platform.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** Runs `jackfield …` in the shell of a user who has pasted what `jackfield dev` prints, unless `env` says otherwise. */
  function start(args: readonly string[], env: NodeJS.ProcessEnv = pasted()) {
    const lines = new Happenings<string>();
    const child = spawnBound(process.execPath, [serverMain, ...args], {
      cwd: directory,
      env: { PATH: process.env.PATH, XDG_CONFIG_HOME: join(directory, 'settings'), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const output: string[] = [];
    child.stdout!.setEncoding('utf8').on('data', (chunk: string) => output.push(chunk));
    eachLine(child.stderr!, (line) => lines.add(line));
    const ended = once(child, 'close').then(() => ({
      status: child.exitCode,
      out: output.join(''),
      problems: lines.all.join('\n'),
    }));
    return { child, lines, ended };
  }

  const pasted = () => ({
    JACKFIELD: `${platform.httpUrl}/v1/Account/${platform.authId}`,
    AUTH: `${platform.authId}:${platform.authToken}`,
  });

  async function run(args: readonly string[], env?: NodeJS.ProcessEnv, input = '') {
    const { child, ended } = start(args, env);
    child.stdin!.end(input);
    return ended;
  }

  async function json(...args: readonly string[]) {
    const { status, out, problems } = await run([...args, '--json']);
    assert.equal(status, 0, problems);
    return JSON.parse(out);
  }

  async function addToRoom(to: string, role: string): Promise<void> {
    const participant = { role, from: '+12025550000', to };
    const { status, body } = await platform.api('POST', 'MultiPartyCall/name_demo/Participant/', participant);
    assert.equal(status, 201, JSON.stringify(body));
  }

  it('create, list and delete an endpoint', async () => {
    const created = await json('endpoints', 'create', 'alice');
    assert.match(created.username, /^alice\d{12}$/);
    const { out } = await run(['endpoints', 'list']);
    assert.ok(out.includes(created.endpoint_id) && out.includes('alice'), out);
    assert.equal((await run(['endpoints', 'delete', created.endpoint_id])).status, 0);
    assert.deepEqual(await json('endpoints', 'list'), []);
  });

  it('show live rooms with who hears whom, listen to a call, and hang up', async () => {
    await addToRoom(talks, 'agent');
    await addToRoom(tone, 'customer');
    await platform.until(
      'both members',
      'Live/',
      ({ multiparty_calls: [found] }) =>
        found?.members.filter(({ status }: { status: string }) => status === 'joined').length === 2,
    );
    const [room] = await json('rooms', 'list');
    assert.equal(room.friendly_name, 'demo');
    const shown = await run(['rooms', 'show', 'demo']);
    assert.match(shown.out, new RegExp(`agent .*\\${talks} .*joined .*\\${tone}`));
    const calls = await json('calls', 'list', '--live');
    const { call_uuid: call } = calls.find(({ to }: { to: string }) => to.endsWith(tone.slice(1)));
    const heard = await run(['listen', call, '--seconds', '3', '--output', 'heard.wav']);
    assert.equal(heard.status, 0, heard.problems);
    assert.match(heard.problems, /^[23]\.\d s of both sides in heard\.wav/m);
    const { size } = await stat(join(directory, 'heard.wav'));
    assert.ok(size > 2 * 16_000 * 4, `${size} bytes`);
    // The first channel is the left one.
    const left = await readWav(join(directory, 'heard.wav'));
    assert.ok(loudestToneDb(left, toneHz, 0.5) > -25, 'the tone of the phone is on the left');
    assert.equal((await run(['rooms', 'end', 'demo'])).status, 0);
    await platform.until('the end', 'Live/', ({ calls }) => calls.length === 0);
    const ended = await json('calls', 'show', call);
    assert.equal(ended.call_uuid, call);
    assert.match((await run(['calls', 'list'])).out, new RegExp(call));
  });

  it('follow the events, one a line', async () => {
    const { lines, child, ended } = start(['logs', '--follow', '--json', '--type', 'call']);
    const happened = new Happenings<{ readonly type: string }>();
    eachLine(child.stdout!, (line) => happened.add(JSON.parse(line)));
    await addToRoom(talks, 'agent');
    await happened.until('an answered call', ({ type }) => type === 'call.answered');
    assert.equal((await run(['calls', 'hangup', '--all'])).status, 0);
    await happened.until('its end', ({ type }) => type === 'call.ended');
    child.kill('SIGINT');
    assert.equal((await ended).status, 0, lines.all.join('\n'));
  });

  it('keep an account as a profile, which its owner alone can read', async () => {
    const add = ['profile', 'add', 'here', '--url', platform.httpUrl, '--auth-id', platform.authId];
    const refused = await run(add, {}, 'wrong-token-of-this-account');
    assert.equal(refused.status, 1);
    assert.match(refused.problems, /refuses the account and token of the profile here/);
    const nothing = await run(['calls', 'list', '--profile', 'here'], {});
    assert.match(
      nothing.problems,
      /--profile is "here": .* has no profile; jackfield profile add here makes it/,
    );
    assert.equal((await run(add, {}, `${platform.authToken}\n`)).status, 0);
    const file = join(directory, 'settings/jackfield/profiles.json');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.ok((await readFile(file, 'utf8')).includes(platform.authToken));
    const listed = await run(['profile', 'list', '--json'], {});
    assert.deepEqual(JSON.parse(listed.out), [
      { name: 'here', url: platform.httpUrl, auth_id: platform.authId },
    ]);
    assert.equal(
      (await run(['rooms', 'list', '--profile', 'here'], {})).out,
      'No multiparty call is live.\n',
    );
    assert.equal((await run(['profile', 'remove', 'here'], {})).status, 0);
    assert.match((await run(['calls', 'list'], {})).problems, /No account is chosen: use --profile/);
  });

  it('say what was wrong, where, and what is allowed', async () => {
    const call = '3f6c0d2e-6a0b-4c0e-9c39-0d1f6d7c5f11';
    const nowhere = {
      ...pasted(),
      JACKFIELD: `http://127.0.0.1:${await freePort()}/v1/Account/${platform.authId}`,
    };
    for (const [args, sentence, env] of [
      [['calls', 'show', call], /no call.*\(.*\)/i],
      [['listen', call], /no call.*\(.*\)/i],
      [['rooms', 'show', 'tea'], /room is "tea": no multiparty call is live\./],
      [['calls', 'hangup'], /needs the UUID of a call, or --all, and not both/],
      [['calls', 'list', '--limit', 'few'], /must be a whole number from 1 on/],
      [['callz'], /unknown command 'callz'\s+\(Did you mean calls\?\)/],
      [['completion', 'tcsh'], /Allowed choices are bash, zsh, fish/],
      [['calls', 'list'], /127\.0\.0\.1:\d+ of JACKFIELD cannot be reached: connect ECONNREFUSED/, nowhere],
      [['calls', 'list'], /JACKFIELD is "here": use the URL of an account/, { JACKFIELD: 'here' }],
    ] as const) {
      const { status, problems } = await run(args, env);
      assert.equal(status, 1, args.join(' '));
      assert.match(problems, sentence);
      assert.ok(!problems.includes('    at '), problems);
    }
  });
});
