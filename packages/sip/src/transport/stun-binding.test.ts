import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { bindingRequestOf, bindingSuccess } from './stun-binding.ts';
import { createUdpTransport } from './udp-transport.ts';

const transaction = 'b7e7a701bc34d686fa87dfae';
const request = Buffer.from(`000100002112a442${transaction}`, 'hex');

test('RFC 5769 §2.2, §2.3: the addresses of the sample responses are XORed with cookie and transaction id', () => {
  const ipv4 = bindingSuccess(request, '192.0.2.1', 32_853).toString('hex');
  assert.equal(ipv4, `0101000c2112a442${transaction}002000080001a147e112a643`);
  const ipv6 = bindingSuccess(request, '2001:db8:1234:5678:11:2233:4455:6677', 32_853).toString('hex');
  assert.equal(ipv6, `010100182112a442${transaction}002000140002a1470113a9faa5d3f179bc25f4b5bed2b9d9`);
  assert.equal(bindingSuccess(request, '::ffff:192.0.2.1', 1).length, 44);
});

test('A datagram with another STUN method, length or cookie is not a Binding request', () => {
  assert.deepEqual(bindingRequestOf(request.toString('latin1')), request);
  for (const other of ['010100002112a442', '000100042112a442', '000100002112a443', '0001000021']) {
    const text = Buffer.from(`${other}${transaction}`, 'hex').toString('latin1');
    assert.equal(bindingRequestOf(text), undefined, other);
  }
  assert.equal(bindingRequestOf(''), undefined);
});

test('RFC 5626 §4.4.2: a known phone gets an answer on its flow, and an unknown sender none', async () => {
  const known = createSocket('udp4').bind(0, '127.0.0.1');
  const stranger = createSocket('udp4').bind(0, '127.0.0.1');
  await Promise.all([once(known, 'listening'), once(stranger, 'listening')]);
  const udp = await createUdpTransport({
    host: '127.0.0.1',
    port: 0,
    listener: {
      onMessage: () => assert.fail('a SIP message arrived'),
      answersStun: (flow) => flow.remotePort === known.address().port,
    },
  });
  stranger.on('message', () => assert.fail('an unknown sender got an answer'));
  stranger.send(request, udp.address.port, '127.0.0.1');
  known.send(request, udp.address.port, '127.0.0.1');
  const [answer] = (await once(known, 'message')) as [Buffer];
  assert.deepEqual(answer, bindingSuccess(request, '127.0.0.1', known.address().port));
  await udp.close();
  known.close();
  stranger.close();
});
