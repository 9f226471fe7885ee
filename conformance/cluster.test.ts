import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { after, afterEach, before, describe, it } from 'node:test';
import { type NatsServer, natsMissing } from '@jackfield/testkit/nats-server';
import { type PostgresServer, postgresMissing } from '@jackfield/testkit/postgres-server';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { startClusterServers } from './support/cluster.ts';
import { nodesStartedBy } from './support/cluster-page.ts';
import { fakeTimeLibrary } from './support/fake-time.ts';
import { type Answer, PlatformProcess } from './support/platform-process.ts';
import { serverMain } from './support/server-main.ts';
import { blocksRunBy } from './support/snippets.ts';

const fakeTime = fakeTimeLibrary();
const skip = postgresMissing() ?? natsMissing() ?? false;

const talker = '+12025550101';
const toneCaller = '+12025550109';

/** Real processes on one PostgreSQL database and one NATS server. */
describe('several nodes on one database', { skip, timeout: 360_000 }, () => {
  let postgres: PostgresServer;
  let nats: NatsServer;
  let customer: CallbackReceiver;
  let shared: Readonly<Record<string, string>>;
  const [startsNodes, ...steps] = blocksRunBy('docs/operate/cluster.md', import.meta.filename);
  let one: PlatformProcess;
  let two: PlatformProcess;

  const start = (node: string, more: Readonly<Record<string, string>> = {}) =>
    PlatformProcess.start({ ...shared, ...more, JACKFIELD_NODE: node });

  before(async () => {
    ({ postgres, nats } = await startClusterServers());
    customer = await CallbackReceiver.start();
    const [first = {}, second = {}] = await nodesStartedBy(startsNodes!, { postgres, nats });
    const { JACKFIELD_NODE: _, ...both } = first;
    shared = both;
    one = await PlatformProcess.start(first);
    two = await PlatformProcess.start(second);
    for (const node of [one, two]) await connected(node, 0);
  });

  after(() =>
    cleanUp(
      () => one?.stop(),
      () => two?.stop(),
      () => customer?.stop(),
      () => nats?.stop(),
      () => postgres?.stop(),
    ),
  );

  afterEach(async () => {
    // Leftovers of a failed test must not fail the next. A node that was too slow to answer is asked again.
    while ((await one.api('DELETE', 'Call/')).status === 503)
      await new Promise((resolve) => setTimeout(resolve, 200));
    for (const node of [one, two]) await node.untilQuiet(20_000);
  });

  const connected = (node: PlatformProcess, from: number) =>
    node.log.until('NATS', ({ message }) => /^connected to NATS/.test(String(message)), { from });

  async function order(node: PlatformProcess, method: string, path: string, body?: object) {
    const answer = await node.api(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** A call of this node on which a document waits; resolves with its UUID when it is up. */
  async function callAt(node: PlatformProcess, more: object = {}): Promise<string> {
    const { status, body } = await node.api('POST', 'Call/', { ...newCall(), ...more });
    assert.equal(status, 201, JSON.stringify(body));
    await node.until('the call', `Call/${body.request_uuid}/?status=live`, isInProgress);
    return body.request_uuid;
  }

  const newCall = () => {
    const answer_url = customer.serve('/wait', '<Response><Wait length="120"/></Response>');
    return { from: '+12025550000', to: talker, answer_url };
  };

  /** For answers whose headers matter. */
  function post(node: PlatformProcess, path: string, body: object, headers: Record<string, string> = {}) {
    const authorization = `Basic ${Buffer.from(`${node.authId}:${node.authToken}`).toString('base64')}`;
    return fetch(`${node.httpUrl}/v1/Account/${node.authId}/${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  const isInProgress = ({ call_status }: Answer['body']) => call_status === 'in-progress';

  /** A room that lives at this node, with two phones. */
  async function roomAt(node: PlatformProcess, name: string): Promise<readonly string[]> {
    const room = `MultiPartyCall/name_${name}/`;
    for (const to of [talker, toneCaller]) {
      const { status, body } = await node.api('POST', `${room}Participant/`, {
        role: to === talker ? 'agent' : 'supervisor',
        from: '+12025550000',
        to,
      });
      assert.equal(status, 201, JSON.stringify(body));
    }
    const { objects } = await node.until(
      'both phones',
      `${room}Participant/`,
      ({ objects }) =>
        objects?.length === 2 &&
        objects.every((each: { status: string; call_uuid: string }) => each.status === 'joined'),
    );
    return objects.map(({ member_id }: { member_id: string }) => member_id);
  }

  it('a call that is made at one node is ended at the other, and a node is taken out, as the page does it', async () => {
    const terminal = [
      'set -eu',
      'curl() { command curl -sS --fail-with-body "$@"; }',
      `jackfield() { '${process.execPath}' '${serverMain}' "$@"; }`,
    ];
    for (const { text } of steps) {
      const commands = text
        .replaceAll('http://127.0.0.1:8080', one.httpUrl)
        .replaceAll('http://127.0.0.1:8081', two.httpUrl);
      const { status, stdout, stderr } = spawnSync('sh', ['-c', [...terminal, commands].join('\n')], {
        encoding: 'utf8',
        env: {
          ...process.env,
          JACKFIELD: `${one.httpUrl}/v1/Account/${one.authId}`,
          AUTH_ID: one.authId,
          AUTH: `${one.authId}:${one.authToken}`,
        },
      });
      assert.equal(status, 0, stdout + stderr);
    }
    assert.equal((await fetch(`${two.httpUrl}/readyz`)).status, 503);
    await order(one, 'DELETE', 'Operator/Node/two/Drain/');
  });

  it('every operation on a multiparty call reaches it through the node where it does not live', async () => {
    const [agent, supervisor] = await roomAt(one, 'far');
    const room = 'MultiPartyCall/name_far/';
    const member = (id: string | undefined) => `${room}Participant/${id}/`;
    const shown = async (id: string | undefined) => order(two, 'GET', member(id));
    await order(two, 'POST', member(agent), { mute: true });
    assert.equal((await shown(agent)).mute, true);
    await order(two, 'POST', member(agent), { mute: false, hold: true });
    assert.equal((await shown(agent)).hold, true);
    await order(two, 'POST', member(agent), { hold: false });
    await order(two, 'POST', member(supervisor), { coach_mode: true });
    assert.equal((await shown(supervisor)).coach_mode, true);
    const recording = await order(two, 'POST', `${room}Record/`, { file_format: 'wav' });
    await order(two, 'DELETE', `${room}Record/`);
    // −1 until it has ended. It may have ended before a packet of a phone came.
    await two.until(
      'the end of the recording',
      `Recording/${recording.recording_id}/`,
      ({ recording_end_ms: ms }) => Number(ms) > 0,
    );
    // The third phone is dialled where the room lives.
    await order(two, 'POST', `${room}Participant/`, {
      role: 'agent',
      from: '+12025550000',
      to: '+12025550100',
    });
    await two.until('three phones', `${room}Participant/`, ({ objects }) => objects?.length === 3);
    assert.equal((await one.metrics('jackfield_sip_legs')).jackfield_sip_legs, 3);
    assert.equal((await two.metrics('jackfield_sip_legs')).jackfield_sip_legs, 0);
    await order(two, 'DELETE', member(agent));
    await two.until('the kick', `${room}Participant/`, ({ objects }) => objects?.length === 2);
    await order(two, 'DELETE', room);
    await two.until('the end', 'Call/?status=live', ({ calls }) => calls.length === 0);
    assert.equal((await two.api('GET', room)).status, 404);
  });

  it('every operation on a call reaches it through the node where it does not live', async () => {
    const call = await callAt(one);
    const path = `Call/${call}/`;
    const sound = 'https://customer.example/sound.mp3';
    for (const [method, rest, body] of [
      ['POST', 'DTMF/', { digits: '12' }],
      ['POST', 'Speak/', { text: 'hello' }],
      ['DELETE', 'Speak/', undefined],
      ['POST', 'Play/', { urls: sound }],
      ['DELETE', 'Play/', undefined],
      ['POST', 'Record/', { file_format: 'wav' }],
      ['DELETE', 'Record/', undefined],
    ] as const)
      await order(two, method, `${path}${rest}`, body);
    const next = customer.serve('/next', '<Response><Wait length="60"/></Response>');
    await order(two, 'POST', path, { legs: 'aleg', aleg_url: next });
    await customer.asked('/next');
    await order(two, 'DELETE', path);
    await two.until('the end', path, ({ end_time }) => typeof end_time === 'string');
  });

  it('a request that names a parent call, and the end of a request, reach the node of that call', async () => {
    const parent = await callAt(one);
    const child = await callAt(two, { parent_call_uuid: parent, error_parent_not_found: true });
    assert.equal((await order(two, 'GET', `Call/${child}/`)).parent_call_uuid, parent);
    assert.equal((await one.metrics('jackfield_sip_legs')).jackfield_sip_legs, 2);
    const ringing = await one.api('POST', 'Call/', {
      from: '+12025550000',
      to: '+12025550103',
      answer_url: customer.serve('/wait', '<Response/>'),
    });
    await order(two, 'DELETE', `Request/${ringing.body.request_uuid}/`);
    await two.until(
      'the end',
      `Call/${ringing.body.request_uuid}/`,
      ({ end_time }) => end_time !== undefined,
    );
  });

  it('hanging up all calls ends those of all nodes', async () => {
    await Promise.all([callAt(one), callAt(two), roomAt(one, 'all')]);
    await order(two, 'DELETE', 'Call/');
    await two.until('the end', 'Call/?status=live', ({ calls }) => calls.length === 0);
    for (const node of [one, two]) await node.untilQuiet();
  });

  it('a request that is repeated through the other node with its Idempotency-Key is carried out once', async () => {
    const call = await callAt(one);
    const requestAt = async (node: PlatformProcess) => {
      const response = await post(node, `Call/${call}/Record/`, {}, { 'idempotency-key': 'the-same' });
      return { replayed: response.headers.get('idempotency-replayed'), text: await response.text() };
    };
    const [first, again] = [await requestAt(two), await requestAt(one)];
    assert.equal(again.text, first.text);
    assert.deepEqual([first.replayed, again.replayed], [null, 'true']);
  });

  it('two nodes that create one multiparty call at once create one', async () => {
    const answers = await Promise.all(
      [one, two].map((node) =>
        node.api('POST', 'MultiPartyCall/name_race/Participant/', {
          role: 'agent',
          from: '+12025550000',
          to: talker,
        }),
      ),
    );
    for (const { status, body } of answers)
      assert.ok(status === 201 || status === 409, `${status} ${JSON.stringify(body)}`);
    assert.ok(answers.some(({ status }) => status === 201));
    const { multiparty_calls: rooms } = await order(two, 'GET', 'Live/');
    assert.equal(rooms.length, 1);
    await order(two, 'DELETE', 'MultiPartyCall/name_race/');
  });

  it('a call of one node is moved into a multiparty call of the other, and a call that rings is not', async () => {
    await roomAt(one, 'far');
    const room = 'MultiPartyCall/name_far/';
    const call = await callAt(two);
    const moved = await order(two, 'POST', `${room}Participant/`, { role: 'agent', call_uuid: call });
    assert.deepEqual(
      moved.calls.map(({ call_uuid }: { call_uuid: string }) => call_uuid),
      [call],
    );
    const { objects } = await two.until(
      'the moved call',
      `${room}Participant/`,
      ({ objects }) => objects?.length === 3,
    );
    assert.ok(objects.some(({ call_uuid }: { call_uuid: string }) => call_uuid === call));
    const ringing = await order(two, 'POST', 'Call/', { ...newCall(), to: '+12025550103' });
    const refused = await two.api('POST', `${room}Participant/`, {
      role: 'agent',
      call_uuid: ringing.request_uuid,
    });
    assert.equal(refused.status, 409);
    assert.match(
      refused.body.error,
      /lives at another node than the multiparty call, and joins it once it is/,
    );
    await order(two, 'DELETE', `Request/${ringing.request_uuid}/`);
    // The moved call has no exit action: it ends with the multiparty call.
    await order(one, 'DELETE', room);
    await two.until('its end', `Call/${call}/`, ({ end_time }) => typeof end_time === 'string');
  });

  it('a verification is checked, and its code sent again, where its session lives', async () => {
    const recipient = '+14155552671';
    const { session_uuid: session } = await order(one, 'POST', 'Verify/Session/', { recipient });
    assert.equal((await order(two, 'POST', 'Verify/Session/', { recipient })).session_uuid, session);
    const codeOf = ({ text }: { text: string }) => /\d{6}/.exec(text)?.[0] ?? '';
    const { objects } = await two.until(
      'the message',
      `Sandbox/Message/?to=${encodeURIComponent(recipient)}`,
      ({ objects }) => objects.length > 0,
    );
    const otp = codeOf(objects[0]);
    await order(two, 'POST', `Verify/Session/${session}/`, { otp });
    assert.equal((await order(one, 'GET', `Verify/Session/${session}/`)).status, 'verified');
  });

  it('a second process with the name of a node, and a process without NATS, refuse to start', async () => {
    await assert.rejects(start('two'), /the database is in use by another process/);
    const { JACKFIELD_NATS_URL: _, ...alone } = shared;
    await assert.rejects(PlatformProcess.start(alone), /the database is in use by another process/);
  });

  it('without NATS each node goes on with its own calls, and a request for a call of another node is 503', async () => {
    const call = await callAt(one);
    const path = `Call/${call}/`;
    const [ofOne, ofTwo] = [one.log.all.length, two.log.all.length];
    await nats.down();
    await two.log.until('the loss', ({ message }) => /continues without other nodes/.test(String(message)), {
      from: ofTwo,
    });
    const response = await post(two, `${path}DTMF/`, { digits: '1' });
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '2']);
    assert.match(await response.text(), /nothing has been changed/);
    assert.equal((await fetch(`${two.httpUrl}/readyz`)).status, 200);
    await order(one, 'POST', `${path}DTMF/`, { digits: '1' });
    const own = await callAt(two);
    await order(two, 'DELETE', `Call/${own}/`);
    await nats.up();
    await Promise.all([connected(one, ofOne), connected(two, ofTwo)]);
    await order(two, 'POST', `${path}DTMF/`, { digits: '1' });
  });

  it('without PostgreSQL live calls go on, and new ones are refused with 503 and Retry-After', async () => {
    const call = await callAt(one);
    await order(one, 'POST', `Call/${call}/Record/`, { file_format: 'wav' });
    const from = one.log.all.length;
    await postgres.down();
    for (const node of [one, two]) {
      const { status, headers } = await post(node, 'Call/', newCall());
      assert.deepEqual([status, headers.get('retry-after')], [503, '5']);
    }
    const missed = ({ message }: Record<string, unknown>) =>
      /last sign of life not saved/.test(String(message));
    await one.log.until('a heartbeat that is not saved', missed, { from });
    // The recording goes on: 8,000 bytes are at least half a second of audio.
    const audio = async () =>
      (await one.metrics('jackfield_recorder_written_bytes')).jackfield_recorder_written_bytes ?? 0;
    const before = await audio();
    while ((await audio()) < before + 8_000) await new Promise((resolve) => setTimeout(resolve, 50));
    await postgres.up();
    for (const node of [one, two])
      await node.until('the database', `Call/${call}/?status=live`, isInProgress);
    await order(two, 'DELETE', `Call/${call}/`);
    await two.until('the end', `Call/${call}/`, ({ hangup_cause_name: cause }) => cause === 'Normal Hangup');
  });

  it('a node whose clock is 45 s ahead of that of the database is not ready and says why, and the others are', {
    skip: fakeTime === undefined ? 'libfaketime is not installed' : false,
  }, async () => {
    const ahead = { LD_PRELOAD: fakeTime!, FAKETIME: '+45s', FAKETIME_DONT_FAKE_MONOTONIC: '1' };
    const three = await start('three', ahead);
    try {
      await three.log.until('its clock', ({ message }) =>
        /clock of this machine differs/.test(String(message)),
      );
      const refused = await fetch(`${three.httpUrl}/readyz`);
      assert.equal(refused.status, 503);
      assert.match(
        await refused.text(),
        /is 4[45] s ahead of that of the database: at most 30 s are allowed/,
      );
      assert.equal((await fetch(`${three.httpUrl}/healthz`)).status, 200);
      assert.equal((await fetch(`${one.httpUrl}/readyz`)).status, 200);
    } finally {
      await three.stop();
    }
  });

  it('a node that is killed takes its own calls alone with it, and its next start ends them', async () => {
    const three = await start('three');
    await connected(three, 0);
    const [near, far] = [await callAt(one), await callAt(three)];
    three.signal('SIGKILL');
    await three.log.until('the end', ({ message }) => message === 'exit');
    // NATS notices the end by the closed connection. Before that a request may have reached the node, and its refusal says so.
    const unreached = /cannot be reached, and nothing has been changed/;
    for (let refusal = ''; !unreached.test(refusal); ) {
      const { status, body } = await two.api('POST', `Call/${far}/DTMF/`, { digits: '1' });
      assert.equal(status, 503);
      refusal = body.error;
      if (!unreached.test(refusal)) assert.match(refusal, /has not answered in time, and may have/);
    }
    await order(two, 'POST', `Call/${near}/DTMF/`, { digits: '1' });
    const next = await start('three');
    await two.until('the record', `Call/${far}/`, ({ end_time }) => typeof end_time === 'string');
    await order(next, 'POST', `Call/${near}/DTMF/`, { digits: '1' });
    assert.deepEqual((await order(next, 'GET', 'Call/?status=live')).calls, [near]);
    await next.stop();
    await rm(three.dataDir, { recursive: true, force: true });
  });
});
