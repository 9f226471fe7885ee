import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, toneFile } from '@jackfield/testkit';
import { type MultipartyWorld, openMultipartyWorld } from './testing/multiparty-world.ts';
import { customer } from './testing/rooms.ts';

const room = 'MultiPartyCall/name_desk%201/';
const callbackUrl = 'https://example.com/recorded';

/** Orders to record, each with its recording. */
const ordersOf = ({ node }: MultipartyWorld) =>
  node.media.orders.commands.flatMap((each) => {
    if (each.do === 'pause-capture') return [`${each.paused ? 'pause' : 'resume'} ${each.capture}`];
    if (each.do === 'end-capture') return [`stop ${each.capture}`];
    return each.do === 'capture' ? [`capture ${each.capture}`] : [];
  });

eachDatabase('Recording multiparty calls over the API', (open) => {
  test('a call is recorded, paused, resumed and stopped, and its object says so', async () => {
    const world = await openMultipartyWorld(open);
    const leg = await world.join('desk 1');
    const state = async () => (await world.get(room)).body.recording;
    assert.equal(await state(), 'not-recording');

    const started = await world.post(`${room}Record/`, {
      file_format: 'WAV',
      recording_callback_url: callbackUrl,
      recording_callback_method: 'get',
    });
    assert.equal(started.status, 202);
    const { recording_id: uuid, recording_url: url, message, api_id: apiId } = started.body;
    assert.match(apiId, /^[0-9a-f-]{36}$/);
    assert.equal(message, 'MPC: desk 1 record started');
    assert.ok(url.endsWith(`/${uuid}.wav`), url);
    await world.advance(0);
    const { mpc_uuid } = (await world.get(room)).body;
    assert.deepEqual(world.node.media.orders.captures.get(uuid)?.tracks, [{ said: [leg], heard: [] }]);
    await world.advance(100);
    const [begun] = world.customer.requests;
    assert.deepEqual(
      [begun?.method, begun?.url, begun?.fields.MPCName, begun?.fields.MPCUUID, begun?.fields.EventName],
      ['GET', callbackUrl, 'desk 1', mpc_uuid, 'MPCRecordingInitiated'],
    );

    assert.equal(await state(), 'recording');
    assert.equal((await world.post(`${room}Record/Pause/`)).status, 204);
    assert.equal(await state(), 'paused');
    assert.equal((await world.post(`${room}Record/Resume/`)).status, 204);
    assert.equal(await state(), 'recording');
    assert.equal((await world.remove(`${room}Record/`)).status, 204);
    assert.equal(await state(), 'not-recording');
    await world.advance(0);
    assert.deepEqual(
      ordersOf(world),
      ['capture', 'pause', 'resume', 'stop'].map((order) => `${order} ${uuid}`),
    );
  });

  test('a recording order in the wrong state is refused, and the answer says what is wrong', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('desk 1');
    const refusals: (readonly [string, { readonly status: number; readonly body: { error: string } }])[] = [];
    const note = (what: string, answer: (typeof refusals)[number][1]) => refusals.push([what, answer]);
    note('stop', await world.remove(`${room}Record/`));
    note('pause', await world.post(`${room}Record/Pause/`));
    await world.post(`${room}Record/`);
    note('twice', await world.post(`${room}Record/`));
    note('resume', await world.post(`${room}Record/Resume/`));
    await world.post(`${room}Record/Pause/`);
    note('pause twice', await world.post(`${room}Record/Pause/`));
    note('stranger', await world.post(`${room}Participant/999999/Record/`));
    note('format', await world.post(`${room}Record/`, { file_format: 'ogg' }));
    note('no call', await world.post('MultiPartyCall/name_none/Record/'));
    assert.deepEqual(
      refusals.map(([what, { status, body }]) => [what, status, body.error]),
      [
        ['stop', 404, 'the multiparty call is not being recorded'],
        ['pause', 404, 'the multiparty call is not being recorded'],
        ['twice', 400, 'the multiparty call is being recorded already'],
        ['resume', 400, 'the recording of the multiparty call is not paused'],
        ['pause twice', 400, 'the recording of the multiparty call cannot be paused: it does not run'],
        ['stranger', 404, 'there is no participant in this multiparty call with member_id "999999"'],
        ['format', 400, 'file_format must be mp3 or wav, not "ogg"'],
        ['no call', 404, 'there is no ongoing multiparty call "none"'],
      ],
    );
  });

  test('participants are recorded alone, with all others, or both; also on the path without name_', async () => {
    const world = await openMultipartyWorld(open);
    const [ann, bob] = [await world.join('desk'), await world.join('desk', customer)];
    const [annId, bobId] = [await world.memberOf('desk', ann), await world.memberOf('desk', bob)];
    const path = 'MultiPartyCall/desk/Participant/';

    const started = await world.post(`${path}${annId},${bobId}/Record/`, {
      file_format: 'wav',
      record_track_type: 'both',
      recording_callback_url: callbackUrl,
    });
    assert.equal(started.status, 202);
    assert.equal(started.body.message, 'MPC: desk participant record started');
    assert.deepEqual(
      started.body.recordings.map((each: Record<string, string>) => [each.member_id, each.record_track_type]),
      [
        [annId, 'all'],
        [annId, 'participant'],
        [bobId, 'all'],
        [bobId, 'participant'],
      ],
    );
    assert.equal(started.body.recording_id, started.body.recordings[0].recording_id);
    await world.advance(0);
    const ofBob: string = started.body.recordings[2].recording_id;
    assert.equal(world.node.media.orders.captures.get(ofBob)?.tracks.length, 10);
    const { body: recording } = await world.get(`Recording/${ofBob}/`);
    assert.deepEqual([recording.call_uuid, recording.recording_format], [bob, 'wav']);
    await world.advance(100);
    assert.deepEqual(
      world.customer.requests.map(({ fields }) => `${fields.EventName} ${fields.MemberID}`).sort(),
      [annId, annId, bobId, bobId].map((id) => `ParticipantRecordingInitiated ${id}`).sort(),
    );

    const change = (suffix: string, fields = {}) => world.post(`${path}${annId}/Record/${suffix}`, fields);
    assert.equal((await change('', { record_track_type: 'all' })).status, 400);
    assert.equal((await change('Pause/', { record_track_type: 'participant' })).status, 204);
    assert.equal((await change('Resume/', { record_track_type: 'all' })).status, 400);
    assert.equal((await change('Resume/', { record_track_type: 'participant' })).status, 204);
    assert.equal((await change('Pause/', { record_track_type: 'everything' })).status, 400);
    const stop = `${path}${annId}/Record/?record_track_type=participant`;
    assert.equal((await world.remove(stop)).status, 204);
    assert.equal((await world.remove(stop)).status, 404);
    // One public client sends an empty text.
    assert.equal((await world.remove(`${path}${annId}/Record/?record_track_type=`)).status, 204);
    assert.equal((await world.remove(`${path}all/Record/`)).status, 204);
    await world.advance(0);
    assert.equal(ordersOf(world).filter((each) => each.startsWith('stop')).length, 4);
  });

  test('all records each joined participant once, or none of them', async () => {
    const world = await openMultipartyWorld(open);
    const path = 'MultiPartyCall/desk/Participant/all/Record/';
    const ringing = await world.add('desk');
    const empty = await world.post(path);
    assert.deepEqual(
      [empty.status, empty.body.error],
      [409, 'no participant has joined this multiparty call'],
    );
    const [ann, bob] = [await world.join('desk'), await world.join('desk', customer)];
    const ids = [await world.memberOf('desk', ann), await world.memberOf('desk', bob)];

    const started = await world.post(path, { record_track_type: 'participant' });
    assert.equal(started.status, 202, JSON.stringify(started.body));
    const { recordings, recording_id, recording_url } = started.body;
    assert.deepEqual(
      recordings.map((each: Record<string, string>) => [each.member_id, each.record_track_type]),
      ids.map((id) => [id, 'participant']),
    );
    assert.deepEqual(
      [recording_id, recording_url],
      [recordings[0].recording_id, recordings[0].recording_url],
    );
    await world.advance(0);
    assert.equal(world.node.media.orders.captures.size, 2);

    world.telephony.pickUp(ringing);
    await world.advance(0);
    const again = await world.post(path, { record_track_type: 'participant' });
    assert.deepEqual(
      [again.status, again.body.error],
      [400, `participant ${ids[0]} is being recorded already`],
    );
    await world.advance(0);
    assert.equal(world.node.media.orders.captures.size, 2);
    assert.equal((await world.remove(path)).status, 204);
  });

  test('recordings of the creator begin when enough participants are present, with the callback of the call', async () => {
    const world = await openMultipartyWorld(open);
    const record = {
      record: 'true',
      record_file_format: 'wav',
      record_participant_track: true,
      record_min_member_count: 2,
      recording_callback_url: callbackUrl,
    };
    const ann = await world.join('desk', record);
    assert.deepEqual(ordersOf(world), []);
    const bob = await world.join('desk', customer);
    await world.advance(100);
    // A capture begins when its file is open, and files open in any order.
    const tracks = new Set([...world.node.media.orders.captures.values()].map((each) => each.tracks));
    assert.deepEqual(
      tracks,
      new Set([
        [{ said: [ann, bob], heard: [] }],
        [{ said: [ann], heard: [] }],
        [{ said: [bob], heard: [] }],
      ]),
    );
    assert.deepEqual(
      world.customer.requests
        .map(({ url, method, fields: { EventName } }) => [url, method, EventName])
        .sort((one, other) => String(one).localeCompare(String(other))),
      ['MPC', 'Participant', 'Participant'].map((of) => [callbackUrl, 'POST', `${of}RecordingInitiated`]),
    );
    assert.equal((await world.get('MultiPartyCall/name_desk/')).body.recording, 'recording');
  });

  test('a recording that the database refuses does not exist, and another may begin', async () => {
    const loggedErrors = ['step not saved; it was undone', 'recording of a multiparty call not started'];
    const world = await openMultipartyWorld(open, { loggedErrors });
    await world.join('desk');
    world.failCommits(1, { after: 1 });
    assert.equal((await world.post('MultiPartyCall/name_desk/Record/')).status, 202);
    await world.advance(0);
    assert.equal((await world.get('MultiPartyCall/name_desk/')).body.recording, 'not-recording');
    assert.equal((await world.post('MultiPartyCall/name_desk/Record/')).status, 202);
  });

  test('announcements are played before and after', async () => {
    const world = await openMultipartyWorld(open);
    const urls = { start: 'https://example.com/start.mp3', stop: 'https://example.com/stop.mp3' };
    const hz = { start: 500, stop: 900 };
    for (const which of ['start', 'stop'] as const)
      world.customer.serve(urls[which], toneFile(hz[which], 1_000));
    const leg = await world.join('desk', {
      start_recording_audio: urls.start,
      stop_recording_audio: urls.stop,
    });
    const { recording_id: uuid } = (await world.post('MultiPartyCall/name_desk/Record/')).body;
    await world.advance(100);
    const playing = () => world.playing().map(({ to, sound }) => [to, sound]);
    assert.deepEqual(playing(), [[[leg], hz.start]]);
    assert.deepEqual(ordersOf(world), []);
    await world.advance(1_000);
    assert.deepEqual(ordersOf(world), [`capture ${uuid}`]);
    await world.remove('MultiPartyCall/name_desk/Record/');
    await world.advance(100);
    assert.deepEqual(playing(), [[[leg], hz.stop]]);
  });

  test('a recording that is stopped during its announcement has an end too, since the client has its id', async () => {
    const world = await openMultipartyWorld(open);
    const room = 'MultiPartyCall/name_desk/';
    const announcement = 'https://example.com/start.mp3';
    world.customer.serve(announcement, toneFile(500, 60_000));
    await world.join('desk', { start_recording_audio: announcement });
    const { recording_id: first } = (await world.post(`${room}Record/`)).body;
    await world.advance(100);
    assert.equal((await world.remove(`${room}Record/`)).status, 204);
    await world.advance(0);
    assert.deepEqual(world.playing(), []);
    assert.deepEqual(ordersOf(world), [`capture ${first}`, `stop ${first}`]);
    const captured = world.node.media.orders.commands.find((each) => each.do === 'capture');
    assert.deepEqual(captured?.tracks, [{ said: [], heard: [] }], 'no voice is recorded');
    const { recording_id: second } = (await world.post(`${room}Record/`)).body;
    await world.advance(100);
    assert.equal((await world.remove(room)).status, 204);
    await world.advance(0);
    assert.deepEqual(ordersOf(world).slice(2), [`capture ${second}`, `stop ${second}`]);
  });

  test('the end of a call is reported after the end of its recordings', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('desk');
    const { recording_id: uuid } = (await world.post('MultiPartyCall/name_desk/Record/')).body;
    const { mpc_uuid: mpc } = (await world.get('MultiPartyCall/name_desk/')).body;
    await world.advance(1_000);
    assert.equal((await world.remove('MultiPartyCall/name_desk/')).status, 204);
    await world.advance(1_000);
    const names = (await world.events()).map(({ data }) => data.EventName);
    assert.ok(names.includes('MPCRecordingCompleted') && names.at(-1) === 'MPCEnd', names.join(' '));
    assert.equal(names.filter((name) => name === 'MPCEnd').length, 1);
    const ended = (await world.get(`MultiPartyCall/uuid_${mpc}/`)).body;
    assert.deepEqual([ended.status, ended.recording], ['Ended', 'not-recording']);
    await world.join('desk');
    assert.deepEqual(ordersOf(world), [`capture ${uuid}`, `stop ${uuid}`]);
  });

  test('the end of a recorded call that a crash interrupted is reported once after the restart', async () => {
    const loggedErrors = Array(2).fill('step not saved; it was undone');
    const world = await openMultipartyWorld(open, { loggedErrors });
    await world.join('desk');
    await world.post('MultiPartyCall/name_desk/Record/');
    const { mpc_uuid: mpc } = (await world.get('MultiPartyCall/name_desk/')).body;
    // The call has ended, and neither the end of its recording nor its own end is saved.
    world.failCommits(20, { after: 1 });
    await world.remove('MultiPartyCall/name_desk/');
    world.failCommits(0);
    await world.restart();
    const ends = async () =>
      (await world.events())
        .filter(({ data }) => data.EventName === 'MPCEnd')
        .map(({ data }) => data.MPCUUID);
    assert.deepEqual(await ends(), [mpc]);
    await world.restart();
    assert.deepEqual(await ends(), [mpc]);
  });
});
