import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Egress, EgressOutcome, EgressRequest } from '@jackfield/ports';
import { createNameLookup } from '../name-lookup/index.ts';
import { createHttpEgress, type HttpEgressOptions } from './http-egress.ts';

const open: Server[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of open.splice(0)) {
    server.close();
    await once(server, 'close');
  }
});

async function listening<Listener extends Server>(server: Listener): Promise<number> {
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const receiver = (answer: RequestListener) => listening(createServer(answer));
/** Runs `say` over TCP as soon as the first bytes arrive. */
const talker = (say: (socket: Socket) => void) =>
  listening(createTcpServer((socket) => socket.once('data', () => say(socket))));

const machine = { resolve: createNameLookup() };
const inSandbox: HttpEgressOptions = { ...machine, allow: [], privateToo: true };
const inProduction: HttpEgressOptions = { ...machine, allow: [], privateToo: false };

const send = (url: string, options: HttpEgressOptions, changes: Partial<EgressRequest> = {}) =>
  sendBy(createHttpEgress(options), url, changes);

function sendBy(egress: Egress, url: string, changes: Partial<EgressRequest> = {}) {
  return egress.send({
    url,
    method: 'POST',
    headers: {},
    body: 'a=b',
    timeouts: { connectMs: 2000, readMs: 2000, totalMs: 4000 },
    maxBodyBytes: 1000,
    ...changes,
  });
}
const kindOf = (outcome: EgressOutcome) => ('problem' in outcome ? outcome.problem.kind : outcome.status);

test('a request arrives unchanged, with the Host of its URL, and its answer comes back', async () => {
  let seen: unknown;
  const port = await receiver((request, response) => {
    const { method, url, headers } = request;
    request.setEncoding('utf8').on('data', (body) => {
      seen = { method, url, headers, body };
      response.writeHead(201, { 'x-said': 'yes' }).end('hello');
    });
  });
  const outcome = await send(`http://127.0.0.1:${port}/in?x=1&y=%20#rc=3`, inSandbox, {
    headers: { 'x-a': 'b' },
  });
  assert.ok(!('problem' in outcome), JSON.stringify(outcome));
  assert.equal(outcome.status, 201);
  assert.equal(outcome.headers['x-said'], 'yes');
  assert.equal(Buffer.from(outcome.body).toString(), 'hello');
  assert.deepEqual(seen, {
    method: 'POST',
    url: '/in?x=1&y=%20',
    headers: { 'x-a': 'b', host: `127.0.0.1:${port}`, connection: 'keep-alive', 'content-length': '3' },
    body: 'a=b',
  });
});

test('outside the sandbox no URL reaches loopback, in any spelling', async () => {
  let requests = 0;
  const port = await receiver((_request, response) => {
    requests++;
    response.end();
  });
  const spellings = [
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ];
  const others = [
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    'localhost',
    '0.0.0.0',
  ];
  for (const host of [...spellings, ...others, '[::]', '%31%32%37.0.0.1', '１２７.0.0.1', '127.0.0.1.']) {
    assert.equal(kindOf(await send(`http://${host}:${port}/`, inProduction)), 'refused', host);
  }
  assert.equal(requests, 0);
});

test('JACKFIELD_EGRESS_ALLOW opens the named addresses and no others', async () => {
  const port = await receiver((_request, response) => response.end());
  const allow = ['127.0.0.0/30'];
  assert.equal(kindOf(await send(`http://127.0.0.1:${port}/`, { ...inProduction, allow })), 200);
  assert.equal(kindOf(await send(`http://[::ffff:127.0.0.1]:${port}/`, { ...inProduction, allow })), 200);
  assert.equal(kindOf(await send(`http://127.0.0.9:${port}/`, { ...inProduction, allow })), 'refused');
});

test('metadata services stay closed in the sandbox', async () => {
  for (const host of ['169.254.169.254', '[fd00:ec2::254]', '[::ffff:169.254.169.254]', '168.63.129.16']) {
    assert.equal(kindOf(await send(`http://${host}/latest/`, inSandbox)), 'refused', host);
  }
});

test('a name that resolves to a private address is refused, also when only one of its addresses is private', async () => {
  for (const addresses of [
    ['10.1.2.3'],
    ['8.8.8.8', '192.168.1.1'],
    ['fe80::1%eth0'],
    ['fd12::1'],
    ['2606::1', '::1'],
  ]) {
    const resolve = async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const outcome = await send('http://inside.example/', { ...inProduction, resolve });
    assert.equal(kindOf(outcome), 'refused', addresses.join());
  }
});

test('rebinding: the name is resolved once, and the connection goes to the address that was checked', async () => {
  let hosts: string | undefined;
  const port = await receiver(({ headers }, response) => {
    hosts = headers.host;
    response.end();
  });
  let resolutions = 0;
  // The first lookup returns our allowed address. A second one would return an address where no server listens.
  const resolve = async () => [{ address: resolutions++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
  const url = `http://rebinding.example:${port}/`;
  assert.equal(kindOf(await send(url, { allow: ['127.0.0.1/32'], privateToo: false, resolve })), 200);
  assert.equal(resolutions, 1);
  assert.equal(hosts, `rebinding.example:${port}`);
  assert.equal(kindOf(await send(url, { allow: ['127.0.0.1/32'], privateToo: false, resolve })), 'refused');
});

test('a WebSocket URL is resolved and checked by the same rules, without a request', async () => {
  let lookups = 0;
  const resolve = async (name: string) => {
    lookups++;
    if (name === 'gone.example') throw new Error('ENOTFOUND');
    const address = name === 'inside.example' ? '10.0.0.1' : '8.8.8.8';
    return [{ address, family: 4 }];
  };
  const egress = createHttpEgress({ ...inProduction, resolve, nameTtlMs: 60_000 });
  assert.deepEqual(await egress.resolve('wss://bot.example/a?b=c', 1000), {
    addresses: ['8.8.8.8'],
    port: 443,
  });
  assert.deepEqual(await egress.resolve('WS://bot.example', 1000), { addresses: ['8.8.8.8'], port: 80 });
  assert.deepEqual(await egress.resolve('ws://bot.example:8080/', 1000), {
    addresses: ['8.8.8.8'],
    port: 8080,
  });
  assert.equal(lookups, 1);
  const several = createHttpEgress({
    ...inProduction,
    resolve: async () => ['8.8.8.8', '2001:4860:4860::8888'].map((address) => ({ address, family: 4 })),
  });
  assert.deepEqual(await several.resolve('wss://both.example/', 1000), {
    addresses: ['8.8.8.8', '2001:4860:4860::8888'],
    port: 443,
  });
  const kind = async (url: string) => {
    const outcome = await egress.resolve(url, 1000);
    return 'problem' in outcome ? outcome.problem.kind : 'open';
  };
  assert.equal(await kind('wss://inside.example/'), 'refused');
  assert.equal(await kind('ws://127.0.0.1/'), 'refused');
  assert.equal(await kind('ws://me:pw@bot.example/'), 'refused');
  assert.equal(await kind('ftp://bot.example/'), 'refused');
  assert.equal(await kind('wss://gone.example/'), 'unreachable');
  const silent = createHttpEgress({ ...inProduction, resolve: () => new Promise<never>(() => {}) });
  const late = await silent.resolve('wss://slow.example/', 20);
  assert.ok('problem' in late && late.problem.kind === 'connect-timeout');
});

test('a redirect is an answer and is not followed', async () => {
  let requests = 0;
  const port = await receiver((_request, response) => {
    requests++;
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
  });
  assert.equal(kindOf(await send(`http://127.0.0.1:${port}/`, inSandbox)), 302);
  assert.equal(requests, 1);
});

test('credentials in the URL, and schemes that are not HTTP, are refused', async () => {
  const urls = [
    'http://me:pw@127.0.0.1/',
    'http://me@127.0.0.1/',
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'x',
    'http://',
  ];
  for (const url of urls) assert.equal(kindOf(await send(url, inSandbox)), 'refused', url);
});

test('header fields that would smuggle a second request in are refused', async () => {
  const port = await receiver((_request, response) => response.end());
  const headers = { 'x-a': 'b\r\n\r\nGET / HTTP/1.1' };
  assert.equal(kindOf(await send(`http://127.0.0.1:${port}/`, inSandbox, { headers })), 'refused');
});

test('a body beyond the limit is cut, and its status is reported', async () => {
  const port = await receiver((_request, response) => {
    response.writeHead(200);
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
      if (!response.destroyed) response.once('drain', pour);
    };
    pour();
  });
  const outcome = await send(`http://127.0.0.1:${port}/`, inSandbox);
  assert.equal(kindOf(outcome), 'too-large');
  assert.equal('problem' in outcome && outcome.problem.status, 200);
});

test('a body is cut when `reserve` refuses its next piece', async () => {
  const port = await receiver((_request, response) => {
    response.write('x'.repeat(600));
    setImmediate(() => response.write('y'.repeat(600)));
  });
  let reserved = 0;
  const reserve = (bytes: number) => {
    if (reserved + bytes > 1_000) return false;
    reserved += bytes;
    return true;
  };
  const changes = { maxBodyBytes: 5_000, reserve };
  const outcome = await send(`http://127.0.0.1:${port}/`, inSandbox, changes);
  assert.equal(kindOf(outcome), 'no-memory');
  assert.equal(reserved, 600);
});

test('no compression is offered, and a compressed answer stays compressed', async () => {
  const bomb = gzipSync(Buffer.alloc(500_000));
  let offered: unknown = 'nothing seen';
  const port = await receiver(({ headers }, response) => {
    offered = headers['accept-encoding'];
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  });
  const outcome = await send(`http://127.0.0.1:${port}/`, inSandbox);
  assert.equal(offered, undefined);
  assert.ok(!('problem' in outcome));
  assert.equal(outcome.body.length, bomb.length);
});

test('silence is cut after the read timeout', async () => {
  const port = await talker(() => {});
  const timeouts = { connectMs: 2000, readMs: 60, totalMs: 4000 };
  assert.equal(kindOf(await send(`http://127.0.0.1:${port}/`, inSandbox, { timeouts })), 'read-timeout');
});

test('a body that drips forever is cut after the total timeout', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const port = await talker((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const drip = setInterval(() => socket.write('x'), 10);
    socket.on('close', () => clearInterval(drip));
  });
  const timeouts = { connectMs: 2000, readMs: 1000, totalMs: 200 };
  const statuses: number[] = [];
  const begun = Promise.withResolvers<void>();
  const onStatus = (status: number) => {
    statuses.push(status);
    begun.resolve();
  };
  const sent = send(`http://127.0.0.1:${port}/`, inSandbox, { timeouts, onStatus });
  await begun.promise;
  t.mock.timers.tick(timeouts.totalMs);
  assert.equal(kindOf(await sent), 'total-timeout');
  // It came with the head.
  assert.deepEqual(statuses, [200]);
});

test('a name that never resolves is cut after the connect timeout', async () => {
  const resolve = () => new Promise<never>(() => {});
  const timeouts = { connectMs: 50, readMs: 1000, totalMs: 2000 };
  const outcome = await send('http://slow.example/', { ...inSandbox, resolve }, { timeouts });
  assert.equal(kindOf(outcome), 'connect-timeout');
});

test('a handshake that never ends is cut after the connect timeout', async () => {
  const port = await talker(() => {});
  const timeouts = { connectMs: 60, readMs: 1000, totalMs: 2000 };
  assert.equal(kindOf(await send(`https://127.0.0.1:${port}/`, inSandbox, { timeouts })), 'connect-timeout');
});

test('a closed port and an unknown name are unreachable', async () => {
  const port = await receiver(() => {});
  const [server] = open.splice(0);
  server!.close();
  await once(server!, 'close');
  assert.equal(kindOf(await send(`http://127.0.0.1:${port}/`, inSandbox)), 'unreachable');
  const resolve = () => Promise.reject(new Error('ENOTFOUND'));
  assert.equal(kindOf(await send('http://gone.example/', { ...inSandbox, resolve })), 'unreachable');
  assert.equal(
    kindOf(await send('http://gone.example/', { ...inSandbox, resolve: async () => [] })),
    'unreachable',
  );
});

test('a connection that closes without an answer, or with garbage, is broken', async () => {
  const sayings = ['', 'garbage\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'];
  for (const said of [...sayings, `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, upgrade]) {
    const port = await talker((socket) => socket.end(said));
    assert.equal(kindOf(await send(`http://127.0.0.1:${port}/`, inSandbox)), 'broken', said.slice(0, 30));
  }
});

test('an aborted request ends at once', async () => {
  const port = await talker(() => stop.abort());
  const stop = new AbortController();
  const outcome = await send(`http://127.0.0.1:${port}/`, inSandbox, { signal: stop.signal });
  assert.equal(kindOf(outcome), 'aborted');
  assert.equal(kindOf(await send('http://127.0.0.1:1/', inSandbox, { signal: stop.signal })), 'aborted');
});

test('requests to the same name and addresses share a connection, and none is left after close', async () => {
  const seen = new Set<unknown>();
  const port = await receiver((request, response) => {
    seen.add(request.socket);
    response.end('x');
  });
  const egress = createHttpEgress(inSandbox);
  for (let number = 0; number < 3; number++) {
    assert.equal(kindOf(await sendBy(egress, `http://127.0.0.1:${port}/${number}`)), 200);
    await new Promise(setImmediate);
  }
  assert.equal(seen.size, 1);
  assert.equal(egress.openConnections(), 1);
  egress.close();
  await new Promise(setImmediate);
  assert.equal(egress.openConnections(), 0);
});

test('a connection is not reused after its name resolves to another address, and the guard checks each request', async () => {
  const seen: unknown[] = [];
  const port = await receiver((request, response) => {
    seen.push(request.socket);
    response.end();
  });
  const answers = [['127.0.0.1'], ['127.0.0.1', '127.0.0.2'], ['10.0.0.1']];
  const resolve = async () => (answers.shift() ?? []).map((address) => ({ address, family: 4 }));
  const options = { allow: ['127.0.0.0/8'], privateToo: false, resolve, nameTtlMs: 0 };
  const egress = createHttpEgress(options);
  const url = `http://moving.example:${port}/`;
  assert.equal(kindOf(await sendBy(egress, url)), 200);
  assert.equal(kindOf(await sendBy(egress, url)), 200);
  assert.equal(new Set(seen).size, 2);
  assert.equal(kindOf(await sendBy(egress, url)), 'refused');
  assert.equal(seen.length, 2);
  egress.close();
});

test('a connection that the receiver closed while idle costs no attempt', async () => {
  let connections = 0;
  // Answers once on each connection, and closes at the next request, as a receiver does that has just dropped the connection.
  const port = await listening(
    createTcpServer((socket) => {
      connections++;
      let requests = 0;
      socket.on('data', () => {
        if (++requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
        else socket.destroy();
      });
    }),
  );
  const egress = createHttpEgress(inSandbox);
  const url = `http://127.0.0.1:${port}/`;
  assert.equal(kindOf(await sendBy(egress, url)), 200);
  await new Promise(setImmediate);
  assert.equal(kindOf(await sendBy(egress, url)), 200);
  assert.equal(connections, 2);
  egress.close();
});

test('a receiver that closes after each answer gets each request on a new connection', async () => {
  let connections = 0;
  const server = createServer((_request, response) => response.setHeader('connection', 'close').end('x'));
  server.on('connection', () => connections++);
  const url = `http://127.0.0.1:${await listening(server)}/`;
  const egress = createHttpEgress(inSandbox);
  for (let number = 0; number < 5; number++) assert.equal(kindOf(await sendBy(egress, url)), 200);
  assert.equal(connections, 5);
  while (egress.openConnections() > 0) await new Promise(setImmediate);
});

test('a receiver that closes a fresh connection gets the request only once', async () => {
  let connections = 0;
  const port = await listening(
    createTcpServer((socket) => {
      connections++;
      socket.on('data', () => socket.destroy());
    }),
  );
  assert.equal(kindOf(await send(`http://127.0.0.1:${port}/`, inSandbox)), 'broken');
  assert.equal(connections, 1);
});

test('idle connections are bounded in number, idle time and age', async () => {
  let connections = 0;
  const server = createServer((_request, response) => response.end());
  server.on('connection', () => connections++);
  const port = await listening(server);
  const url = `http://127.0.0.1:${port}/`;
  const few = createHttpEgress({ ...inSandbox, pool: { idle: 2, idleMs: 60_000 } });
  await Promise.all(Array.from({ length: 5 }, () => sendBy(few, url)));
  // Excess connections are closed at once.
  while (few.openConnections() > 2) await new Promise(setImmediate);
  assert.equal(few.openConnections(), 2);
  few.close();
  const brief = createHttpEgress({ ...inSandbox, pool: { idleMs: 150 } });
  await sendBy(brief, url);
  while (brief.openConnections() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  connections = 0;
  const old = createHttpEgress({ ...inSandbox, pool: { lifetimeMs: -1 } });
  for (let number = 0; number < 3; number++) await sendBy(old, url);
  assert.equal(connections, 3);
});

test('a name lookup is reused for a time, and a failed lookup is not kept', async () => {
  const port = await receiver((_request, response) => response.end());
  let lookups = 0;
  const resolve = async () => {
    if (++lookups === 1) throw new Error('ENOTFOUND');
    return [{ address: '127.0.0.1', family: 4 }];
  };
  const egress = createHttpEgress({ ...inSandbox, resolve, nameTtlMs: 60_000 });
  const kinds = [];
  for (let number = 0; number < 3; number++) {
    kinds.push(kindOf(await sendBy(egress, `http://named.example:${port}/`)));
  }
  assert.deepEqual(kinds, ['unreachable', 200, 200]);
  assert.equal(lookups, 2);
  egress.close();
});

test('a name that hangs is looked up once, however many requests it gets', async () => {
  let lookups = 0;
  const resolve = () => {
    lookups += 1;
    return new Promise<never>(() => {});
  };
  const egress = createHttpEgress({ ...inSandbox, resolve, nameTtlMs: 0 });
  for (let number = 0; number < 3; number++) {
    const outcome = await egress.resolve('wss://dead.example/', 1);
    assert.ok('problem' in outcome && outcome.problem.kind === 'connect-timeout');
  }
  assert.equal(lookups, 1);
});

test('https accepts only a certificate of the name in the URL', async () => {
  let name: unknown;
  const server = createTlsServer({ key, cert }, (request, response) => {
    name = (request.socket as unknown as { servername: string }).servername;
    response.end();
  });
  const port = await listening(server);
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const options = { ...inSandbox, resolve, trust: cert };
  assert.equal(kindOf(await send(`https://receiver.example:${port}/`, options)), 200);
  assert.equal(name, 'receiver.example');
  assert.equal(kindOf(await send(`https://other.example:${port}/`, options)), 'unreachable');
  assert.equal(
    kindOf(await send(`https://receiver.example:${port}/`, { ...inSandbox, resolve })),
    'unreachable',
  );
});

const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n';

// Made for these tests with openssl; it is trusted nowhere else.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgk5om/nUB0d/fpxzB
ESH1NQDW6jpyvxlLrpnnLcs8uWmhRANCAATYp+w/YrL3/c7MGwCMiogmAKLU/qBQ
9HISasxk9BoH4dl4NLOZYnbWpf3u34woH/TSiw9iCnMMXQUytKGewNXc
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBqjCCAVCgAwIBAgIUJs/HlL8aijh+GKTsDZzHfz2qXWIwCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQcmVjZWl2ZXIuZXhhbXBsZTAgFw0yNjExMjExMzExMDZaGA8y
MTI2MTAyODEzMTEwNlowGzEZMBcGA1UEAwwQcmVjZWl2ZXIuZXhhbXBsZTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABNin7D9isvf9zswbAIyKiCYAotT+oFD0chJq
zGT0Ggfh2Xg0s5lidtal/e7fjCgf9NKLD2IKcwxdBTK0oZ7A1dyjcDBuMB0GA1Ud
DgQWBBTXkRr7fs1lUkNfa6hYJ7HYyueamzAfBgNVHSMEGDAWgBTXkRr7fs1lUkNf
a6hYJ7HYyueamzAPBgNVHRMBAf8EBTADAQH/MBsGA1UdEQQUMBKCEHJlY2VpdmVy
LmV4YW1wbGUwCgYIKoZIzj0EAwIDSAAwRQIgfAqXtbN23Ho7bs6ETSxvxiy5rRkX
1bULn30sbLZgzEcCIQDmrn4aoVu5w+ayu6khsxsFPre8rnTTLGiv456UrLVM7g==
-----END CERTIFICATE-----`;
