import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerPage, pageMeta, parsePage } from './pagination.ts';

test('limit defaults to 20 and offset to 0, and both may come as strings', () => {
  assert.deepEqual(parsePage({}), { ok: true, value: { limit: 20, offset: 0 } });
  assert.deepEqual(parsePage({ limit: '1', offset: '40' }), { ok: true, value: { limit: 1, offset: 40 } });
  assert.deepEqual(parsePage({ limit: 20, offset: 0 }), { ok: true, value: { limit: 20, offset: 0 } });
});

test('a limit outside 1–20 and a negative offset are refused with a sentence', () => {
  for (const limit of ['0', '21', '-1', '1.5', '', 'ten', 0, 21, Number.NaN, null, ['5'], '9'.repeat(500)]) {
    const parsed = parsePage({ limit });
    assert.ok(!parsed.ok && parsed.problem.parameter === 'limit', JSON.stringify(limit));
  }
  for (const offset of ['-1', '1e3', ' 1', -1, 0.5, 1e300, {}, '9999999999999']) {
    const parsed = parsePage({ offset });
    assert.ok(!parsed.ok && parsed.problem.parameter === 'offset', JSON.stringify(offset));
  }
});

test('links carry path, limit, offset and the filters; null where there is no page', () => {
  const path = '/v1/Account/MA123456789012345678/Endpoint/';
  assert.deepEqual(pageMeta({ limit: 20, offset: 0 }, 45, path), {
    limit: 20,
    offset: 0,
    count: 45,
    total_count: 45,
    next: `${path}?limit=20&offset=20`,
    previous: null,
  });
  const second = pageMeta({ limit: 20, offset: 30 }, 45, path, { status: 'a b' });
  assert.equal(second.next, null);
  assert.equal(second.previous, `${path}?status=a+b&limit=20&offset=10`);
  assert.equal(pageMeta({ limit: 20, offset: 5 }, 45, path).previous, `${path}?limit=20&offset=0`);
  assert.equal(pageMeta({ limit: 20, offset: 0 }, 20, path).next, null);
});

test('a page has its rows as they are shown, and its links repeat the query without its limit and offset', async () => {
  const path = '/v1/Account/MA123456789012345678/Call/';
  const answer = await answerPage(
    { query: { status: 'busy', limit: '2', offset: '2', trunk_id: undefined }, path },
    async ({ limit, offset }) => ({ total: 5, rows: [0, 1, 2, 3, 4].slice(offset, offset + limit) }),
    (row) => `row ${row}`,
  );
  assert.ok(answer.ok);
  assert.deepEqual(answer.value.objects, ['row 2', 'row 3']);
  assert.equal(answer.value.meta.next, `${path}?status=busy&limit=2&offset=4`);
  assert.equal(answer.value.meta.previous, `${path}?status=busy&limit=2&offset=0`);
});

test('a page that is refused is not read', async () => {
  const read = () => assert.fail('the list was read');
  const answer = await answerPage({ query: { limit: '21' }, path: '/' }, read, String);
  assert.equal(answer.ok, false);
});
