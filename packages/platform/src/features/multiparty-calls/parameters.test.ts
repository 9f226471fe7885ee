import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from '@jackfield/testkit';
import { openMultipartyWorld } from './testing/multiparty-world.ts';
import { agent } from './testing/rooms.ts';

const path = 'MultiPartyCall/name_room/Participant/';

const notText = [1, null, true, [], {}] as const;
const notBoolean = ['', 'yes', '1', 0, 1, null, [], {}] as const;
const addresses = [
  ...notText,
  '',
  ' ',
  'a b',
  '+',
  '+123',
  '+12025550100123456',
  '+12025550100<',
  '12x',
  'a'.repeat(101),
  'sip:',
  'sip:alice',
  'sip:@x',
  'sip:a@b c',
  'http://x',
  'alice\n',
  'a\0',
  '\ud800',
];
const urls = [...notText, '', 'x', 'ftp://x', 'http://', 'https://a b', `https://x/${'a'.repeat(2048)}`];
const methods = ['', 'PUT', 'post ', ...notText];

/** Parameter → values that must be refused. */
const bad: Readonly<Record<string, readonly unknown[]>> = {
  role: ['', 'host', 'agent ', ...notText],
  from: [...addresses, '+12025550100<+12025550101'],
  to: [
    ...addresses,
    '<+12025550100',
    'alice<<bob',
    'alice< bob',
    'alice,bob',
    Array.from({ length: 21 }, (_, index) => `phone${index}`).join('<'),
  ],
  caller_name: ['', 'a'.repeat(51), 'a\r\nX: y', ...notText],
  ring_timeout: [0, -1, 601, 1.5, '', '30s', '30<20', '601', '-5', null, true, [], {}],
  delay_dial: [-1, 601, 1.5, '', '5s', '5<5', '<5', null, true, [], {}],
  confirm_key: ['', '12', 'a', 'w', 1, null, true, [], {}],
  confirm_key_sound_url: [...urls, 'https://example.com/a.mp3'],
  confirm_key_sound_method: methods,
  on_exit_action_url: urls,
  on_exit_action_method: methods,
  relay_dtmf_inputs: notBoolean,
  create_mpc_with_single_participant: notBoolean,
  create_mpc_if_alone: notBoolean,
  max_duration: [299, 28_801, '299', 1e9, 300.5, '', null, 'x'],
  max_participants: [1, 11, 0, '1', 2.5, null, 'two', []],
  record_min_member_count: [0, 3, 'x', null],
  stay_alone: notBoolean,
  coach_mode: notBoolean,
  mute: notBoolean,
  hold: notBoolean,
  start_mpc_on_enter: notBoolean,
  end_mpc_on_exit: notBoolean,
  enter_sound: ['', 'beep:3', 'beep', 'ftp://example.com/a.mp3', ...notText],
  exit_sound: ['', 'beep:0', 'example.com/a.mp3', ...notText],
  wait_music_url: urls,
  agent_hold_music_url: urls,
  customer_hold_music_url: urls,
  agent_hold_music: urls,
  customer_hold_music: urls,
  enter_sound_method: methods,
  exit_sound_method: methods,
  status_callback_url: urls,
  status_callback_method: methods,
  status_callback_events: ['', 'x', 'mpc-state-changes,', 'mpc-state-changes, x', ...notText],
  recording_callback_url: urls,
  record: notBoolean,
  record_participant_track: notBoolean,
  send_on_preanswer: notBoolean,
  record_coach_voice: notBoolean,
  record_file_format: ['', 'ogg', ...notText],
  start_recording_audio: urls,
  start_recording_audio_method: methods,
  stop_recording_audio: urls,
  stop_recording_audio_method: methods,
  recording_callback_method: methods,
  call_status_callback_url: urls,
  call_status_callback_method: methods,
  call_uuid: ['', 'x', 'b2c4…', `uuid_${'0'.repeat(36)}`, ...notText],
  send_digits: ['', '12e', '1 2', '+1', '1,2', '0'.repeat(201), ...notText],
  dial_music: [...urls, 'fake'],
  sip_headers: [
    '',
    'a',
    'a=',
    '=b',
    'a=b,',
    'a=b,a=c',
    'a=b,A=c',
    'a b=c',
    'a=b\r\nX: y',
    'x-ph-=1',
    `${'a'.repeat(25)}=1`,
    `a=${'b'.repeat(121)}`,
    'a=ü',
    ...notText,
  ],
};

