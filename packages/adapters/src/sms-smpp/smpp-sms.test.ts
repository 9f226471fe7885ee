import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { queryObjects } from 'node:v8';
import type { Clock, SmsOrder, SmsReceipt } from '@jackfield/ports';
import { createVirtualClock } from '@jackfield/testkit';
import { createSystemClock } from '../clock/index.ts';
import { createSmppSms, type SmppSms, type SmppSmsOptions } from './index.ts';
import { OutgoingMessage } from './outgoing-message.ts';
import type { SmscNotice, SmscOrder } from './testing/smsc-process.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const clock: Clock = createSystemClock({ keepsProcessAlive: true });
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** An SMSC in a process of its own: the server side of the library, controlled by the test. */
async function startSmsc(...certificate: readonly string[]) {
  const child: ChildProcess = fork(new URL('./testing/smsc-process.ts', import.meta.url), certificate);
  closing.push(() => child.kill('SIGKILL'));
  const seen: SmscNotice[] = [];
  const waiters: (() => void)[] = [];
  child.on('message', (notice: SmscNotice) => {
    seen.push(notice);
    for (const look of waiters.splice(0)) look();
  });
  /** Resolves with the notifications of a kind as soon as there are this many. */
  async function until<Saw extends SmscNotice['saw']>(saw: Saw, number = 1) {
    for (;;) {
      const found = seen.filter((notice) => notice.saw === saw) as Extract<SmscNotice, { saw: Saw }>[];
      if (found.length >= number) return found;
      await new Promise<void>((resolve) => waiters.push(resolve));
    }
  }
  const { port } = (await until('listening'))[0]!;
  return { port, until, instruct: (order: SmscOrder) => void child.send(order) };
}

function connect(port: number, over: Partial<SmppSmsOptions> = {}): SmppSms & { receipts: SmsReceipt[] } {
  const sms = createSmppSms(
    {
      host: '127.0.0.1',
      port,
      name: 'smsc',
      systemId: 'jackfield',
      password: 'secret',
      reconnectMs: [20, 100],
      throttleMs: [20, 100],
      ...over,
    },
    { clock, log },
  );
  closing.push(() => sms.close());
  sms.bind();
  const receipts: SmsReceipt[] = [];
  sms.listen((receipt) => receipts.push(receipt));
  return Object.assign(sms, { receipts });
}

const order = (text = 'Hello', over: Partial<SmsOrder> = {}): SmsOrder => ({
  id: 'order',
  account: 'MA',
  mainAccount: 'MA',
  from: 'Acme',
  to: '+14155552671',
  text,
  validUntil: Date.now() + 60_000,
  ...over,
});
const octetsOf = (notice: { octets: string }) => Buffer.from(notice.octets, 'base64');

test('a message is submitted with sender, number and request for a receipt, and the receipt finds its name', async () => {
  const smsc = await startSmsc();
  const sms = connect(smsc.port);
  assert.deepEqual(await sms.send(order('12 is your code @ Acme')), { accepted: true, message: 'smsc:id-1' });
  const [submit] = await smsc.until('submit');
  assert.equal(submit!.to, '14155552671');
  assert.deepEqual(submit!.fields, {
    esm_class: 0,
    data_coding: 0,
    source_addr: 'Acme',
    source_addr_ton: 5,
    registered_delivery: 1,
  });
  assert.equal(octetsOf(submit!).toString(), '12 is your code @ Acme');
  const lines = (id: string, stat: string, err: string) =>
    `id:${id} sub:001 dlvrd:001 submit date:2601010000 done date:2601010001 stat:${stat} err:${err} text:12`;
  smsc.instruct({ do: 'receipt', id: 'id-1', text: lines('id-1', 'ENROUTE', '000') });
  smsc.instruct({ do: 'receipt', id: 'id-1', text: lines('id-1', 'UNDELIV', '034') });
  smsc.instruct({ do: 'receipt', id: 'id-1', text: lines('id-1', 'DELIVRD', '000') });
  smsc.instruct({ do: 'receipt', id: 'id-1', state: 8 });
  await smsc.until('receipt-taken', 4);
  assert.deepEqual(sms.receipts, [
    { message: 'smsc:id-1', status: 'undelivered', errorCode: '034' },
    { message: 'smsc:id-1', status: 'delivered', errorCode: null },
    { message: 'smsc:id-1', status: 'failed', errorCode: 'REJECTD' },
  ]);
});

