import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase, toneFile } from '@jackfield/testkit';
import { type MultipartyWorld, openMultipartyWorld } from './testing/multiparty-world.ts';

const file = 'https://example.com/news.mp3';
const newsHz = 500;
const room = 'MultiPartyCall/name_desk/';

/** Time for a file to be fetched. */
const fetchedMs = 100;

async function desk(world: MultipartyWorld, members: number) {
  world.customer.serve(file, toneFile(newsHz, 60_000));
  const legs: string[] = [];
  for (let member = 0; member < members; member++) legs.push(await world.join('desk'));
  return { legs, ids: await Promise.all(legs.map((leg) => world.memberOf('desk', leg))) };
}

onEmbeddedDatabase('Play and Speak in a multiparty call', (open) => {
  test('files for one member, several or all: 202 with the listeners, and each has its own play', async () => {
    const world = await openMultipartyWorld(open);
    const { legs, ids } = await desk(world, 3);
    const { status, body } = await world.post(`${room}Member/all/Play/`, { urls: file });
    assert.equal(status, 202);
    assert.deepEqual([body.message, body.mpcMemberId, body.mpcName], ['play queued into MPC', ids, 'desk']);
    await world.advance(fetchedMs);
    assert.deepEqual(
      world.playing(),
      legs.map((leg) => ({ to: [leg], sound: newsHz, loop: false, alone: false })),
    );
    // Public clients write `url`.
    const some = await world.post(`${room}Member/${ids[1]},${ids[0]}/Play/`, { url: file });
    assert.deepEqual([some.status, some.body.mpcMemberId], [202, [ids[0], ids[1]]]);
    await world.advance(fetchedMs);
    assert.equal(world.playing().length, 5);
    assert.equal((await world.remove(`${room}Member/all/Play/`)).status, 204);
    await world.advance(0);
    assert.equal(world.playing().length, 2, 'stopping the play to all does not stop the play to some');
    assert.equal((await world.remove(`${room}Member/${ids[0]},${ids[1]}/Play/`)).status, 204);
    await world.advance(0);
    assert.deepEqual(world.playing(), []);
  });

  test('a looped text to several members is replaced and stopped by the same path after one of them has left', async () => {
    const world = await openMultipartyWorld(open);
    const { legs, ids } = await desk(world, 3);
    const path = `${room}Member/${ids[0]},${ids[1]}/Speak/`;
    const spoken = () => world.playing().map(({ to, sound }) => [...to, sound]);
    await world.post(path, { text: 'please wait', loop: true });
    await world.advance(20);
    assert.deepEqual(spoken(), [
      [legs[0], 'please wait'],
      [legs[1], 'please wait'],
    ]);
    world.telephony.leave(legs[1] ?? '');
    await world.advance(20);
    const { status, body } = await world.post(path, { text: 'please hold', loop: true });
    assert.deepEqual([status, body.mpcMemberId], [202, [ids[0]]]);
    await world.advance(20);
    assert.deepEqual(spoken(), [[legs[0], 'please hold']]);
    assert.equal((await world.remove(path)).status, 204);
    await world.advance(0);
    assert.deepEqual(spoken(), []);
    assert.equal((await world.remove(path)).status, 404);
  });

  test('a file for all that cannot be fetched is one failed sound to its customer', async () => {
    const world = await openMultipartyWorld(open);
    await desk(world, 3);
    world.customer.serve(file, { status: 404 });
    assert.equal((await world.post(`${room}Member/all/Play/`, { urls: file })).status, 202);
    await world.advance(fetchedMs);
    const failed = (await world.events()).filter(({ type }) => type === 'sound.failed');
    assert.equal(failed.length, 1);
    assert.deepEqual(world.playing(), []);
  });

  test('the callback of a text receives one request after the last listener, and the end is no event of the call', async () => {
    const world = await openMultipartyWorld(open);
    const { legs, ids } = await desk(world, 2);
    const text = 'please hold the line';
    const { status, body } = await world.post(`${room}Member/all/Speak/`, {
      text,
      voice: 'MAN',
      language: 'en-GB',
      mix: false,
      callback_url: 'https://example.com/spoken',
      callback_method: 'GET',
    });
    assert.deepEqual([status, body.message, body.mpcMemberId], [202, 'speak queued into MPC', ids]);
    await world.advance(20);
    assert.deepEqual(
      world.playing(),
      legs.map((leg) => ({ to: [leg], sound: text, loop: false, alone: true })),
    );
    for (const leg of legs) {
      const [{ language, voice } = {}] = world.node.spokenTo(leg);
      assert.deepEqual([language, voice], ['en-GB', 'man']);
    }
    const reported = () => world.customer.requests.filter(({ url }) => url === 'https://example.com/spoken');
    await world.until('the text is over', () => world.playing().length === 0);
    await world.advance(100);
    assert.deepEqual(
      reported().map(({ method, fields: { EventName, MPCName, MemberID, Status } }) => [
        method,
        EventName,
        MPCName,
        MemberID,
        Status,
      ]),
      [['GET', 'MPCSpeakCompleted', 'desk', ids.join(), 'completed']],
    );
    assert.equal((await world.remove(`${room}Member/all/Speak/`)).status, 204);
  });

  test('markup of a text reaches the speech engine; an element that is not followed is a warning, and other text is refused', async () => {
    const world = await openMultipartyWorld(open);
    const [leg = ''] = (await desk(world, 1)).legs;
    const text = 'a <break time="1s"/> <cont>b</cont>';
    const { status, body } = await world.post(`${room}Member/all/Speak/`, { text, type: 'ssml' });
    assert.deepEqual(
      [status, body.warnings],
      [202, ['text: line 1: <cont> inside <speak> is not followed; its words are spoken']],
    );
    await world.advance(20);
    const [spoken] = world.node.spokenTo(leg);
    assert.deepEqual(
      [spoken?.text, spoken?.markup, spoken?.language, spoken?.voice],
      ['a b', 'a <break time="1000ms"/> b', 'en-US', 'woman'],
    );
    const refused = await world.post(`${room}Member/all/Speak/`, { text: 'a <b>b</b>', type: 'ssml' });
    assert.equal(refused.status, 400);
    assert.match(refused.body.error, /^text must be SSML that can be spoken: line 1: <b> is not known/);
    await world.advance(20);
    assert.equal(world.node.spokenTo(leg).length, 1);
  });

  test('an impossible play is refused: 400 without a URL or text, 404 for unknown members, 409 for members not joined', async () => {
    const world = await openMultipartyWorld(open);
    const ringing = await world.memberOf('desk', await world.add('desk', { dial_music: 'none' }));
    const tries = [
      ['all/Play/', {}, 400, /^urls parameter is missing/],
      ['all/Play/', { urls: 'ftp://example.com/a' }, 400, /^urls must be/],
      ['all/Play/', { url: 'ftp://example.com/a' }, 400, /^url must be/],
      ['all/Speak/', {}, 400, /^text parameter is missing/],
      ['all/Play/', { urls: file }, 409, /no participant is in the conversation/],
      [`${ringing}/Play/`, { urls: file }, 409, /has not joined yet/],
      ['99999/Play/', { urls: file }, 404, /no participant/i],
      ['unknown/Play/', { urls: file }, 404, /no participant/i],
    ] as const;
    for (const [path, fields, requested, sentence] of tries) {
      const { status, body } = await world.post(`${room}Member/${path}`, fields);
      assert.equal(status, requested, `${path} ${JSON.stringify(body)}`);
      assert.match(body.error, sentence);
    }
    assert.equal((await world.post('MultiPartyCall/name_none/Member/all/Play/', { urls: file })).status, 404);
    assert.equal((await world.remove(`${room}Member/99999/Play/`)).status, 404);
    await world.advance(fetchedMs);
    assert.deepEqual(world.playing(), []);
  });

  test('music and entry sounds from URLs reach their listeners, and no play is left at the end', async () => {
    const world = await openMultipartyWorld(open);
    const hz = { enter: 300, wait: 600, hold: 900 };
    const at = (name: keyof typeof hz) => `https://example.com/${name}`;
    for (const name of ['enter', 'wait', 'hold'] as const)
      world.customer.serve(at(name), toneFile(hz[name], 60_000));
    const waits = { start_mpc_on_enter: false, enter_sound: at('enter'), enter_sound_method: 'POST' };
    const leg = await world.join('desk', {
      ...waits,
      wait_music_url: at('wait'),
      agent_hold_music: at('hold'),
    });
    await world.advance(fetchedMs);
    const sounds = () => world.playing().map(({ sound, to }) => [sound, to]);
    assert.deepEqual(sounds(), [[hz.wait, [leg]]]);
    const other = await world.join('desk', { ...waits, start_mpc_on_enter: true });
    await world.advance(fetchedMs);
    assert.deepEqual(sounds(), [
      [hz.enter, [leg]],
      [hz.enter, [other]],
    ]);
    const asked = world.customer.requests.find(({ url }) => url === at('enter'));
    assert.equal(asked?.method, 'POST');
    const held = await world.post(`${room}Participant/${await world.memberOf('desk', leg)}/`, { hold: true });
    assert.equal(held.status, 202);
    await world.advance(fetchedMs);
    const onHold = [
      [hz.enter, [other]],
      [hz.hold, [leg]],
    ];
    assert.deepEqual(sounds(), onHold, 'a member on hold hears no sound of the call');
    await world.remove(room);
    await world.advance(0);
    assert.deepEqual(sounds(), []);
  });
});
