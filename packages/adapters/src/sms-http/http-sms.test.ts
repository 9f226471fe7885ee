import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, test } from 'node:test';
import type { SmsOrder, SmsReceipt } from '@jackfield/ports';
import { createVirtualClock } from '@jackfield/testkit';
import { createHttpSms, type HttpSmsOptions } from './index.ts';

const clock = createVirtualClock();
const log = { debug() {}, info() {}, warn() {}, error() {} };
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly body: string;
  readonly token: string | string[] | undefined;
}

/** A gateway with these answers, one per request; the last one repeats. */
async function startGateway(...answers: ((response: ServerResponse) => void)[]) {
  const seen: Seen[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ method: request.method, url: request.url, body, token: request.headers['x-token'] });
    (answers.length > 1 ? answers.shift()! : answers[0]!)(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const says = (status: number, body: string) => (response: ServerResponse) => {
  response.writeHead(status).end(body);
};
const order: SmsOrder = {
  id: 'order-1',
  account: 'MA',
  mainAccount: 'MA',
  from: 'Acme & "Co"',
  to: '+14155552671',
  text: '12 "is" <your> code\n{{to}}',
  validUntil: clock.now() + 600_000,
};
const open = (url: string, over: Partial<HttpSmsOptions> = {}) =>
  createHttpSms(
    {
      name: 'gw',
      url: `${url}/send?to={{digits}}&ref={{id}}`,
      headers: { 'Content-Type': 'application/json', 'X-Token': 'secret' },
      body: '{"from":"{{from}}","text":"{{text}}","other":"{{nothing}}"}',
      messagePath: 'messages.0.id',
      retryMs: 5,
      ...over,
    },
    { clock, log },
  );

test('the request is made from the template, values stay values, and the answer names the message', async () => {
  const gateway = await startGateway(says(200, '{"messages":[{"id":77}]}'));
  assert.deepEqual(await open(gateway.url).send(order), { accepted: true, message: 'gw:77' });
  const [request] = gateway.seen;
  assert.deepEqual(
    [request!.method, request!.url, request!.token],
    ['POST', '/send?to=14155552671&ref=order-1', 'secret'],
  );
  assert.deepEqual(JSON.parse(request!.body), { from: order.from, text: order.text, other: '{{nothing}}' });
});

test('a form is sent, and an answer that is only the name is read', async () => {
  const gateway = await startGateway(says(202, ' abc-1\n'));
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const sms = open(gateway.url, { headers, body: 'text={{text}}&from={{from}}', messagePath: '' });
  assert.deepEqual(await sms.send(order), { accepted: true, message: 'gw:abc-1' });
  assert.equal(new URLSearchParams(gateway.seen[0]!.body).get('text'), order.text);
});

test('busy and broken gateways lead to another attempt, refusals of the message do not', async () => {
  const slow = await startGateway(says(503, ''), says(429, ''), says(200, '{"messages":[{"id":"x"}]}'));
  assert.deepEqual(await open(slow.url).send(order), { accepted: true, message: 'gw:x' });
  const broken = await startGateway(says(500, ''));
  assert.deepEqual(await open(broken.url).send(order), {
    accepted: false,
    errorCode: 'http-500',
    gatewayFailed: true,
    mayHaveGone: true,
  });
  assert.equal(broken.seen.length, 3);
  const firm = await startGateway(says(403, 'no'));
  assert.deepEqual(await open(firm.url).send(order), { accepted: false, errorCode: 'http-403' });
  assert.equal(firm.seen.length, 1);
});

test('silence, refusal, redirects and answers without a name end in a refusal, in time', async () => {
  const silent = await startGateway(() => {});
  const once = { attempts: 1 };
  assert.deepEqual(await open(silent.url, { ...once, timeoutMs: 50 }).send(order), {
    accepted: false,
    errorCode: 'timeout',
    gatewayFailed: true,
    mayHaveGone: true,
  });
  const gone = await startGateway(() => {});
  for (const close of closing.splice(1)) close();
  assert.deepEqual(await open(gone.url, once).send(order), {
    accepted: false,
    errorCode: 'unreachable',
    gatewayFailed: true,
  });
  const elsewhere = await startGateway((response) => {
    response.writeHead(302, { Location: `${silent.url}/` }).end();
  });
  assert.deepEqual(await open(elsewhere.url).send(order), { accepted: false, errorCode: 'http-302' });
  for (const body of ['', 'no json', '{"messages":[]}', '{"messages":[{"id":{}}]}', 'x'.repeat(200_000)]) {
    const odd = await startGateway(says(200, body));
    const outcome = await open(odd.url).send(order);
    assert.deepEqual(outcome, { accepted: false, errorCode: 'answer-not-understood', mayHaveGone: true });
  }
  const torn = await startGateway((response) => response.destroy());
  const lastly = { accepted: false, errorCode: 'unreachable', gatewayFailed: true, mayHaveGone: true };
  assert.deepEqual(await open(torn.url, once).send(order), lastly);
});

test('half a surrogate pair in a name does not stop a message', async () => {
  const gateway = await startGateway(says(200, '{"messages":[{"id":77}]}'));
  const sms = createHttpSms(
    { name: 'gw', url: `${gateway.url}/send?text={{text}}`, method: 'GET', messagePath: 'messages.0.id' },
    { clock, log },
  );
  assert.deepEqual(await sms.send({ ...order, text: '\ud800 12' }), { accepted: true, message: 'gw:77' });
  assert.equal(gateway.seen[0]!.url, '/send?text=%EF%BF%BD%2012');
});

test('a name of 64 bits keeps its digits in the answer and in the receipt, in JSON as a number too', async () => {
  const name = '1234567890123456789';
  const gateway = await startGateway(says(200, `{"messages":[{"id":${name}}]}`));
  const statuses = { delivered: 'delivered' } as const;
  const sms = open(gateway.url, { receipts: { messageField: 'id', statusField: 'status', statuses } });
  const receipts: SmsReceipt[] = [];
  sms.listen((receipt) => receipts.push(receipt));
  const take = (id: string) =>
    sms.takeReceipt({
      query: {},
      body: `{"id":${id},"status":"delivered"}`,
      contentType: 'application/json',
    });
  assert.deepEqual(await sms.send(order), { accepted: true, message: `gw:${name}` });
  assert.deepEqual([take(name), take('1234567890123456799')], [204, 204]);
  assert.deepEqual(
    receipts.map(({ message }) => message),
    [`gw:${name}`, 'gw:1234567890123456799'],
  );
});

test('receipts are read from query, form and JSON, and accepted only with the secret', () => {
  const sms = open('http://127.0.0.1:1', {
    receipts: {
      messageField: 'id',
      statusField: 'status',
      errorField: 'code',
      statuses: { delivered: 'delivered', expired: 'undelivered', rejected: 'failed' },
      secret: { field: 'key', value: 's3cret' },
    },
  });
  const receipts: SmsReceipt[] = [];
  sms.listen((receipt) => receipts.push(receipt));
  const take = (query: Record<string, string>, body = '', contentType = '') =>
    sms.takeReceipt({ query, body, contentType });
  const form = 'application/x-www-form-urlencoded';
  assert.equal(take({ id: '7', status: 'DELIVERED', key: 's3cret' }), 204);
  assert.equal(take({ key: 's3cret' }, 'id=8&status=expired&code=34', form), 204);
  assert.equal(take({ key: 's3cret' }, '{"id":9,"status":"Rejected","more":{}}', 'application/json'), 204);
  assert.equal(take({ id: '7', status: 'enroute', key: 's3cret' }), 204);
  assert.equal(take({ id: '7', status: 'delivered', key: 'guess' }), 403);
  assert.equal(take({ id: '7', status: 'delivered' }), 403);
  assert.equal(take({ key: 's3cret' }, '{', 'application/json'), 400);
  assert.equal(take({ key: 's3cret', id: '7' }), 400);
  assert.equal(open('http://127.0.0.1:1').takeReceipt({ query: {}, body: '', contentType: '' }), 403);
  assert.deepEqual(receipts, [
    { message: 'gw:7', status: 'delivered', errorCode: null },
    { message: 'gw:8', status: 'undelivered', errorCode: '34' },
    { message: 'gw:9', status: 'failed', errorCode: 'rejected' },
  ]);
});
