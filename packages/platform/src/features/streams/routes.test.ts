import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RateTable } from '@jackfield/platform';
import type { Database } from '@jackfield/ports';
import {
  answeredCall,
  eachDatabase,
  openSimulatedWorld,
  ringingConversation,
  type SimulatedWorld,
  worldOfSuite,
} from '@jackfield/testkit';
import type { CompiledQuery } from 'kysely';
import { streamsOf } from './queries.ts';
import { endedStreams } from './store.ts';
import { reading } from './tables.ts';

const service_url = 'wss://bot.example/audio?room=1';
const rates: RateTable = {
  currency: 'USD',
  rates: [{ prefix: 'stream', direction: 'both', perMinute: 300, initialSeconds: 60, incrementSeconds: 60 }],
};

async function streaming(world: SimulatedWorld, leg: string, body: object = {}) {
  const answer = await world.api('POST', `Call/${leg}/Stream/`, { service_url, ...body });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  await world.advance(10);
  return answer.body.stream_id as string;
}

eachDatabase('Streams of a call over the API', (open) => {
  test('a start answers with the message and the whole object, before the stream connects', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none', rates });
    const leg = await answeredCall(world);
    const { status, body } = await world.api('POST', `Call/${leg.toUpperCase()}/Stream/`, {
      service_url,
      bidirectional: 'True',
      content_type: 'audio/x-mulaw;rate=8000',
      extra_headers: 'k1=v1,k2=v2',
      stream_timeout: '120',
      noise_cancellation: 'true',
      status_callback_url: 'https://example.com/s',
    });
    assert.equal(status, 202);
    const { api_id: _, stream_id, created_at, resource_uri, ...rest } = body;
    assert.match(created_at, /^2026-01-01 00:00:0\d\.\d{6}\+00:00$/);
    const { authId } = world.main;
    assert.equal(resource_uri, `/v1/Account/${authId}/Call/${leg}/Stream/${stream_id}/`);
    assert.deepEqual(rest, {
      message: 'audio streaming started',
      call_uuid: leg,
      service_url,
      audio_track: 'inbound',
      bidirectional: true,
      start_time: null,
      end_time: null,
      content_type: 'audio/x-mulaw;rate=8000',
      dialect: 'plivo',
      status: 'initiated',
      status_reason: null,
      status_reason_code: null,
      error: null,
      error_code: null,
      bill_duration: 0,
      rounded_bill_duration: 0,
      billed_amount: '0.00000',
      stream_timeout: 120,
      extra_headers: 'k1=v1,k2=v2',
      noise_cancellation: true,
      noise_cancellation_level: 85,
      status_callback_url: 'https://example.com/s',
      status_callback_method: 'POST',
      resumable: false,
      fallback_url: null,
      mpc_uuid: null,
      statistics: null,
      auth_id: authId,
    });
    assert.deepEqual(world.node.streams.streams.get(stream_id)?.order, {
      stream: stream_id,
      call: leg,
      account: authId,
      dialect: 'plivo',
      encoding: 'audio/x-mulaw',
      sampleRate: 8000,
      tracks: [{ name: 'inbound', said: [leg], heard: [], keysOf: [leg] }],
      bidirectional: true,
      hearers: [leg],
      extraHeaders: 'k1=v1;k2=v2',
      noiseCancellationLevel: 85,
      binary: false,
      stopFrame: true,
      keepLostMs: 0,
    });
  });

  test('voice_activity reaches the engine with its thresholds; without it neither does', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none', rates });
    const leg = await answeredCall(world);
    const other = { service_url: 'wss://second.example/' };
    const settings = { voice_activity: 'true', voice_activity_silence: 300, voice_activity_level: '-40' };
    const [spoken, plain] = [await streaming(world, leg, settings), await streaming(world, leg, other)];
    const limitsOf = (stream: string) => world.node.streams.streams.get(stream)!.order.voiceActivity;
    assert.deepEqual([limitsOf(spoken), limitsOf(plain)], [{ silenceMs: 300, levelDb: -40 }, undefined]);
  });

  test('dialect twilio has µ-law at 8,000 Hz, and refuses other formats and binary frames by their names', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none', rates });
    const leg = await answeredCall(world);
    const stream = await streaming(world, leg, { dialect: 'Twilio', bidirectional: true });
    const { body } = await world.api('GET', `Call/${leg}/Stream/${stream}/`);
    assert.deepEqual([body.dialect, body.content_type], ['twilio', 'audio/x-mulaw;rate=8000']);
    const { dialect, encoding, sampleRate } = world.node.streams.streams.get(stream)!.order;
    assert.deepEqual([dialect, encoding, sampleRate], ['twilio', 'audio/x-mulaw', 8000]);
    for (const [parameter, value] of [
      ['content_type', 'audio/x-l16;rate=8000'],
      ['binary_frames', true],
      ['voice_activity', true],
    ] as const) {
      const refused = await world.api('POST', `Call/${leg}/Stream/`, {
        service_url: 'wss://second.example/',
        dialect: 'twilio',
        [parameter]: value,
      });
      assert.equal(refused.status, 400);
      const { error } = refused.body;
      assert.match(error, new RegExp(`${parameter} .*where dialect is twilio`));
    }
  });

  test('streams are billed by started minutes, have times with offset, and are listed newest first', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none', rates });
    const leg = await answeredCall(world);
    const first = await streaming(world, leg);
    await world.advance(1_000);
    const second = await streaming(world, leg, { service_url: 'ws://bot.example/two', audio_track: 'both' });
    await world.advance(60_500);
    assert.equal((await world.api('DELETE', `Call/${leg}/Stream/${first}`)).status, 204);
    await world.advance(10);
    const { body } = await world.api('GET', `Call/${leg}/Stream/${first.toUpperCase()}/`);
    assert.equal(body.start_time, '2026-01-01 00:00:00+00:00');
    assert.equal(body.end_time, '2026-01-01 00:01:01+00:00');
    assert.deepEqual(
      [body.status, body.status_reason, body.bill_duration, body.rounded_bill_duration, body.billed_amount],
      ['completed', 'API request', 62, 120, '0.00600'],
    );
    assert.equal(body.statistics.frames_sent, 0);
    const list = (await world.api('GET', `Call/${leg}/Stream/?limit=1`)).body;
    assert.deepEqual([list.meta.count, list.meta.total_count, list.meta.limit], [2, 2, 1]);
    assert.match(list.meta.next, /\/Stream\/\?limit=1&offset=1$/);
    assert.deepEqual(list.objects, [
      {
        stream_id: second,
        call_uuid: leg,
        service_url: 'ws://bot.example/two',
        audio_track: 'both',
        bidirectional: false,
        start_time: '2026-01-01 00:00:01+00:00',
        end_time: null,
      },
    ]);
    assert.equal((await world.api('DELETE', `Call/${leg}/Stream/`)).status, 204);
    await world.advance(10);
    assert.deepEqual(world.node.streams.census(), { streams: 0, attempts: 0 });
    assert.equal(
      (await world.api('DELETE', `Call/${leg}/Stream/`)).status,
      204,
      'there is none left to stop',
    );
    assert.equal((await world.api('DELETE', `Call/${leg}/Stream/${first}/`)).status, 404);
    world.telephony.leave(leg);
    await world.advance(0);
    assert.equal(
      (await world.api('GET', `Call/${leg}/Stream/`)).body.meta.count,
      2,
      'records outlive the call',
    );
  });

  test('after a crash each live stream has failed, and its callback is sent', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none', rates });
    const leg = await answeredCall(world);
    const status_callback_url = 'https://example.com/s';
    const live = await streaming(world, leg, { status_callback_url });
    const over = await streaming(world, leg, { service_url: 'wss://other.example/' });
    await world.api('DELETE', `Call/${leg}/Stream/${over}/`);
    await world.advance(133_000);
    // The time without a process does not count.
    await world.restart({ downMs: 3_600_000 });
    await world.advance(1_000);
    const { body } = await world.api('GET', `Call/${leg}/Stream/${live}/`);
    assert.deepEqual([body.status, body.status_reason], ['failed', 'Connection error']);
    assert.match(body.error, /restarted/);
    // The last sign of life of the process: one every 5 s.
    assert.equal(body.bill_duration, 130);
    assert.equal(body.billed_amount, '0.00900');
    const callbacks = world.customer.requests.filter(({ url }) => url === status_callback_url);
    assert.deepEqual(
      callbacks.map(({ fields: { Event, StreamID, Duration } }) => [Event, StreamID, Duration]),
      [
        ['StartStream', live, undefined],
        ['DroppedStream', live, '130'],
      ],
    );
    assert.equal(world.node.platform.runner.census().stream?.sessions, 0);
    await world.restart();
    await world.advance(1_000);
    const ends = world.customer.requests.filter(({ fields }) => fields.Event === 'DroppedStream');
    assert.equal(ends.length, 1, 'it ends once');
  });
});

