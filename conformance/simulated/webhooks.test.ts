import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventStreamTypes, streamUpgrade, webhooks } from '@jackfield/contract';
import type { Transcription } from '@jackfield/ports';
import {
  createSimulatedRecognition,
  eventStreamOf,
  inSimulatedWorld,
  machineBeep,
  type SimulatedPhone,
  type SimulatedWorld,
  type SimulatedWorldOptions,
  speechHz,
  syntheticVoice,
  toneMeter,
} from '@jackfield/testkit';
import { SimulatedRoom } from '../support/simulated-room.ts';

const base = 'https://customer.example.com';
const everyGroup =
  'mpc-state-changes,participant-state-changes,participant-speak-events,participant-digit-input-events,add-participant-api-events';

/** Names of fields, and values of event fields, by webhook, as seen by the tests below. */
const seen = new Map<string, Set<string>>();
const seenTypes = new Set<string>();

/** A world whose requests and events are held against the contract when it ends, and counted. */
function witnessed(
  seed: number,
  run: (world: SimulatedWorld) => Promise<void>,
  options: Pick<SimulatedWorldOptions, 'recognition' | 'settings'> = {},
) {
  return () =>
    inSimulatedWorld({ seed, ...options }, async (world) => {
      await run(world);
      await world.assertNothingLeft();
      for (const { webhook, fields } of world.customer.requests) {
        if (webhook === undefined) continue;
        const about = seen.get(webhook.name) ?? new Set();
        seen.set(webhook.name, about);
        for (const [name, value] of Object.entries(fields)) about.add(name).add(`${name}=${value}`);
      }
      for (const { type } of await eventStreamOf(world)) seenTypes.add(type);
    });
}

const asked = (world: SimulatedWorld, path: string, matches: Readonly<Record<string, string>> = {}) =>
  world.customer.requests.find(
    ({ url, fields }) =>
      url === base + path && Object.entries(matches).every(([name, value]) => fields[name] === value),
  );

const untilAsked = (world: SimulatedWorld, path: string, matches: Readonly<Record<string, string>> = {}) =>
  world.until(`${path} ${JSON.stringify(matches)}`, () => asked(world, path, matches) !== undefined, 60_000);

const hears = (phone: SimulatedPhone, hz: number) => {
  const meter = toneMeter(hz);
  return phone.call?.heard.filter(({ samples }) => meter(samples) > -40).length ?? 0;
};

