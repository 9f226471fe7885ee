import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { pointPlivoSdkAt } from './point-plivo-sdk-at.ts';
import type { EveryMethod } from './testing/call-every-method.ts';

// biome-ignore lint/suspicious/noExplicitAny: the SDK's types leave most of it untyped
const plivo: any = createRequire(import.meta.url)('plivo');
const number = '+12025550100';

async function everyMethod(...args: readonly string[]): Promise<EveryMethod> {
  const script = join(import.meta.dirname, 'testing/call-every-method.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { env: {} });
  return JSON.parse(stdout) as EveryMethod;
}

describe('the requests of the SDK', { timeout: 60_000 }, () => {
  it('the unchanged SDK sends voice requests and two others to its vendor, whatever its url is', async () => {
    const { otherHosts, requests } = await everyMethod('alone');
    assert.deepEqual(otherHosts, ['api.plivo.com', 'lookup.plivo.com', 'stats.plivo.com']);
    assert.ok(requests > 0);
  });

  it('each method of each resource sends its requests to the server it is pointed at, and to no other host', async () => {
    const { otherHosts, requests, called, silent, authorizations } = await everyMethod();
    assert.deepEqual(otherHosts, []);
    assert.deepEqual(authorizations, [`Basic ${btoa('MA:secret')}`]);
    assert.ok(
      called > 500 && requests >= called - silent.length,
      `${requests} requests of ${called} methods`,
    );
    // Methods without a request in version 4.79.0: those that only compute, and those that throw before sending because
    // of a bug of the SDK.
    const classes = [...new Set(silent.map((name) => name.split('.')[0]))];
    assert.deepEqual(classes, [
      'Brand',
      'CallFeedback',
      'MultiPartyCallInterface',
      'Numbers',
      'PhloMultiPartyCallInterface',
      'PhloMultiPartyCallMember',
      'PhloMultiPartyCallMemberInterface',
      'Powerpack',
      'TokenInterface',
      'VerifyInterface',
    ]);
    assert.deepEqual(
      silent.filter((name) => name.startsWith('MultiPartyCall')),
      ['MultiPartyCallInterface.makeMpcId'],
    );
  });
});

describe('clients of one process', () => {
  const seen: string[] = [];
  const servers: Server[] = [];
  let urls: readonly string[] = [];

  before(async () => {
    urls = await Promise.all(
      ['first', 'second'].map(async (name) => {
        const server = createServer((request, response) => {
          seen.push(`${name}: ${request.method} ${request.url}`);
          response.setHeader('Content-Type', 'application/json').end('{"objects":[],"meta":{}}');
        });
        servers.push(server);
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      }),
    );
  });

  after(() => {
    for (const server of servers) server.close().closeAllConnections();
  });

  it('keep the server that was set at their creation, and their own url', async () => {
    const [first = '', second = ''] = urls;
    pointPlivoSdkAt(first);
    const early = new plivo.Client('MA', 'secret');
    pointPlivoSdkAt(`${second}/telephony/`);
    const late = new plivo.Client('MB', 'secret');
    const own = new plivo.Client('MC', 'secret', { url: `${first}/v1/Account/MC` });
    await early.calls.list({ limit: 1 });
    await late.calls.list({ limit: 1 });
    await own.calls.list({ limit: 1 });
    await own.lookup.get(number);
    assert.deepEqual(seen, [
      'first: GET /v1/Account/MA/Call/?limit=1',
      'second: GET /telephony/v1/Account/MB/Call/?limit=1',
      'first: GET /v1/Account/MC/Call/?limit=1',
      `first: GET /v1/Number/${number}?type=carrier`,
    ]);
  });
});

describe('pointPlivoSdkAt refuses', () => {
  for (const server of [
    'jackfield',
    'ftp://jackfield',
    'http://jackfield/?a=b',
    'http://me@jackfield',
    'http://jackfield/v1/Account/MA',
  ]) {
    it(`${server} as a server`, () => {
      assert.throws(() => pointPlivoSdkAt(server), {
        name: 'TypeError',
        message: /^server: .*jackfield.*; allowed is the URL of a Jackfield/,
      });
    });
  }

  it('an unsupported version of the SDK', () => {
    const project = mkdtempSync(join(tmpdir(), 'sdk-'));
    const modules = join(project, 'node_modules/plivo');
    mkdirSync(modules, { recursive: true });
    writeFileSync(join(modules, 'package.json'), '{"name":"plivo","version":"4.80.0"}');
    assert.throws(
      () => pointPlivoSdkAt('http://127.0.0.1:8080', { from: `${project}/` }),
      /^Error: plivo 4\.80\.0: .*allowed is 4\.79/,
    );
    rmSync(project, { recursive: true });
  });
});

describe('the XML helper', () => {
  const room = (attributes: object) => {
    const response = new plivo.Response();
    const element = response.addMultiPartyCall('room', attributes);
    return { element, xml: () => response.toXML() as string };
  };

  before(() => pointPlivoSdkAt('http://127.0.0.1:8080'));

  for (const url of ['http://127.0.0.1:8000/hold', 'http://localhost:8000/hold.mp3', 'http://app:3000/']) {
    it(`accepts ${url}`, () => {
      const { xml } = room({ role: 'agent', waitMusicUrl: url, enterSound: url });
      assert.ok(xml().includes(`waitMusicUrl="${url}"`) && xml().includes(`enterSound="${url}"`));
    });
  }

  it('refuses values that are not URLs, as before', () => {
    assert.throws(() => room({ role: 'agent', waitMusicUrl: 'hold music' }), /URL/);
    assert.throws(() => room({ role: 'agent', enterSound: 'gong' }), /URL/);
    assert.ok(room({ role: 'agent', enterSound: 'beep:2' }).xml().includes('enterSound="beep:2"'));
  });

  // docs/guides/hosted-sdks.md lists these.
  it('keeps three quirks: false becomes true for two attributes, waitForAgent is unknown', () => {
    const { element, xml } = room({ role: 'agent', startMpcOnEnter: false, coachMode: false });
    assert.match(xml(), /startMpcOnEnter="true" coachMode="true"/);
    assert.throws(() => room({ role: 'agent', startMpcOnEnter: 'false' }), /startMpcOnEnter/);
    assert.throws(() => room({ role: 'agent', waitForAgent: true }), /waitForAgent/);
    element.elem.att('startMpcOnEnter', 'false').att('coachMode', 'false').att('waitForAgent', 'true');
    assert.match(xml(), /startMpcOnEnter="false" coachMode="false" .*waitForAgent="true"/);
  });
});
