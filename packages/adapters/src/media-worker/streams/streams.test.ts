import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toneLevel } from '@jackfield/media';
import type { FrameRefusal } from '@jackfield/ports';
import { agreedWith } from '../testing/loopback-phone.ts';
import { call, createStreamRig, nothing, stream } from './testing/stream-rig.ts';
import {
  assertOneClock,
  type GotFrame,
  samplesOf,
  type TestServer,
  toneBytes,
} from './testing/test-server.ts';

const isMedia = (frame: GotFrame): boolean => frame.event === 'media';

function play(bytes: Buffer, sampleRate: number | string, contentType = 'audio/x-l16'): object {
  return { event: 'playAudio', media: { contentType, sampleRate, payload: bytes.toString('base64') } };
}

/**
 * Resolves when 25 frames of the track inbound have the tone of a phone, and not the other one. On a busy machine a phone is late with its packets, and
 * gaps make a tone fainter and spread it, so there are further looks; a tone as loud as that of a leg that must not be heard is never forgiven.
 */
async function untilSays(
  { frames, until }: TestServer,
  rate: number,
  tone: { readonly hz: number; readonly without?: number; readonly belowDb?: number },
): Promise<void> {
  const { hz, without, belowDb = -40 } = tone;
  let [level, other] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let look = 0, at = Math.max(0, frames.length - 25); look < 20 && other < -20; look++) {
    const samples: number[] = [];
    for (let count = 0; count < 25; count++) {
      const frame = await until(({ media }) => media?.track === 'inbound', at);
      at = frames.indexOf(frame, at) + 1;
      samples.push(...samplesOf(frame.media.payload));
    }
    const said = Int16Array.from(samples);
    level = toneLevel(said, rate, hz);
    if (without !== undefined) other = toneLevel(said, rate, without);
    if (level > -15 && other < belowDb) return;
  }
  assert.fail(`${hz} Hz is said with ${level} dB, ${without} Hz with ${other} dB`);
}

test('a stream sends start, then numbered media every 20 ms, and at its end stop and a close with 1000', async (context) => {
  const rig = await createStreamRig(context, 8220);
  rig.open();
  rig.connect();
  await rig.noticeOf('stream-connected');
  await rig.server.until((frame) => frame.media?.chunk === 60);
  const { frames, requests } = rig.server;
  assert.deepEqual(frames[0], {
    event: 'start',
    sequenceNumber: 1,
    start: {
      callId: call,
      streamId: stream,
      accountId: 'MA0123456789ABCDEFGH',
      tracks: ['inbound'],
      mediaFormat: { encoding: 'audio/x-l16', sampleRate: 8000 },
    },
    extra_headers: 'k=v;k2="ö"',
  });
  assert.equal(requests[0]!.url, '/agent?x=1');
  assert.equal(requests[0]!.headers.host, `stream.example:${rig.server.port}`);
  assert.equal(requests[0]!.headers['x-signature-v3'], 'abc');
  assert.equal(requests[0]!.headers['sec-websocket-extensions'], undefined);
  const media = frames.slice(1);
  assertOneClock(media);
  const first = Number(media[0].media.timestamp);
  assert.ok(Math.abs(first - Date.now()) < 30_000);
  media.forEach((frame, index) => {
    assert.equal(frame.sequenceNumber, index + 2);
    assert.equal(frame.media.chunk, index + 1);
    assert.deepEqual(
      [frame.event, frame.streamId, frame.media.track, frame.extra_headers, frame.media.payload.length],
      ['media', stream, 'inbound', 'k=v;k2="ö"', 428],
    );
  });
  await untilSays(rig.server, 8000, { hz: 700 });
  rig.media.streams.close(stream, 'API request');
  const over = await rig.noticeOf('stream-over');
  assert.deepEqual(await rig.server.closed(), { code: 1000, reason: 'API request' });
  const last = rig.server.frames.at(-1);
  assert.deepEqual([last.event, last.stop], ['stop', { callId: call, reason: 'API request' }]);
  assert.equal(over.statistics.framesSent, rig.server.frames.filter(isMedia).length);
  assert.deepEqual(await rig.census(), nothing);
  assert.equal(rig.notices.at(-1)!.type, 'stream-over');
});

