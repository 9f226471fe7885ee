import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { it } from 'node:test';
import { onEmbeddedDatabase } from '@jackfield/testkit';
import { basic, openApi } from './testing/api-world.ts';

onEmbeddedDatabase('header fields of a request', (open) => {
  it('that may appear once and appear twice are refused with 400 and their name (RFC 9112 §3.2)', async () => {
    const world = await openApi(open);
    await world.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = world.app.server.address() as AddressInfo;
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
    try {
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
    } finally {
      await world.app.close();
    }
  });
});
