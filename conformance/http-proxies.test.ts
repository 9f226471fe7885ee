import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect as connectSecurely } from 'node:tls';
import { WebSocket } from 'ws';
import { spawnBound } from './support/bound-child.ts';
import { type CertificateOnDisk, createCertificate } from './support/certificates.ts';
import { cleanUp } from './support/clean-up.ts';
import { listening } from './support/connected.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { WebSocketPhone } from './support/web-socket-phone.ts';

const banSeconds = 600;

const sipOptions = [
  'OPTIONS sip:sip.localhost SIP/2.0',
  'Via: SIP/2.0/TLS phone.invalid;branch=z9hG4bKproxied',
  'From: <sip:a@phone.invalid>;tag=1',
  'To: <sip:sip.localhost>',
  'Call-ID: proxied@phone.invalid',
  'CSeq: 1 OPTIONS',
  'Content-Length: 0',
  '',
  '',
].join('\r\n');

/** The block of the guide in this language, as a reader copies it. */
async function blockOfGuide(language: string): Promise<string> {
  const page = await readFile(join(import.meta.dirname, '../docs/guides/behind-nginx.md'), 'utf8');
  const block = new RegExp(`^\`\`\`${language}[^\\n]*\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1];
  assert.ok(block, `the guide has no block of ${language}`);
  return block;
}

interface ProxyInput {
  readonly directory: string;
  readonly port: number;
  readonly upstream: string;
  readonly certificate: CertificateOnDisk;
}

/** Replaces each text, which the guide must contain. */
function replaced(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((whole, [from, to]) => {
    assert.ok(whole.includes(from), `the guide does not say ${from}`);
    return whole.replace(from, to);
  }, text);
}

async function nginx({ directory, port, upstream, certificate }: ProxyInput): Promise<readonly string[]> {
  const server = replaced(await blockOfGuide('nginx'), [
    ['443 ssl', `127.0.0.1:${port} ssl`],
    ['/etc/ssl/calls.pem', certificate.certFile],
    ['/etc/ssl/calls.key', certificate.keyFile],
    ['127.0.0.1:8080', upstream],
  ]);
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = folders.map((name) => `${name}_temp_path ${directory}/${name};`).join(' ');
  await writeFile(
    join(directory, 'nginx.conf'),
    `daemon off; pid ${directory}/pid; error_log stderr; events {} http { access_log off; ${temporary} ${server} }`,
  );
  return ['nginx', '-p', directory, '-c', join(directory, 'nginx.conf')];
}

async function haproxy({ directory, port, upstream, certificate }: ProxyInput): Promise<readonly string[]> {
  const both = join(directory, 'both.pem');
  const parts = [certificate.certFile, certificate.keyFile].map((file) => readFile(file, 'utf8'));
  await writeFile(both, (await Promise.all(parts)).join(''));
  const configuration = replaced(await blockOfGuide('haproxy'), [
    [':443', `127.0.0.1:${port}`],
    ['/etc/ssl/calls.with-key.pem', both],
    ['127.0.0.1:8080', upstream],
  ]);
  await writeFile(join(directory, 'haproxy.cfg'), configuration);
  return ['haproxy', '-db', '-f', join(directory, 'haproxy.cfg')];
}

for (const [name, configure] of Object.entries({ nginx, haproxy })) {
  describe(`${name} in front of the API and of SIP over WebSocket`, {
    skip: missing(name),
    timeout: 120_000,
  }, () => {
    let directory: string;
    let certificate: CertificateOnDisk;
    let certificateOfSip: CertificateOnDisk;
    let authority: string;
    let platform: PlatformProcess;
    let proxy: ChildProcess;
    let port: number;

    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'proxy-'));
      certificate = createCertificate('IP:127.0.0.1,DNS:localhost');
      certificateOfSip = createCertificate('DNS:sip.localhost');
      authority = await readFile(certificate.certFile, 'utf8');
      platform = await PlatformProcess.start({
        // The tests talk to the platform itself as 127.0.0.1, and to the proxy as others.
        JACKFIELD_PROXIES: '127.0.0.1',
        JACKFIELD_TRUSTED_SOURCES: '192.0.2.0/24',
        JACKFIELD_HTTP_BAN_AFTER: '3',
        JACKFIELD_SIP_BAN_AFTER: '2',
        JACKFIELD_SIP_BAN_SECONDS: String(banSeconds),
        // SIP over TLS ends at the platform, HTTPS at the proxy.
        JACKFIELD_TLS_CERT: certificateOfSip.certFile,
        JACKFIELD_TLS_KEY: certificateOfSip.keyFile,
        JACKFIELD_SIPS_PORT: '0',
        JACKFIELD_HTTP_TLS: 'false',
      });
      port = await freePort();
      const upstream = new URL(platform.httpUrl).host;
      const [program = '', ...args] = await configure({ directory, port, upstream, certificate });
      proxy = spawnBound(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
      await listening(port, proxy);
    });

    after(() =>
      cleanUp(
        async () => {
          const exited = once(proxy, 'exit');
          proxy.kill('SIGTERM');
          await exited;
        },
        () => platform?.stop(),
        () => certificate?.remove(),
        () => certificateOfSip?.remove(),
        () => rm(directory, { recursive: true, force: true }),
      ),
    );

    interface Asked {
      readonly path: string;
      readonly from?: string;
      readonly token?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }

    function ask({ path, from = '127.0.0.80', token = platform.authToken, headers = {} }: Asked) {
      const authorization = `Basic ${Buffer.from(`${platform.authId}:${token}`).toString('base64')}`;
      return new Promise<{ status: number; text: string }>((resolve, reject) => {
        const options = { host: '127.0.0.1', port, path, localAddress: from, ca: authority };
        request({ ...options, headers: { authorization, ...headers } }, async (response) => {
          let text = '';
          for await (const chunk of response) text += chunk;
          resolve({ status: response.statusCode ?? 0, text });
        })
          .once('error', reject)
          .end();
      });
    }

    const account = () => `/v1/Account/${platform.authId}/`;

    const connectPhone = (username: string, password: string, localAddress: string) =>
      WebSocketPhone.connect({
        url: `wss://127.0.0.1:${port}/sip`,
        username,
        password,
        domain: 'sip.localhost',
        authority,
        localAddress,
      });

    it('SIP over TLS has the certificate of the platform, and its API is plain HTTP behind the proxy', async () => {
      const ca = await readFile(certificateOfSip.certFile, 'utf8');
      const socket = connectSecurely({ port: platform.sipsPort, ca, servername: 'sip.localhost' });
      await once(socket, 'secureConnect');
      socket.write(sipOptions);
      const [answer] = await once(socket, 'data');
      socket.destroy();
      assert.match(String(answer), /^SIP\/2\.0 200 OK\r\nVia: SIP\/2\.0\/TLS /);
      assert.match(platform.httpUrl, /^http:/);
      assert.equal((await fetch(`${platform.httpUrl}/healthz`)).status, 200);
    });

    it('passes the API and the console over TLS', async () => {
      assert.equal((await ask({ path: account() })).status, 200);
      const page = await ask({ path: '/console/' });
      assert.equal(page.status, 200);
      assert.match(page.text, /<!doctype html>/i);
    });

    it('passes an event at once, as long as the client listens', async () => {
      const authorization = `Basic ${Buffer.from(`${platform.authId}:${platform.authToken}`).toString('base64')}`;
      const options = { host: '127.0.0.1', port, path: `${account()}Event/`, ca: authority };
      const stream = request({ ...options, headers: { authorization, accept: 'text/event-stream' } }).end();
      const [response] = await once(stream, 'response');
      assert.match(response.headers['content-type'], /^text\/event-stream/);
      response.setEncoding('utf8');
      await platform.api('POST', 'Application/', { app_name: 'told', answer_url: 'http://127.0.0.1:9/' });
      const { username } = await platform.createEndpoint('heard', 'secret');
      const phone = await connectPhone(username, 'secret', '127.0.0.81');
      assert.equal(await phone.register(), 200);
      let text = '';
      for await (const chunk of response) {
        text += chunk;
        if (text.includes(username)) break;
      }
      stream.destroy();
      phone.vanish();
    });

    it('a guesser is refused by its own address, whatever it writes into X-Forwarded-For, and others are served', async () => {
      for (let guess = 1; guess <= 4; guess += 1) {
        const headers = { 'x-forwarded-for': `198.51.100.${guess}` };
        const { status } = await ask({ path: account(), from: '127.0.0.82', token: 'wrong', headers });
        assert.equal(status, guess <= 3 ? 401 : 429);
      }
      assert.equal((await ask({ path: account(), from: '127.0.0.83' })).status, 200);
    });

    it('a browser registers with its own address, and is called over its socket', async () => {
      const { username, endpointId } = await platform.createEndpoint('browser', 'secret');
      const phone = await connectPhone(username, 'secret', '127.0.0.84');
      assert.equal(await phone.register(), 200);
      const { sip_contact: contact } = await platform.until(
        'the registration',
        `Endpoint/${endpointId}/`,
        (body) => body.sip_registered === 'true',
      );
      assert.match(contact, /\.invalid;transport=ws/);
      const body = { from: '+12025550000', to: username, role: 'agent' };
      assert.equal(
        (await platform.api('POST', `MultiPartyCall/name_${name}/Participant/`, body)).status,
        201,
      );
      const { offer = '' } = await phone.events.until('the call', ({ type }) => type === 'invited');
      assert.match(offer, /^m=audio/m);
      assert.equal((await platform.api('DELETE', `MultiPartyCall/name_${name}/`)).status, 204);
      phone.vanish();
    });

    it('a browser that guesses is banned by its own address, and another one registers', async () => {
      const { username } = await platform.createEndpoint('right', 'secret');
      for (let guess = 1; guess <= 3; guess += 1) {
        const phone = await connectPhone(`guessed${guess}`, 'a guess', '127.0.0.85');
        assert.equal(await phone.register(), 401);
        phone.vanish();
      }
      const { objects } = await platform.until(
        'the ban',
        'Event/?type=source.banned',
        (body) => body.objects.length > 0,
      );
      assert.deepEqual(
        objects.map(({ data }: { data: object }) => data),
        [{ source_address: '127.0.0.85', reason: 'failed-logins', seconds: banSeconds, unreported_bans: 0 }],
      );
      await assert.rejects(connectPhone(username, 'secret', '127.0.0.85'));
      const other = await connectPhone(username, 'secret', '127.0.0.86');
      assert.equal(await other.register(), 200);
      other.vanish();
    });

    it('a refused upgrade keeps its code', async () => {
      const refused = new WebSocket(`wss://127.0.0.1:${port}/sip`, 'xmpp', { ca: authority });
      const [, response] = await once(refused, 'unexpected-response');
      assert.equal(response.statusCode, 400);
      response.resume();
    });
  });
}