test('with voice activity a speech event names the track on which speech begins; a silent track sends none', async (context) => {
  const rig = await createStreamRig(context, 8396);
  const tracks = [
    { name: 'inbound', said: ['a'], heard: [] },
    { name: 'outbound', said: [], heard: ['a'] },
  ];
  rig.open({ tracks, voiceActivity: { silenceMs: 500, levelDb: -52 } });
  rig.connect();
  await rig.server.until((frame) => frame.event === 'speech');
  await rig.server.until((frame) => frame.media?.chunk === 40);
  const spoken = rig.server.frames.filter(({ event }: { event: string }) => event === 'speech');
  assert.equal(spoken.length, 1);
  const { timestamp, ...speech } = spoken[0].speech;
  assert.deepEqual(speech, { track: 'inbound', state: 'start' });
  assert.ok(rig.server.frames.some((frame) => frame.media?.timestamp === timestamp));
  rig.media.streams.close(stream, 'API request');
  await rig.noticeOf('stream-over');
  assert.deepEqual(await rig.census(), nothing);
});

test('both tracks have one clock; 16 kHz is not upsampled; µ-law and binary frames carry the same audio', async (context) => {
  const rig = await createStreamRig(context, 8228);
  rig.media.send({ do: 'open-mix', mix: 'm' });
  const sound = { kind: 'tone', frequencyHz: 1900, levelDb: -12 } as const;
  rig.media.send({ do: 'play', mix: 'm', key: 'k', to: ['a'], sound, loop: true });
  const tracks = [
    { name: 'inbound', said: ['a'], heard: [] },
    { name: 'outbound', said: [], heard: ['a'] },
  ];
  rig.open({ tracks, sampleRate: 16_000, bidirectional: false });
  rig.connect();
  await rig.server.until((frame) => frame.media?.chunk === 50);
  await untilSays(rig.server, 16_000, { hz: 700, without: 1900 });
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');
  const of = (track: string): GotFrame[] => rig.server.frames.filter((frame) => frame.media?.track === track);
  const [said, heard] = [of('inbound').slice(20, 49), of('outbound').slice(20, 49)];
  assert.deepEqual(
    said.map(({ media }) => [media.chunk, media.timestamp]),
    heard.map(({ media }) => [media.chunk, media.timestamp]),
  );
  const samples = Int16Array.from(heard.flatMap(({ media }) => [...samplesOf(media.payload)]));
  assert.ok(toneLevel(samples, 16_000, 1900) > -15 && toneLevel(samples, 16_000, 700) < -40);

  const before = rig.server.frames.length;
  rig.open({ tracks, encoding: 'audio/x-mulaw', binary: true });
  rig.connect();
  const frame = await rig.server.until(({ chunk, track }) => chunk === 30 && track === 'outbound', before);
  assert.deepEqual([frame.version, frame.audio.length], [1, 160]);
  const other = rig.server.frames.findLast(({ track }) => track === 'inbound');
  assertOneClock([other, frame].sort((one, two) => one.chunk - two.chunk));
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over', rig.notices.length);
  assert.deepEqual(await rig.census(), nothing);
});

for (const [contentType, rate, encoded] of [
  ['audio/x-l16', 8000, 'l16'],
  ['audio/x-l16', '16000', 'l16'],
  ['audio/x-l16', 44_100, 'l16'],
  ['raw', 24_000, 'l16'],
  ['audio/x-mulaw', 8000, 'mulaw'],
  ['audio/wav', 22_050, 'wav'],
] as const) {
  test(`a phone hears playAudio of ${contentType} at ${rate}; the checkpoint is answered when it has left`, async (context) => {
    const rig = await createStreamRig(context, 8236);
    rig.open();
    rig.connect();
    await rig.noticeOf('stream-connected');
    const linear = toneBytes(Number(rate), 1200, 1000);
    const bytes =
      encoded === 'l16' ? linear : encoded === 'mulaw' ? mulawOf(linear) : wavOf(linear, Number(rate));
    const step = encoded === 'wav' ? bytes.length : 3333;
    for (let at = 0; at < bytes.length; at += step) {
      rig.server.say(play(bytes.subarray(at, at + step), rate, contentType));
    }
    rig.server.say({ event: 'checkpoint', streamId: stream, name: 'greeting' });
    await rig.phone.hear(10);
    const heard = await rig.phone.hear(20);
    assert.ok(Math.abs(toneLevel(heard, 8000, 1200) - 20 * Math.log10(8000 / 32_768)) < 0.5);
    const played = await rig.server.until(({ event }) => event === 'playedStream');
    assert.deepEqual([played.name, played.streamId], ['greeting', stream]);
    assert.deepEqual(await rig.noticeOf('stream-played'), {
      type: 'stream-played',
      stream,
      name: 'greeting',
    });
    rig.media.streams.close(stream, 'x');
    const { statistics } = await rig.noticeOf('stream-over');
    assert.ok(Math.abs(statistics.playedMs - 1010) <= 30, `${statistics.playedMs} ms`);
    assert.deepEqual(await rig.census(), nothing);
  });
}

