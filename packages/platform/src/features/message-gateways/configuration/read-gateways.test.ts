import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGateways } from './read-gateways.ts';

const smpp = {
  name: 'alpha',
  protocol: 'smpp',
  host: 'smsc.example',
  tls: true,
  system_id: 'me',
  password: 'hunter2!',
  prefixes: [{ prefix: '1', price: '0.0075' }],
  caps: { messages_per_second: 20, spend_per_hour: '25.00' },
};
const http = {
  name: 'beta',
  protocol: 'http',
  url: 'https://beta.example/send?ref={{id}}',
  headers: { Authorization: 'Bearer hunter2' },
  body: '{"to":"{{to}}"}',
  message_path: 'id',
  receipts: {
    message_field: 'id',
    status_field: 'status',
    statuses: { DELIVRD: 'delivered' },
    secret: { field: 'key', value: 's3cret' },
  },
  prefixes: [{ prefix: '' }],
};
const read = (...gateways: readonly object[]) => readGateways(JSON.stringify({ gateways }));
const problemsOf = (...gateways: readonly object[]) => {
  const outcome = read(...gateways);
  return outcome.ok ? [] : outcome.problems;
};

test('gateways are read apart from their credentials', () => {
  const outcome = read(smpp, http);
  assert.ok(outcome.ok);
  assert.deepEqual(outcome.gateways, [
    {
      name: 'alpha',
      prefixes: [{ prefix: '1', priority: 1, weight: 1, price: 750 }],
      caps: { messagesPerSecond: 20, spendPerHour: 2_500_000 },
    },
    {
      name: 'beta',
      prefixes: [{ prefix: '', priority: 1, weight: 1, price: undefined }],
      caps: { messagesPerSecond: undefined, spendPerHour: undefined },
    },
  ]);
  const [alpha, beta] = outcome.accesses;
  assert.deepEqual(alpha, {
    protocol: 'smpp',
    name: 'alpha',
    host: 'smsc.example',
    port: 2775,
    tls: true,
    caFile: undefined,
    systemId: 'me',
    password: 'hunter2!',
    systemType: '',
    window: 10,
  });
  assert.ok(beta?.protocol === 'http');
  // Statuses are compared in lower case.
  assert.deepEqual(beta.receipts?.statuses, { delivrd: 'delivered' });
});

test('an IPv6 address is written in brackets, and connected to without them', () => {
  const outcome = read({ ...smpp, host: '[2001:db8::1]' });
  const [access] = outcome.ok ? outcome.accesses : [];
  assert.equal(access?.protocol === 'smpp' && access.host, '2001:db8::1');
});

for (const host of ['2001:db8::1', '[::::]', '999.1.1.1', 'a..b']) {
  test(`an SMPP gateway at ${host} is refused`, () => {
    assert.deepEqual(problemsOf({ ...smpp, host }), [
      `gateways[0].host must be a host name or an IP address (IPv6 in brackets), not "${host}"`,
    ]);
  });
}

for (const [what, wrong, field] of [
  ['a URL without a host', { url: 'http://[' }, 'url'],
  ['a URL with a port that is none', { url: 'https://beta.example:99999/' }, 'url'],
  ['a URL with a username, which no request may have', { url: 'https://me:hunter2@beta.example/' }, 'url'],
  ['a header with characters that HTTP cannot send', { headers: { 'X-Key': '日本' } }, 'headers.X-Key'],
  ['a header with a line end', { headers: { 'X-Key': 'a\nb' } }, 'headers.X-Key'],
  [
    'a status that is there in two spellings',
    { receipts: { ...http.receipts, statuses: { OK: 'delivered', ok: 'failed' } } },
    'receipts.statuses.ok',
  ],
] as const) {
  test(`${what} is refused at the start`, () => {
    const problems = problemsOf({ ...http, ...wrong });
    assert.deepEqual(
      problems.map((each) => each.slice(0, each.indexOf(' '))),
      [`gateways[0].${field}`],
    );
  });
}

test('a URL may have a placeholder in any part, and a header letters of ISO 8859-1', () => {
  const url = 'https://{{digits}}.beta.example/{{id}}?text={{text}}';
  assert.deepEqual(problemsOf({ ...http, url, headers: { 'X-Key': 'café 1' } }), []);
});

test('each mistake is reported with its entry, and no sentence contains a secret', () => {
  const problems = problemsOf(
    { ...smpp, password: 'far too long hunter2', port: 0, prefixes: [{ prefix: '+1' }] },
    { ...http, name: 'alpha', url: 'ftp://x', headers: { 'a b': 'x' }, caps: { spend_per_hour: '1.00' } },
    { name: 'gamma', protocol: 'pigeon' },
    { ...http, name: 'delta', receipts: { ...http.receipts, secret: undefined, statuses: { ok: 'yes' } } },
  );
  for (const position of [
    'gateways[0].password must be a text of up to 8 characters',
    'gateways[0].port must be',
    'gateways[0].prefixes[0].prefix must be leading digits',
    'gateways[1].name must be another one',
    'gateways[1].url must be an http or https URL',
    'gateways[1].headers.a b is no name of a header',
    'gateways[1].caps cannot hold a spend per hour: the prefix "" has no price',
    'gateways[2].protocol must be "smpp" or "http"',
    'gateways[3].receipts.statuses.ok must be "delivered", "undelivered" or "failed"',
    'gateways[3].receipts.secret must be an object',
  ]) {
    assert.ok(
      problems.some((problem) => problem.startsWith(position)),
      `${position}\n${problems.join('\n')}`,
    );
  }
  assert.ok(!problems.some((problem) => problem.includes('hunter2')));
});

test('a text that is not JSON is reported with its line and without its content', () => {
  const outcome = readGateways('{\n"hunter2" 1}');
  assert.deepEqual(outcome, {
    ok: false,
    problems: ['line 2: the list of gateways is no JSON: : is expected'],
  });
});