async function callFrom(world: SimulatedWorld, phone: SimulatedPhone, more: object = {}): Promise<string> {
  const { status, body } = await world.api('POST', 'Call/', {
    from: '+12025550000',
    to: phone.username,
    answer_url: `${base}/answer`,
    ring_url: `${base}/ring`,
    hangup_url: `${base}/hangup`,
    ...more,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.request_uuid;
}

describe('what the platform sends is what the contract says', () => {
  it(
    'of a call that runs documents',
    witnessed(900, async (world) => {
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      const next = (path: string) => `<Redirect>${base}${path}</Redirect>`;
      const serve = (path: string, elements: string) =>
        world.customer.serve(base + path, `<Response>${elements}</Response>`);
      ann.behaviour = { does: 'answer', ringMs: 400 };
      serve(
        '/answer',
        `<GetDigits action="${base}/digits" numDigits="2" timeout="20"><Speak>Please press two keys.</Speak></GetDigits>`,
      );
      serve(
        '/digits',
        `<GetInput action="${base}/input" numDigits="1" executionTimeout="20"><Speak>Please press another key.</Speak></GetInput>`,
      );
      serve(
        '/input',
        `<Record action="${base}/recorded" callbackUrl="${base}/file" maxLength="2" playBeep="false"/>`,
      );
      serve('/recorded', `<Speak>Next.</Speak>${next('/redirected')}`);
      serve(
        '/redirected',
        `<Dial action="${base}/dialled" callbackUrl="${base}/dial-events" digitsMatch="9"><User>sip:${bob.username}@sip.example.com</User></Dial>`,
      );
      serve('/dialled', '<Wait length="60"/>');
      serve('/moved', '<Hangup/>');
      const uuid = await callFrom(world, ann);
      await world.until('the first prompt', () => hears(ann, speechHz) > 10, 10_000);
      ann.call?.press('42');
      await untilAsked(world, '/digits');
      await world.advance(1500);
      ann.call?.press('7');
      await untilAsked(world, '/recorded');
      await untilAsked(world, '/dial-events', { DialAction: 'connected' });
      ann.call?.press('9');
      await untilAsked(world, '/dial-events', { DialAction: 'digits' });
      bob.hangUp();
      await untilAsked(world, '/dialled');
      const recorded = await world.api('POST', `Call/${uuid}/Record/`, {
        callback_url: `${base}/file-of-api`,
      });
      assert.equal(recorded.status, 202);
      await world.advance(500);
      assert.equal((await world.api('DELETE', `Call/${uuid}/Record/`)).status, 204);
      await untilAsked(world, '/file-of-api');
      const moved = await world.api('POST', `Call/${uuid}/`, { aleg_url: `${base}/moved` });
      assert.equal(moved.status, 202);
      await untilAsked(world, '/hangup', { Event: 'Hangup' });
      const hooks = [
        '/answer callAnswerDocument',
        '/ring callRinging',
        '/digits digitsAction',
        '/input inputAction',
        '/recorded recordAction',
        '/file recordCallback',
        '/file-of-api recordCallback',
        '/redirected callDocument',
        '/dialled dialAction',
        '/dial-events dialCallback',
        '/moved callDocument',
        '/hangup callEnded',
      ];
      assert.deepEqual(
        hooks.map((each) => `${each.split(' ')[0]} ${asked(world, each.split(' ')[0]!)?.webhook?.name}`),
        hooks,
      );
    }),
  );

  const recognition = createSimulatedRecognition(() => {});
  const transcription: Transcription = {
    async next({ positions, isComplete }) {
      if (positions.length > 0) return { positions: [2_000, 2_000], words: [], isOver: isComplete };
      const words = { channel: 0, text: 'new york', confidence: 0.9, fromMs: 100, toMs: 900 };
      return { positions: [1_000, 1_000], words: [words], isOver: false };
    },
  };
  it(
    'of a call whose words are recognised',
    witnessed(
      905,
      async (world) => {
        const ann = await world.phone('ann');
        const input = `<GetInput action="${base}/said" inputType="speech" interimSpeechResultsCallback="${base}/interim"/>`;
        world.customer.serve(`${base}/answer`, `<Response>${input}</Response>`);
        const record = `<Record maxLength="2" playBeep="false" redirect="false" transcriptionUrl="${base}/text"/>`;
        world.customer.serve(`${base}/said`, `<Response>${record}<Hangup/></Response>`);
        world.customer.serve(`${base}/text`, '');
        await callFrom(world, ann);
        await world.until('the engine listens', () => recognition.orders.length === 1, 10_000);
        recognition.recognise('new yo', { isFinal: false, confidence: 0.4 });
        await untilAsked(world, '/interim');
        recognition.recognise('new york', { confidence: 0.9 });
        await world.advance(1_100);
        recognition.over();
        await untilAsked(world, '/hangup', { Event: 'Hangup' });
        assert.equal(asked(world, '/interim')?.webhook?.name, 'interimSpeech');
        assert.equal(asked(world, '/said')?.webhook?.name, 'inputAction');
        await untilAsked(world, '/text');
        assert.equal(asked(world, '/text')?.webhook?.name, 'transcript');
      },
      { recognition, settings: { transcription } },
    ),
  );

  it(
    'of calls that answering machines answer',
    witnessed(910, async (world) => {
      const ann = await world.phone('ann');
      world.customer.serve(`${base}/answer`, '<Response><Wait length="7" silence="true"/></Response>');
      world.customer.serve(`${base}/broken`, { status: 500 });
      const order = { machine_detection: true, machine_detection_url: `${base}/machine` };
      const broken = { answer_url: `${base}/broken`, fallback_url: `${base}/answer` };
      for (const more of [order, { machine_detection: true }, { machine_detection: true, ...broken }]) {
        await callFrom(world, ann, more);
        await world.until('the call is up', () => ann.call?.isUp === true);
        ann.call?.audio.say(syntheticVoice(3_000, 400));
        ann.call?.audio.say(machineBeep(6_000));
        await world.until('the call is over', () => ann.call?.end !== undefined, 20_000);
      }
      const beep = { Event: 'MachineBeep', Machine: 'true' };
      assert.equal(asked(world, '/machine', beep)?.webhook?.name, 'machineDetected');
      assert.equal(asked(world, '/answer', { Machine: 'true' })?.webhook?.name, 'callAnswerDocument');
      const instead = { Machine: 'true', FallbackCode: '7011' };
      assert.equal(asked(world, '/answer', instead)?.webhook?.name, 'callFallbackDocument');
    }),
  );

  it(
    'of documents that cannot be fetched or run, and of sounds that cannot be played',
    witnessed(901, async (world) => {
      const ann = await world.phone('ann');
      world.customer.serve(`${base}/answer`, { status: 500 });
      world.customer.serve(
        `${base}/instead`,
        `<Response><Play>${base}/missing</Play><Record action="${base}/action" recordSession="true" redirect="false"/><Speak voice="Polly.Unknown">Hello.</Speak><Wait length="1"/></Response>`,
      );
      world.customer.serve(`${base}/missing`, { status: 404 });
      await callFrom(world, ann, { fallback_url: `${base}/instead`, hangup_url: `${base}/hangup` });
      await untilAsked(world, '/instead');
      await untilAsked(world, '/hangup', { Event: 'Hangup' });
      assert.equal(asked(world, '/instead')?.webhook?.name, 'callFallbackDocument');
    }),
  );

  it(
    'of a multiparty call, its participants and recordings',
    witnessed(902, async (world) => {
      const [ann, bob, carol] = [
        await world.phone('ann'),
        await world.phone('bob'),
        await world.phone('carol'),
      ];
      ann.behaviour = { does: 'answer', ringMs: 400 };
      world.customer.serve(`${base}/exit`, '<Response><Hangup/></Response>');
      const room = new SimulatedRoom(world);
      const about = {
        status_callback_url: `${base}/status`,
        status_callback_events: everyGroup,
        call_status_callback_url: `${base}/leg`,
        recording_callback_url: `${base}/recording`,
        record_participant_track: false,
        relay_dtmf_inputs: true,
        start_mpc_on_enter: false,
        stay_alone: true,
      };
      const agent = await room.add(ann, 'agent', about);
      await world.until('Ann is in', () => ann.call?.isUp, 10_000);
      const boss = await room.add(bob, 'supervisor', {
        ...about,
        start_mpc_on_enter: true,
        on_exit_action_url: `${base}/exit`,
      });
      await untilAsked(world, '/status', { EventName: 'MPCStart' });
      const customer = await room.add(carol, 'customer', { on_exit_action_url: `${base}/left` });
      await world.until('all are in', () => bob.call?.isUp && carol.call?.isUp, 10_000);
      await world.advance(3000);
      for (const mute of [true, false]) await room.change(agent.memberId, { mute });
      for (const hold of [true, false]) await room.change(agent.memberId, { hold });
      for (const coach_mode of [false, true]) await room.change(boss.memberId, { coach_mode });
      ann.call?.press('5');
      await untilAsked(world, '/status', { EventName: 'ParticipantDigitInput' });
      ann.call?.reinvite('recvonly');
      await untilAsked(world, '/status', { EventName: 'ParticipantSpeakStop' });
      ann.call?.reinvite('sendrecv');
      await world.advance(1000);
      const path = 'MultiPartyCall/name_room';
      const recordings = [
        [`${path}/Record`, 'MPCRecording'],
        [`${path}/Participant/${agent.memberId}/Record`, 'ParticipantRecording'],
      ] as const;
      for (const [at, of] of recordings) {
        const started = await world.api('POST', `${at}/`, { recording_callback_url: `${base}/recording` });
        assert.equal(started.status, 202, JSON.stringify(started.body));
        await world.advance(500);
        assert.equal((await world.api('POST', `${at}/Pause/`)).status, 204);
        await world.advance(500);
        assert.equal((await world.api('POST', `${at}/Resume/`)).status, 204);
        await world.advance(500);
        assert.equal((await world.api('DELETE', `${at}/`)).status, 204);
        await untilAsked(world, '/recording', { EventName: `${of}Completed` });
      }
      const spoken = await world.api('POST', `${path}/Member/all/Speak/`, {
        text: 'Hello.',
        callback_url: `${base}/spoken`,
      });
      assert.equal(spoken.status, 202, JSON.stringify(spoken.body));
      await untilAsked(world, '/spoken');
      await room.kick(boss.memberId);
      await untilAsked(world, '/exit');
      carol.hangUp();
      await untilAsked(world, '/left');
      assert.notEqual(customer.memberId, agent.memberId);
      await room.end();
      await untilAsked(world, '/status', { EventName: 'MPCEnd' });
      await untilAsked(world, '/leg', { Event: 'Hangup' });
      assert.equal(asked(world, '/exit')?.webhook?.name, 'exitAction');
      assert.equal(asked(world, '/left')?.webhook?.name, 'exitAction');
    }),
  );

  it(
    'of streams of calls, of multiparty calls and of agents',
    witnessed(903, async (world) => {
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      world.customer.serve(`${base}/answer`, '<Response><Wait length="100"/></Response>');
      const uuid = await callFrom(world, ann);
      await world.until('Ann is up', () => ann.call?.isUp, 10_000);
      const start = async (path: string, more: object = {}) => {
        const { status, body } = await world.api('POST', `${path}/Stream/`, {
          service_url: `wss://agent.example.com/${Math.round(world.now())}`,
          status_callback_url: `${base}/stream`,
          ...more,
        });
        assert.equal(status, 202, JSON.stringify(body));
        await untilAsked(world, '/stream', { StreamID: body.stream_id });
        return body.stream_id as string;
      };
      const nodes = world.cluster?.nodes ?? [world.node];
      const streamsOf = (stream: string) =>
        nodes.find(({ streams }) => streams.streams.has(stream))?.streams ?? assert.fail(stream);
      const first = await start(`Call/${uuid}`, { bidirectional: true, resumable: true });
      const notices = [
        { type: 'stream-played', stream: first, name: 'greeting' },
        { type: 'stream-cleared', stream: first },
        { type: 'stream-degraded', stream: first, direction: 'to-socket', droppedMs: 40, percentFull: 100 },
        { type: 'stream-refused-frame', stream: first, code: 'malformed-frame', sentence: 'it is no JSON' },
      ] as const;
      for (const notice of notices) {
        streamsOf(first).notify(notice);
        await world.advance(100);
      }
      for (let played = 0; played < 30; played++)
        streamsOf(first).notify({ type: 'stream-played', stream: first, name: 'x' });
      await world.advance(1000);
      streamsOf(first).lose(first, 1006);
      await untilAsked(world, '/stream', { Event: 'InterruptedStream' });
      await untilAsked(world, '/stream', { Event: 'ResumedStream' });
      assert.equal((await world.api('DELETE', `Call/${uuid}/Stream/${first}/`)).status, 204);
      await untilAsked(world, '/stream', { Event: 'StopStream' });
      const second = await start(`Call/${uuid}`, { stream_timeout: 60 });
      await world.until('its timeout', () => nodes.some(({ streams }) => streams.closed.has(second)), 70_000);
      const third = await start(`Call/${uuid}`);
      streamsOf(third).lose(third, 1011);
      await untilAsked(world, '/stream', { Event: 'DroppedStream' });
      const room = new SimulatedRoom(world);
      await room.gather([bob], 'customer', { stay_alone: true });
      await start('MultiPartyCall/name_room');
      const agent = await world.api('POST', 'MultiPartyCall/name_room/Participant/', {
        role: 'ai-agent',
        ai_agent_stream_service_url: 'wss://agent.example.com/ai',
        ai_agent_stream_status_callback_url: `${base}/agent`,
      });
      assert.equal(agent.status, 201, JSON.stringify(agent.body));
      await untilAsked(world, '/agent', { Event: 'StartStream' });
      await room.end();
      ann.hangUp();
      await untilAsked(world, '/agent', { Event: 'StopStream' });
      const documented = streamUpgrade.headers.flatMap(({ name }) => [
        `X-Service-${name}`,
        `X-Plivo-${name}`,
      ]);
      for (const { targets } of nodes.flatMap(({ streams }) => [...streams.streams.values()])) {
        for (const { headers } of targets) {
          const sent = Object.keys(headers).filter((name) => name.startsWith('X-'));
          assert.deepEqual(sent.sort(), documented.toSorted());
        }
      }
    }),
  );

  it(
    'of verifications, registrations, trunks, deliveries and subaccounts',
    witnessed(904, async (world) => {
      const ann = await world.phone('ann');
      ann.register(0);
      world.customer.serve(`${base}/verify`, () =>
        world.customer.requests.length > 1 ? '' : { status: 503 },
      );
      const verify = async (recipient: string, more: object = {}) => {
        const { status, body } = await world.api('POST', 'Verify/Session/', { recipient, ...more });
        assert.equal(status, 202, JSON.stringify(body));
        return body.session_uuid as string;
      };
      for (const last of ['9901', '9902']) await verify(`+1415555${last}`, { url: `${base}/verify` });
      const session = await verify('+14155552671', { url: `${base}/verify` });
      await world.advance(1000);
      const inbox = await world.api('GET', 'Sandbox/Message/?to=%2B14155552671');
      const otp = /[0-9]{4,8}/.exec(inbox.body.objects[0].text)?.[0];
      assert.equal((await world.api('POST', `Verify/Session/${session}/`, { otp })).status, 200);
      await untilAsked(world, '/verify', { SessionStatus: 'verified' });
      world.customer.serve(`${base}/refusing`, { status: 404 });
      await callFrom(world, ann, { hangup_url: `${base}/refusing` });
      await untilAsked(world, '/refusing');
      const credential = await world.api('POST', 'SipTrunk/Credential/', {
        username: 'pbx',
        password: 'secret-of-pbx',
      });
      const trunk = await world.api('POST', 'SipTrunk/Trunk/', {
        name: 'pbx',
        trunk_direction: 'outbound',
        credential_uuid: credential.body.credential_uuid,
      });
      assert.equal(trunk.status, 201, JSON.stringify(trunk.body));
      const uuid = credential.body.credential_uuid;
      assert.equal((await world.api('DELETE', `SipTrunk/Credential/${uuid}/`)).status, 204);
      assert.equal((await world.api('DELETE', `SipTrunk/Trunk/${trunk.body.trunk_id}/`)).status, 204);
      const part = async (name: string, id: string, body: object) =>
        (await world.api('POST', `SipTrunk/${name}/`, body)).body[id] as string;
      const list = await part('IPAccessControlList', 'ipacl_uuid', { ip_addresses: ['192.0.2.1'] });
      const primary = await part('URI', 'uri_uuid', { uri: '192.0.2.1' });
      const fallback = await part('URI', 'uri_uuid', { uri: '192.0.2.2' });
      await part('Trunk', 'trunk_id', { trunk_direction: 'outbound', ipacl_uuid: list });
      const way = { primary_uri_uuid: primary, fallback_uri_uuid: fallback };
      await part('Trunk', 'trunk_id', { trunk_direction: 'inbound', ...way });
      for (const gone of [`IPAccessControlList/${list}`, `URI/${primary}`, `URI/${fallback}`]) {
        assert.equal((await world.api('DELETE', `SipTrunk/${gone}/`)).status, 204);
      }
      const sub = (await world.api('POST', 'Subaccount/', { name: 'shop', enabled: true })).body.auth_id;
      for (const enabled of [false, true]) {
        const changed = await world.api('POST', `Subaccount/${sub}/`, { name: 'shop', enabled });
        assert.equal(changed.status, 202, JSON.stringify(changed.body));
      }
      await world.advance(11 * 60_000);
    }),
  );
});

/**
 * Types that need a carrier, a scanner, a failing disk or a voice call, and the test that brings each about in a world of its
 * feature. The outboxes of those worlds refuse what the contract does not describe (`assertDocumentedEvents`, `documentedOutbox`).
 */
const features = 'packages/platform/src/features';
const judgedIn: ReadonlyMap<string, string> = new Map([
  ['call.quality', `${features}/call-quality/create-call-quality.test.ts`],
  ['carrier.call-passed-over', `${features}/carriers/create-carriers.test.ts`],
  ['carrier.reachable', `${features}/carriers/create-carriers.test.ts`],
  ['carrier.registered', `${features}/carriers/create-carriers.test.ts`],
  ['carrier.unreachable', `${features}/carriers/create-carriers.test.ts`],
  ['carrier.unregistered', `${features}/carriers/create-carriers.test.ts`],
  ['endpoint.login-failed', `${features}/live-events/reports/login-reports.test.ts`],
  ['recording.transcript-failed', `${features}/recordings/transcripts/transcripts.test.ts`],
  ['recording.failed', `${features}/recordings/create-recordings.test.ts`],
  ['sound.broken-off', `${features}/sounds/create-sounds.test.ts`],
  ['sound.warning', `${features}/sounds/sources/sound-files.test.ts`],
  ['source.banned', `${features}/live-events/reports/ban-reports.test.ts`],
  ['trunk.call-refused', 'conformance/simulated/trunks.test.ts'],
  ['trunk.uri-failed', 'conformance/simulated/trunks.test.ts'],
  ['verify.blocked', `${features}/verify/limits.test.ts`],
  ['verify.completed', `${features}/verify/delivery/voice.test.ts`],
  ['verify.in-progress', `${features}/verify/delivery/voice.test.ts`],
  ['verify.no-answer', `${features}/verify/delivery/voice.test.ts`],
  ['verify.refused', `${features}/verify/limits.test.ts`],
]);

describe('what the contract says is what the platform sends', () => {
  /** Types that no simulated world causes. */
  const elsewhere: readonly string[] = [
    'streamAudio MPCUUID',
    'streamAudio MPCName',
    'streamAudio MemberID',
    'streamConnection MPCUUID',
    'streamConnection MPCName',
    'streamConnection MemberID',
    'recordAction RecordingError',
    'recordAction RecordingErrorCode',
    'recordCallback RecordingError',
    'transcript MPCUUID',
    'transcript ErrorCode',
    'recordCallback RecordingErrorCode',
    'multipartyCallRecording RecordingError',
    'multipartyCallRecording RecordingErrorCode',
    'multipartyCallRecording EventName=MPCRecordingFailed',
    'participantRecording RecordingError',
    'participantRecording RecordingErrorCode',
    'participantRecording EventName=ParticipantRecordingFailed',
  ];

  for (const { name, fields } of webhooks) {
    it(`${name}: every field and every kind`, () => {
      const found = seen.get(name);
      assert.ok(found !== undefined, 'it was never sent');
      const promised = Object.entries(fields.properties).flatMap(([field, schema]) => {
        const { enum: values } = schema as { enum?: readonly string[] };
        const says = /^(Event|EventName|DialAction)$/.test(field) && values !== undefined;
        return says ? values.map((value) => `${field}=${value}`) : [field];
      });
      const missing = promised.filter((each) => !found.has(each) && !elsewhere.includes(`${name} ${each}`));
      assert.deepEqual(missing, []);
    });
  }

  it('every type of the event stream', () => {
    const unseen = eventStreamTypes.map(({ type }) => type).filter((type) => !seenTypes.has(type));
    assert.deepEqual(
      unseen.filter((type) => !judgedIn.has(type)),
      [],
    );
  });

  it('every type that no world above brings about: in a test whose events are held against the contract', () => {
    for (const [type, file] of judgedIn) {
      assert.ok(
        eventStreamTypes.some((each) => each.type === type),
        type,
      );
      const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
      // A status of a verification stands there without its family.
      assert.ok(
        text.includes(`'${type}'`) || text.includes(`'${type.replace('verify.', '')}'`),
        `${file}: ${type}`,
      );
    }
  });
});
