import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '@jackfield/ports';
import {
  answeredCall,
  type Caller,
  conversation,
  type MediaOrders,
  openSimulatedWorld,
  type SimulatedWorld,
  toneFile,
  worldOfSuite,
} from '@jackfield/testkit';

const file = 'https://a.example/a.mp3';
const fileMs = 1000;
const waits = 'https://customer.example.com/waits';

const clipsOf = ({ plays }: MediaOrders) => plays.filter(({ sound }) => sound.kind === 'clip');

/** The world of the suite for one test, with a file to play. */
function actionsIn(world: SimulatedWorld) {
  world.customer.serve(file, { status: 200, body: toneFile(500, fileMs) });
  const { orders } = world.node.media;
  const commandsBefore = orders.commands.length;
  const requestsBefore = world.customer.requests.length;
  return {
    world,
    orders,
    /** Files and texts that are played. */
    clips: () => clipsOf(orders),
    /** Which leg hears each of them. */
    heard: () => clipsOf(orders).map(({ to }) => to[0]),
    /** Digits that were sent to legs, in order. */
    sent: () => orders.commands.slice(commandsBefore).filter((command) => command.do === 'send-digits'),
    /** Requests to servers of the customer. */
    requests: () => world.customer.requests.slice(requestsBefore),
    sessions: () => world.node.platform.runner.census()['call-action']?.sessions ?? 0,
    async post(path: string, body: object = {}, as?: Caller) {
      const answer = await world.call('POST', path, { body, ...(as && { as }) });
      // The time of a fetch.
      await world.advance(20);
      return answer;
    },
    async remove(path: string, options: { readonly body?: object; readonly as?: Caller } = {}) {
      return world.call('DELETE', path, options);
    },
    async hangUp(leg: string) {
      world.telephony.leave(leg);
      await world.advance(0);
    },
  };
}

const right = {
  'Play/': { urls: file },
  'Speak/': { text: 'Hello' },
  'Record/': {},
  'DTMF/': { digits: '1' },
} as const;
const allActions = Object.entries(right);

/** A call of the API whose parent is another call; its phone rings. */
async function ringingFor(world: SimulatedWorld, parent: string): Promise<string> {
  const body = { from: '+12025550111', to: '+12025550102', answer_url: waits, parent_call_uuid: parent };
  assert.equal((await world.api('POST', 'Call/', body)).status, 201);
  const { leg } = world.telephony.dialled.at(-1)!;
  world.telephony.startRinging(leg);
  await world.advance(0);
  return leg;
}