describe('Streams of a call over the API: rules', () => {
  const suite = worldOfSuite({ phones: 'none', rates });

  test('a start on an unknown, foreign, ended or unanswered call is refused', async () => {
    const world = suite();
    const leg = await answeredCall(world);
    const other = await world.subaccount();
    for (const [path, as] of [
      ['Call/nothing/Stream/', world.main],
      [`Call/${leg}/Stream/`, other],
    ] as const) {
      assert.equal((await world.call('POST', path, { body: { service_url }, as })).status, 404);
    }
    const { callee: ringing } = await ringingConversation(world);
    assert.equal((await world.api('POST', `Call/${ringing}/Stream/`, { service_url })).status, 409);
    world.telephony.leave(leg);
    await world.advance(0);
    assert.equal((await world.api('POST', `Call/${leg}/Stream/`, { service_url })).status, 404);
    assert.equal((await world.api('GET', 'Call/nothing/Stream/')).status, 404);
    assert.equal((await world.api('DELETE', 'Call/nothing/Stream/')).status, 404);
    assert.equal((await world.api('GET', `Call/${leg}/Stream/nothing/`)).status, 404);
    assert.deepEqual((await world.api('GET', `Call/${leg}/Stream/`)).body.objects, []);
  });

  test('a main account streams calls of its subaccounts, and sees those streams', async () => {
    const world = suite();
    const sub = await world.subaccount();
    const leg = await answeredCall(world, sub);
    const stream = await streaming(world, leg);
    const { body } = await world.call('GET', `Call/${leg}/Stream/${stream}/`, { as: sub });
    assert.equal(body.auth_id, sub.authId);
    const headers = world.node.streams.streams.get(stream)?.targets[0]?.headers ?? {};
    assert.notEqual(headers['X-Service-Signature-V3'], headers['X-Service-Signature-Ma-V3']);
  });

  const refused: readonly (readonly [string, object, RegExp])[] = [
    ['no URL', {}, /^service_url parameter is missing/],
    [
      'a URL that is not of a WebSocket',
      { service_url: 'https://bot.example/' },
      /^service_url must be a URL/,
    ],
    ['a URL without a host', { service_url: 'wss:///x' }, /^service_url must be/],
    ['a URL that cannot be read', { service_url: 'wss://bot.example:99999/' }, /^service_url must be/],
    [
      'a URL with a password',
      { service_url: 'wss://me:secret@bot.example/' },
      /without user, password and fragment/,
    ],
    [
      'a URL with a fragment',
      { service_url: 'wss://bot.example/a#b' },
      /without user, password and fragment/,
    ],
    [
      'a URL that is too long',
      { service_url: `wss://bot.example/${'x'.repeat(2048)}` },
      /^service_url must be/,
    ],
    [
      'both with bidirectional',
      { service_url, bidirectional: true, audio_track: 'both' },
      /^audio_track must be/,
    ],
    [
      'outbound with bidirectional',
      { service_url, bidirectional: 'true', audio_track: 'Outbound' },
      /^audio_track must be inbound where bidirectional is true/,
    ],
    ['another codec', { service_url, content_type: 'audio/x-l16;rate=44100' }, /^content_type must be/],
    ['µ-law at 16 kHz', { service_url, content_type: 'audio/x-mulaw;rate=16000' }, /^content_type must be/],
    ['no time at all', { service_url, stream_timeout: 0 }, /^stream_timeout must be/],
    ['more than a day', { service_url, stream_timeout: 86_401 }, /^stream_timeout must be/],
    ['a level below 60', { service_url, noise_cancellation_level: 59 }, /^noise_cancellation_level must be/],
    [
      'a level above 100',
      { service_url, noise_cancellation_level: '101' },
      /^noise_cancellation_level must be/,
    ],
    [
      'extra headers that are no pairs',
      { service_url, extra_headers: 'hello' },
      /^extra_headers must be pairs/,
    ],
    [
      'extra headers that are no JSON and no pairs',
      { service_url, extra_headers: "{'order':'4711'}" },
      /^extra_headers must be pairs .*, not "\{'order':'4711'\}"$/,
    ],
    ['513 bytes of them', { service_url, extra_headers: `a=${'x'.repeat(511)}` }, /^extra_headers must be/],
    ['513 bytes in fewer letters', { service_url, extra_headers: `a=${'é'.repeat(256)}` }, /^extra_headers/],
    ['a callback that is no URL', { service_url, status_callback_url: 'x' }, /^status_callback_url must be/],
    ['another method', { service_url, status_callback_method: 'PUT' }, /^status_callback_method must be/],
    [
      'an unknown event',
      { service_url, status_callback_events: 'Played' },
      /^status_callback_events must be/,
    ],
    ['a fallback that is no WebSocket', { service_url, fallback_url: 'http://x/' }, /^fallback_url must be/],
  ];
  for (const [what, body, sentence] of refused) {
    test(`400: ${what}`, async () => {
      const world = suite();
      const leg = await answeredCall(world);
      const answer = await world.api('POST', `Call/${leg}/Stream/`, body);
      assert.equal(answer.status, 400, JSON.stringify(answer.body));
      assert.match(answer.body.error, sentence);
      assert.ok(!answer.body.error.includes('secret'));
      assert.deepEqual(world.node.streams.census(), { streams: 0, attempts: 0 });
    });
  }

  test('a second stream of a call to the same URL is a 400 while the first lives; another call may use it', async () => {
    const world = suite();
    const [leg, other] = [await answeredCall(world), await answeredCall(world)];
    const both = await Promise.all([
      world.api('POST', `Call/${leg}/Stream/`, { service_url }),
      world.api('POST', `Call/${leg}/Stream/`, { service_url }),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [202, 400]);
    assert.match(
      both.find(({ status }) => status === 400)?.body.error,
      /^service_url must be a URL to which this call has no live stream/,
    );
    const respelled = service_url.replace('wss://bot.example/', 'WSS://Bot.Example:443/');
    assert.notEqual(respelled, service_url);
    assert.equal((await world.api('POST', `Call/${leg}/Stream/`, { service_url: respelled })).status, 400);
    assert.equal((await world.api('POST', `Call/${other}/Stream/`, { service_url })).status, 202);
    await world.api('DELETE', `Call/${leg}/Stream/`);
    await world.advance(10);
    assert.equal((await world.api('POST', `Call/${leg}/Stream/`, { service_url })).status, 202);
  });

  test('a call has at most eight live streams', async () => {
    const world = suite();
    const leg = await answeredCall(world);
    for (let each = 0; each < 8; each++)
      await streaming(world, leg, { service_url: `wss://bot.example/${each}` });
    const { status, body } = await world.api('POST', `Call/${leg}/Stream/`, { service_url });
    assert.equal(status, 400);
    assert.match(body.error, /has 8 live streams already/);
  });

  test('noise_cancellation_level applies only with noise cancellation', async () => {
    const world = suite();
    const leg = await answeredCall(world);
    const level = async (body: object) => {
      const answer = await world.api('POST', `Call/${leg}/Stream/`, {
        service_url: `wss://b.example/${Math.random()}`,
        ...body,
      });
      return answer.body.noise_cancellation_level;
    };
    assert.equal(await level({ noise_cancellation: 'false', noise_cancellation_level: 70 }), null);
    assert.equal(await level({ noise_cancellation: true, noise_cancellation_level: '70' }), 70);
  });

  for (const [written, shown, wire] of [
    ['a=1,b=2', 'a=1,b=2', 'a=1;b=2'],
    ['a=1; b=2', 'a=1; b=2', 'a=1;b=2'],
    ['a=1,2,b=3', 'a=1,2,b=3', 'a=1,2;b=3'],
    ['{"a":"1"}', '{"a":"1"}', '{"a":"1"}'],
    [{ a: '1' }, '{"a":"1"}', '{"a":"1"}'],
    ['{{customer}}=4711', '{{customer}}=4711', '{{customer}}=4711'],
    ['', null, ''],
  ] as const) {
    test(`extra headers ${JSON.stringify(written)} are shown as written and sent as ${wire}`, async () => {
      const world = suite();
      const leg = await answeredCall(world);
      const { body } = await world.api('POST', `Call/${leg}/Stream/`, {
        service_url,
        extra_headers: written,
      });
      assert.equal(body.extra_headers, shown);
      assert.equal(world.node.streams.streams.get(body.stream_id)?.order.extraHeaders, wire);
    });
  }
});

async function planOf({ read }: Database, query: { compile(): CompiledQuery }): Promise<readonly string[]> {
  const { sql, ...rest } = query.compile();
  const explained = { ...rest, sql: `EXPLAIN QUERY PLAN ${sql}` };
  const { rows } = await read.executeQuery<{ detail: string }>(
    explained as CompiledQuery<{ detail: string }>,
  );
  return rows.map(({ detail }) => detail);
}

describe('Streams in the database', () => {
  const suite = worldOfSuite({ phones: 'none' });

  test('lists, counts and look-ups use the index of the call or room, for subaccounts too', async () => {
    const { database } = suite().node;
    for (const isSubaccount of [false, true]) {
      for (const [streamed, index] of [
        [{ call: 'c' }, 'streams_by_call (call_uuid=?)'],
        [{ mpc: 'm' }, 'streams_by_mpc (mpc_uuid=?)'],
      ] as const) {
        const of = streamsOf(reading(database.read), { authId: 'a', isSubaccount }, streamed);
        for (const query of [
          of.selectAll().orderBy('created_at', 'desc').orderBy('stream_id', 'desc').limit(20),
          of.select((columns) => columns.fn.countAll().as('total')),
          of.select('stream_id').where('ended_at', 'is', null),
        ]) {
          assert.deepEqual(await planOf(database, query), [`SEARCH streams USING INDEX ${index}`]);
        }
      }
    }
  });

  test('the removal of old streams reads no stream that stays', async () => {
    const { database } = suite().node;
    for (const [of, index] of [
      ['calls', 'streams_of_calls_ended (mpc_uuid=? AND ended_at>? AND ended_at<?)'],
      ['rooms', 'streams_of_mpcs_ended (ended_at>? AND ended_at<?)'],
    ] as const) {
      const plan = await planOf(database, endedStreams(database.read, of, 0, 200));
      assert.deepEqual(plan, [`SEARCH streams USING INDEX ${index}`]);
    }
  });
});
