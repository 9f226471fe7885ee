import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loudestToneDb, readWav } from './support/heard.ts';
import { eachLine, Happenings } from './support/lines.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { shellSuite } from './support/shell-suite.ts';
import { WebSocketPhone } from './support/web-socket-phone.ts';

const talks = '+12025550101';
const tone = '+12025550109';
const toneHz = 1000;

describe('the commands over the API', { timeout: 300_000 }, () => {
  const suite = shellSuite();

  /** Runs `jackfield …` in the shell of a user who has pasted what `jackfield dev` prints, unless `env` says otherwise. */
  function start(args: readonly string[], env: NodeJS.ProcessEnv = suite.pasted()) {
    const lines = new Happenings<string>();
    const child = suite.jackfield(args, env, 'pipe');
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

  async function addToRoom(to: string, role: string, platform = suite.platform): Promise<void> {
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
    await suite.platform.until(
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
    const heard = await run(['listen', call, '--seconds', '5', '--output', 'heard.wav']);
    assert.equal(heard.status, 0, heard.problems);
    // A busy machine may hear less than the time.
    assert.match(heard.problems, /^[2-5]\.\d s of both sides in heard\.wav/m);
    const { size } = await stat(join(suite.directory, 'heard.wav'));
    assert.ok(size > 2 * 16_000 * 4, `${size} bytes`);
    // The first channel is the left one.
    const left = await readWav(join(suite.directory, 'heard.wav'));
    assert.ok(loudestToneDb(left, toneHz, 0.5) > -25, 'the tone of the phone is on the left');
    const player = join(suite.directory, 'aplay');
    await writeFile(player, '#!/bin/sh\nexec cat > played.wav\n', { mode: 0o755 });
    const withPlayer = { ...suite.pasted(), PATH: `${suite.directory}:${process.env.PATH}` };
    const played = await run(['listen', call, '--play', '--seconds', '3'], withPlayer);
    assert.deepEqual([played.status, / s of both sides played /.test(played.problems)], [0, true]);
    const sound = await readFile(join(suite.directory, 'played.wav'));
    assert.equal(sound.toString('latin1', 0, 4), 'RIFF');
    assert.ok(sound.length > 16_000 * 4, `${sound.length} bytes`);
    const silent = await run(['listen', call, '--play'], {
      ...suite.pasted(),
      PATH: suite.directory.concat('-none'),
    });
    assert.match(silent.problems, /--play finds no player: install aplay/);
    assert.equal((await run(['rooms', 'end', 'demo'])).status, 0);
    await suite.platform.until('the end', 'Live/', ({ calls }) => calls.length === 0);
    const ended = await json('calls', 'show', call);
    assert.equal(ended.call_uuid, call);
    assert.match((await run(['calls', 'list'])).out, new RegExp(call));
  });

  it('drain a node until its last call has ended, and let it take calls again', async () => {
    await addToRoom(talks, 'agent');
    const [{ incarnation }] = await json('nodes', 'list');
    const drain = start(['nodes', 'drain', incarnation, '--wait']);
    await drain.lines.until('the wait', (line) => line === 'live calls: 1');
    const refused = await run(['calls', 'dial', talks, '--answer-url', 'https://example.com/answer']);
    assert.match(refused.problems, /accepts no new work.*draining/s);
    assert.equal((await run(['rooms', 'end', 'demo'])).status, 0);
    const { status, out, problems } = await drain.ended;
    assert.deepEqual([status, out], [0, `${incarnation} is draining; live calls: 0\n`], problems);
    assert.deepEqual((await run(['nodes', 'undrain', incarnation])).out, `${incarnation} is serving\n`);
    await addToRoom(talks, 'agent');
    const broken = start(['nodes', 'drain', incarnation, '--wait']);
    await broken.lines.until('the wait', (line) => line === 'live calls: 1');
    assert.equal((await run(['nodes', 'undrain', incarnation])).status, 0);
    const again = await broken.ended;
    assert.equal(again.status, 1);
    assert.match(again.problems, /accepts new calls again: its drain was ended/);
    assert.equal((await json('nodes', 'list'))[0].state, 'serving');
    assert.equal((await run(['rooms', 'end', 'demo'])).status, 0);
    const unknown = await run(['nodes', 'drain', 'elsewhere']);
    assert.deepEqual([unknown.status, /there is no node "elsewhere"/.test(unknown.problems)], [1, true]);
  });

  it('say that the node was restarted while its drain was awaited', async () => {
    // One address before and after, as of every server in production.
    const platform = await PlatformProcess.start({ JACKFIELD_HTTP_PORT: String(await freePort()) });
    try {
      await addToRoom(talks, 'agent', platform);
      const env = suite.pasted(platform.httpUrl);
      const [{ incarnation }] = JSON.parse((await run(['nodes', 'list', '--json'], env)).out);
      const drain = start(['nodes', 'drain', incarnation, '--wait'], env);
      await drain.lines.until('the wait', (line) => line === 'live calls: 1');
      await platform.kill();
      await drain.lines.until('the loss', (line) =>
        /cannot be reached: .* Trying again for 60 s\.$/.test(line),
      );
      await platform.startAgain();
      const { status, out, problems } = await drain.ended;
      assert.deepEqual([status, out], [1, ''], problems);
      const last = problems.split('\n').at(-1) ?? '';
      const [{ incarnation: next }] = JSON.parse((await run(['nodes', 'list', '--json'], env)).out);
      assert.equal(
        last,
        `${incarnation} was restarted, and its new process ${next} accepts new calls; live calls in its last report before: 1. Drain it again: jackfield nodes drain ${next} --wait`,
      );
      await platform.untilQuiet();
    } finally {
      await platform.stop();
    }
  });

  it('trace the SIP messages of an endpoint until Ctrl-C, and write them as a capture file', async () => {
    const { username } = await suite.platform.createEndpoint('traced', 'a-secret');
    const { child, lines, ended } = start([
      'trace',
      'endpoint',
      username,
      '--minutes',
      '5',
      '--pcap',
      'traced.pcap',
    ]);
    await lines.until('the beginning', (line) => line.includes('is on until'));
    const phone = await WebSocketPhone.connect({
      url: `${suite.platform.httpUrl.replace(/^http/, 'ws')}/sip`,
      username,
      password: 'a-secret',
      domain: 'sip.localhost',
    });
    assert.equal(await phone.register(), 200);
    phone.vanish();
    child.kill('SIGINT');
    const { status, out, problems } = await ended;
    assert.equal(status, 0, problems);
    assert.match(out, /← ws \S+\nREGISTER sip:/);
    assert.match(out, /→ ws \S+\nSIP\/2\.0 200 OK\n/);
    assert.match(out, /^Authorization: \(removed\)$/m);
    const capture = await readFile(join(suite.directory, 'traced.pcap'));
    assert.equal(capture.readUInt32LE(0), 0xa1b2c3d4);
    const [trace] = await json('trace', 'list');
    assert.equal(trace.is_on, false);
    const unknown = await run(['trace', 'endpoint', 'nobody']);
    assert.deepEqual([unknown.status, /nobody is no endpoint/.test(unknown.problems)], [1, true]);
    const call = ['trace', 'call', '3f6c0d2e-6a0b-4c0e-9c39-0d1f6d7c5f11', '--pcap'];
    const refused = await run([...call, 'traced.pcap']);
    assert.equal(refused.status, 1);
    assert.deepEqual(await readFile(join(suite.directory, 'traced.pcap')), capture);
    assert.equal((await run([...call, 'new.pcap'])).status, 1);
    await assert.rejects(stat(join(suite.directory, 'new.pcap')), { code: 'ENOENT' });
    const nowhere = await run([...call, '.']);
    assert.equal(nowhere.problems, '--pcap is ".": . is a directory.');
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

  it('end where the reader of their output has gone', async () => {
    const { child, ended } = start(['logs', '--follow', '--json', '--type', 'call']);
    const read = once(child.stdout!, 'data').then(() => child.stdout!.destroy());
    await addToRoom(talks, 'agent');
    await read;
    assert.equal((await run(['calls', 'hangup', '--all'])).status, 0);
    const { status, problems } = await ended;
    assert.deepEqual([status, problems], [0, '']);
  });

  it('keep an account as a profile, which its owner alone can read', async () => {
    const add = [
      'profile',
      'add',
      'here',
      '--url',
      suite.platform.httpUrl,
      '--auth-id',
      suite.platform.authId,
    ];
    const refused = await run(add, {}, 'wrong-token-of-this-account');
    assert.equal(refused.status, 1);
    assert.match(refused.problems, /refuses the account and token of the profile here/);
    const nothing = await run(['calls', 'list', '--profile', 'here'], {});
    assert.match(
      nothing.problems,
      /--profile is "here": .* has no profile; jackfield profile add here makes it/,
    );
    assert.equal((await run(add, {}, `${suite.platform.authToken}\n`)).status, 0);
    const file = join(suite.directory, 'settings/jackfield/profiles.json');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.ok((await readFile(file, 'utf8')).includes(suite.platform.authToken));
    const listed = await run(['profile', 'list', '--json'], {});
    assert.deepEqual(JSON.parse(listed.out), [
      { name: 'here', url: suite.platform.httpUrl, auth_id: suite.platform.authId },
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
      ...suite.pasted(),
      JACKFIELD: `http://127.0.0.1:${await freePort()}/v1/Account/${suite.platform.authId}`,
    };
    for (const [args, sentence, env] of [
      [['calls', 'show', call], /no call.*\(.*\)/i],
      [['listen', call], /no call.*\(.*\)/i],
      [['rooms', 'show', 'tea'], /room is "tea": no multiparty call is live\./],
      [['calls', 'hangup'], /needs the UUID of a call, or --all, and not both/],
      [
        ['calls', 'list', '--limit', 'few'],
        /argument 'few' is invalid\. It must be a whole number from 1 on\.$/,
      ],
      [
        ['logs', '--type', 'nope'],
        /^--type must be a family of events \(call, .*\) or one of its types, .* not "nope"/,
      ],
      [
        ['logs', '--follow', '--type', 'call.nope'],
        /^--type must be call or call\.action, call\.answered, .*"call\.nope"/,
      ],
      [['logs', '--resource', 'call'], /^--resource must be one to ten resources/],
      [['logs', '--limit', '101'], /'101' is invalid\. It must be a whole number from 1 to 100\.$/],
      [['trace', 'call', call, '--minutes', '241'], /It must be a whole number from 1 to 240\.$/],
      [['calls', 'dial', talks, '--answer-url', 'here'], /^--answer-url must be .* not "here"/],
      [['endpoints', 'create', 'b b'], /^<username> must /],
      [['endpoints', 'create', 'bob', '--app-id', 'none'], /^--app-id must /],
      [['doctor', '--ports', 'x'], /'x' is invalid\. It must be 8 or more ports from 1024 to 65535, such as/],
      [['doctor', '--stun', 'nope'], /'nope' is invalid\. It must be a host and a port, such as/],
      [['calls', 'show', ''], /^<call> is an empty text: name its UUID\.$/m],
      [['listen', call, '--output', ''], /^--output is an empty text: give it a value, or leave it out\.$/m],
      [['import', 'nowhere.json'], /file is "nowhere\.json", which does not exist: name a file of JSON/],
      [['import', '.'], /file is "\.", which is a directory, not a file: name a file of JSON/],
      [['verify-attack', '--set', 'code=4'], /an app has no setting code; it has alias, .*code_length/],
      [['callz'], /unknown command 'callz'\s+\(Did you mean calls\?\)/],
      [['completion', 'tcsh'], /Allowed choices are bash, zsh, fish/],
      [['calls', 'list'], /127\.0\.0\.1:\d+ of JACKFIELD cannot be reached: connect ECONNREFUSED/, nowhere],
      [['calls', 'list'], /JACKFIELD is "here": use the URL of an account/, { JACKFIELD: 'here' }],
      [['verify-attack', '--price', 'much'], /'much' is invalid\. It must be an amount such as 0\.05\.$/],
      [
        ['verify-attack', '--url', suite.platform.httpUrl, '--auth-id', 'MA', '--auth-token', 'none'],
        /refuses the account MA and its token\./,
      ],
      [
        ['profile', 'add', 'here', '--url', suite.platform.httpUrl, '--auth-id', suite.platform.authId],
        /The profiles cannot be kept: this user may not write|The profiles cannot be kept: .* is no directory/,
        { XDG_CONFIG_HOME: '/dev/null' },
      ],
    ] as const) {
      const { status, problems } = await run(args, env, suite.platform.authToken);
      assert.equal(status, 1, args.join(' '));
      assert.match(problems, sentence);
      assert.ok(!problems.includes('    at '), problems);
    }
  });
});