test('a program of the twilio dialect hears the call, plays to it, and gets its marks back, those that a clear drops at once', async (context) => {
  const rig = await createStreamRig(context, 8236);
  rig.open({ dialect: 'twilio', encoding: 'audio/x-mulaw', extraHeaders: 'order=4711' });
  rig.connect();
  await rig.noticeOf('stream-connected');
  const media = await rig.server.until((frame) => frame.media?.chunk === '40');
  assert.deepEqual(
    rig.server.frames.slice(0, 3).map(({ event }) => event),
    ['connected', 'start', 'media'],
  );
  assert.deepEqual([media.streamSid, media.media.payload.length], [stream, 216]);
  const heard = rig.server.frames.filter(isMedia);
  assert.equal(heard[0].media.timestamp, '0');
  assertOneClock(heard);
  const send = (event: string, more: object = {}): void =>
    rig.server.say({ event, streamSid: stream, ...more });
  const payload = mulawOf(toneBytes(8000, 1200, 1000)).toString('base64');
  send('media', { media: { payload } });
  send('mark', { mark: { name: 'first' } });
  await rig.phone.hear(10);
  assert.ok(toneLevel(await rig.phone.hear(20), 8000, 1200) > -15);
  await rig.server.until((frame) => frame.event === 'mark' && frame.mark.name === 'first');
  send('media', { media: { payload } });
  send('mark', { mark: { name: 'second' } });
  send('clear');
  await rig.server.until((frame) => frame.event === 'mark' && frame.mark.name === 'second');
  rig.server.say({ event: 'playAudio' });
  const { sentence } = await rig.noticeOf('stream-refused-frame');
  assert.match(sentence, /media, mark and clear are/);
  assert.deepEqual(
    rig.notices
      .filter(({ type }) => type === 'stream-played')
      .map((notice) => 'name' in notice && notice.name),
    ['first'],
  );
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');
  assert.equal(rig.server.frames.at(-1).event, 'stop');
  assert.deepEqual(await rig.census(), nothing);
});

