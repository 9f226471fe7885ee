import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { BaresipPhone } from './support/baresip-phone.ts';
import { CallbackReceiver, type Received, wrongSignatures } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { heardTone, heardToneDb, lengthOf, readWav, toneLevelDb } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { Sipp } from './support/sipp.ts';
import { writeSpeech } from './support/speech-pcap.ts';

const skip = missing('baresip', 'sipp', 'sox');
const password = 'secret-of-a-phone';
const audible = -25;
const inaudible = -60;

/** RTP of a phone's key (RFC 4733), from the captures of sipp. */
function keyCapture(key: string): string {
  return `/usr/share/sip-tester/dtmf_2833_${key}.pcap`;
}

/** Calls whose documents come from a customer's server: foreign phones, and what they hear, press and say. */
describe('a customer’s documents', { skip, timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let server: CallbackReceiver;
  let directory: string;
  let applications = 0;
  const phones: BaresipPhone[] = [];
  const running: Sipp[] = [];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'documents-'));
    platform = await PlatformProcess.start();
    server = await CallbackReceiver.start();
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
    await Promise.all(phones.splice(0).map((phone) => phone.stop()));
    await Promise.all(running.splice(0).map((sipp) => sipp.stop()));
  });

  /** An application with the document at this path, and with `/hangup` as its hangup URL. */
  async function application(path: string): Promise<string> {
    const { status, body } = await platform.api('POST', 'Application/', {
      app_name: `documents-${applications++}`,
      answer_url: `http://127.0.0.1:${server.port}${path}`,
      hangup_url: `http://127.0.0.1:${server.port}/hangup`,
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body.app_id;
  }

  async function endpoint(name: string, applicationId?: string) {
    const created = await platform.createEndpoint(name, password);
    if (applicationId !== undefined) {
      const { status } = await platform.api('POST', `Endpoint/${created.endpointId}/`, {
        app_id: applicationId,
      });
      assert.equal(status, 202);
    }
    return created;
  }

  /** A phone that calls, presses this key, speaks a tone of 1000 Hz for this time, and presses #. */
  async function talkToProgram(user: string, key: string, seconds: number): Promise<Sipp> {
    const speech = join(directory, `speech-${seconds}.pcap`);
    await writeSpeech(speech, 1000, seconds);
    const keys = { callee: '+12025551234', speech, choice: keyCapture(key), pound: keyCapture('pound') };
    const scenario = 'talk-to-program';
    const sipp = await Sipp.start({ remote: platform.sipAddress, scenario, user, password, keys });
    running.push(sipp);
    return sipp;
  }

  async function phone(username: string, toneHz: number): Promise<BaresipPhone> {
    const started = await BaresipPhone.start({ registrar: platform.sipAddress, username, password, toneHz });
    phones.push(started);
    await started.registered();
    return started;
  }

  const hangupOf = (callUuid: string) =>
    server.received.until(
      `the end of ${callUuid}`,
      ({ target, fields }) => target === '/hangup' && fields.get('CallUUID') === callUuid,
    );

  const signedRight = (received: Received) =>
    assert.deepEqual(wrongSignatures(received, 'X-Service-', platform.authToken), []);

  it('an endpoint’s call is bridged by its application’s document to another endpoint, and each hears the other', async () => {
    const bob = await endpoint('bob');
    server.serve('/to-bob', ({ fields }) => {
      assert.equal(fields.get('Event'), 'StartApp');
      return `<Response><Dial action="http://127.0.0.1:${server.port}/dialled"><User>sip:${bob.username}@sip.localhost</User></Dial></Response>`;
    });
    server.serve('/dialled', '<Response><Hangup/></Response>');
    const alice = await endpoint('alice', await application('/to-bob'));
    const [bobPhone, alicePhone] = [await phone(bob.username, 700), await phone(alice.username, 440)];

    alicePhone.dial(`sip:+12025551234@${platform.sipAddress}`);
    const asked = await server.asked('/to-bob');
    signedRight(asked);
    assert.equal(asked.fields.get('From'), alice.username);
    assert.equal(asked.fields.get('To'), '+12025551234');
    assert.equal(asked.fields.get('Direction'), 'inbound');
    await Promise.all([alicePhone.established(), bobPhone.established()]);
    const [aliceHeard] = await Promise.all([heardTone(alicePhone, 700, 1.5), heardTone(bobPhone, 440, 1.5)]);
    bobPhone.hangUp();
    const dialled = await server.asked('/dialled');
    assert.equal(dialled.fields.get('DialStatus'), 'completed');
    await Promise.all([alicePhone.closed(), bobPhone.closed()]);

    const lastSecond = lengthOf(aliceHeard) - 1;
    assert.ok(toneLevelDb(aliceHeard, 440, lastSecond) < inaudible, 'Alice does not hear herself');
    const callUuid = asked.fields.get('CallUUID') ?? '';
    const ended = await hangupOf(callUuid);
    signedRight(ended);
    assert.equal(ended.fields.get('CallStatus'), 'completed');
    assert.equal(ended.fields.get('HangupSource'), 'Answer XML');
    const { body: record } = await platform.api('GET', `Call/${callUuid}/`);
    assert.equal(record.hangup_cause_code, 4000);
    assert.equal(record.from_number, alice.username);
  });

  it('sipp chooses by a digit of RFC 4733, is recorded until it presses #, and is bridged to a second phone', async () => {
    const second = await endpoint('second');
    const secondPhone = await phone(second.username, 700);
    const base = `http://127.0.0.1:${server.port}`;
    server.serve(
      '/menu',
      `<Response><GetDigits action="${base}/chosen" numDigits="1" timeout="10"><Speak>Press one or two.</Speak></GetDigits></Response>`,
    );
    server.serve('/chosen', ({ fields }) =>
      fields.get('Digits') === '2'
        ? `<Response><Record action="${base}/recorded" fileFormat="wav" maxLength="20" finishOnKey="#"/></Response>`
        : '<Response><Hangup reason="rejected"/></Response>',
    );
    server.serve(
      '/recorded',
      `<Response><Dial timeLimit="3"><User>sip:${second.username}@sip.localhost</User></Dial></Response>`,
    );
    const caller = await endpoint('sipp', await application('/menu'));
    const sipp = await talkToProgram(caller.username, '2', 2);
    const chosen = await server.asked('/chosen');
    assert.equal(chosen.fields.get('Digits'), '2');
    const recorded = await server.asked('/recorded');
    signedRight(recorded);
    assert.equal(recorded.fields.get('Digits'), '#');
    const from = secondPhone.events.all.length;
    await secondPhone.closed(from);
    assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });

    const file = join(directory, 'recorded.wav');
    await writeFile(file, await platform.download(recorded.fields.get('RecordUrl') ?? ''));
    const { stdout, stderr } = spawnSync('sox', [file, '-n', 'stat'], { encoding: 'utf8' });
    assert.match(stdout + stderr, /Length \(seconds\): +[2-9]\./, 'sox plays it');
    const sound = await readWav(left(file));
    assert.ok(Math.max(...eachSecond(sound, 1000)) > audible, 'it holds what sipp said');
    const heard = await readWav(await secondPhone.heard());
    assert.ok(Math.max(...eachSecond(heard, 1000)) > audible, 'the second phone hears sipp');
    const ended = await hangupOf(recorded.fields.get('CallUUID') ?? '');
    assert.equal(ended.fields.get('HangupCauseCode'), '4010');
  });

  it('a menu’s other digit takes its other branch, and the caller is hung up on', async () => {
    server.serve(
      '/gate',
      `<Response><GetDigits action="http://127.0.0.1:${server.port}/gated" numDigits="1" validDigits="12" timeout="10"/></Response>`,
    );
    server.serve('/gated', ({ fields }) =>
      fields.get('Digits') === '1'
        ? '<Response><Hangup/></Response>'
        : '<Response><Wait length="60"/></Response>',
    );
    const caller = await endpoint('gated', await application('/gate'));
    await talkToProgram(caller.username, '1', 1);
    const asked = await server.asked('/gated');
    assert.equal(asked.fields.get('Digits'), '1');
    const ended = await hangupOf(asked.fields.get('CallUUID') ?? '');
    assert.equal(ended.fields.get('HangupSource'), 'Answer XML');
  });

  it('a document that cannot be read ends the call with its cause, and an event says why', async () => {
    server.serve('/broken', '<Response><Speak>never closed</Response>');
    const caller = await endpoint('broken', await application('/broken'));
    const caller1 = await phone(caller.username, 440);
    caller1.dial(`sip:+12025551234@${platform.sipAddress}`);
    const asked = await server.asked('/broken');
    const callUuid = asked.fields.get('CallUUID') ?? '';
    const ended = await hangupOf(callUuid);
    assert.equal(ended.fields.get('HangupCauseCode'), '8011');
    await caller1.closed();
    const answer = await platform.until(
      'the reason in the event stream',
      'Event/?type=call.document-failed',
      (body) =>
        body.objects?.some((event: { data: { CallUUID?: string } }) => event.data.CallUUID === callUuid),
    );
    assert.match(JSON.stringify(answer.objects), /line 1/);
  });

  it('the API makes a call that plays a customer’s MP3, is played to, recorded, transferred and hung up', async () => {
    const base = `http://127.0.0.1:${server.port}`;
    const wav = join(directory, 'tone.wav');
    spawnSync('sox', ['-n', '-r', '16000', '-c', '2', wav, 'synth', '3', 'sine', '1500', 'gain', '-6']);
    const { readFile } = await import('node:fs/promises');
    const bytes = await readFile(wav);
    server.serve('/tone.wav', { type: 'audio/wav', body: bytes });
    server.serve(
      '/play',
      `<Response><Play>${base}/tone.wav</Play><Wait length="60" silence="true"/></Response>`,
    );
    server.serve('/other', '<Response><DTMF>12</DTMF><Wait length="60" silence="true"/></Response>');
    const callee = await endpoint('callee');
    const calleePhone = await phone(callee.username, 440);
    const made = await platform.api('POST', 'Call/', {
      from: '+12025550000',
      to: callee.username,
      answer_url: `${base}/play`,
      ring_url: `${base}/ring`,
      hangup_url: `${base}/hangup`,
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.equal(made.body.message, 'call fired');
    const callUuid = made.body.request_uuid as string;
    await calleePhone.established();
    await server.asked('/play');
    await platform.until(
      'the answered call',
      `Call/${callUuid}/?status=live`,
      ({ call_status }) => call_status === 'in-progress',
    );
    const recording = await platform.api('POST', `Call/${callUuid}/Record/`, {
      file_format: 'mp3',
      time_limit: 30,
    });
    assert.equal(recording.status, 202, JSON.stringify(recording.body));
    await seconds(4);
    assert.equal(
      (await platform.api('POST', `Call/${callUuid}/Speak/`, { text: 'Hello there' })).status,
      202,
    );
    assert.equal((await platform.api('DELETE', `Call/${callUuid}/Record/`)).status, 204);
    const transferred = await platform.api('POST', `Call/${callUuid}/`, {
      legs: 'aleg',
      aleg_url: `${base}/other`,
    });
    assert.equal(transferred.status, 202, JSON.stringify(transferred.body));
    await server.asked('/other');
    assert.equal((await platform.api('DELETE', `Call/${callUuid}/`)).status, 204);
    await calleePhone.closed();
    const heard = await readWav(await calleePhone.heard());
    assert.ok(Math.max(...eachSecond(heard, 1500)) > audible, 'the customer’s file is heard');
    const ended = await hangupOf(callUuid);
    assert.equal(ended.fields.get('HangupSource'), 'API Request');
    await server.received.until(
      'the report of the ring',
      ({ target, fields }) => target === '/ring' && fields.get('CallUUID') === callUuid,
    );
    const done = await platform.until(
      'the end of the recording',
      `Recording/${recording.body.recording_id}/`,
      (body) => Number(body.recording_duration_ms) > 2000,
    );
    const file = join(directory, 'recorded.mp3');
    await writeFile(file, await platform.download(done.recording_url));
    assert.ok(
      Math.max(...eachSecond(await readWav(left(file)), 440)) > audible,
      'what the callee said is on it',
    );
  });
});

/** The left channel, which has what the phone said; read by sox, which also decodes MP3. */
function left(file: string): string {
  const channel = `${file}.left.wav`;
  const { status, stderr } = spawnSync('sox', [file, channel, 'remix', '1'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return channel;
}

function eachSecond(sound: Awaited<ReturnType<typeof readWav>>, frequencyHz: number): number[] {
  const whole = Math.floor(lengthOf(sound));
  return Array.from({ length: whole }, (_, at) => heardToneDb(sound, frequencyHz, at, at + 1));
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1000));
}
