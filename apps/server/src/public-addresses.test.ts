import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { createRecordingLog, createVirtualClock } from '@jackfield/testkit';
import type { Config } from './config.ts';
import { addressChoice, openPublicAddresses } from './public-addresses.ts';

test('A peer is given the address for its network, else that of its family, else the first', () => {
  const addressFor = addressChoice([
    { address: '10.0.0.5', network: '10.0.0.0/8' },
    { address: '198.51.100.7' },
    { address: '2001:db8::7' },
  ]);
  assert.equal(addressFor('10.1.2.3'), '10.0.0.5');
  assert.equal(addressFor('::ffff:10.1.2.3'), '10.0.0.5');
  assert.equal(addressFor('203.0.113.9'), '198.51.100.7');
  assert.equal(addressFor('::ffff:203.0.113.9'), '198.51.100.7');
  assert.equal(addressFor('2001:db8::9'), '2001:db8::7');
  for (const unknown of [undefined, 'carrier.example.com']) assert.equal(addressFor(unknown), '198.51.100.7');
});

/** A STUN server that sees what it is set to see (RFC 8489 §14.2). */
async function stunServer(address: string) {
  const socket = createSocket('udp4');
  const server = { address, port: 0, close: () => socket.close() };
  socket.on('message', (request, from) => {
    const answer = Buffer.alloc(32);
    answer.writeUInt16BE(0x0101, 0);
    answer.writeUInt16BE(12, 2);
    request.copy(answer, 4, 4, 20);
    answer.writeUInt16BE(0x0020, 20);
    answer.writeUInt16BE(8, 22);
    answer[25] = 1;
    for (const [index, byte] of server.address.split('.').entries())
      answer[28 + index] = Number(byte) ^ request[4 + index]!;
    socket.send(answer, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  server.port = socket.address().port;
  return server;
}

test('The address that a STUN server sees is in use, and a change of it within a minute', async () => {
  const [clock, log] = [createVirtualClock(), createRecordingLog()];
  const server = await stunServer('198.51.100.7');
  const config = { publicAddress: '192.168.0.2', stunServer: `127.0.0.1:${server.port}` };
  const addresses = await openPublicAddresses(config as Config, { clock, log });
  assert.equal(addresses.addressFor('203.0.113.9'), '198.51.100.7');
  server.address = '198.51.100.8';
  await clock.advance(60_000);
  while (addresses.addressFor(undefined) !== '198.51.100.8') await new Promise(setImmediate);
  assert.ok(log.lines.some(({ sentence }) => sentence.startsWith('public address changed')));
  addresses.close();
  server.close();
});

test('A STUN server that is unknown leaves the configured address in use, and the log says so', async () => {
  const [clock, log] = [createVirtualClock(), createRecordingLog()];
  const config = { publicAddress: '192.168.0.2', stunServer: 'stun.invalid' };
  const addresses = await openPublicAddresses(config as Config, { clock, log });
  assert.equal(addresses.addressFor(undefined), '192.168.0.2');
  assert.match(log.lines[0]!.sentence, /^public address could not be asked/);
  addresses.close();
});