test('clearAudio is answered, waiting audio is not heard, and its checkpoints are dropped', async (context) => {
  const rig = await createStreamRig(context, 8244);
  rig.open();
  rig.connect();
  await rig.noticeOf('stream-connected');
  for (let n = 0; n < 10; n++) rig.server.say(play(toneBytes(8000, 1200, 1000), 8000));
  rig.server.say({ event: 'checkpoint', name: 'never' });
  await rig.phone.hear(10);
  rig.server.say({ event: 'clearAudio', streamId: stream });
  await rig.server.until(({ event }) => event === 'clearedAudio');
  await rig.noticeOf('stream-cleared');
  await rig.phone.hear(3);
  const heard = await rig.phone.hear(10);
  assert.ok(heard.every((sample) => Math.abs(sample) <= 8));
  rig.server.say({ event: 'checkpoint', name: 'after' });
  await rig.server.until(({ event }) => event === 'playedStream');
  assert.ok(!rig.server.frames.some(({ name }) => name === 'never'));
  rig.server.say({ event: 'sendDTMF', dtmf: '5#' });
  while (rig.phone.keys.length < 2) await rig.phone.hear(2);
  assert.deepEqual(rig.phone.keys, [5, 11]);
  for (let packet = 0; packet < 3; packet++) rig.phone.sendPayload(101, Uint8Array.of(7, 0x8a, 3, 0x20));
  const { dtmf, extra_headers } = await rig.server.until(({ event }) => event === 'dtmf');
  assert.deepEqual([dtmf.track, dtmf.digit, typeof dtmf.timestamp], ['inbound', '7', 'string']);
  assert.equal(extra_headers, 'k=v;k2="ö"');
  // The other half of that key, and two keys that arrive in signalling first, one of them in signalling alone.
  rig.media.streams.press({ leg: 'a', digit: '7', durationMs: 100 });
  rig.media.streams.press({ leg: 'a', digit: '8', durationMs: 100 });
  rig.media.streams.press({ leg: 'nobody', digit: '1', durationMs: 100 });
  rig.media.streams.press({ leg: 'a', digit: '9', durationMs: 100 });
  const digits = () =>
    rig.server.frames.flatMap((frame) => (frame.event === 'dtmf' ? [frame.dtmf.digit] : []));
  await rig.server.until(({ event, dtmf: key }) => event === 'dtmf' && key.digit === '9');
  for (const event of [8, 6]) {
    await rig.phone.hear(10);
    for (let packet = 0; packet < 3; packet++) {
      rig.phone.sendPayload(101, Uint8Array.of(event, 0x8a, 3, 0x20));
    }
  }
  await rig.server.until(({ event, dtmf: key }) => event === 'dtmf' && key.digit === '6');
  assert.deepEqual(digits(), ['7', '8', '9', '6']);
  rig.server.say({ event: 'stop' });
  const lost = await rig.noticeOf('stream-lost');
  assert.equal(lost.code, 1000);
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');
  assert.deepEqual(await rig.census(), nothing);
});

test('an invalid message is answered with a reason, but not on a stream that only listens', async (context) => {
  const rig = await createStreamRig(context, 8252);
  rig.open();
  rig.connect();
  await rig.noticeOf('stream-connected');
  const wrong: [object | string | Buffer, RegExp, FrameRefusal][] = [
    ['{"event":', /not JSON/, 'malformed-frame'],
    ['[]', /not a JSON object/, 'malformed-frame'],
    [{ event: 'dance' }, /"dance" is not known/, 'unknown-event'],
    [{ event: 'clearAudio', streamId: 'other' }, /streamId/, 'foreign-stream'],
    [
      { event: 'playAudio', media: { contentType: 'audio/x-l16', sampleRate: 8000, payload: '%%%' } },
      /base64/,
      'malformed-frame',
    ],
    [play(Buffer.alloc(320), 7999), /sampleRate/, 'malformed-frame'],
    [play(Buffer.alloc(320), 8000, 'audio/opus'), /contentType/, 'unsupported-audio'],
    [Buffer.alloc(10), /binary/, 'binary-refused'],
    [play(Buffer.alloc(60_000), 8000), /longer than 65536/, 'message-too-long'],
  ];
  for (const [frame, reason, code] of wrong) {
    const from = rig.server.frames.length;
    const noticesBefore = rig.notices.length;
    rig.server.say(frame);
    const failed = await rig.server.until(({ event }) => event === 'playFailed', from);
    assert.match(failed.reason, reason);
    assert.equal(failed.reasonCode, code);
    const refused = await rig.noticeOf('stream-refused-frame', noticesBefore);
    assert.deepEqual([refused.sentence, refused.code], [failed.reason, code]);
  }
  rig.server.say({ event: 'checkpoint', name: 'still here' });
  await rig.server.until(({ event }) => event === 'playedStream');
  rig.media.streams.close(stream, 'x');
  const { statistics } = await rig.noticeOf('stream-over');
  assert.deepEqual([statistics.framesRefused, statistics.framesReceived], [9, 10]);

  const from = rig.server.frames.length;
  const noticesBefore = rig.notices.length;
  rig.open({ bidirectional: false, stopFrame: false });
  rig.connect();
  await rig.noticeOf('stream-connected', noticesBefore);
  rig.server.say(play(toneBytes(8000, 1200, 500), 8000));
  rig.server.say({ event: 'checkpoint', name: 'ignored' });
  rig.server.say({ event: 'clearAudio' });
  await rig.server.until(({ media }) => media?.chunk === 20, from);
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over', noticesBefore);
  assert.deepEqual(
    new Set(rig.server.frames.slice(from).map(({ event }) => event)),
    new Set(['start', 'media']),
  );
  assert.deepEqual(await rig.census(), nothing);
});

