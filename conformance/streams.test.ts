import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { BaresipPhone } from './support/baresip-phone.ts';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { heardToneDb, lengthOf, loudestToneDb, readWav, toneLevelDb } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { isSigned, type StreamHappening, StreamServer } from './support/stream-server.ts';

const skip = missing('python3', 'baresip', 'sox');
const password = 'secret-of-a-phone';
/** A sandbox phone that answers and plays 1 kHz. */
const tonePhone = '+12025550109';
const audible = -25;
const inaudible = -60;

/** The real server, a WebSocket server in another language, foreign phones. */
describe('audio streams', { skip, timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let customer: CallbackReceiver;
  let sockets: StreamServer;
  const phones: BaresipPhone[] = [];

  before(async () => {
    platform = await PlatformProcess.start();
    customer = await CallbackReceiver.start();
    sockets = await StreamServer.start();
  });

  afterEach(async () => {
    // Leftovers of a failed test must not fail the next.
    await platform.api('DELETE', 'Call/');
    await Promise.all(phones.splice(0).map((phone) => phone.stop()));
    await platform.untilQuiet();
  });

  after(() =>
    cleanUp(
      () => sockets.stop(),
      () => customer.stop(),
      () => platform.stop(),
    ),
  );

  /** A call to this destination on which a document runs; resolves with its UUID when it is up. */
  async function call(to: string, ...elements: readonly string[]): Promise<string> {
    const path = `/answer-${customer.received.all.length}`;
    const answer_url = customer.serve(path, `<Response>${elements.join('')}</Response>`);
    const { status, body } = await platform.api('POST', 'Call/', {
      from: '+12025550000',
      to,
      answer_url,
      hangup_url: `http://127.0.0.1:${customer.port}/hangup`,
    });
    assert.equal(status, 201, JSON.stringify(body));
    await customer.asked(path);
    return body.request_uuid;
  }

  const waiting = '<Wait length="60" silence="true"/>';

  async function start(callUuid: string, path: string, fields: object = {}) {
    const from = sockets.happened.all.length;
    const { status, body } = await platform.api('POST', `Call/${callUuid}/Stream/`, {
      service_url: sockets.url(path),
      status_callback_url: `http://127.0.0.1:${customer.port}/streamed`,
      ...fields,
    });
    assert.equal(status, 202, JSON.stringify(body));
    return { stream: body.stream_id as string, connection: await sockets.connected(path, from) };
  }

  /** A callback of a stream, by its name. */
  const callbackOf = (stream: string, event: string) =>
    customer.received.until(
      `${event} of ${stream}`,
      ({ fields }) => fields.get('StreamID') === stream && fields.get('Event') === event,
    );

  const callbacksOf = (stream: string) =>
    customer.received.all.flatMap(({ fields }) =>
      fields.get('StreamID') === stream ? [fields.get('Event')] : [],
    );

  /** Waits until the last second of a track is this tone; resolves with the number of frames so far, `least` or more. */
  async function carriesTone(connection: number, hz: number, least = 50, track = 'inbound'): Promise<number> {
    // A loaded machine starts the audio of a phone late; 20 s are enough for any.
    for (let frames = least; frames < least + 1000; frames += 10) {
      await sockets.heard(connection, frames);
      const sound = sockets.sound(connection, track);
      const end = lengthOf(sound);
      if (heardToneDb(sound, hz, Math.max(0, end - 1), end) > audible) return frames;
    }
    return assert.fail(`the program never heard ${hz} Hz`);
  }

  /** Stalls of the media thread so far. */
  const stalls = async () =>
    (await platform.metrics('jackfield_media_stalls_total')).jackfield_media_stalls_total ?? Number.NaN;

  const hangUp = async (callUuid: string) =>
    assert.equal((await platform.api('DELETE', `Call/${callUuid}/`)).status, 204);

  async function bob(toneHz: number): Promise<{ readonly phone: BaresipPhone; readonly username: string }> {
    const { username } = await platform.createEndpoint('bob', password);
    const phone = await BaresipPhone.start({ registrar: platform.sipAddress, username, password, toneHz });
    phones.push(phone);
    await phone.registered();
    return { phone, username };
  }

  for (const content_type of [
    'audio/x-l16;rate=8000',
    'audio/x-l16;rate=16000',
    'audio/x-l16;rate=24000',
    'audio/x-mulaw;rate=8000',
  ]) {
    it(`carry the phone's tone as ${content_type}, start first, numbered, 20 ms a frame`, async () => {
      const before = await stalls();
      const callUuid = await call(tonePhone, waiting);
      const path = `/tone?type=${content_type.length}&rate=${content_type.slice(-5)}`;
      const { stream, connection } = await start(callUuid, path, { content_type, extra_headers: 'a=1,b=2' });
      await carriesTone(connection, 1000, 60);
      assert.equal((await platform.api('DELETE', `Call/${callUuid}/Stream/${stream}/`)).status, 204);
      assert.equal(await sockets.closed(connection), 1000);
      const [first, ...frames] = sockets.frames(connection);
      const [encoding, rate] = content_type.split(';rate=');
      assert.deepEqual(first, {
        event: 'start',
        sequenceNumber: 1,
        start: {
          callId: callUuid,
          streamId: stream,
          accountId: platform.authId,
          tracks: ['inbound'],
          mediaFormat: { encoding, sampleRate: Number(rate) },
        },
        extra_headers: 'a=1;b=2',
      });
      assert.deepEqual(
        frames.map(({ sequenceNumber }) => sequenceNumber),
        frames.map((_, at) => at + 2),
      );
      assert.equal(frames.at(-1).event, 'stop');
      assert.equal(frames.at(-1).stop.reason, 'API request');
      const media = frames.filter(({ event }) => event === 'media').map((frame) => frame.media);
      assert.deepEqual(
        media.map(({ chunk }) => chunk),
        media.map((_, at) => at + 1),
      );
      const times = media.map(({ timestamp }) => Number(timestamp));
      const steps = times.slice(1).map((time, at) => time - times[at]!);
      // A machine that gives the media thread no time for 200 ms makes the clock jump over what was not sent.
      const jumps = steps.filter((step) => step !== 20);
      assert.ok(jumps.length <= (await stalls()) - before && jumps.every((step) => step > 200), `${jumps}`);
      assert.ok(loudestToneDb(sockets.sound(connection, 'inbound'), 1000, 0.7) > audible);
      await callbackOf(stream, 'StopStream');
      assert.deepEqual(callbacksOf(stream), ['StartStream', 'StopStream']);
      const record = `Call/${callUuid}/Stream/${stream}/`;
      // They come when the socket is gone, after the callback of the end.
      const body = await platform.until('the statistics', record, ({ statistics }) => Boolean(statistics));
      assert.deepEqual([body.status, body.status_reason], ['completed', 'API request']);
      assert.ok(body.statistics.frames_sent >= 60);
      await hangUp(callUuid);
    });
  }

  it('are asked for with signatures that the SDKs of the hosted service accept', async () => {
    const callUuid = await call(tonePhone, waiting);
    await start(callUuid, '/signed?b=2&a=1');
    const { headers = {} } = await sockets.happened.until(
      'the upgrade',
      ({ path }) => path === '/signed?b=2&a=1',
    );
    for (const prefix of ['X-Service-', 'X-Plivo-']) {
      for (const scheme of ['ws', 'http', 'https', 'wss']) {
        const url = `${scheme}://${headers.host}/signed?a=1&b=2`;
        assert.ok(isSigned(headers, prefix, url, platform.authToken), `${prefix} ${url}`);
      }
    }
    assert.ok(!isSigned(headers, 'X-Plivo-', `http://${headers.host}/other`, platform.authToken));
    await hangUp(callUuid);
  });

  it('play back what a program says: an echo, a checkpoint when it was heard, silence after clearAudio', async () => {
    const { phone, username } = await bob(440);
    const callUuid = await call(username, waiting);
    const { stream, connection } = await start(callUuid, '/echo?rate=8000', { bidirectional: true });
    const frames = await carriesTone(connection, 440);
    // The echo of what has come is played meanwhile.
    await sockets.heard(connection, frames + 50);
    sockets.say(connection, { event: 'checkpoint', streamId: stream, name: 'echoed' });
    assert.equal((await sockets.frame(connection, 'playedStream')).name, 'echoed');
    assert.equal((await callbackOf(stream, 'PlayedStream')).fields.get('Name'), 'echoed');
    await hangUp(callUuid);
    assert.equal(await sockets.closed(connection), 1000);
    assert.equal((await callbackOf(stream, 'StopStream')).fields.get('StatusReason'), 'Call hangup');
    await phone.closed();
    assert.ok(loudestToneDb(await readWav(await phone.heard()), 440, 0.8) > audible, 'bob hears himself');
  });

  it('are barged into: what waits to be played is gone, pending checkpoints with it', async () => {
    const { phone, username } = await bob(440);
    const callUuid = await call(username, waiting);
    const { stream, connection } = await start(callUuid, '/barge', { bidirectional: true });
    await sockets.heard(connection, 10);
    const samples = Int16Array.from(
      { length: 24_000 },
      (_, at) => 12_000 * Math.sin((2 * Math.PI * 1500 * at) / 24_000),
    );
    for (let second = 0; second < 4; second++) {
      for (let part = 0; part < 4; part++) {
        const piece = Buffer.from(samples.buffer, part * 12_000, 12_000).toString('base64');
        const media = { contentType: 'audio/x-l16', sampleRate: '24000', payload: piece };
        sockets.say(connection, { event: 'playAudio', media });
      }
    }
    sockets.say(connection, { event: 'checkpoint', streamId: stream, name: 'never' });
    await sockets.heard(connection, 60);
    sockets.say(connection, { event: 'clearAudio', streamId: stream });
    await sockets.frame(connection, 'clearedAudio');
    await callbackOf(stream, 'ClearedAudio');
    await sockets.heard(connection, 110);
    sockets.say(connection, { event: 'checkpoint', streamId: stream, name: 'after' });
    assert.equal((await sockets.frame(connection, 'playedStream')).name, 'after');
    await hangUp(callUuid);
    await phone.closed();
    const heard = await readWav(await phone.heard());
    const loud = Array.from({ length: Math.floor(lengthOf(heard) / 0.1) }, (_, at) =>
      toneLevelDb(heard, 1500, at * 0.1, at * 0.1 + 0.1),
    ).filter((level) => level > audible).length;
    // From the tenth frame to the clearing at the most: a busy machine asks late for it.
    const frames = sockets.frames(connection).map(({ event }) => event as string);
    const played = frames
      .slice(0, frames.indexOf('clearedAudio'))
      .filter((event) => event === 'media').length;
    const mostMs = 20 * (played - 10) + 800;
    assert.ok(
      loud >= 5 && loud * 100 <= mostMs,
      `the tone was heard for ${loud * 100} ms, not for its four seconds or ${mostMs} ms`,
    );
  });

  it('end a Stream that keeps its call alive when the program closes, and the next element runs', async () => {
    const path = '/kept';
    const from = sockets.happened.all.length;
    const callUuid = await call(
      tonePhone,
      `<Stream keepCallAlive="true" statusCallbackUrl="http://127.0.0.1:${customer.port}/streamed">${sockets.url(path)}</Stream>`,
      `<Redirect>http://127.0.0.1:${customer.port}/after</Redirect>`,
    );
    customer.serve('/after', `<Response>${waiting}</Response>`);
    const connection = await sockets.connected(path, from);
    await sockets.heard(connection, 10);
    sockets.close(connection, 1000);
    await customer.asked('/after');
    const stream = sockets.frames(connection)[0].start.streamId;
    const stopped = await callbackOf(stream, 'StopStream');
    assert.equal(stopped.fields.get('StatusReason'), 'Closed by the application');
    await hangUp(callUuid);
  });

  for (const [what, end] of [
    ['closes with 1011', (connection: number) => sockets.close(connection, 1011)],
    ['cuts the line', (connection: number) => sockets.cut(connection)],
  ] as const) {
    it(`are dropped when the program ${what}; the call goes on`, async () => {
      const callUuid = await call(tonePhone, waiting);
      const { stream, connection } = await start(callUuid, `/lost?${what.length}`);
      await sockets.heard(connection, 5);
      end(connection);
      const dropped = await callbackOf(stream, 'DroppedStream');
      assert.equal(dropped.fields.get('StatusReason'), 'Connection error');
      assert.notEqual(dropped.fields.get('Error') ?? '', '');
      const live = await platform.api('GET', `Call/${callUuid}/?status=live`);
      assert.equal(live.body.call_status, 'in-progress');
      await hangUp(callUuid);
    });
  }

  it('are tried three times, then reported as dropped with the reason', async () => {
    const callUuid = await call(tonePhone, waiting);
    const { body } = await platform.api('POST', `Call/${callUuid}/Stream/`, {
      service_url: sockets.url('/refuse'),
      status_callback_url: `http://127.0.0.1:${customer.port}/streamed`,
    });
    const dropped = await callbackOf(body.stream_id, 'DroppedStream');
    assert.match(dropped.fields.get('Error') ?? '', /403/);
    const isAttempt = ({ type, path }: StreamHappening) => type === 'asked' && path === '/refuse';
    let attempts = 0;
    await sockets.happened.until('the third attempt', (each) => isAttempt(each) && ++attempts === 3);
    assert.equal(sockets.happened.all.filter(isAttempt).length, 3);
    await hangUp(callUuid);
  });

  it('that are resumable are connected again, lose nothing of what was said, and the caller hears on', async () => {
    const callUuid = await call(tonePhone, waiting);
    const { stream, connection } = await start(callUuid, '/again', { resumable: true, bidirectional: true });
    await sockets.heard(connection, 25);
    const from = sockets.happened.all.length;
    sockets.cut(connection);
    const again = await sockets.connected('/again', from);
    await sockets.heard(again, 50);
    const [started] = sockets.frames(again);
    assert.equal(started.event, 'start');
    assert.equal(started.start.resumed, true);
    await callbackOf(stream, 'ResumedStream');
    await hangUp(callUuid);
    await callbackOf(stream, 'StopStream');
    assert.deepEqual(callbacksOf(stream), [
      'StartStream',
      'InterruptedStream',
      'ResumedStream',
      'StopStream',
    ]);
    const chunks = [connection, again].flatMap((each) =>
      sockets.frames(each).flatMap(({ event, media }) => (event === 'media' ? [media.chunk] : [])),
    );
    assert.ok(new Set(chunks).size >= chunks.length - 5 && chunks.length >= 75);
  });

  const room = 'MultiPartyCall/name_streamed/';

  async function join(fields: object) {
    const { status, body } = await platform.api('POST', `${room}Participant/`, {
      from: '+12025550000',
      role: 'customer',
      enter_sound: 'none',
      exit_sound: 'none',
      stay_alone: true,
      ...fields,
    });
    assert.equal(status, 201, JSON.stringify(body));
    const callUuid: string = body.calls[0].call_uuid;
    const { objects } = (await platform.api('GET', `${room}Participant/?call_uuid=${callUuid}`)).body;
    const path = `${room}Participant/${objects[0].member_id}/`;
    await platform.until('the participant is in', path, ({ join_time }) => typeof join_time === 'string');
    return { callUuid, member: objects[0].member_id as string };
  }

  it('of a multiparty call have a track for each participant with its voice alone, and whisper to the roles they name', async () => {
    const { phone, username } = await bob(440);
    const from = sockets.happened.all.length;
    const [tone, other] = [await join({ to: tonePhone }), await join({ to: username, role: 'agent' })];
    const { status, body } = await platform.api('POST', `${room}Stream/`, {
      service_url: sockets.url('/room'),
      bidirectional: true,
      speak_to: 'agent',
    });
    assert.equal(status, 202, JSON.stringify(body));
    const connection = await sockets.connected('/room', from);
    const samples = Int16Array.from(
      { length: 8000 },
      (_, at) => 8000 * Math.sin((2 * Math.PI * 2000 * at) / 8000),
    );
    const payload = Buffer.from(samples.buffer).toString('base64');
    sockets.say(connection, {
      event: 'playAudio',
      media: { contentType: 'audio/x-l16', sampleRate: 8000, payload },
    });
    sockets.say(connection, { event: 'checkpoint', name: 'whispered' });
    await sockets.frame(connection, 'playedStream');
    await carriesTone(connection, 1000, 100, tone.member);
    await carriesTone(connection, 440, 100, other.member);
    assert.deepEqual(sockets.frames(connection)[0].start.tracks, [tone.member, other.member]);
    assert.equal((await platform.api('DELETE', room)).status, 204);
    await sockets.closed(connection);
    const level = (track: string, hz: number) => loudestToneDb(sockets.sound(connection, track), hz, 0.9);
    assert.ok(level(tone.member, 1000) > audible && level(tone.member, 440) < inaudible);
    assert.ok(level(other.member, 440) > audible && level(other.member, 1000) < inaudible);
    await phone.closed();
    const heard = await readWav(await phone.heard());
    const seconds = lengthOf(heard);
    const loudest = Math.max(
      ...Array.from({ length: Math.floor(seconds * 10) }, (_, at) =>
        toneLevelDb(heard, 2000, at / 10, at / 10 + 0.1),
      ),
    );
    assert.ok(loudest > audible, 'the agent hears the whisper');
  });

  it('are participants: a program that echoes hears the phone of the room and is heard by it', async () => {
    const { phone, username } = await bob(440);
    const from = sockets.happened.all.length;
    await join({ to: username });
    const agent = await join({
      role: 'ai-agent',
      ai_agent_stream_service_url: sockets.url('/echo?rate=16000'),
      ai_agent_stream_content_type: 'audio/x-l16;rate=16000',
    });
    const connection = await sockets.connected('/echo?rate=16000', from);
    assert.equal(sockets.frames(connection)[0]?.start.callId ?? agent.callUuid, agent.callUuid);
    const frames = await carriesTone(connection, 440);
    // The audio of the program reaches the phone after the audio of the phone has reached the program.
    await sockets.heard(connection, frames + 100);
    assert.equal((await platform.api('DELETE', room)).status, 204);
    assert.equal(await sockets.closed(connection), 1000);
    await phone.closed();
    const heard = await readWav(await phone.heard());
    const seconds = lengthOf(heard);
    const levels = Array.from({ length: Math.floor(seconds * 10) - 10 }, (_, at) =>
      heardToneDb(heard, 440, at / 10, at / 10 + 1),
    );
    assert.ok(Math.max(...levels) > audible, 'it hears itself by way of the program');
  });

  it('outlive no process: after kill -9 each is reported as dropped', async () => {
    const callUuid = await call(tonePhone, waiting);
    const { stream } = await start(callUuid, '/killed');
    await callbackOf(stream, 'StartStream');
    await platform.killAndRestart();
    const dropped = await callbackOf(stream, 'DroppedStream');
    assert.match(dropped.fields.get('Error') ?? '', /restarted/);
    const { body } = await platform.api('GET', `Call/${callUuid}/Stream/${stream}/`);
    assert.equal(body.status, 'failed');
  });
});
