import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import {
  type ApiAnswer,
  basic,
  eachDatabase,
  type OpenDatabase,
  openSimulatedWorld,
  type PlatformSettings,
} from '@jackfield/testkit';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { LiveEventsLimits } from './streams/open-streams.ts';

/** The events of a simulated world, which emits those of the test; its HTTP interface listens. */
async function openWorld(
  open: OpenDatabase,
  limits: Partial<LiveEventsLimits> = {},
  further: PlatformSettings = {},
) {
  const settings = { liveEventsLimits: limits, ...further };
  const world = await openSimulatedWorld({ database: open, settings, phones: 'none', hasOwnEvents: true });
  const { platform } = world.node;
  await platform.http.listen({ port: 0, host: '127.0.0.1' });
  const { port } = platform.http.server.address() as AddressInfo;
  const { authId } = world.main;
  const ended = { type: 'call.ended', account: authId, mainAccount: authId, resource: 'r/1' };

  return {
    world,
    port,
    streams: () => platform.census()['live-events']?.streams,
    drain: () => platform.drain(),
    emit: (type: string, n: number, changes: Partial<OutboxEvent> = {}) =>
      world.node.emit({ ...ended, type, payload: { n }, ...changes }),
    /** Events of one size, in one transaction. */
    emitMany: (from: number, to: number, text: string) =>
      world.node.emit(
        ...Array.from({ length: to - from }, (_, index) => ({
          ...ended,
          payload: { n: from + index, text },
        })),
      ),
    /** The text of a stream until it matches `enough`. */
    async follow(query = '', headers: Record<string, string> = {}, as = world.main) {
      const stop = new AbortController();
      const answer = await fetch(`http://127.0.0.1:${port}/v1/Account/${as.authId}/Event/${query}`, {
        headers: { authorization: basic(as), accept: 'text/event-stream', ...headers },
        signal: stop.signal,
      });
      const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      return {
        status: answer.status,
        type: answer.headers.get('content-type'),
        stop: () => stop.abort(),
        async until(enough: RegExp) {
          while (!enough.test(text)) {
            const { done, value } = await reader.read();
            if (done) throw new Error(`the stream ended with ${JSON.stringify(text)}`);
            text += value;
          }
          return text;
        },
      };
    },
    /** Ends all streams: the suite closes the world, in which nothing may be left. */
    close: () => platform.drain(),
  };
}

const numbers = (objects: readonly { data: { n: number } }[]) => objects.map(({ data }) => data.n);
const until = async (reached: () => boolean) => {
  while (!reached()) await new Promise((resolve) => setTimeout(resolve, 5));
};