test('keys that a phone cannot take are answered with a reason: its queue is full, or it has no telephone events', async (context) => {
  const rig = await createStreamRig(context, 8428);
  rig.open();
  rig.connect();
  await rig.noticeOf('stream-connected');
  for (let n = 0; n < 8; n++) rig.server.say({ event: 'sendDTMF', dtmf: '5'.repeat(64) });
  const full = await rig.server.until(({ event }) => event === 'playFailed');
  assert.deepEqual(
    [full.reasonCode, full.reason],
    ['queue-full' satisfies FrameRefusal, 'sendDTMF: 64 keys do not fit behind those that wait for a phone'],
  );
  const { telephoneEventPayloadType: _, ...agreed } = agreedWith(rig.phone);
  rig.media.connect('a', agreed);
  // The worker has answered, so it has connected the leg.
  await rig.census();
  const from = rig.server.frames.length;
  rig.server.say({ event: 'sendDTMF', dtmf: '5' });
  const refused = await rig.server.until(
    ({ event, reasonCode }) => event === 'playFailed' && reasonCode !== 'queue-full',
    from,
  );
  assert.deepEqual(
    [refused.reasonCode, refused.reason],
    ['unsupported-keys' satisfies FrameRefusal, 'sendDTMF: a phone takes no telephone events (RFC 4733)'],
  );
  const reported = new Promise((resolve) =>
    rig.media.subscribe((notice) => notice.type === 'keys-to-send' && resolve(notice)),
  );
  rig.media.connect('a', { ...agreed, reportsKeys: true });
  await rig.census();
  rig.server.say({ event: 'sendDTMF', dtmf: '7w#' });
  assert.deepEqual(await reported, { type: 'keys-to-send', leg: 'a', digits: '7w#' });
  rig.media.streams.close(stream, 'x');
  const { statistics } = await rig.noticeOf('stream-over');
  assert.equal(
    rig.server.frames.filter(({ event }) => event === 'playFailed').length,
    statistics.framesRefused,
  );
  assert.deepEqual(await rig.census(), nothing);
});

test('a program is a leg: the members of its mix hear what it plays, and it hears them without itself', async (context) => {
  const rig = await createStreamRig(context, 8260);
  const tracks = [{ name: 'inbound', said: [], heard: ['robot'], keysOf: ['a'] }];
  rig.open({ asLeg: 'robot', tracks, hearers: ['a'], sampleRate: 16_000 });
  rig.media.send({ do: 'open-mix', mix: 'm' });
  rig.media.send({
    do: 'set-hearing',
    mix: 'm',
    members: [
      { leg: 'a', hears: ['robot'] },
      { leg: 'robot', hears: ['a'] },
    ],
  });
  rig.connect();
  await rig.noticeOf('stream-connected');
  for (let n = 0; n < 3; n++) rig.server.say(play(toneBytes(16_000, 1200, 1000), 16_000));
  await rig.phone.hear(20);
  assert.ok(toneLevel(await rig.phone.hear(20), 8000, 1200) > -15);
  await untilSays(rig.server, 16_000, { hz: 700, without: 1200, belowDb: -45 });
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');
  assert.deepEqual(await rig.census(), nothing);
  assert.equal((await rig.media.census()).legs, 1);
});

