import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, it } from 'node:test';
import {
  createTransports,
  type SendFailure,
  type SocketTransports,
  type TransportsOptions,
} from '@jackfield/sip/transport';
import { loadNativeDatagrams } from './native-datagrams.ts';

const bindBatches = await loadNativeDatagrams();
const skip = bindBatches === undefined && 'system calls do not work on this system';
const host = '127.0.0.1';
const opened: SocketTransports[] = [];
const phones: Socket[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((transports) => transports.close()));
  for (const phone of phones.splice(0)) phone.close();
});

async function open(options: Partial<TransportsOptions> & Pick<TransportsOptions, 'onMessage'>) {
  const transports = await createTransports({ host, port: 0, bindBatches, ...options });
  opened.push(transports);
  return { transports, port: transports.addresses[0]!.port };
}

async function openPhone(): Promise<{ readonly phone: Socket; readonly port: number }> {
  const phone = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
  phones.push(phone);
  phone.bind(0, host);
  await once(phone, 'listening');
  return { phone, port: phone.address().port };
}

/** Resolves with the texts of so many datagrams. */
function arrivals(phone: Socket, count: number): Promise<readonly string[]> {
  const texts: string[] = [];
  return new Promise((resolve) => {
    phone.on('message', (bytes) => {
      texts.push(bytes.toString('latin1'));
      if (texts.length === count) resolve(texts);
    });
  });
}

const every = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('');
const numbered = (count: number, length = 0) =>
  Array.from({ length: count }, (_, at) => `${at} ${every}`.padEnd(length, 'x'));

describe('SIP over UDP in batches', { skip }, () => {
  it('a burst from several phones arrives whole, in batches, each phone in its order and with its address', async () => {
    let inBatches = 0;
    const counted: typeof bindBatches = (...at) => {
      const batches = bindBatches!(...at)!;
      const { receive } = batches;
      return Object.assign(batches, {
        receive(accept: Parameters<typeof receive>[0]) {
          const count = receive(accept);
          inBatches += count;
          return count;
        },
      });
    };
    const sent = numbered(200);
    const received = new Map<number, string[]>();
    let left = 2 * sent.length;
    const all = Promise.withResolvers<void>();
    const { port } = await open({
      bindBatches: counted,
      onMessage(text, { remoteAddress, remotePort }) {
        assert.equal(remoteAddress, host);
        received.set(remotePort, [...(received.get(remotePort) ?? []), text]);
        if (--left === 0) all.resolve();
      },
    });
    const [one, two] = [await openPhone(), await openPhone()];
    for (const text of sent) {
      for (const { phone } of [one, two]) phone.send(Buffer.from(text, 'latin1'), port, host);
    }
    await all.promise;
    assert.deepEqual([received.get(one.port), received.get(two.port)], [sent, sent]);
    assert.ok(inBatches > sent.length, `${inBatches} of ${2 * sent.length} datagrams were read in batches`);
  });

  it('a message is passed on when the promises of the message before it have gone on', async () => {
    const steps: string[] = [];
    const all = Promise.withResolvers<void>();
    const { port } = await open({
      async onMessage(text) {
        steps.push(`received ${text}`);
        for (let turn = 0; turn < 10; turn++) await undefined;
        steps.push(`decided ${text}`);
        if (text === '99') all.resolve();
      },
    });
    const { phone } = await openPhone();
    const sent = Array.from({ length: 100 }, (_, at) => String(at));
    for (const text of sent) phone.send(text, port, host);
    await all.promise;
    assert.deepEqual(
      steps,
      sent.flatMap((text) => [`received ${text}`, `decided ${text}`]),
    );
  });

  it('the longest datagram arrives whole behind a short one', async () => {
    const longest = 'x'.repeat(65_507);
    const received: string[] = [];
    const all = Promise.withResolvers<void>();
    const { port } = await open({
      onMessage(text) {
        received.push(text);
        if (received.length === 3) all.resolve();
      },
    });
    const { phone } = await openPhone();
    for (const text of ['one', longest, 'two']) phone.send(text, port, host);
    await all.promise;
    assert.deepEqual(received, ['one', longest, 'two']);
  });

  it('messages leave in the order of their sending, also those too long for a batch', async () => {
    const { transports } = await open({ onMessage() {} });
    const { phone, port } = await openPhone();
    const texts = numbered(150).toSpliced(70, 0, ...numbered(2, 9_000));
    const received = arrivals(phone, texts.length);
    for (const text of texts) transports.send({ protocol: 'udp', host, port }, text);
    assert.deepEqual(await received, texts);
    assert.equal(transports.counters.messagesSent, texts.length);
  });

  it('a message to a host name is resolved and sent', async () => {
    const { transports } = await open({ onMessage() {} });
    const { phone, port } = await openPhone();
    const received = arrivals(phone, 1);
    transports.send({ protocol: 'udp', host: 'localhost', port }, 'named');
    assert.deepEqual(await received, ['named']);
  });

  it('a message that the system refuses is reported after the call, and those around it arrive', async () => {
    const failure = Promise.withResolvers<SendFailure>();
    const { transports } = await open({ onMessage() {}, onSendFailed: failure.resolve });
    const { phone, port } = await openPhone();
    const received = arrivals(phone, 2);
    // RFC 1122 §3.2.1.3: no address of a host; a socket may not send to it without SO_BROADCAST.
    const refused = { protocol: 'udp', host: '255.255.255.255', port } as const;
    for (const target of [{ ...refused, host }, refused, { ...refused, host }]) transports.send(target, 'x');
    assert.deepEqual(await received, ['x', 'x']);
    assert.deepEqual((await failure.promise).target, refused);
    assert.equal(transports.counters.sendFailures, 1);
  });

  it('a message sent before the close arrives, and messages that wait at the close are dropped', async () => {
    const received: string[] = [];
    const closed = Promise.withResolvers<void>();
    const { transports, port } = await open({
      onMessage(text, { id }) {
        received.push(text);
        transports.send({ flow: id }, 'goodbye');
        closed.resolve(transports.close());
      },
    });
    const { phone } = await openPhone();
    const answer = arrivals(phone, 1);
    for (const text of ['one', 'two', 'three']) phone.send(text, port, host);
    await closed.promise;
    assert.deepEqual([received, await answer], [['one'], ['goodbye']]);
  });

  it('a taken port is refused with the code of the system', async () => {
    const { port } = await open({ onMessage() {} });
    await assert.rejects(open({ port, onMessage() {} }), { code: 'EADDRINUSE', port });
  });
});