describe('Actions on a live call', () => {
  const suite = worldOfSuite({ phones: 'none' });

  test('Play plays its files one after another, to the call of the path, mixed into it, once', async () => {
    const { world, orders, post, requests } = actionsIn(suite());
    world.customer.serve('HTTPS://b.example/b.wav', { status: 200, body: toneFile(500, fileMs) });
    const leg = await answeredCall(world);
    const { status, body } = await post(`Call/${leg}/Play/`, {
      urls: `${file}?a=1,2, HTTPS://b.example/b.wav`,
    });
    assert.equal(status, 202);
    assert.equal(body.message, 'play started');
    const fetched = requests().filter(({ method }) => method === 'GET');
    assert.deepEqual(
      fetched.map(({ url, fields }) => ({ url, fields: { ...fields } })),
      [
        { url: file, fields: { a: '1,2' } },
        { url: 'HTTPS://b.example/b.wav', fields: {} },
      ],
    );
    const [first] = orders.plays;
    assert.deepEqual([first?.to, first?.alone, first?.loop], [[leg], false, false]);
    await world.advance(fileMs + 50);
    const [second] = orders.plays;
    assert.deepEqual([second?.to, second?.alone, second?.loop], [[leg], false, false]);
    assert.notDeepEqual(second?.sound, first?.sound);
    await world.advance(fileMs + 50);
    assert.deepEqual(orders.plays, []);
  });

  test('Play repeats its files for the given length, alone if asked', async () => {
    const { world, clips, heard, post } = actionsIn(suite());
    const leg = await answeredCall(world);
    const { status } = await post(`Call/${leg.toUpperCase()}/Play/`, {
      urls: [file],
      length: '3',
      loop: 'true',
      mix: 'False',
      legs: 'ALEG',
    });
    assert.equal(status, 202);
    assert.equal(clips()[0]?.alone, true);
    await world.advance(2900);
    assert.deepEqual(heard(), [leg]);
    await world.advance(200);
    assert.deepEqual(heard(), []);
  });

  test('Speak speaks the text, in the language and with the voice of the request, and follows its markup', async () => {
    const { world, heard, post } = actionsIn(suite());
    const leg = await answeredCall(world);
    const said = async (fields: object) => {
      const { status, body } = await post(`Call/${leg}/Speak/`, fields);
      assert.deepEqual([status, body.message], [202, 'speak started']);
      assert.deepEqual(heard(), [leg]);
      const { accounts, ...words } = world.node.spokenTo(leg).at(-1) ?? {};
      assert.deepEqual(accounts, [world.node.platform.account.authId]);
      return words;
    };
    assert.deepEqual(await said({ text: 'Hello\nyou' }), {
      text: 'Hello\nyou',
      language: 'en-US',
      voice: 'woman',
    });
    assert.deepEqual(await said({ text: '1 < 2', voice: 'MAN', language: 'de-DE', type: 'text' }), {
      text: '1 < 2',
      language: 'de-DE',
      voice: 'man',
    });
    const text = '<speak>a &amp; <emphasis>b</emphasis></speak>';
    assert.deepEqual(await said({ text, type: 'SSML', voice: 'MAN' }), {
      text: 'a & b',
      markup: 'a &amp; <emphasis level="moderate">b</emphasis>',
      language: 'en-US',
      voice: 'man',
    });
    const { status } = await post(`Call/${leg}/Speak/`, { text: '<speak> </speak>', type: 'ssml' });
    assert.equal(status, 400);
    const warned = await post(`Call/${leg}/Speak/`, {
      text: '<w>a</w>',
      type: 'ssml',
      favourite_colour: 'red',
    });
    assert.deepEqual(
      [warned.status, warned.body.warnings],
      [
        202,
        [
          'favourite_colour is not a parameter and was ignored',
          'text: line 1: <w> inside <speak> is not followed; its words are spoken',
        ],
      ],
    );
  });

  test('a new play replaces the former, and a text is no play', async () => {
    const { world, clips, heard, post, remove } = actionsIn(suite());
    const leg = await answeredCall(world);
    await post(`Call/${leg}/Play/`, { urls: file });
    const [first] = clips();
    await post(`Call/${leg}/Speak/`, { text: 'Hello, how do you do?', loop: true });
    const [, text] = clips();
    await post(`Call/${leg}/Play/`, { urls: file });
    assert.equal(clips().length, 2);
    assert.ok(!clips().some(({ mix }) => mix === first?.mix));
    assert.equal((await remove(`Call/${leg}/Speak/`)).status, 204);
    assert.deepEqual(heard(), [leg]);
    assert.ok(!clips().some(({ mix }) => mix === text?.mix), 'the text is over');
    assert.equal(world.node.spokenTo(leg).length, 1, 'and no text is played in its place');
    assert.equal((await remove(`Call/${leg}/Play/`)).status, 204);
    assert.deepEqual(heard(), []);
    assert.equal((await remove(`Call/${leg}/Play/`)).status, 204, 'it is over already');
  });

  test('a play that has finished is replaced', async () => {
    const { world, heard, post } = actionsIn(suite());
    const leg = await answeredCall(world);
    await post(`Call/${leg}/Play/`, { urls: file });
    await world.advance(fileMs + 50);
    assert.deepEqual(heard(), []);
    await post(`Call/${leg}/Play/`, { urls: file });
    assert.deepEqual(heard(), [leg]);
  });

  test('legs names the call of the path, its other leg, or both, from either side', async () => {
    const { world, heard, post, remove } = actionsIn(suite());
    const { caller, callee } = await conversation(world);
    for (const [through, other] of [
      [caller, callee],
      [callee, caller],
    ] as const) {
      const hear = async (legs: string) => {
        await post(`Call/${through}/Play/`, { urls: file, legs });
        const legsThatHear = heard();
        assert.equal((await remove(`Call/${through}/Play/`)).status, 204);
        assert.deepEqual(heard(), []);
        return legsThatHear;
      };
      assert.deepEqual(await hear('aleg'), [through]);
      assert.deepEqual(await hear('bleg'), [other]);
      assert.deepEqual(await hear('both'), [through, other]);
    }
  });

  test('a stop through one leg keeps the plays that the other leg began for itself', async () => {
    const { world, heard, post, remove } = actionsIn(suite());
    const { caller, callee } = await conversation(world);
    await post(`Call/${callee}/Play/`, { urls: file });
    await remove(`Call/${caller}/Play/`);
    assert.deepEqual(heard(), [callee]);
  });

  test('bleg without another leg is a 400; both plays to the only leg', async () => {
    const { world, heard, post } = actionsIn(suite());
    const leg = await answeredCall(world);
    const { status, body } = await post(`Call/${leg}/Play/`, { urls: file, legs: 'bleg' });
    assert.equal(status, 400);
    assert.match(body.error, /^legs must be aleg: call .* has no other leg/);
    assert.equal((await post(`Call/${leg}/Play/`, { urls: file, legs: 'both' })).status, 202);
    assert.deepEqual(heard(), [leg]);
  });

  test('a leg that still rings is a 409, and is skipped with both', async () => {
    const { world, heard, post } = actionsIn(suite());
    const caller = await answeredCall(world);
    const callee = await ringingFor(world, caller);
    for (const [path, body] of allActions) {
      const answer = await post(`Call/${callee}/${path}`, body);
      assert.equal(answer.status, 409, path);
      assert.match(answer.body.error, /has not been answered yet/);
    }
    await post(`Call/${caller}/Play/`, { urls: file, legs: 'both' });
    assert.deepEqual(heard(), [caller]);
  });

  test('every action ends with its leg, and so does the session', async () => {
    const { world, orders, heard, post, hangUp, sessions } = actionsIn(suite());
    const caller = await answeredCall(world);
    const callee = await ringingFor(world, caller);
    world.telephony.pickUp(callee);
    await world.advance(10);
    await post(`Call/${caller}/Play/`, { urls: file, loop: true, legs: 'both' });
    await post(`Call/${caller}/Speak/`, { text: 'Hello' });
    await post(`Call/${caller}/Record/`);
    await hangUp(caller);
    assert.deepEqual(heard(), [callee]);
    assert.equal(orders.captures.size, 0);
    await hangUp(callee);
    assert.deepEqual(heard(), []);
    assert.equal(sessions(), 0);
  });

  test('an unknown, ended or foreign call is a 404; a main account reaches calls of its subaccounts', async () => {
    const { world, orders, heard, sent, post, remove, hangUp } = actionsIn(suite());
    const branch = await world.subaccount();
    const ended = await answeredCall(world);
    await hangUp(ended);
    const mine = await answeredCall(world);
    for (const [leg, as] of [
      ['nonsense', world.main],
      [ended, world.main],
      [mine, branch],
    ] as const) {
      for (const [path, body] of allActions) {
        assert.equal((await post(`Call/${leg}/${path}`, body, as)).status, 404, path);
        if (path !== 'DTMF/') assert.equal((await remove(`Call/${leg}/${path}`, { as })).status, 404, path);
      }
    }
    assert.equal(heard().length + orders.captures.size + sent().length, 0);
    const theirs = await answeredCall(world, branch);
    assert.equal((await post(`Call/${theirs}/Play/`, { urls: file })).status, 202);
    assert.equal((await post(`Call/${theirs}/Play/`, { urls: file }, branch)).status, 202);
    assert.deepEqual(heard(), [theirs]);
  });

  test('Record captures both directions of the call apart, and answers with the identifier and URL of the file', async () => {
    const { world, orders, post, remove } = actionsIn(suite());
    const leg = await answeredCall(world);
    const { status, body } = await post(`Call/${leg}/Record/`);
    assert.equal(status, 202);
    assert.equal(body.message, 'call recording started');
    const { recording_id, url } = body;
    assert.equal(
      url,
      `https://api.example.com/v1/Account/${world.main.authId}/Recording/${recording_id}.mp3`,
    );
    assert.deepEqual(orders.captures.get(recording_id)?.tracks, [
      { said: [leg], heard: [] },
      { said: [], heard: [leg] },
    ]);
    await world.advance(100);
    assert.equal((await remove(`Call/${leg}/Record/`)).status, 204);
    await world.advance(20);
    const record = (await world.api('GET', `Recording/${recording_id}/`)).body;
    const { call_uuid, from_number, to_number, recording_format, recording_type } = record;
    assert.deepEqual(
      { call_uuid, from_number, to_number, recording_format, recording_type },
      {
        call_uuid: leg,
        from_number: '+12025550111',
        to_number: '+12025550100',
        recording_format: 'mp3',
        recording_type: 'normal',
      },
    );
  });

  test('Record reads format, limit, channels and callback', async () => {
    const { world, orders, post, requests } = actionsIn(suite());
    const leg = await answeredCall(world);
    const { body } = await post(`Call/${leg}/Record/`, {
      time_limit: '3',
      file_format: 'WAV',
      record_channel_type: 'mono',
      callback_url: 'https://a.example/done',
      callback_method: 'get',
    });
    assert.match(body.url, /\.wav$/);
    assert.deepEqual(orders.captures.get(body.recording_id)?.tracks, [{ said: [leg], heard: [leg] }]);
    await world.advance(3500);
    assert.equal(orders.captures.size, 0);
    const [done] = requests().filter(({ url }) => url === 'https://a.example/done');
    const { CallUUID, From, To, RecordingID } = done?.fields ?? {};
    assert.deepEqual(
      [done?.method, CallUUID, From, To, RecordingID],
      ['GET', leg, '+12025550111', '+12025550100', body.recording_id],
    );
    const { objects } = (await world.api('GET', `Callback/?resource=call/${leg}`)).body;
    assert.ok(objects.some((each: { url: string }) => each.url === 'https://a.example/done'));
  });

  test('recordings are stopped together, by their URL or by their identifier; a recording that does not run is a 404', async () => {
    const { world, orders, post, remove } = actionsIn(suite());
    const leg = await answeredCall(world);
    const record = async () => (await post(`Call/${leg}/Record/`)).body;
    const { status, body: refusal } = await remove(`Call/${leg}/Record/`);
    assert.deepEqual([status, refusal.error], [404, `call ${leg} is not being recorded by this API`]);
    const [first, second, third] = [await record(), await record(), await record()];
    const stop = async (body?: object) => (await remove(`Call/${leg}/Record/`, body && { body })).status;
    assert.equal(await stop({ URL: second.url }), 204);
    assert.deepEqual([...orders.captures.keys()], [first.recording_id, third.recording_id]);
    assert.equal(await stop({ URL: second.url }), 404);
    const byQuery = await remove(`Call/${leg}/Record/?recording_id=${first.recording_id.toUpperCase()}`);
    assert.equal(byQuery.status, 204);
    assert.deepEqual([...orders.captures.keys()], [third.recording_id]);
    await record();
    assert.equal(await stop(), 204);
    assert.equal(orders.captures.size, 0);
  });

  test('a leg has four recordings at a time; an ended recording frees its slot', async () => {
    const { world, post } = actionsIn(suite());
    const leg = await answeredCall(world);
    const record = async () => (await post(`Call/${leg}/Record/`, { time_limit: 2 })).status;
    const statuses = [];
    for (let each = 0; each < 5; each++) statuses.push(await record());
    assert.deepEqual(statuses, [202, 202, 202, 202, 400]);
    await world.advance(2500);
    assert.equal(await record(), 202);
  });

  test('a call that ends while its recording begins leaves none', async () => {
    let beforeCommit: (() => Promise<void>) | undefined;
    const interpose = (database: Database): Database => ({
      ...database,
      async transact(work) {
        const first = beforeCommit;
        beforeCommit = undefined;
        await first?.();
        return database.transact(work);
      },
    });
    const own = await openSimulatedWorld({ phones: 'none', interpose });
    const { world, orders, sessions } = actionsIn(own);
    const leg = await answeredCall(world);
    beforeCommit = async () => {
      world.telephony.leave(leg);
      while (world.node.platform.runner.census()['call-leg']?.sessions !== 0) await new Promise(setImmediate);
    };
    assert.equal((await world.api('POST', `Call/${leg}/Record/`)).status, 202);
    await world.advance(20);
    assert.equal(orders.captures.size, 0);
    assert.equal(sessions(), 0);
    await world.assertNothingLeft();
    await world.close();
  });

  test('two first requests at once share one session', async () => {
    const { world, heard, sessions } = actionsIn(suite());
    const leg = await answeredCall(world);
    const requests = [1, 2, 3].map(() => world.api('POST', `Call/${leg}/Play/`, { urls: file }));
    assert.deepEqual(
      (await Promise.all(requests)).map(({ status }) => status),
      [202, 202, 202],
    );
    await world.advance(20);
    assert.deepEqual(heard(), [leg]);
    assert.equal(sessions(), 1);
  });

  test('DTMF sends digits to the call of the path or to its other leg', async () => {
    const { world, post, sent } = actionsIn(suite());
    const { caller, callee } = await conversation(world);
    const { status, body } = await post(`Call/${caller}/DTMF/`, { digits: '12w*#W' });
    assert.deepEqual([status, body.message], [202, 'digits sent']);
    await post(`Call/${caller}/DTMF/`, { digits: 34, leg: 'BLEG' });
    await post(`Call/${callee}/DTMF/`, { digits: '5', leg: 'both' });
    assert.deepEqual(sent(), [
      { do: 'send-digits', leg: caller, digits: '12w*#W' },
      { do: 'send-digits', leg: callee, digits: '34' },
      { do: 'send-digits', leg: callee, digits: '5' },
      { do: 'send-digits', leg: caller, digits: '5' },
    ]);
  });
});
