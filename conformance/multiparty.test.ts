import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { CallbackReceiver, type Received } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import {
  heardTone,
  heardToneDb,
  heardUntil,
  lengthOf,
  partOf,
  readWav,
  type Sound,
} from './support/heard.ts';
import { missing } from './support/installed.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { RegisteredPhones } from './support/registered-phones.ts';
import { Sipp } from './support/sipp.ts';
import { writeSpeech } from './support/speech-pcap.ts';
import { toneFile } from './support/tone-file.ts';

const skip = missing('baresip', 'sipp', 'sox');
const password = 'secret-of-a-phone';
const audible = -35;
const inaudible = -55;

// The file’s tone is no sum and no difference of the others: two loud tones make a third at those frequencies.
const [annHz, bobHz, cidHz, sippHz, fileHz] = [700, 900, 1300, 1000, 2340];
const sandbox = { answers: '+12025550109', toneHz: 1000 } as const;

/** Multiparty calls between foreign phones: which of them join, and what each of them hears. */
describe('multiparty calls', { skip, timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let server: CallbackReceiver;
  let directory: string;
  let fileUrl: string;
  const phones = new RegisteredPhones();
  const running: Sipp[] = [];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'multiparty-'));
    platform = await PlatformProcess.start({ JACKFIELD_MEDIA_WORKERS: '3' });
    server = await CallbackReceiver.start();
    const body = await toneFile(join(directory, 'tone.wav'), fileHz, 2);
    fileUrl = server.serve('/tone.wav', { type: 'audio/wav', body });
  });

  after(() =>
    cleanUp(
      () => platform.untilQuiet(),
      () => server.stop(),
      () => platform.stop(),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  afterEach(async () => {
    await phones.stop();
    await Promise.all(running.splice(0).map((sipp) => sipp.stop()));
  });

  const baresip = (name: string, toneHz: number) => phones.start(platform, name, toneHz);

  /** A phone of its own that registered on this port and waits there for its scenario. */
  async function sippPhone(scenario: string, keys: Readonly<Record<string, string>> = {}) {
    const { username } = await platform.createEndpoint('sipp', password);
    const options = { remote: platform.sipAddress, user: username, password };
    const registered = await Sipp.start({ ...options, scenario: 'register' });
    running.push(registered);
    assert.deepEqual(await registered.finished(), { code: 0, errors: '' });
    const sipp = await Sipp.start({ ...options, scenario, port: registered.port, keys });
    running.push(sipp);
    return { sipp, username };
  }

  const add = (room: string, to: string, more: object = {}) => addToRoom(platform, room, to, more);

  const members = async (room: string) =>
    (await platform.api('GET', `MultiPartyCall/name_${room}/Participant/`)).body.objects as readonly {
      readonly member_id: string;
      readonly call_uuid: string;
      readonly status: string;
    }[];

  const joined = (room: string, count: number) => joinedRoom(platform, room, count);

  /** When a leg joined, by the clock of this machine: a look may come much later. */
  async function joinedAt(leg: string | undefined): Promise<number> {
    const isOfLeg = ({ data }: { data: Record<string, unknown> }) => data.ParticipantCallUUID === leg;
    const { objects } = await platform.until(
      'the event of the join',
      'Event/?type=multiparty-call.participant-joined&limit=100',
      (body) => body.objects.some(isOfLeg),
    );
    return Date.parse(objects.find(isOfLeg).created_at);
  }

  const record = (leg: string | undefined) =>
    platform.until('the end of a leg', `Call/${leg}/`, (body) => typeof body.end_time === 'string');

  const end = async (room: string) =>
    assert.equal((await platform.api('DELETE', `MultiPartyCall/name_${room}/`)).status, 204);

  it('agents called at once: the first to answer talks, the other is cancelled with Lost Race', async () => {
    const [ann, bob] = [await baresip('ann', annHz), await baresip('bob', bobHz)];
    const { sipp, username } = await sippPhone('ring-cancelled');
    await add('race', ann.username, { role: 'customer' });
    await ann.phone.established();
    const legs = await add('race', `${username}<${bob.username}`, {
      // sipp rings before baresip is called at all.
      delay_dial: '0<2',
      call_status_callback_url: `http://127.0.0.1:${server.port}/legs`,
    });
    assert.equal(legs.length, 2);
    await bob.phone.established();
    assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });
    await joined('race', 2);
    assert.deepEqual(
      (await members('race')).map(({ call_uuid }) => call_uuid).slice(1),
      [legs[1]],
      'who has lost is not in the list',
    );
    await Promise.all([heardTone(ann.phone, bobHz), heardTone(bob.phone, annHz)]);
    await end('race');
    await Promise.all([ann.phone.closed(), bob.phone.closed()]);
    const lost = await record(legs[0]);
    assert.deepEqual([lost.hangup_cause_code, lost.hangup_cause_name], [9000, 'Lost Race']);
    assert.equal((await record(legs[1])).hangup_cause_code, 4020);
    const reported = await server.received.until(
      'the end of the loser',
      ({ target, fields }) =>
        target === '/legs' && fields.get('CallUUID') === legs[0] && fields.get('Event') === 'Hangup',
    );
    assert.equal(reported.fields.get('HangupCauseName'), 'Lost Race');
  });

  it('confirm_key: pressed in RTP, its phone is heard from then on and not before; who answers and presses nothing hears the question alone', async () => {
    const [ann, cid] = [await baresip('ann', annHz), await baresip('cid', cidHz)];
    const speech = join(directory, 'speech.pcap');
    await writeSpeech(speech, sippHz, 3);
    // From the captures of sipp (RFC 4733).
    const choice = '/usr/share/sip-tester/dtmf_2833_5.pcap';
    const { username } = await sippPhone('answer-speak-confirm', { speech, choice });
    await add('confirm', ann.username, { role: 'customer' });
    await ann.phone.established();
    const since = Date.now();
    const legs = await add('confirm', `${username}<${cid.username}`, {
      confirm_key: '5',
      confirm_key_sound_url: fileUrl,
      dial_music: 'none',
    });
    await cid.phone.established();
    await platform.until('both are asked', 'MultiPartyCall/name_confirm/Participant/', (body) =>
      body.objects.slice(1).every((each: { status: string }) => each.status === 'confirming'),
    );
    await joined('confirm', 2);
    const confirmedAfter = ((await joinedAt(legs[0])) - since) / 1000;
    await cid.phone.closed();
    const afterwards = (sound: Sound) => partOf(sound, confirmedAfter, 60);
    await heardUntil(ann.phone, 'who has confirmed', (sound) => loudest(afterwards(sound), sippHz) > audible);
    await end('confirm');
    await ann.phone.closed();

    assert.deepEqual(
      [(await record(legs[1])).hangup_cause_code, (await record(legs[0])).hangup_cause_code],
      [9000, 4020],
    );
    const annHeard = await readWav(await ann.phone.heard());
    const before = partOf(annHeard, 0, confirmedAfter - 0.5);
    assert.ok(confirmedAfter > 3, 'it spoke for three seconds before it pressed');
    assert.ok(loudest(before, sippHz) < inaudible, 'it is not heard before it has confirmed');
    for (const hz of [cidHz, fileHz]) {
      assert.ok(loudest(annHeard, hz) < inaudible, `${hz} Hz was never in the room`);
    }
    const cidHeard = await readWav(await cid.phone.heard());
    assert.ok(loudest(cidHeard, fileHz) > audible, 'the question is heard');
    assert.ok(loudest(cidHeard, annHz) < inaudible, 'the room is not');
  });

  it('kicked: 4030 without an exit action; with one its document is heard, and the room hears nothing of it', async () => {
    const [ann, bob, cid] = [
      await baresip('ann', annHz),
      await baresip('bob', bobHz),
      await baresip('cid', cidHz),
    ];
    const exitUrl = server.serve('/exit', `<Response><Play>${fileUrl}</Play><Hangup/></Response>`);
    const legs = [
      ...(await add('kick', ann.username, { role: 'customer' })),
      ...(await add('kick', bob.username)),
      ...(await add('kick', cid.username, { on_exit_action_url: exitUrl })),
    ];
    await joined('kick', 3);
    for (const hz of [annHz, bobHz]) await heardTone(cid.phone, hz, 1, audible);
    const ids = await members('kick');
    const memberOf = (leg: string | undefined) => ids.find(({ call_uuid }) => call_uuid === leg)?.member_id;
    const kicked = `${memberOf(legs[1])},${memberOf(legs[2])}`;
    const { status } = await platform.api('DELETE', `MultiPartyCall/name_kick/Participant/${kicked}/`);
    assert.equal(status, 204);
    const asked = await server.asked('/exit');
    assert.equal(asked.fields.get('MemberID'), memberOf(legs[2]));
    assert.equal(asked.fields.get('ParticipantCallUUID'), legs[2]);
    assert.equal(asked.fields.get('MPCFriendlyName'), 'kick');
    await Promise.all([bob.phone.closed(), cid.phone.closed()]);
    const plain = await record(legs[1]);
    assert.deepEqual(
      [plain.hangup_cause_code, plain.hangup_cause_name, plain.hangup_source],
      [4030, 'Kicked Out Of Multiparty Call', 'API Request'],
    );
    const left = await record(legs[2]);
    assert.deepEqual([left.hangup_cause_code, left.hangup_source], [4000, 'Answer XML']);
    await end('kick');
    await ann.phone.closed();
    const cidHeard = await readWav(await cid.phone.heard());
    assert.ok(loudest(cidHeard, fileHz) > audible, 'and hears the document afterwards');
    assert.ok(loudest(await readWav(await ann.phone.heard()), fileHz) < inaudible);
  });

  it('a room of ten: everybody is heard, an eleventh is refused, and every callback comes once and in order', async () => {
    const [ann, bob] = [await baresip('ann', annHz), await baresip('bob', bobHz)];
    const callback = { status_callback_url: `http://127.0.0.1:${server.port}/ten` };
    await add('ten', ann.username, { role: 'customer', ...callback });
    await joined('ten', 1);
    await add('ten', bob.username);
    // One of them speaks: eight equal tones together would only show the level control.
    for (let more = 0; more < 8; more++) await add('ten', sandbox.answers, { mute: more > 0 });
    await joined('ten', 10);
    const refused = await platform.api('POST', 'MultiPartyCall/name_ten/Participant/', {
      role: 'agent',
      from: '+12025550000',
      to: sandbox.answers,
    });
    assert.equal(refused.status, 400, JSON.stringify(refused.body));
    for (const [{ phone }, other] of [
      [ann, bobHz],
      [bob, annHz],
    ] as const)
      for (const hz of [other, sandbox.toneHz]) await heardTone(phone, hz, 1, audible);
    await end('ten');
    await Promise.all([ann.phone.closed(), bob.phone.closed()]);
    const isOfRoom = ({ target }: Received) => target === '/ten';
    await server.received.until('the end', (each) => isOfRoom(each) && each.name === 'MPCEnd');
    const reported = server.received.all.filter(isOfRoom);
    assert.deepEqual(
      reported.map(({ name }) => name),
      ['MPCStart', ...Array(10).fill('ParticipantJoin'), ...Array(10).fill('ParticipantExit'), 'MPCEnd'],
    );
    assert.equal(new Set(reported.map(({ eventId }) => eventId)).size, reported.length);
    const idsOf = (name: string) =>
      new Set(reported.filter((each) => each.name === name).map(({ fields }) => fields.get('MemberID')));
    assert.equal(idsOf('ParticipantJoin').size, 10);
    assert.deepEqual(idsOf('ParticipantExit'), idsOf('ParticipantJoin'));
    assert.ok(
      loudest(await readWav(await ann.phone.heard()), annHz) < inaudible,
      'no participant hears herself',
    );
  });
});

/** The loudest second of a tone; a tone of less than half a second does not count. */
function loudest(sound: Sound, toneHz: number): number {
  const whole = lengthOf(sound);
  let level = Number.NEGATIVE_INFINITY;
  for (let at = 0; at + 1 <= whole; at += 0.5)
    level = Math.max(level, heardToneDb(sound, toneHz, at, at + 1));
  return level;
}