eachDatabase('live events', (open) => {
  test('a page has the newest events without a cursor, with a cursor those behind it, each once', async () => {
    const world = await openWorld(open);
    for (let n = 1; n <= 5; n++) await world.emit('call.answered', n);
    const newest = (await world.world.call('GET', 'Event/?limit=2')).body;
    assert.deepEqual(numbers(newest.objects), [4, 5]);
    assert.equal(newest.meta.next, null);
    const [first] = (await world.world.call('GET', 'Event/?after=0-0&limit=1')).body.objects;
    assert.deepEqual(
      [first.type, first.resource, first.account],
      ['call.answered', 'r/1', world.world.main.authId],
    );
    assert.match(first.event_id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    let path: string | null = `Event/?after=${first.id}&limit=2`;
    const seen: number[] = [];
    let last = '';
    while (path !== null) {
      const page: ApiAnswer = await world.world.call('GET', path);
      const { objects, meta } = page.body;
      seen.push(...numbers(objects));
      path = meta.next;
      last = meta.after;
    }
    assert.deepEqual(seen, [2, 3, 4, 5]);
    await world.emit('call.ended', 6);
    assert.deepEqual(numbers((await world.world.call('GET', `Event/?after=${last}`)).body.objects), [6]);
    world.close();
  });

  test('HEAD with the type of a stream gets its header alone, and the connection goes on (RFC 9110 §9.3.2)', async () => {
    const world = await openWorld(open);
    const { main } = world.world;
    const request = (method: string) =>
      `${method} /v1/Account/${main.authId}/Event/ HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic(main)}\r\nAccept: text/event-stream\r\n\r\n`;
    const socket = connect(world.port, '127.0.0.1');
    socket.write(request('HEAD') + request('DELETE'));
    let text = '';
    for await (const piece of socket) {
      text += piece;
      if (text.includes('method-not-allowed')) break;
    }
    const [head = '', next = ''] = text.split(/\r\n\r\n/, 2);
    assert.match(head, /^HTTP\/1\.1 200 OK\r\n.*content-type: text\/event-stream/s);
    assert.match(next, /^HTTP\/1\.1 405 /);
    assert.equal(world.streams(), 0);
    world.close();
  });

  test('the newest events are kept, as many as the operator says', async () => {
    const world = await openWorld(open, {}, { keepEvents: 3 });
    for (let n = 1; n <= 5; n++) await world.emit('call.answered', n);
    await world.world.advance(61_000);
    assert.deepEqual(numbers((await world.world.call('GET', 'Event/?after=0-0')).body.objects), [3, 4, 5]);
    world.close();
  });

  test('events are filtered by a type or a family of types, also over pages', async () => {
    const world = await openWorld(open);
    for (let n = 1; n <= 6; n++) await world.emit(n % 2 === 0 ? 'call.ended' : 'callback.failed', n);
    const get = async (query: string) => (await world.world.call('GET', `Event/?${query}`)).body;
    assert.deepEqual(numbers((await get('type=call')).objects), [2, 4, 6]);
    assert.deepEqual(numbers((await get('type=call.ended&limit=2')).objects), [4, 6]);
    const page = await get('type=call&after=0-0&limit=2');
    assert.deepEqual(numbers(page.objects), [2, 4]);
    assert.deepEqual(numbers((await world.world.call('GET', page.meta.next)).body.objects), [6]);
    for (const wrong of ['after=x', 'after=-1-2', 'limit=101', 'type=A', 'after=9999999999999999-1']) {
      assert.equal((await world.world.call('GET', `Event/?${wrong}`)).status, 400, wrong);
    }
    world.close();
  });

  test('a type or a family that no event has is refused with those that there are, on pages and in streams', async () => {
    const world = await openWorld(open);
    const refused = async (type: string) => {
      const { status, body } = await world.world.call('GET', `Event/?type=${type}`);
      assert.equal(status, 400);
      return body.error as string;
    };
    assert.match(
      await refused('nope'),
      /^type must be a family of events \(call, callback, .*\) or one of its types/,
    );
    assert.match(await refused('nope.ended'), /^type must be a family of events/);
    assert.match(
      await refused('trunk.nope'),
      /^type must be trunk or trunk\.call-refused, .*, not "trunk\.nope"$/,
    );
    assert.equal((await world.follow('?type=nope')).status, 400);
    world.close();
  });

  test('events are filtered by one or several resources, on pages and in streams', async () => {
    const world = await openWorld(open, { pauseMs: 0 });
    for (let n = 1; n <= 6; n++) await world.emit('call.ended', n, { resource: `call/${n % 3}` });
    const page = (await world.world.call('GET', 'Event/?after=0-0&limit=2&resource=call/1,call/2')).body;
    assert.deepEqual(numbers(page.objects), [1, 2]);
    assert.deepEqual(numbers((await world.world.call('GET', page.meta.next)).body.objects), [4, 5]);
    const stream = await world.follow('?resource=call/2');
    await stream.until(/events follow/);
    await world.emit('call.ended', 7, { resource: 'call/1' });
    await world.emit('call.ended', 8, { resource: 'call/2' });
    assert.doesNotMatch(await stream.until(/"n":8/), /"n":7/);
    for (const wrong of ['call', 'call/', 'call/1,', Array(11).fill('call/1').join()]) {
      assert.equal((await world.world.call('GET', `Event/?resource=${wrong}`)).status, 400, wrong);
    }
    world.close();
  });

  test('a stream sends events that are committed from now on, and continues where a client had stopped', async () => {
    const world = await openWorld(open, { pauseMs: 0 });
    await world.emit('call.answered', 1);
    const stream = await world.follow();
    assert.deepEqual([stream.status, stream.type], [200, 'text/event-stream']);
    await stream.until(/events follow/);
    await world.emit('call.ended', 2, { payload: { n: 2, line: 'a\nb' } });
    const text = await stream.until(/\n\n.*\n\n/s);
    const [, id, data] = /id: (\S+)\nevent: call\.ended\ndata: (.*)\n\n$/.exec(text)!;
    assert.equal(JSON.parse(data!).data.line, 'a\nb');
    assert.equal(JSON.parse(data!).id, id);
    stream.stop();
    await until(() => world.streams() === 0);
    await world.emit('call.ended', 3);
    const resumed = await world.follow('?after=0-0', { 'last-event-id': id! });
    const rest = await resumed.until(/"n":3/);
    assert.doesNotMatch(rest, /"n":[12]\b/);
    assert.equal((await world.follow('', { 'last-event-id': 'x' })).status, 400);
    world.close();
  });

  test('a subaccount follows its own events; its main account follows them as well', async () => {
    const world = await openWorld(open, { pauseMs: 0 });
    const sub = await world.world.subaccount();
    const [own, all] = [await world.follow('', {}, sub), await world.follow()];
    await world.emit('call.answered', 1);
    await world.emit('call.answered', 2, { account: sub.authId });
    assert.doesNotMatch(await own.until(/"n":2/), /"n":1/);
    assert.match(await all.until(/"n":2/), /"n":1/);
    world.close();
  });

  test('a silent stream carries a comment every 15 s; a drain ends all streams and opens no more', async () => {
    const world = await openWorld(open);
    const stream = await world.follow();
    await stream.until(/events follow/);
    await until(() => world.streams() === 1);
    await world.world.advance(15_000);
    await stream.until(/: still here\n\n/);
    world.drain();
    await stream.until(/: the server is shutting down\n\n/);
    assert.equal((await world.follow()).status, 503);
    assert.equal(world.streams(), 0);
  });

  test('an account has a limited number of streams at the same time, a subaccount its own', async () => {
    const world = await openWorld(open, { streamsPerAccount: 2 });
    const [one] = [await world.follow(), await world.follow()];
    assert.equal((await world.follow()).status, 429);
    assert.equal((await world.follow('', {}, await world.world.subaccount())).status, 200);
    one.stop();
    await until(() => world.streams() === 2);
    assert.equal((await world.follow()).status, 200);
    world.close();
  });
});

eachDatabase('a slow reader of live events', (open) => {
  test('gets no more pages than its connection accepts, and is cut off', async () => {
    const world = await openWorld(open, { pauseMs: 0, slowMs: 5_000 });
    const { authId } = world.world.main;
    let stream: ServerResponse | undefined;
    world.world.node.platform.http.server.once('request', (_, answer: ServerResponse) => {
      stream = answer;
    });
    const socket = connect(world.port, '127.0.0.1');
    socket.pause();
    socket.write(
      `GET /v1/Account/${authId}/Event/?after=0-0 HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\nauthorization: ${basic(world.world.main)}\r\n\r\n`,
    );
    await until(() => world.streams() === 1);
    const before = process.memoryUsage().arrayBuffers;
    // Far more than the kernel's buffers hold.
    for (let n = 0; n < 400; n++)
      await world.emit('call.ended', n, { payload: { n, text: 'x'.repeat(50_000) } });
    assert.ok(process.memoryUsage().arrayBuffers - before < 20_000_000);
    // Filling the connection needs real time, which this clock does not count. From the cut on the client has a second of real time.
    for (let second = 0; second < 10 && stream?.writableEnded !== true; second++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await world.world.advance(1_000);
    }
    let rest = '';
    socket.setEncoding('latin1').on('data', (text) => {
      rest = (rest + text).slice(-200);
    });
    socket.resume();
    // A client that reads on soon gets the reason.
    await until(() => world.streams() === 0 && rest.endsWith('\r\n0\r\n\r\n'));
    assert.match(rest, /: cut off: nothing was read for 5 s/);
    socket.destroy();
    world.close();
  });

  test('that sleeps for an hour costs one page at most, then nothing, and gets the rest when it wakes', async () => {
    const world = await openWorld(open, { pauseMs: 0 });
    const { authId } = world.world.main;
    const served = new Set<Socket>();
    world.world.node.platform.http.server.on('connection', (socket: Socket) => {
      served.add(socket);
      socket.once('close', () => served.delete(socket));
    });
    // Pages follow one another on the clock of this world.
    const readOn = async () => {
      await world.world.advance(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
    };
    const pending = () => [...served].reduce((sum, { writableLength }) => sum + writableLength, 0);
    const socket = connect(world.port, '127.0.0.1');
    let asleep = '';
    socket.setEncoding('latin1').on('data', (piece) => {
      asleep += piece;
    });
    socket.on('error', () => {});
    socket.write(
      `GET /v1/Account/${authId}/Event/?after=0-0 HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\nauthorization: ${basic(world.world.main)}\r\n\r\n`,
    );
    await until(() => asleep.includes('events follow'));
    socket.pause();
    const [all, textBytes, pageBytes] = [3_000, 5_000, 100 * 5_500];
    let most = 0;
    for (let n = 0; n < all; n += 100) {
      await world.emitMany(n, n + 100, 'x'.repeat(textBytes));
      most = Math.max(most, pending());
    }
    // The stream has filled the buffers of the kernel, and waits for its client.
    while (pending() === 0) await readOn();
    most = Math.max(most, pending());
    assert.ok(most <= pageBytes, `${most} bytes wait for the client, ${pageBytes} are a page`);
    await world.world.clock.leap(60 * 60_000);
    await until(() => world.streams() === 0 && served.size === 0);
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));

    const received = (text: string) =>
      [...text.matchAll(/"n":(\d+),"text":"x+"\}/g)].map(([, n]) => Number(n));
    const ids = [...asleep.matchAll(/id: ([0-9-]+)\nevent: [^\n]*\ndata: [^\n]*\n\n/g)].map(
      ([, id]) => id ?? '',
    );
    const before = received(asleep).slice(0, ids.length);
    assert.ok(before.length > 0 && before.length < all, `${before.length} events came before the sleep`);
    const stream = await world.follow('', { 'last-event-id': ids.at(-1) ?? '' });
    let isOver = false;
    const reading = stream.until(new RegExp(`"n":${all - 1},"text":"x+"\\}`)).finally(() => {
      isOver = true;
    });
    while (!isOver) await readOn();
    const rest = received(await reading);
    assert.deepEqual(
      [...before, ...rest],
      Array.from({ length: all }, (_, n) => n),
    );
    stream.stop();
    world.close();
  });

  test('a stream ends when its account is disabled or deleted, for whom it was opened as well', async () => {
    const world = await openWorld(open);
    const branches = [await world.world.subaccount(), await world.world.subaccount()] as const;
    const [disabled, deleted] = [branches[0].authId, branches[1].authId];
    const streams = [
      await world.follow('?after=0-0', {}, branches[0]),
      await world.follow('?after=0-0', {}, branches[1]),
      // Of the main account, about its subaccount.
      await world.follow('?after=0-0', { authorization: basic(world.world.main) }, branches[1]),
    ];
    const ofMain = await world.follow('?after=0-0');
    await world.world.advance(10_000);
    assert.equal(world.streams(), 4);
    await world.world.call('POST', `Subaccount/${disabled}/`, { body: { name: 'off', enabled: false } });
    await world.world.call('DELETE', `Subaccount/${deleted}/`);
    await world.world.advance(10_000);
    for (const stream of streams) {
      await stream.until(/no longer accepted/);
      await assert.rejects(stream.until(/anything more/), /the stream ended/);
    }
    await until(() => world.streams() === 1);
    await world.emit('call.ended', 1);
    await ofMain.until(/"n":1/);
    world.close();
  });
});