test('a stream without a free slot ends with a sentence and is never connected', async (context) => {
  const rig = await createStreamRig(context, 8380, { streamLimits: { streams: 1 } });
  // The leg's name is in use, as with more legs than the limit.
  rig.open({ asLeg: 'a', tracks: [{ name: 'inbound', said: [], heard: ['a'] }] });
  rig.connect();
  assert.match((await rig.noticeOf('stream-over')).sentence ?? '', /no slot for a stream as a leg$/);
  assert.equal(rig.server.requests.length, 0);

  const tracks = Array.from({ length: 501 }, (_, n) => ({ name: String(n), said: ['a'], heard: [] }));
  let from = rig.notices.length;
  rig.open({ tracks });
  rig.connect();
  assert.match(
    (await rig.noticeOf('stream-over', from)).sentence ?? '',
    /no slot for a stream that listens$/,
  );
  assert.equal((await rig.server.closed()).code, 1013);
  assert.equal(rig.server.frames.length, 0);

  from = rig.notices.length;
  rig.open();
  rig.connect();
  await rig.noticeOf('stream-connected', from);
  rig.media.streams.retrack(stream, tracks);
  assert.match(
    (await rig.noticeOf('stream-over', from)).sentence ?? '',
    /no slot for a stream with 501 tracks$/,
  );

  from = rig.notices.length;
  rig.open();
  rig.media.streams.open({ ...rig.order, stream: call });
  const { stream: refused, sentence } = await rig.noticeOf('stream-over', from);
  assert.deepEqual([refused, sentence], [call, 'the media engine has no slot for the stream: 1 are there']);
  from = rig.notices.length;
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over', from);
  assert.deepEqual(await rig.census(), nothing);
  assert.equal((await rig.media.census()).legs, 1);
});

test('with noise cancellation all tracks keep one clock, the track that the leg hears is unchanged, and tracks may come and go', async (context) => {
  const rig = await createStreamRig(context, 8356);
  rig.media.send({ do: 'open-mix', mix: 'm' });
  const sound = { kind: 'tone', frequencyHz: 1900, levelDb: -12 } as const;
  rig.media.send({ do: 'play', mix: 'm', key: 'k', to: ['a'], sound, loop: true });
  const inbound = { name: 'inbound', said: ['a'], heard: [] };
  const outbound = { name: 'outbound', said: [], heard: ['a'] };
  rig.open({ tracks: [inbound, outbound], sampleRate: 16_000, noiseCancellationLevel: 85 });
  rig.connect();
  await rig.server.until(({ media }) => media?.track === 'outbound' && media.chunk === 40);
  rig.media.streams.retrack(stream, [outbound]);
  await rig.server.until(({ media }) => media?.track === 'outbound' && media.chunk === 80);
  rig.media.streams.retrack(stream, [outbound, { ...inbound, name: 'both', heard: ['a'] }]);
  await rig.server.until(({ media }) => media?.track === 'both' && media.chunk === 10);
  rig.media.streams.retrack(stream, []);
  rig.server.say({ event: 'checkpoint', name: 'nobody' });
  await rig.server.until(({ name }) => name === 'nobody');
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');
  const of = (track: string): GotFrame[] => rig.server.frames.filter(({ media }) => media?.track === track);
  const heard = of('outbound');
  assertOneClock(heard);
  heard.forEach(({ media }, index) => {
    assert.deepEqual([media.chunk, media.payload.length], [index + 1, 856]);
  });
  for (const part of betweenStalls(heard.slice(5))) {
    const samples = Int16Array.from(part.flatMap(({ media }) => [...samplesOf(media.payload)]));
    for (let at = 0; at + 1600 <= samples.length; at += 800) {
      assert.ok(
        Math.abs(toneLevel(samples.subarray(at, at + 1600), 16_000, 1900) + 12) < 0.5,
        `chunk ${part[0]!.media.chunk}, after ${at / 16} ms`,
      );
    }
  }
  assert.deepEqual(await rig.census(), nothing);
});

/** Stretches of frames without a stall of the machine, at which the tone of a play jumps. */
function betweenStalls(frames: readonly GotFrame[]): readonly (readonly GotFrame[])[] {
  const parts: GotFrame[][] = [];
  let last = Number.NaN;
  for (const frame of frames) {
    const time = Number(frame.media.timestamp);
    if (time === last + 20) parts.at(-1)!.push(frame);
    else parts.push([frame]);
    last = time;
  }
  return parts;
}

function mulawOf(linear: Buffer): Buffer {
  const bytes = Buffer.alloc(linear.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    // ITU-T G.711 by its definition, not by our table.
    const sample = linear.readInt16LE(2 * i);
    const size = Math.min(Math.abs(sample) + 132, 32_767);
    const segment = 31 - Math.clz32(size) - 7;
    bytes[i] = ~((sample < 0 ? 0x80 : 0) | (segment << 4) | ((size >> (segment + 3)) & 15));
  }
  return bytes;
}

function wavOf(linear: Buffer, rate: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + linear.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(2 * rate, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(linear.length, 40);
  return Buffer.concat([header, linear]);
}
