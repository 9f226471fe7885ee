import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { gatewayOf, Smsc } from './support/smsc.ts';

const mobile = '+14155552671';
const codeIn = (text: string | undefined) => /\d{4,8}/.exec(text ?? '')?.[0] ?? '';

describe('verification through gateways of the operator', { timeout: 180_000 }, () => {
  let smsc: Smsc;
  let receiver: CallbackReceiver;
  let platform: PlatformProcess;
  let directory: string;
  /** The requests to the HTTP gateway, and its answers. */
  const asked: { url: string; body: string }[] = [];
  let gatewayStatus = 200;
  const gateway = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    asked.push({ url: request.url ?? '', body });
    response.writeHead(gatewayStatus).end(JSON.stringify({ id: `h-${asked.length}` }));
  });

  before(async () => {
    smsc = await Smsc.start();
    receiver = await CallbackReceiver.start();
    gateway.listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    directory = await mkdtemp(join(tmpdir(), 'jackfield-sms-'));
    const file = join(directory, 'sms.json');
    await writeFile(
      file,
      JSON.stringify({
        gateways: [
          gatewayOf(smsc),
          {
            name: 'web',
            protocol: 'http',
            url: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/send?ref={{id}}`,
            headers: { 'Content-Type': 'application/json' },
            body: '{"to":"{{to}}","text":"{{text}}"}',
            message_path: 'id',
            receipts: {
              message_field: 'id',
              status_field: 'status',
              statuses: { done: 'delivered' },
              secret: { field: 'key', value: 'webhook-secret' },
            },
            prefixes: [{ prefix: '49' }],
          },
        ],
      }),
    );
    platform = await PlatformProcess.start({ JACKFIELD_SMS: file });
    await smsc.saw('bind');
  });

  after(() =>
    cleanUp(
      () => platform.stop(),
      () => receiver.stop(),
      () => smsc.stop(),
      () => gateway.closeAllConnections(),
      () => gateway.close(),
      () => rm(directory, { recursive: true }),
    ),
  );

  const begin = async (recipient: string, more: object = {}) => {
    const { status, body } = await platform.api('POST', 'Verify/Session/', {
      recipient,
      url: receiver.url,
      ...more,
    });
    assert.equal(status, 202, JSON.stringify(body));
    return body.session_uuid as string;
  };
  const callbackOf = (session: string, status: string, from = 0) =>
    receiver.received.until(
      `${status} of ${session}`,
      ({ fields }) => fields.get('SessionUUID') === session && fields.get('ChannelStatus') === status,
      { from },
    );

  it('kill -9 between submit and receipt: one session, one code, and the receipt is reported after the restart', async () => {
    const session = await begin(mobile);
    const submit = await smsc.saw('submit');
    await callbackOf(session, 'sent');
    const fromHere = smsc.notices.all.length;
    const received = receiver.received.all.length;
    await platform.killAndRestart();
    await smsc.saw('bind', fromHere);
    smsc.receipt(submit.id ?? '');
    const delivered = await callbackOf(session, 'delivered', received);
    assert.equal(delivered.fields.get('AttemptSequence'), '1');
    // The code of the first message is still valid: another request sends the same code, in the same session.
    assert.equal(await begin(mobile), session);
    await smsc.saw('submit', fromHere);
    const codes = new Set(smsc.texts.map(codeIn));
    assert.equal(codes.size, 1);
    const [code = ''] = codes;
    assert.equal((await platform.api('POST', `Verify/Session/${session}/`, { otp: code })).status, 200);
    const { body } = await platform.api('GET', 'Verify/Session/');
    assert.equal(body.sessions.length, 1);
  });

  it('kill -9 while the submit has no answer: the message goes again, in the same session with the same code', async () => {
    const recipient = '+14155552672';
    smsc.instruct({ do: 'ignore' });
    const from = smsc.notices.all.length;
    const session = await begin(recipient);
    await smsc.saw('submit', from);
    const restarted = smsc.notices.all.length;
    await platform.killAndRestart();
    const again = await smsc.saw('submit', restarted);
    smsc.receipt(again.id ?? '');
    await callbackOf(session, 'delivered');
    const texts = smsc.texts.slice(-2);
    assert.equal(codeIn(texts[0]), codeIn(texts[1]));
    const { body } = await platform.api('GET', `Verify/Session/?recipient=${encodeURIComponent(recipient)}`);
    assert.equal(body.sessions.length, 1);
    assert.equal(body.sessions[0].count, 1);
  });

  it('throttled, it waits; cut off in the middle, it comes back; refused, it says why; none of it leaves a second code', async () => {
    const recipient = '+14155552673';
    smsc.instruct({ do: 'answer', statuses: [0x58] });
    const throttled = await begin(recipient);
    await callbackOf(throttled, 'sent');
    smsc.instruct({ do: 'disconnect' });
    const from = receiver.received.all.length;
    assert.equal(await begin(recipient), throttled);
    await callbackOf(throttled, 'sent', from);
    assert.equal(new Set(smsc.texts.slice(-4).map(codeIn)).size, 1);
    smsc.instruct({ do: 'answer', statuses: [0x0b] });
    const refused = await begin('+14155552674');
    const failed = await callbackOf(refused, 'failed');
    assert.equal(failed.fields.get('ChannelErrorCode'), '11');
  });

  it('an HTTP gateway serves its prefix, and reports deliveries only with its secret', async () => {
    const session = await begin('+4915112345678', { brand_name: 'A "B"' });
    await callbackOf(session, 'sent');
    const [request] = asked;
    assert.match(JSON.parse(request?.body ?? '{}').text, /^\d{6} is your A "B" verification code/);
    const hook = `${platform.httpUrl}/message-gateways/web/receipts`;
    const guess = await fetch(`${hook}?id=h-1&status=done&key=guess`);
    assert.equal(guess.status, 403);
    assert.equal((await fetch(`${platform.httpUrl}/message-gateways/nobody/receipts?id=1`)).status, 403);
    const posted = await fetch(hook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'h-1', status: 'done', key: 'webhook-secret' }),
    });
    assert.equal(posted.status, 204);
    await callbackOf(session, 'delivered');
  });

  it('a number without a gateway, and a gateway that is broken, end in a failed attempt with the reason', async () => {
    const nowhere = await begin('+33612345678');
    assert.equal((await callbackOf(nowhere, 'failed')).fields.get('ChannelErrorCode'), 'no-route');
    gatewayStatus = 500;
    const broken = await begin('+4915112345679');
    assert.equal((await callbackOf(broken, 'failed')).fields.get('ChannelErrorCode'), 'http-500');
    gatewayStatus = 200;
  });

  it('a receiver that hangs with the first event of a session gets the later ones, and those of other sessions, at once', async () => {
    receiver.behaviour = ({ fields }) => (fields.get('ChannelStatus') === 'queued' ? 'silence' : 200);
    const fromHere = smsc.notices.all.length;
    const hung = await begin('+14155552675');
    await callbackOf(hung, 'queued');
    await callbackOf(hung, 'sent');
    const submit = await smsc.saw('submit', fromHere);
    smsc.receipt(submit.id ?? '');
    await callbackOf(hung, 'delivered');
    await callbackOf(await begin('+14155552676'), 'sent');
    // The first attempts still wait for their answer: none was dropped for the others.
    // The record of an attempt is written a moment after the receiver has the request.
    const statuses = (body: { objects: readonly { status: string }[] }) =>
      body.objects.map(({ status }) => status).sort();
    const record = await platform.until(
      'the record of both',
      `Callback/?resource=verify/${hung}`,
      (body) => statuses(body).filter((status) => status === 'delivered').length === 2,
    );
    assert.deepEqual(statuses(record), ['delivered', 'delivered', 'waiting']);
    receiver.behaviour = () => 200;
  });

  it('no code is in the log, in a callback, in the event stream or in the log of deliveries', async () => {
    const codes = new Set([...smsc.texts, ...asked.map(({ body }) => body)].map(codeIn));
    const eventStream = JSON.stringify((await platform.api('GET', 'Event/?limit=20')).body);
    const deliveries = JSON.stringify((await platform.api('GET', 'Callback/?limit=20')).body);
    const callbacks = JSON.stringify(receiver.received.all.map(({ fields }) => [...fields]));
    const log = JSON.stringify(platform.log.all);
    assert.ok(codes.size >= 4);
    for (const code of codes) {
      // As a word of its own: digits of identifiers and times contain anything.
      const word = new RegExp(`(?<![0-9A-Za-z.-])${code}(?![0-9A-Za-z.-])`);
      for (const text of [eventStream, deliveries, callbacks, log]) assert.doesNotMatch(text, word);
    }
  });
});
