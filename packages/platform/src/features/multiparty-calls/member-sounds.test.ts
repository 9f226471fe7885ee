import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from '@jackfield/testkit';
import { openMultipartyWorld } from './testing/multiparty-world.ts';

const file = 'https://example.com/news.mp3';
const room = 'MultiPartyCall/name_desk/';

onEmbeddedDatabase('Play and Speak in a multiparty call', (open) => {
  test('files for one member, several or all: 202 with the listeners, and each has its own play', async () => {
    const world = await openMultipartyWorld(open);
    const legs = [await world.join('desk'), await world.join('desk'), await world.join('desk')];
    const ids = await Promise.all(legs.map((leg) => world.memberOf('desk', leg)));
    const { status, body } = await world.post(`${room}Member/all/Play/`, { urls: file });
    assert.equal(status, 202);
    assert.deepEqual([body.message, body.mpcMemberId, body.mpcName], ['play queued into MPC', ids, 'desk']);
    assert.deepEqual(
      world.sounds.playing.map(({ to }) => to),
      legs.map((leg) => [leg]),
    );
    assert.deepEqual(world.sounds.playing[0]?.items, [{ kind: 'file', url: file }]);
    const wholes = world.sounds.playing.map(({ partOf }) => partOf);
    assert.deepEqual(wholes[0]?.to, legs, 'to its customer it is one play');
    assert.deepEqual(wholes, [wholes[0], wholes[0], wholes[0]]);
    // Public clients write `url`.
    const some = await world.post(`${room}Member/${ids[1]},${ids[0]}/Play/`, { url: file });
    assert.deepEqual([some.status, some.body.mpcMemberId], [202, [ids[0], ids[1]]]);
    assert.equal(world.sounds.playing.length, 5);
    assert.equal((await world.remove(`${room}Member/all/Play/`)).status, 204);
    await world.runner.idle();
    assert.equal(world.sounds.playing.length, 2, 'stopping the play to all does not stop the play to some');
    assert.equal((await world.remove(`${room}Member/${ids[0]},${ids[1]}/Play/`)).status, 204);
    await world.runner.idle();
    assert.deepEqual(world.sounds.playing, []);
  });

  test('the callback of a text receives one request after the last listener, and the end is no event of the call', async () => {
    const world = await openMultipartyWorld(open);
    const legs = [await world.join('desk'), await world.join('desk')];
    const ids = await Promise.all(legs.map((leg) => world.memberOf('desk', leg)));
    const { status, body } = await world.post(`${room}Member/all/Speak/`, {
      text: 'please hold the line',
      voice: 'MAN',
      language: 'en-GB',
      mix: false,
      callback_url: 'https://example.com/spoken',
      callback_method: 'GET',
    });
    assert.deepEqual([status, body.message, body.mpcMemberId], [202, 'speak queued into MPC', ids]);
    const [first, second] = world.sounds.playing;
    assert.equal(first?.alone, true);
    assert.deepEqual(first?.items, [
      { kind: 'speech', text: 'please hold the line', language: 'en-GB', voice: 'man' },
    ]);
    const reported = () => world.events.filter(({ type }) => type === 'multiparty-call.speak-over');
    world.sounds.finish(first?.play ?? '');
    await world.runner.idle();
    assert.deepEqual(reported(), []);
    world.sounds.finish(second?.play ?? '');
    await world.runner.idle();
    assert.deepEqual(
      reported().map(({ callback }) => callback),
      [{ url: 'https://example.com/spoken', method: 'GET' }],
    );
    const { EventName, MPCName, MemberID, Status } = reported()[0]?.payload ?? {};
    assert.deepEqual(
      [EventName, MPCName, MemberID, Status],
      ['MPCSpeakCompleted', 'desk', ids.join(), 'completed'],
    );
    assert.equal((await world.remove(`${room}Member/all/Speak/`)).status, 204);
  });

  test('markup of a text reaches the speech engine; an element that is not followed is a warning, and other text is refused', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('desk');
    const text = 'a <break time="1s"/> <cont>b</cont>';
    const { status, body } = await world.post(`${room}Member/all/Speak/`, { text, type: 'ssml' });
    assert.deepEqual(
      [status, body.warnings],
      [202, ['text: line 1: <cont> inside <speak> is not followed; its words are spoken']],
    );
    assert.deepEqual(world.sounds.playing[0]?.items, [
      {
        kind: 'speech',
        text: 'a b',
        markup: 'a <break time="1000ms"/> b',
        language: 'en-US',
        voice: 'woman',
      },
    ]);
    const refused = await world.post(`${room}Member/all/Speak/`, { text: 'a <b>b</b>', type: 'ssml' });
    assert.equal(refused.status, 400);
    assert.match(refused.body.error, /^text must be SSML that can be spoken: line 1: <b> is not known/);
    assert.equal(world.sounds.playing.length, 1);
  });

  test('an impossible play is refused: 400 without a URL or text, 404 for unknown members, 409 for members not joined', async () => {
    const world = await openMultipartyWorld(open);
    const ringing = await world.memberOf('desk', await world.add('desk'));
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
    assert.deepEqual(world.sounds.playing, []);
  });

  test('music and entry sounds from URLs reach their listeners, and no play is left at the end', async () => {
    const world = await openMultipartyWorld(open);
    const at = (name: string) => `https://example.com/${name}`;
    const waits = { start_mpc_on_enter: false, enter_sound: at('enter'), enter_sound_method: 'POST' };
    const leg = await world.join('desk', {
      ...waits,
      wait_music_url: at('wait'),
      agent_hold_music: at('hold'),
    });
    const urls = () => world.sounds.playing.map(({ items: [item] }) => item?.kind === 'source' && item.url);
    assert.deepEqual(urls(), [at('wait')]);
    const other = await world.join('desk', { ...waits, start_mpc_on_enter: true });
    assert.deepEqual(urls(), [at('enter'), at('enter')]);
    assert.deepEqual(
      world.sounds.playing.map(({ to }) => to[0]),
      [leg, other],
    );
    const held = await world.post(`${room}Participant/${await world.memberOf('desk', leg)}/`, { hold: true });
    assert.equal(held.status, 202);
    await world.runner.idle();
    assert.deepEqual(urls(), [at('enter'), at('hold')], 'a member on hold hears no sound of the call');
    await world.remove(room);
    await world.runner.idle();
    assert.deepEqual(urls(), []);
  });
});