/** Of transcripts, which need an engine: refused with every other value. */
const later = {
  transcript: true,
  transcription_url: 'https://example.com/',
};

/** Sent by a public client with every request, in this form. */
const neutral = {
  role: 'CUSTOMER',
  from: '12025550199',
  to: 'sip:alice123@sip.example.com:5070;transport=tcp',
  dial_music: 'Real',
  ring_timeout: 45,
  delay_dial: 0,
  max_duration: 14400,
  max_participants: 10,
  record_min_member_count: 1,
  call_status_callback_method: 'POST',
  confirm_key_sound_method: 'GET',
  wait_music_method: 'GET',
  agent_hold_music_method: 'GET',
  customer_hold_music_method: 'GET',
  recording_callback_method: 'GET',
  status_callback_method: 'GET',
  status_callback_events: 'mpc-state-changes,participant-state-changes',
  on_exit_action_method: 'POST',
  record: false,
  record_file_format: 'mp3',
  record_participant_track: 'false',
  create_mpc_with_single_participant: true,
  send_on_preanswer: false,
  stay_alone: 'False',
  coach_mode: true,
  mute: 'false',
  hold: false,
  start_mpc_on_enter: true,
  end_mpc_on_exit: false,
  relay_dtmf_inputs: false,
  enter_sound: 'BEEP:1',
  enter_sound_method: 'get',
  exit_sound: 'none',
  exit_sound_method: 'GET',
};

