import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eachDatabase, onEmbeddedDatabase } from '@jackfield/testkit';
import { sql } from 'kysely';
import { countOf, listedRecordings, pageOf } from './queries.ts';
import { reading } from './tables.ts';
import { openRecordingsWorld, publicUrl, until } from './testing/recordings-world.ts';

const ids = (body: { objects: readonly { recording_id: string }[] }) =>
  body.objects.map((each) => each.recording_id);

eachDatabase('Recording API', (open) => {
  test('an object has the published fields, while it runs and after', async () => {
    const world = await openRecordingsWorld(open);
    const { call, main } = world;
    const began = world.world.now();
    const mpc = { uuid: randomUUID(), name: 'support' };
    const callUuid = randomUUID();
    const recording = await world.record({ type: 'mpc', mpc, callUuid });
    world.say(recording, 61_500);
    const { api_id: _, ...running } = (await call('GET', `Recording/${recording}/`)).body;
    const account = `/v1/Account/${main.authId}`;
    const expected = {
      recording_id: recording,
      recording_url: `${publicUrl}${account}/Recording/${recording}.wav`,
      recording_format: 'wav',
      recording_type: 'mpc',
      recording_duration_ms: '-1.00000',
      recording_start_ms: `${began}.00000`,
      recording_end_ms: '-1.00000',
      rounded_recording_duration: 0,
      add_time: `${new Date(began).toISOString().slice(0, 23).replace('T', ' ')}000+00:00`,
      call_uuid: callUuid,
      conference_name: null,
      mpc_name: 'support',
      mpc_uuid: mpc.uuid,
      from_number: '+12025550199',
      to_number: '+12025550100',
      monthly_recording_storage_amount: '0.00000',
      recording_storage_duration: 0,
      recording_storage_rate: '0.00000',
      track_type: null,
      member_id: null,
      channels: null,
      recording_error: null,
      recording_error_code: null,
      resource_uri: `${account}/Recording/${recording}/`,
    };
    assert.deepEqual(running, expected);
    await world.world.advance(61_500);
    await world.stop(recording);
    await world.world.clock.leap(2.5 * 86_400_000);
    const { objects } = (await call('GET', 'Recording/')).body;
    assert.deepEqual(objects, [
      {
        ...expected,
        recording_duration_ms: '61500.00000',
        recording_end_ms: `${began + 61_500}.00000`,
        rounded_recording_duration: 120,
        recording_storage_duration: 2,
      },
    ]);
  });

  test('lists are newest first, in pages, filtered, and each account sees its own', async () => {
    const world = await openRecordingsWorld(open);
    const { call, main } = world;
    const branch = await world.world.subaccount();
    const start = world.world.now();
    const at = (ms: number) => new Date(start + ms).toISOString().slice(0, 23).replace('T', ' ');
    const made: string[] = [];
    const mpc = { uuid: randomUUID(), name: 'support' };
    const callUuid = randomUUID();
    for (const over of [
      { callUuid },
      { from: '+15550001' },
      { to: 'alice' },
      { mpc },
      { account: branch.authId },
    ]) {
      const recording = await world.record(over);
      await world.stop(recording);
      made.push(recording);
      await world.world.advance(10_000);
    }
    const [first, second, third, fourth, fifth] = made as [string, string, string, string, string];
    const list = async (query: string, as = main) => {
      const { body, status } = await call('GET', `Recording/?${query}`, { as });
      assert.equal(status, 200, JSON.stringify(body));
      return ids(body);
    };
    assert.deepEqual(await list(''), [...made].reverse());
    const page = (await call('GET', 'Recording/?limit=2&offset=2')).body;
    assert.deepEqual([ids(page), page.meta.total_count], [[third, second], 5]);
    assert.deepEqual(await list('', branch), [fifth]);
    assert.deepEqual(await list(`subaccount=${branch.authId}`), [fifth]);
    assert.deepEqual(await list(`sub_account=${branch.authId}`), [fifth]);
    const uri = encodeURIComponent(`/v1/Account/${main.authId}/Subaccount/${branch.authId}/`);
    assert.deepEqual(await list(`sub_account=${uri}`), [fifth]);
    assert.deepEqual(await list(`subaccount=${branch.authId}&sub_account=SAOTHER`), []);
    assert.deepEqual(await list(`call_uuid=${callUuid.toUpperCase()}`), [first]);
    for (const number of ['%2B15550001', '+15550001', '15550001'])
      assert.deepEqual(await list(`from_number=${number}`), [second], number);
    assert.deepEqual(await list('to_number=alice'), [third]);
    assert.deepEqual(await list('mpc_name=support'), [fourth]);
    assert.deepEqual(await list(`mpc_uuid=${mpc.uuid}`), [fourth]);
    assert.deepEqual(await list('conference_name=support'), []);
    assert.deepEqual(await list(`to_number=%2B12025550100`, branch), [fifth]);
    assert.deepEqual(await list(`add_time__gte=${at(10_000)}&add_time__lt=${at(30_000)}`), [third, second]);
    assert.deepEqual(await list(`add_time__gt=${at(10_000)}&add_time__lte=${at(30_000)}`), [fourth, third]);
    assert.equal((await call('GET', 'Recording/?add_time__gt=yesterday')).status, 400);
    const day = 86_400_000;
    await world.world.clock.leap(2 * day - 35_000);
    assert.deepEqual(await list('recording_storage_duration=2'), [second, first]);
    assert.deepEqual(await list('recording_storage_duration__lt=2'), [fifth, fourth, third]);
    assert.deepEqual(await list('recording_storage_duration__gt=1'), [second, first]);
    assert.deepEqual(await list('recording_storage_duration__gte=1&recording_storage_duration__lte=1'), [
      fifth,
      fourth,
      third,
    ]);
    // As the Node SDK spells them.
    assert.deepEqual(await list('recording_storage_duration_lt=2'), [fifth, fourth, third]);
    assert.deepEqual(await list('recording_storage_duration_gte=2'), [second, first]);
    assert.equal((await call('GET', 'Recording/?recording_storage_duration=-1')).status, 400);
    assert.equal((await call('GET', `Recording/${fifth}/`, { as: branch })).status, 200);
    assert.equal((await call('GET', `Recording/${first}/`, { as: branch })).status, 404);
    assert.equal((await call('DELETE', `Recording/${first}/`, { as: branch })).status, 404);
    assert.equal((await world.file(`${first}.wav`, {}, 'GET', branch)).status, 404);
  });

  test('DELETE removes a recording with its file, and stops a live recording first', async () => {
    const world = await openRecordingsWorld(open);
    const { call } = world;
    const ended = await world.record();
    await world.stop(ended);
    const live = await world.record();
    world.say(live, 500);
    for (const recording of [ended, live]) {
      assert.equal((await call('DELETE', `Recording/${recording}/`)).status, 204);
      assert.equal((await call('GET', `Recording/${recording}/`)).status, 404);
      assert.equal((await call('DELETE', `Recording/${recording}/`)).status, 404);
    }
    assert.deepEqual(world.files.names(), []);
    assert.deepEqual(world.files.commands.at(-1), { do: 'end-capture', capture: live });
    const [, notice] = world.notices.at(-1)!;
    assert.ok(
      notice.type === 'recording-over' && notice.outcome === 'completed' && notice.durationMs === 500,
    );
  });
});