test('a text is GSM 03.38 if possible, else UCS-2, and a long one is split into parts but never within a character', async () => {
  const smsc = await startSmsc();
  const sms = connect(smsc.port);
  await sms.send(order('Größe {1} €'));
  await sms.send(order('код 12'));
  await sms.send(order(`${'x'.repeat(152)}€${'y'.repeat(10)}`));
  await sms.send(order(`${'я'.repeat(66)}😀${'я'.repeat(5)}`));
  await sms.send(order('a'.repeat(160)));
  const [gsm, ucs2, ...long] = await smsc.until('submit', 7);
  assert.deepEqual([gsm!.fields.data_coding, ucs2!.fields.data_coding], [0, 8]);
  assert.equal(octetsOf(ucs2!).swap16().toString('utf16le'), 'код 12');
  assert.deepEqual(
    long.map((each) => [each.fields.esm_class, each.fields.registered_delivery]),
    [
      [0x40, 0],
      [0x40, 1],
      [0x40, 0],
      [0x40, 1],
      [0, 1],
    ],
  );
});

test('a throttled message is repeated after a pause; a refused message has the reason', async () => {
  const smsc = await startSmsc();
  const sms = connect(smsc.port, { window: 1 });
  smsc.instruct({ do: 'answer', statuses: [0x58, 0x14, 0, 0x0b] });
  assert.deepEqual(await sms.send(order()), { accepted: true, message: 'smsc:id-3' });
  assert.deepEqual(await sms.send(order()), { accepted: false, errorCode: '11' });
});

test('a connection that is lost in the middle of a submit is made again, and the message is submitted again', async () => {
  const smsc = await startSmsc();
  const sms = connect(smsc.port);
  smsc.instruct({ do: 'disconnect' });
  assert.deepEqual(await sms.send(order()), { accepted: true, message: 'smsc:id-2' });
  assert.equal((await smsc.until('bind', 2)).length, 2);
});

test('an SMSC that does not answer a submit in time is disconnected and connected again', async () => {
  const smsc = await startSmsc();
  const sms = connect(smsc.port, { responseMs: 300 });
  smsc.instruct({ do: 'ignore' });
  const outcome = await sms.send(order());
  // A busy SMSC may have been late with a further one.
  assert.ok(outcome.accepted && outcome.message !== 'smsc:id-1');
  assert.ok((await smsc.until('bind', 2)).length >= 2);
});

test('no more parts than the window are in flight, and all arrive', async () => {
  const smsc = await startSmsc();
  const sms = connect(smsc.port, { window: 3 });
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => sms.send(order())));
  const names = outcomes.map((outcome) => (outcome.accepted ? outcome.message : ''));
  assert.equal(new Set(names).size, 50);
});

test('a silent connection gets enquire_link, and close sends unbind', async () => {
  const smsc = await startSmsc();
  const sms = connect(smsc.port, { enquireLinkMs: 20 });
  await smsc.until('enquire', 3);
  sms.close();
  await smsc.until('unbind');
});

test('an order waits for the bind, and a link that was unbound is bound again', async () => {
  const smsc = await startSmsc();
  const sms = connect(smsc.port);
  assert.ok((await sms.send(order())).accepted);
  await sms.unbind();
  await smsc.until('unbind');
  assert.equal(sms.isBound, false);
  const waiting = sms.send(order());
  sms.bind();
  assert.deepEqual(await waiting, { accepted: true, message: 'smsc:id-2' });
  assert.equal((await smsc.until('bind', 2)).length, 2);
});

test('unbind waits for the answer to a submitted message with all its parts, and refuses the waiting ones', async () => {
  const smsc = await startSmsc();
  const sms = connect(smsc.port, { window: 1 });
  await sms.send(order());
  const long = sms.send(order('x'.repeat(200)));
  const waiting = sms.send(order());
  await sms.unbind();
  assert.deepEqual(await long, { accepted: true, message: 'smsc:id-3' });
  assert.deepEqual(await waiting, { accepted: false, errorCode: 'unbound', gatewayFailed: true });
  await smsc.until('unbind');
});

test('unbind waits a second for an SMSC that does not answer', async () => {
  const smsc = await startSmsc();
  const sms = connect(smsc.port);
  smsc.instruct({ do: 'ignore' });
  const sent = sms.send(order());
  await smsc.until('submit');
  await sms.unbind();
  const unknown = { accepted: false, errorCode: 'unreachable', gatewayFailed: true, mayHaveGone: true };
  assert.deepEqual(await sent, unknown);
});

