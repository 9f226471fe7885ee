import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { cleanUp } from './support/clean-up.ts';
import { PlatformProcess } from './support/platform-process.ts';

/** The platform works when it still answers OPTIONS and the API. */
describe('what strangers send', { timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let socket: Socket;

  before(async () => {
    platform = await PlatformProcess.start();
    socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  });

  after(() =>
    cleanUp(
      () => socket.close(),
      () => platform.stop(),
    ),
  );

  const send = (text: string) =>
    new Promise<void>((resolve, reject) =>
      socket.send(Buffer.from(text, 'latin1'), platform.sipPort, '127.0.0.1', (error) =>
        error ? reject(error) : resolve(),
      ),
    );

  /** Sends an OPTIONS and returns all that came back up to its answer. */
  async function untilAnswered(): Promise<string[]> {
    const received: string[] = [];
    const branch = `z9hG4bK${Math.random().toString(36).slice(2)}`;
    const answered = new Promise<void>((resolve) => {
      const take = (datagram: Buffer) => {
        const text = datagram.toString('latin1');
        if (text.includes(branch)) {
          socket.off('message', take);
          resolve();
        } else received.push(text);
      };
      socket.on('message', take);
    });
    await send(
      `OPTIONS sip:127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${socket.address().port};branch=${branch};rport\r\n` +
        `From: <sip:probe@127.0.0.1>;tag=1\r\nTo: <sip:127.0.0.1>\r\nCall-ID: ${branch}\r\nCSeq: 1 OPTIONS\r\n` +
        `Max-Forwards: 70\r\nContent-Length: 0\r\n\r\n`,
    );
    await answered;
    return received;
  }

  const request = (lines: string, body = '') => {
    const via = `Via: SIP/2.0/UDP 127.0.0.1:${socket.address().port};branch=z9hG4bK${Math.random().toString(36).slice(2)};rport`;
    return `${lines.replace('{via}', via)}\r\n\r\n${body}`.replaceAll('\n', '\r\n').replaceAll('\r\r', '\r');
  };

  const silent: [string, string][] = [
    ['noise', '\x00\x01\x02\xff'.repeat(100)],
    ['an empty datagram of line breaks', '\r\n\r\n'],
    ['text that is no SIP', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a response to nothing', 'SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKx\r\n\r\n'],
    ['a message cut in the middle of a header', 'INVITE sip:a@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/U'],
    ['a header line of 60,000 bytes', `OPTIONS sip:a SIP/2.0\r\nX: ${'a'.repeat(60_000)}`],
  ];
  for (const [what, text] of silent) {
    it(`${what} gets no answer`, async () => {
      await send(text);
      assert.deepEqual(await untilAnswered(), []);
    });
  }

  /** No answer is larger than its request: a forged address gains no amplification. */
  const padding = `X-Padding: ${'x'.repeat(300)}`;

  it('a body that is longer than its datagram is answered 400', async () => {
    await send(
      request(
        `OPTIONS sip:a@127.0.0.1 SIP/2.0\n{via}\nFrom: <sip:a@x>;tag=1\nTo: <sip:b@x>\nCall-ID: cut\nCSeq: 1 OPTIONS\n${padding}\nContent-Length: 900`,
        'short',
      ),
    );
    const [answer] = await untilAnswered();
    assert.match(answer ?? '', /^SIP\/2\.0 400 /);
  });

  it('the same without padding is answered in the shortest form, which is not longer than what it answers', async () => {
    const text = request(
      'OPTIONS sip:a SIP/2.0\n{via}\nFrom: <sip:a@x>;tag=1\nTo: <sip:b@x>\nCall-ID: cut\nCSeq: 1 OPTIONS\nContent-Length: 900',
    );
    await send(text);
    const [answer = ''] = await untilAnswered();
    assert.match(answer, /^SIP\/2\.0 400 /);
    assert.ok(answer.length <= text.length, `${answer.length} bytes for ${text.length}`);
  });

  it('a message that is too short even for that gets no answer', async () => {
    await send(request('OPTIONS s:a SIP/2.0\n{via}\nf:<s:a>\nt:<s:b>\ni:c\nCSeq:1 OPTIONS\nl:9'));
    assert.deepEqual(await untilAnswered(), []);
  });

  for (const [method, status] of [
    ['MESSAGE', 405],
    ['FOO', 501],
  ]) {
    it(`${method} is answered ${status} with what is allowed`, async () => {
      await send(
        request(
          `${method} sip:a@127.0.0.1 SIP/2.0\n{via}\nFrom: <sip:a@x>;tag=1\nTo: <sip:b@x>\nCall-ID: ${method}\nCSeq: 1 ${method}\nMax-Forwards: 70\n${padding}\nContent-Length: 0`,
        ),
      );
      const [answer] = await untilAnswered();
      assert.match(answer ?? '', new RegExp(`^SIP/2\\.0 ${status} `));
      assert.match(answer ?? '', /Allow: .*INVITE/);
    });
  }

  it('an INVITE without credentials for a number or an unknown user is challenged', async () => {
    for (const callee of ['+12025550100', 'nobody', 'a%00b']) {
      await send(
        request(
          `INVITE sip:${callee}@127.0.0.1 SIP/2.0\n{via}\nFrom: <sip:mallory@127.0.0.1>;tag=1\nTo: <sip:${callee}@127.0.0.1>\nCall-ID: ${callee}\nCSeq: 1 INVITE\nContact: <sip:mallory@127.0.0.1>\nMax-Forwards: 70\nContent-Length: 0`,
        ),
      );
      const [answer] = await untilAnswered();
      assert.match(answer ?? '', /^SIP\/2\.0 401 /);
    }
  });

  it('a stream of noise over TCP is cut, and others go on', async () => {
    await new Promise<void>((resolve, reject) => {
      const connection = connect(platform.sipPort, '127.0.0.1', () => {
        connection.on('error', () => {});
        const noise = Buffer.alloc(65_536, 0x41);
        const write = () => {
          while (connection.writable && connection.write(noise)) {
            // as fast as the server reads, until it closes the connection
          }
        };
        connection.on('drain', write);
        write();
      });
      connection.once('close', () => resolve());
      connection.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ECONNRESET' || error.code === 'EPIPE' ? undefined : reject(error),
      );
    });
    assert.deepEqual(await untilAnswered(), []);
  });

  it('after all of it the API answers and nothing is left over', async () => {
    assert.equal((await platform.api('GET', '')).status, 200);
    const metrics = await (await fetch(`${platform.httpUrl}/metrics`)).text();
    await platform.untilQuiet();
    assert.match(metrics, /^jackfield_sip_connections 0$/m);
  });
});