onEmbeddedDatabase('Parameters of adding a participant', (open) => {
  test('wrong types, lengths, ranges and characters are refused with name, value and what is allowed', async () => {
    const world = await openMultipartyWorld(open);
    for (const [parameter, values] of Object.entries(bad)) {
      for (const value of values) {
        const { status, body } = await world.post(path, { ...agent, [parameter]: value });
        const what = JSON.stringify({ [parameter]: value });
        assert.equal(status, 400, what);
        assert.ok(body.error.startsWith(`${parameter} must be `), `${what}: ${body.error}`);
        assert.match(body.error, /, not /, `${what}: ${body.error}`);
      }
    }
    assert.equal(world.telephony.dialled.length, 0);
    assert.equal((await world.get('MultiPartyCall/')).body.meta.count, 0);
  });

  test('groups of events are listed with spaces or without, as in a document', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', {
      status_callback_url: 'https://example.com/',
      status_callback_events: 'mpc-state-changes , add-participant-api-events',
    });
    await world.advance(100);
    const reported = world.customer.requests.map(({ fields }) => fields.EventName);
    assert.deepEqual(reported, [
      'MPCStart',
      'AddParticipantByAPIActionInitiated',
      'AddParticipantByAPIActionCompleted',
    ]);
  });

  test('role, from and to are required where there is no call_uuid', async () => {
    const world = await openMultipartyWorld(open);
    for (const parameter of ['role', 'from', 'to']) {
      const { status, body } = await world.post(path, { ...agent, [parameter]: undefined });
      assert.equal(status, 400);
      assert.equal(body.error, `${parameter} parameter is missing`);
    }
  });

  test('a bare name that is no username is refused with the allowed destinations, alone and in a list', async () => {
    const world = await openMultipartyWorld(open);
    for (const to of ['alice', `${agent.to}<alice`]) {
      const { status, body } = await world.post(path, { ...agent, to });
      assert.equal(status, 400);
      assert.match(body.error, /^to must be .*username that GET Endpoint\/ lists.*, not "alice"$/);
    }
    assert.equal((await world.get('MultiPartyCall/')).body.meta.count, 0);
  });

  test('exactly one of call_uuid and from with to', async () => {
    const world = await openMultipartyWorld(open);
    const call_uuid = 'b2c40000-0000-4000-8000-000000000000';
    for (const [body, given] of [
      [{ ...agent, call_uuid }, 'from'],
      [{ role: 'agent', to: agent.to, call_uuid }, 'to'],
    ] as const) {
      const refused = await world.post(path, body);
      assert.equal(refused.status, 400);
      assert.equal(
        refused.body.error,
        `call_uuid must be left out where ${given} is given (it names a live call), not "${call_uuid}"`,
      );
    }
  });

  test('several destinations are for agents, and lists of seconds are no longer than theirs', async () => {
    const world = await openMultipartyWorld(open);
    const three = { ...agent, to: '+12025550100<+12025550101<+12025550102' };
    const bad = [
      [{ ...three, role: 'customer' }, 'to must be one destination: several are for the role agent, not for'],
      [{ ...three, role: 'Supervisor' }, 'to must be one destination'],
      [
        { ...three, ring_timeout: '30<20<20<5' },
        'ring_timeout must be no longer than the list of destinations',
      ],
      [{ ...three, ring_timeout: '30<0' }, 'ring_timeout must be a whole number from 1 to 600'],
      [{ ...three, delay_dial: '1<2<601' }, 'delay_dial must be a whole number from 0 to 600'],
    ] as const;
    for (const [body, sentence] of bad) {
      const refused = await world.post(path, body);
      assert.equal(refused.status, 400);
      assert.ok(refused.body.error.startsWith(sentence), refused.body.error);
    }
    const { status, body } = await world.post(path, { ...three, ring_timeout: '30<20', delay_dial: '0' });
    assert.equal(status, 201, JSON.stringify(body));
    await world.advance(0);
    assert.deepEqual(
      world.telephony.dialled.map(({ spec }) => [spec.to, spec.ringTimeoutSeconds]),
      [
        ['+12025550100', 30],
        ['+12025550101', 20],
        ['+12025550102', 45],
      ],
    );
  });

  test('a parameter without support that would change the behaviour is refused, not ignored', async () => {
    const world = await openMultipartyWorld(open);
    for (const [parameter, value] of Object.entries(later)) {
      const { status, body } = await world.post(path, { ...agent, [parameter]: value });
      assert.equal(status, 400, parameter);
      assert.ok(body.error.startsWith(`${parameter} must be `), body.error);
    }
    assert.equal(world.telephony.dialled.length, 0);
  });

  test('the defaults that clients spell out are accepted, in every spelling', async () => {
    const world = await openMultipartyWorld(open);
    const { status, body } = await world.post(path, neutral);
    assert.equal(status, 201, JSON.stringify(body));
    for (const music of ['NONE', 'https://example.com/music.mp3']) {
      assert.equal((await world.post(path, { ...agent, dial_music: music })).status, 201, music);
    }
    const extra = { ...agent, unknown_parameter: 1, sip_headers: 'A-1=b c;d="e"', to: '+12025550100' };
    assert.equal((await world.post(path, extra)).status, 201);
  });

  test('callbacks are requested with their methods, POST where none is given', async () => {
    const world = await openMultipartyWorld(open);
    const recordingUrl = 'http://example.com/recording';
    await world.join('room', {
      status_callback_url: 'https://example.com/status',
      recording_callback_url: recordingUrl,
      recording_callback_method: 'get',
      record: true,
    });
    await world.remove('MultiPartyCall/name_room/');
    await world.advance(1_000);
    const requests = world.customer.requests.map(({ method, url }) => `${method} ${url}`);
    const [status, recording] = ['POST https://example.com/status', `GET ${recordingUrl}`];
    assert.deepEqual(new Set(requests), new Set([status, recording]));
  });

  test('while draining no participant is added, and no call is created', async () => {
    const world = await openMultipartyWorld(open);
    await world.node.platform.drain();
    const { status, body } = await world.post(path, agent);
    assert.equal(status, 503, JSON.stringify(body));
    assert.equal((await world.get('MultiPartyCall/')).body.meta.count, 0);
  });
});
