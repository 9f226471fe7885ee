import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { it } from 'node:test';
import { basic, onEmbeddedDatabase, openSimulatedWorld } from '@jackfield/testkit';

onEmbeddedDatabase('header fields of a request', (open) => {
  it('that may appear once and appear twice are refused with 400 and their name (RFC 9112 §3.2)', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { http } = world.node.platform;
    await http.listen({ host: '127.0.0.1', port: 0 });
    const { port } = http.server.address() as AddressInfo;
    const asked = async (...more: readonly string[]) => {
      const socket = connect(port, '127.0.0.1');
      const lines = [
        `GET /v1/Account/${world.main.authId}/ HTTP/1.1`,
        'Host: api.example.com',
        `Authorization: ${basic(world.main)}`,
        'Connection: close',
        ...more,
      ];
      let answer = '';
      socket.on('data', (bytes) => {
        answer += bytes.toString('latin1');
      });
      socket.end(`${lines.join('\r\n')}\r\n\r\n`);
      await once(socket, 'close');
      return answer;
    };
    assert.match(await asked(), /^HTTP\/1\.1 200 /);
    assert.match(await asked('X-Other: 1', 'X-Other: 2'), /^HTTP\/1\.1 200 /);
    for (const field of [
      'Host: api.example.com',
      'host: evil.example',
      'Authorization: Basic YTpi',
      'authorization: Bearer x',
    ]) {
      const answer = await asked(field);
      assert.match(answer, /^HTTP\/1\.1 400 /, field);
      assert.match(
        answer.toLowerCase(),
        new RegExp(`the header ${field.split(':')[0]!.toLowerCase()} is given more`),
      );
    }
  });
});
