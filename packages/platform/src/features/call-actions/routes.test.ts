import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from '@jackfield/testkit';
import { type ActionWorld, openActionWorld } from './testing/action-world.ts';

const file = 'https://a.example/a.mp3';
const plays = (world: ActionWorld) => [...world.playing.values()];
const heard = (world: ActionWorld) => plays(world).map(({ to }) => to[0]);

onEmbeddedDatabase('What is done to a live call', (open) => {
  test('Play plays its files one after another, to the call of the path, mixed into it, once', async () => {
    const world = await openActionWorld(open);
    const leg = world.leg();
    const { status, body } = await world.post(`Call/${leg}/Play/`, {
      urls: `${file}?a=1,2, HTTPS://b.example/b.wav`,
    });
    assert.equal(status, 202);
    assert.equal(body.message, 'play started');
    const { owner, play: _, ...order } = plays(world)[0]!;
    assert.equal(owner.id, leg);
    assert.deepEqual(order, {
      to: [leg],
      items: [
        { kind: 'file', url: `${file}?a=1,2` },
        { kind: 'file', url: 'HTTPS://b.example/b.wav' },
      ],
      loop: 1,
      alone: false,
      account: world.api.main.authId,
      mainAccount: world.api.main.authId,
    });
  });

  test('Play reads length, loop, mix and a list of URLs in the forms of clients', async () => {
    const world = await openActionWorld(open);
    const leg = world.leg();
    await world.post(`Call/${leg.toUpperCase()}/Play/`, {
      urls: [file],
      length: '30',
      loop: 'true',
      mix: 'False',
      legs: 'ALEG',
    });
    const { lengthMs, loop, alone } = plays(world)[0]!;
    assert.deepEqual({ lengthMs, loop, alone }, { lengthMs: 30_000, loop: 0, alone: true });
  });

  test('Speak reads its defaults, voices and markup', async () => {
    const world = await openActionWorld(open);
    const leg = world.leg();
    const said = async (fields: object) => {
      const { status, body } = await world.post(`Call/${leg}/Speak/`, fields);
      assert.equal(status, 202);
      assert.equal(body.message, 'speak started');
      assert.equal(world.playing.size, 1);
      return plays(world)[0]!.items[0];
    };
    assert.deepEqual(await said({ text: 'Hello\nyou' }), {
      kind: 'speech',
      text: 'Hello\nyou',
      language: 'en-US',
      voice: 'woman',
    });
    assert.deepEqual(await said({ text: '1 < 2', voice: 'MAN', language: 'de-DE', type: 'text' }), {
      kind: 'speech',
      text: '1 < 2',
      language: 'de-DE',
      voice: 'man',
    });
    assert.deepEqual(
      await said({ text: '<speak>a &amp; <b>b</b></speak>', type: 'SSML', voice: 'Polly.Joey-Neural' }),
      {
        kind: 'speech',
        text: ' a &  b  ',
        language: 'en-US',
        voice: 'man',
      },
    );
    const { status } = await world.post(`Call/${leg}/Speak/`, { text: '<speak> </speak>', type: 'ssml' });
    assert.equal(status, 400);
  });

  test('a new play replaces the former, and a text is no play', async () => {
    const world = await openActionWorld(open);
    const leg = world.leg();
    await world.post(`Call/${leg}/Play/`, { urls: file });
    const [first] = world.playing.keys();
    await world.post(`Call/${leg}/Speak/`, { text: 'Hello' });
    await world.post(`Call/${leg}/Play/`, { urls: file });
    assert.equal(world.playing.size, 2);
    assert.ok(!world.playing.has(first!));
    assert.equal((await world.remove(`Call/${leg}/Speak/`)).status, 204);
    assert.deepEqual(
      plays(world).map(({ items }) => items[0]?.kind),
      ['file'],
    );
    assert.equal((await world.remove(`Call/${leg}/Play/`)).status, 204);
    assert.equal(world.playing.size, 0);
    assert.equal((await world.remove(`Call/${leg}/Play/`)).status, 204, 'it is over already');
  });

  test('a play that has finished is replaced without a second stop', async () => {
    const world = await openActionWorld(open);
    const leg = world.leg();
    await world.post(`Call/${leg}/Play/`, { urls: file });
    const [first] = world.playing.keys();
    await world.finishPlay(first!);
    await world.post(`Call/${leg}/Play/`, { urls: file });
    assert.equal(world.playing.size, 1);
  });

  test('legs names the call of the path, its other leg, or both, from either side', async () => {
    const world = await openActionWorld(open);
    const caller = world.leg();
    const callee = world.leg({ parentLeg: caller, direction: 'outbound' });
    for (const [through, other] of [
      [caller, callee],
      [callee, caller],
    ] as const) {
      const hear = async (legs: string) => {
        await world.post(`Call/${through}/Play/`, { urls: file, legs });
        const legsThatHear = heard(world);
        assert.equal((await world.remove(`Call/${through}/Play/`)).status, 204);
        assert.equal(world.playing.size, 0);
        return legsThatHear;
      };
      assert.deepEqual(await hear('aleg'), [through]);
      assert.deepEqual(await hear('bleg'), [other]);
      assert.deepEqual(await hear('both'), [through, other]);
    }
  });

  test('a stop through one leg keeps the plays that the other leg began for itself', async () => {
    const world = await openActionWorld(open);
    const caller = world.leg();
    const callee = world.leg({ parentLeg: caller });
    await world.post(`Call/${callee}/Play/`, { urls: file });
    await world.remove(`Call/${caller}/Play/`);
    assert.deepEqual(heard(world), [callee]);
  });

  test('bleg without another leg is a 400; both plays to the only leg', async () => {
    const world = await openActionWorld(open);
    const leg = world.leg();
    const { status, body } = await world.post(`Call/${leg}/Play/`, { urls: file, legs: 'bleg' });
    assert.equal(status, 400);
    assert.match(body.error, /^legs must be aleg: call .* has no other leg/);
    assert.equal((await world.post(`Call/${leg}/Play/`, { urls: file, legs: 'both' })).status, 202);
    assert.deepEqual(heard(world), [leg]);
  });

  test('a leg that still rings is a 409, and is skipped with both', async () => {
    const world = await openActionWorld(open);
    const caller = world.leg();
    const callee = world.leg({ parentLeg: caller, phase: 'ringing' });
    for (const [path, body] of [
      ['Play/', { urls: file }],
      ['Speak/', { text: 'Hello' }],
      ['Record/', {}],
      ['DTMF/', { digits: '1' }],
    ] as const) {
      const answer = await world.post(`Call/${callee}/${path}`, body);
      assert.equal(answer.status, 409, path);
      assert.match(answer.body.error, /has not been answered yet/);
    }
    await world.post(`Call/${caller}/Play/`, { urls: file, legs: 'both' });
    assert.deepEqual(heard(world), [caller]);
  });

  test('every action ends with its leg, and so does the session', async () => {
    const world = await openActionWorld(open);
    const caller = world.leg();
    const callee = world.leg({ parentLeg: caller });
    await world.post(`Call/${caller}/Play/`, { urls: file, loop: true, legs: 'both' });
    await world.post(`Call/${caller}/Speak/`, { text: 'Hello' });
    await world.post(`Call/${caller}/Record/`);
    await world.hangUp(caller);
    assert.deepEqual(heard(world), [callee]);
    assert.equal(world.recording.size, 0);
    await world.hangUp(callee);
    assert.equal(world.playing.size, 0);
    assert.equal(world.runner.census()['call-action']?.sessions, 0);
  });

  test('an unknown, ended or foreign call is a 404; a main account reaches calls of its subaccounts', async () => {
    const world = await openActionWorld(open);
    const branch = await world.api.subaccount();
    const ended = world.leg();
    await world.hangUp(ended);
    const mine = world.leg();
    const foreign = world.leg({ account: 'MA000000000000000000', mainAccount: 'MA000000000000000000' });
    for (const [leg, as] of [
      ['nonsense', world.api.main],
      [ended, world.api.main],
      [foreign, world.api.main],
      [mine, branch],
    ] as const) {
      for (const [path, body] of [
        ['Play/', { urls: file }],
        ['Speak/', { text: 'Hello' }],
        ['Record/', {}],
        ['DTMF/', { digits: '1' }],
      ] as const) {
        assert.equal((await world.post(`Call/${leg}/${path}`, body, as)).status, 404, path);
        if (path !== 'DTMF/')
          assert.equal((await world.remove(`Call/${leg}/${path}`, { as })).status, 404, path);
      }
    }
    assert.equal(world.playing.size + world.recording.size + world.sent.length, 0);
    const theirs = world.leg({ account: branch.authId });
    assert.equal((await world.post(`Call/${theirs}/Play/`, { urls: file })).status, 202);
    assert.equal((await world.post(`Call/${theirs}/Play/`, { urls: file }, branch)).status, 202);
    assert.equal(plays(world)[0]?.account, branch.authId);
  });

  test('Record has defaults, and answers with the identifier and URL of the file', async () => {
    const world = await openActionWorld(open);
    const leg = world.leg();
    const { status, body } = await world.post(`Call/${leg}/Record/`);
    assert.equal(status, 202);
    assert.equal(body.message, 'call recording started');
    assert.equal(
      body.url,
      `https://media.example/v1/Account/${world.api.main.authId}/Recording/${body.recording_id}.mp3`,
    );
    const { owner: _, ...order } = world.recording.get(body.recording_id)!;
    assert.deepEqual(order, {
      recording: body.recording_id,
      account: world.api.main.authId,
      mainAccount: world.api.main.authId,
      type: 'normal',
      callUuid: leg,
      from: 'alice',
      to: '+12025550100',
      format: 'mp3',
      tracks: [
        { said: [leg], heard: [] },
        { said: [], heard: [leg] },
      ],
      maxSeconds: 60,
    });
  });

  test('Record reads format, limit, channels and callback', async () => {
    const world = await openActionWorld(open);
    const leg = world.leg();
    const { body } = await world.post(`Call/${leg}/Record/`, {
      time_limit: '90',
      file_format: 'WAV',
      record_channel_type: 'mono',
      callback_url: 'https://a.example/done',
      callback_method: 'get',
    });
    const { format, maxSeconds, tracks, callback } = world.recording.get(body.recording_id)!;
    assert.deepEqual([format, maxSeconds, tracks], ['wav', 90, [{ said: [leg], heard: [leg] }]]);
    assert.deepEqual(callback, {
      url: 'https://a.example/done',
      method: 'GET',
      fields: { CallUUID: leg, From: 'alice', To: '+12025550100' },
      resource: `call/${leg}`,
    });
  });

  test('recordings are stopped together, by their URL or by their identifier; a recording that does not run is a 404', async () => {
    const world = await openActionWorld(open);
    const leg = world.leg();
    const record = async () => (await world.post(`Call/${leg}/Record/`)).body;
    const { status, body: refusal } = await world.remove(`Call/${leg}/Record/`);
    assert.deepEqual([status, refusal.error], [404, `call ${leg} is not being recorded by this API`]);
    const [first, second, third] = [await record(), await record(), await record()];
    const stop = async (body?: object) =>
      (await world.remove(`Call/${leg}/Record/`, body && { body })).status;
    assert.equal(await stop({ URL: second.url }), 204);
    assert.deepEqual([...world.recording.keys()], [first.recording_id, third.recording_id]);
    assert.equal(await stop({ URL: second.url }), 404);
    const byQuery = await world.remove(
      `Call/${leg}/Record/?recording_id=${first.recording_id.toUpperCase()}`,
    );
    assert.equal(byQuery.status, 204);
    assert.deepEqual([...world.recording.keys()], [third.recording_id]);
    await record();
    assert.equal(await stop(), 204);
    assert.equal(world.recording.size, 0);
  });

  test('a leg has four recordings at a time; an ended recording frees its slot', async () => {
    const world = await openActionWorld(open);
    const leg = world.leg();
    const statuses = [];
    for (let each = 0; each < 5; each++) statuses.push((await world.post(`Call/${leg}/Record/`)).status);
    assert.deepEqual(statuses, [202, 202, 202, 202, 400]);
    await world.finishRecording([...world.recording.keys()][0]!);
    assert.equal((await world.post(`Call/${leg}/Record/`)).status, 202);
  });

  test('a call that ends while its recording begins leaves none', async () => {
    const world = await openActionWorld(open);
    const leg = world.leg();
    world.beforeRecording(() => world.hangUp(leg));
    assert.equal((await world.post(`Call/${leg}/Record/`)).status, 202);
    assert.equal(world.recording.size, 0);
    assert.equal(world.runner.census()['call-action']?.sessions, 0);
  });

  test('two first requests at once share one session', async () => {
    const world = await openActionWorld(open);
    const leg = world.leg();
    const requests = [1, 2, 3].map(() => world.post(`Call/${leg}/Play/`, { urls: file }));
    assert.deepEqual(
      (await Promise.all(requests)).map(({ status }) => status),
      [202, 202, 202],
    );
    assert.equal(world.playing.size, 1);
    assert.equal(world.runner.census()['call-action']?.sessions, 1);
  });

  test('DTMF sends digits to the call of the path or to its other leg', async () => {
    const world = await openActionWorld(open);
    const caller = world.leg();
    const callee = world.leg({ parentLeg: caller });
    const { status, body } = await world.post(`Call/${caller}/DTMF/`, { digits: '12w*#W' });
    assert.deepEqual([status, body.message], [202, 'digits sent']);
    await world.post(`Call/${caller}/DTMF/`, { digits: 34, leg: 'BLEG' });
    await world.post(`Call/${callee}/DTMF/`, { digits: '5', leg: 'both' });
    assert.deepEqual(world.sent, [
      { do: 'send-digits', leg: caller, digits: '12w*#W' },
      { do: 'send-digits', leg: callee, digits: '34' },
      { do: 'send-digits', leg: callee, digits: '5' },
      { do: 'send-digits', leg: caller, digits: '5' },
    ]);
  });

  const wrong: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
    'Play/': {
      urls: [
        '',
        1,
        null,
        [],
        {},
        'x',
        'ftp://a',
        `${file}, x`,
        `${file} ,`,
        Array(21).fill(file).join(),
        [''],
        [1],
        `https://a/${'a'.repeat(2048)}`,
        'http://[::1',
      ],
      length: [0, 86_401, 'x', 1.5, true],
      legs: ['', 'cleg', 1],
      loop: ['', 'yes', 1],
      mix: ['', 'yes', 1],
    },
    'Speak/': {
      text: ['', 1, null, 'a\0', '\ud800', 'a'.repeat(3001), ' '],
      voice: ['', 'child', 'Polly.', 1],
      language: ['', 'en US', 1],
      type: ['', 'html', 1],
      legs: ['cleg'],
      loop: ['yes'],
      mix: ['yes'],
    },
    'Record/': {
      time_limit: [0, 86_401, '', 'x'],
      file_format: ['', 'ogg', 1],
      record_channel_type: ['', 'dual'],
      callback_url: ['', 'x', 'ftp://a', 1],
      callback_method: ['', 'PUT'],
      transcription_type: ['auto', ''],
      transcription_url: ['https://a.example'],
      transcription_method: ['GET'],
    },
    'DTMF/': { digits: ['', 'a', '1-2', -1, 1.5, true, null, '1'.repeat(101)], leg: ['', 'cleg'] },
  };
  const right: Readonly<Record<string, object>> = {
    'Play/': { urls: file },
    'Speak/': { text: 'Hello' },
    'Record/': {},
    'DTMF/': { digits: '1' },
  };
  for (const [path, parameters] of Object.entries(wrong)) {
    test(`${path} refuses wrong values with a sentence that names the parameter, and does nothing`, async () => {
      const world = await openActionWorld(open);
      const leg = world.leg();
      for (const [parameter, values] of Object.entries(parameters)) {
        for (const value of values) {
          const { status, body } = await world.post(`Call/${leg}/${path}`, {
            ...right[path],
            [parameter]: value,
          });
          assert.equal(status, 400, `${parameter}: ${JSON.stringify(value)?.slice(0, 80)}`);
          assert.match(body.error, new RegExp(`^${parameter}(/\\d+)? `), body.error);
        }
      }
      assert.equal(world.playing.size + world.recording.size + world.sent.length, 0);
      for (const required of Object.keys(right[path] as object)) {
        const { status, body } = await world.post(`Call/${leg}/${path}`, {});
        assert.deepEqual([status, body.error], [400, `${required} parameter is missing`]);
      }
    });
  }
});