onEmbeddedDatabase('Files of recordings', (open) => {
  test('the whole file is served with credentials, from the end of the recording on', async () => {
    const world = await openRecordingsWorld(open);
    const recording = await world.record();
    const name = `${recording}.wav`;
    assert.equal((await world.file(name)).status, 404);
    world.say(recording, 20_000);
    await world.stop(recording);
    const { status, headers, bytes } = await world.file(name);
    assert.equal(status, 200);
    assert.deepEqual(
      ['content-type', 'content-length', 'accept-ranges'].map((each) => String(headers[each])),
      ['audio/wav', '320044', 'bytes'],
    );
    assert.deepEqual(bytes, readFileSync(join(world.files.directory, name)));
    const anonymous = await world.file(name, { authorization: '' });
    assert.deepEqual(
      [anonymous.status, String(anonymous.headers['www-authenticate']).slice(0, 5)],
      [401, 'Basic'],
    );
    assert.equal((await world.file(`${recording}.mp3`)).status, 404);
    assert.equal((await world.file(`${recording}.wav/`)).status, 200);
    assert.equal((await world.file(`..%2F${name}`)).status, 404);
    unlinkSync(join(world.files.directory, name));
    assert.equal((await world.file(name)).status, 404);
  });

  test('RFC 9110 §14: a range within the file gets 206, and a range beyond its end 416', async () => {
    const world = await openRecordingsWorld(open);
    const recording = await world.record({ format: 'mp3' });
    world.say(recording, 3000);
    await world.stop(recording);
    const name = `${recording}.mp3`;
    const whole = readFileSync(join(world.files.directory, name));
    const size = whole.length;
    const parts: [string, number, number][] = [
      ['bytes=0-99', 0, 99],
      ['bytes=100-', 100, size - 1],
      ['bytes=-50', size - 50, size - 1],
      [`bytes=5-${size + 1000}`, 5, size - 1],
    ];
    for (const [range, from, to] of parts) {
      const { status, headers, bytes } = await world.file(name, { range });
      assert.deepEqual(
        [status, headers['content-type'], headers['content-range'], headers['content-length']],
        [206, 'audio/mpeg', `bytes ${from}-${to}/${size}`, String(to - from + 1)],
      );
      assert.deepEqual(bytes, whole.subarray(from, to + 1));
    }
    const beyond = await world.file(name, { range: `bytes=${size}-` });
    assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, `bytes */${size}`]);
    assert.match(JSON.parse(beyond.bytes.toString()).error, /Range must be bytes within/);
    for (const range of ['bytes=0-1,4-5', 'lines=1-2']) {
      const ignored = await world.file(name, { range });
      assert.deepEqual([ignored.status, ignored.bytes.length], [200, size]);
    }
    const etag = String((await world.file(name)).headers.etag);
    assert.equal((await world.file(name, { range: 'bytes=0-1', 'if-range': etag })).status, 206);
    assert.equal((await world.file(name, { range: 'bytes=0-1', 'if-range': '"other"' })).status, 200);
  });

  test('a client that has the file gets 304 without it, whatever part it asks for', async () => {
    const world = await openRecordingsWorld(open);
    const recording = await world.record({ format: 'mp3' });
    world.say(recording, 1000);
    await world.stop(recording);
    const name = `${recording}.mp3`;
    const { etag, 'content-length': size } = (await world.file(name)).headers;
    for (const [headers, method] of [
      [{ 'if-none-match': `"other", W/${etag}` }, 'GET'],
      [{ 'if-none-match': '*', range: 'bytes=0-1' }, 'GET'],
      [{ 'if-none-match': String(etag) }, 'HEAD'],
    ] as const) {
      const known = await world.file(name, headers, method);
      assert.deepEqual([known.status, known.bytes.length, known.headers.etag], [304, 0, etag]);
    }
    const changed = await world.file(name, { 'if-none-match': '"other"' });
    assert.deepEqual([changed.status, changed.headers['content-length']], [200, size]);
  });

  test('HEAD answers the length without the file; other methods are refused', async () => {
    const world = await openRecordingsWorld(open);
    const recording = await world.record();
    world.say(recording, 1000);
    await world.stop(recording);
    const head = await world.file(`${recording}.wav`, {}, 'HEAD');
    assert.deepEqual(
      [head.status, head.headers['content-length'], head.headers['content-type'], head.bytes.length],
      [200, '16044', 'audio/wav', 0],
    );
    const refused = await world.call('DELETE', `Recording/${recording}.wav`);
    assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, HEAD']);
  });

  test('a client that disconnects during the download leaves no file open, and the file is documented', async () => {
    const world = await openRecordingsWorld(open);
    const recording = await world.record();
    world.say(recording, 120_000);
    await world.stop(recording);
    const address = await world.world.node.platform.http.listen({ port: 0, host: '127.0.0.1' });
    const abort = new AbortController();
    const { authId, authToken } = world.main;
    const answer = await fetch(`${address}/v1/Account/${authId}/Recording/${recording}.wav`, {
      headers: { authorization: `Basic ${btoa(`${authId}:${authToken}`)}` },
      signal: abort.signal,
    });
    const reader = answer.body!.getReader();
    await reader.read();
    abort.abort();
    await assert.rejects(reader.read());
    const descriptors = '/proc/self/fd';
    const isOpen = () =>
      existsSync(descriptors) &&
      readdirSync(descriptors).some((each) => linkOf(join(descriptors, each)).endsWith(`${recording}.wav`));
    await until(() => !isOpen());
    assert.equal((await world.file(`${recording}.wav`)).bytes.length, 44 + 120_000 * 16);
    const { paths } = (await world.world.node.platform.http.inject('/openapi.json')).json();
    const documented = paths['/v1/Account/{auth_id}/Recording/{recording_file}'];
    assert.deepEqual(Object.keys(documented), ['get']);
    assert.deepEqual(Object.keys(documented.get.responses['206'].content), ['audio/mpeg', 'audio/wav']);
  });

  test('lists and their counts are answered from the index of their filter', async () => {
    const { world } = await openRecordingsWorld(open);
    const { database } = world.node;
    const tables = reading(database.read);
    const main = { authId: 'MA', isSubaccount: false, main: 'MA' };
    const sub = { authId: 'SA', isSubaccount: true, main: 'MA' };
    const expected = [
      [main, {}, 'recordings_by_main_account (main_account=?'],
      [
        main,
        { added: { from: 1, before: 2 } },
        'recordings_by_main_account (main_account=? AND created_at>?',
      ],
      [main, { callUuid: 'y' }, 'recordings_by_call (main_account=? AND call_uuid=?'],
      [main, { mpcUuid: 'y' }, 'recordings_by_mpc (main_account=? AND mpc_uuid=?'],
      [main, { mpcName: 'y' }, 'recordings_by_mpc_name (main_account=? AND mpc_name=?'],
      [main, { from: 'y' }, 'recordings_by_from (main_account=? AND from_number=?'],
      [main, { from: '+15550001' }, 'recordings_by_from (main_account=? AND from_number=?'],
      [main, { to: 'y', subaccount: 'SA' }, 'recordings_by_to (main_account=? AND to_number=?'],
      [main, { closed: { from: 1, before: 5 } }, 'recordings_by_age (main_account=? AND closed_at>?'],
      [sub, { callUuid: 'y' }, 'recordings_by_call (main_account=? AND call_uuid=?'],
      [sub, { from: 'y' }, 'recordings_by_from (main_account=? AND from_number=?'],
      [sub, { closed: { from: 1, before: 5 } }, 'recordings_by_age_of_account (account=? AND closed_at>?'],
    ] as const;
    for (const [viewer, filters, index] of expected) {
      const requested = listedRecordings(tables, viewer, { ...filters, isEmpty: false });
      const page = pageOf(requested, { limit: 20, offset: 0 }).compile();
      const count = countOf(tables, requested).compile();
      // A count may use another index that begins with the same columns.
      const conditions = index.slice(index.indexOf('('));
      for (const [query, start] of [
        [page, index],
        [count, conditions],
      ] as const) {
        const explained = { ...query, sql: `EXPLAIN QUERY PLAN ${query.sql}` } as never;
        const { rows } = await database.read.executeQuery<{ detail: string }>(explained);
        const plan = rows.map(({ detail }) => detail).join('; ');
        assert.ok(plan.includes(start), `${query.sql}: ${plan}`);
      }
    }
  });

  test('restart and the end of the retention time are answered from indexes', async () => {
    const world = await openRecordingsWorld(open);
    for (const where of ['closed_at IS NULL', 'closed_at < 5']) {
      const { rows } = await sql<{
        detail: string;
      }>`EXPLAIN QUERY PLAN SELECT * FROM recordings WHERE ${sql.raw(where)}`.execute(
        world.world.node.database.read,
      );
      assert.match(rows[0]!.detail, /^SEARCH recordings USING INDEX/, where);
    }
  });
});

/** A descriptor may close between the listing and its `readlink`. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