test('an order with a deadline is refused at the deadline', async () => {
  const sms = connect(1);
  const late = await sms.send(order('Hello', { settleBy: clock.now() + 30 }));
  assert.deepEqual(late, { accepted: false, errorCode: 'unreachable', gatewayFailed: true });
});

test('without a gateway orders are refused in time, and orders beyond maxWaiting at once', async () => {
  const sms = connect(1, { sendMs: 50, maxWaiting: 1 });
  const first = sms.send(order());
  assert.deepEqual(await sms.send(order()), {
    accepted: false,
    errorCode: 'queue-full',
    gatewayFailed: true,
  });
  assert.deepEqual(await first, { accepted: false, errorCode: 'unreachable', gatewayFailed: true });
});

test('an order that was refused while the SMSC was away leaves the memory before the next bind', async () => {
  const virtual = createVirtualClock();
  const sms = createSmppSms(
    { host: '127.0.0.1', port: 1, systemId: 'jackfield', password: 'secret' },
    { clock: virtual, log },
  );
  const validUntil = virtual.wallNow() + 600_000;
  const sent = Promise.all(
    Array.from({ length: 100 }, () => sms.send(order('12 is your code', { validUntil }))),
  );
  assert.equal(queryObjects(OutgoingMessage), 100);
  await virtual.advance(30_000);
  const reasons = (await sent).map((outcome) => !outcome.accepted && outcome.errorCode);
  assert.deepEqual(new Set(reasons), new Set(['unreachable']));
  assert.equal(queryObjects(OutgoingMessage), 0);
  assert.equal(sms.isBound, false);
});

test('messages that were refused as too fast are repeated in the order in which they were sent', async () => {
  const smsc = await startSmsc();
  // The pause after the first response lasts until the second one has come.
  const sms = connect(smsc.port, { window: 2, throttleMs: [500, 500] });
  smsc.instruct({ do: 'answer', statuses: [0x58, 0x58] });
  await Promise.all(['first', 'second', 'third'].map((text) => sms.send(order(text))));
  const texts = (await smsc.until('submit', 5)).map((each) => octetsOf(each).toString());
  assert.deepEqual(texts, ['first', 'second', 'first', 'second', 'third']);
});

test('an unanswered or partly submitted message may have been sent', async () => {
  const smsc = await startSmsc();
  smsc.instruct({ do: 'ignore' });
  smsc.instruct({ do: 'answer', statuses: [0, 0x0b] });
  const sms = connect(smsc.port, { window: 2 });
  while (!sms.isBound) await new Promise(setImmediate);
  const silent = { accepted: false, errorCode: 'timeout', gatewayFailed: true, mayHaveGone: true };
  assert.deepEqual(await sms.send(order('Hello', { settleBy: clock.now() + 300 })), silent);
  const inPart = await sms.send(order('x'.repeat(200)));
  assert.deepEqual(inPart, { accepted: false, errorCode: '11', mayHaveGone: true });
});

test('wrong credentials do not bind', async () => {
  const smsc = await startSmsc();
  const sms = connect(smsc.port, { password: 'wrong', sendMs: 200 });
  assert.deepEqual(await sms.send(order()), {
    accepted: false,
    errorCode: 'unreachable',
    gatewayFailed: true,
  });
});

const noOpenssl = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

test('over TLS the certificate must be of a trusted authority', { skip: noOpenssl }, async () => {
  const { cert, key } = selfSigned();
  const smsc = await startSmsc(cert, key);
  const sms = connect(smsc.port, { tls: { ca: cert } });
  assert.deepEqual(await sms.send(order()), { accepted: true, message: 'smsc:id-1' });
  const stranger = connect(smsc.port, { tls: {}, sendMs: 300 });
  assert.deepEqual(await stranger.send(order()), {
    accepted: false,
    errorCode: 'unreachable',
    gatewayFailed: true,
  });
});

function selfSigned(): { cert: string; key: string } {
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-smsc-'));
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-subj', '/CN=smsc', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', cert, '-days', '2'];
  spawnSync('openssl', ['req', '-x509', ...kind, ...names, ...files]);
  const made = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  rmSync(directory, { recursive: true });
  return made;
}
