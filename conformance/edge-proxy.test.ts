import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { cleanUp } from './support/clean-up.ts';
import { startEdgeProxy } from './support/edge-proxy.ts';
import { heardTone } from './support/heard.ts';
import { missing } from './support/installed.ts';
import type { Kamailio } from './support/kamailio.ts';
import { addToRoom } from './support/multiparty-rooms.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { RegisteredPhones } from './support/registered-phones.ts';
import { Sipp, type SippOptions } from './support/sipp.ts';

const skip = missing('kamailio', 'sipp', 'baresip', 'sox');
const [edgeAddress, firstAddress, secondAddress] = ['127.0.0.40', '127.0.0.41', '127.0.0.42'];
const password = 'not-to-be-guessed';
const nodeTimeoutMs = 2_000;

/** Jackfield behind the edge proxy. The sandbox exempts all of loopback from limits, so another network is named. */
const startNode = (address: string, more: Readonly<Record<string, string>> = {}) =>
  PlatformProcess.start({
    JACKFIELD_SIP_HOST: address,
    JACKFIELD_PROXIES: edgeAddress,
    JACKFIELD_TRUSTED_SOURCES: '192.0.2.0/24',
    JACKFIELD_SIP_BAN_AFTER: '5',
    JACKFIELD_DRAIN_SECONDS: '600',
    JACKFIELD_SIP_BAN_SECONDS: '600',
    ...more,
  });

const startEdge = (directory: string, port: number, nodes: readonly string[]) =>
  startEdgeProxy({ directory, address: edgeAddress, port, nodes, nodeTimeoutMs });

describe('Kamailio as an edge proxy', { skip, timeout: 240_000 }, () => {
  let directory: string;
  let first: PlatformProcess;
  let second: PlatformProcess;
  let edge: Kamailio;
  let edgePort: number;
  let proxied: string;
  const phones = new RegisteredPhones();
  const running: Sipp[] = [];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'edge-'));
    edgePort = await freePort();
    proxied = `${edgeAddress}:${edgePort}`;
    [first, second] = await Promise.all([startNode(firstAddress), startNode(secondAddress)]);
    edge = await startEdge(directory, edgePort, [first.sipAddress, second.sipAddress]);
  });

  after(() =>
    cleanUp(
      () => phones.stop(),
      () => edge?.stop(),
      () => second?.untilQuiet(),
      () => second?.stop(),
      () => first?.stop('SIGTERM', 'SIGTERM'),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  afterEach(async () => {
    await phones.stop();
    await Promise.all(running.splice(0).map((sipp) => sipp.stop()));
  });

  async function start(scenario: string, options: Partial<SippOptions> & Pick<SippOptions, 'user'>) {
    const sipp = await Sipp.start({ remote: proxied, scenario, password, ...options });
    running.push(sipp);
    return sipp;
  }

  async function run(scenario: string, options: Partial<SippOptions> & Pick<SippOptions, 'user'>) {
    const sipp = await start(scenario, options);
    assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });
    return sipp;
  }

  async function call(platform: PlatformProcess, to: string): Promise<string> {
    const [uuid] = await addToRoom(platform, 'edge', to, { stay_alone: false });
    return uuid!;
  }

  for (const transport of ['udp', 'tcp'] as const) {
    it(`phones over ${transport} register, one calls the other, and both hear each other`, async () => {
      const alice = await phones.start(first, `alice${transport}`, 440, { registrar: proxied, transport });
      const bob = await phones.start(first, `bob${transport}`, 700, { registrar: proxied, transport });
      alice.phone.dial(`sip:${bob.username}@${proxied}`);
      await Promise.all([alice.phone.established(), bob.phone.established()]);
      await Promise.all([heardTone(alice.phone, 700), heardTone(bob.phone, 440)]);
      bob.phone.hangUp();
      await Promise.all([alice.phone.closed(), bob.phone.closed()]);
      const { objects } = await first.until('its record', `Call/?from_number=${alice.username}`, (body) =>
        body.objects?.some(({ source_ip: ip }: { source_ip: string | null }) => ip !== null),
      );
      const sources = objects.map(({ source_ip: ip }: { source_ip: string | null }) => ip);
      assert.deepEqual(new Set(sources), new Set(['127.0.0.1', null]));
    });
  }

  it('a phone behind NAT with a flow of RFC 5626 is called and hung up on over that flow', async () => {
    const { username } = await first.createEndpoint('flow', password);
    const instance = '00000000-0000-4000-8000-0000000000aa';
    const port = await freePort();
    await run('register-behind-nat', { user: username, port, keys: { instance, reg_id: '1' } });
    const answers = await start('answer-behind-nat', { user: username, port });
    await call(first, username);
    await first.until(
      'the answer',
      'MultiPartyCall/name_edge/Participant/',
      (body) => body.objects?.length === 1,
    );
    assert.equal((await first.api('DELETE', 'MultiPartyCall/name_edge/')).status, 204);
    assert.deepEqual(await answers.finished(), { code: 0, errors: '' });
  });

  it('a guesser is banned by its own address, and the phones beside it go on', async () => {
    const { username } = await first.createEndpoint('beside', password);
    const guesser = { address: '127.0.0.62', password: 'a guess', timeoutSeconds: 8 };
    const banned = async () =>
      (await first.metrics('jackfield_sip_banned')).jackfield_sip_banned_sources ?? 0;
    // Five mistakes a minute are forgiven: a busy machine may need more than six.
    for (let guess = 1; (await banned()) === 0; guess += 1) {
      await run('register-refused', { ...guesser, user: `guessed${guess}` });
    }
    const { objects } = await first.until(
      'the event',
      'Event/?type=source.banned',
      (body) => body.objects.length > 0,
    );
    assert.deepEqual(
      objects.map(({ data }: { data: { source_address: string } }) => data.source_address),
      ['127.0.0.62'],
    );
    const late = await start('register', { user: username, address: '127.0.0.62', timeoutSeconds: 2 });
    assert.notEqual((await late.finished()).code, 0);
    await run('register', { user: username, address: '127.0.0.63' });
  });

  it('with its first node dead registers and calls at the second, and returns to the first', async () => {
    const { username } = await second.createEndpoint('moved', password);
    const refused = await start('register', { user: username, timeoutSeconds: 5 });
    assert.notEqual(
      (await refused.finished()).code,
      0,
      'the first node does not know the phones of the second',
    );
    const from = edge.log.all.length;
    await first.kill();
    await run('register', { user: username });
    const [carol, dave] = await Promise.all(
      ['carol', 'dave'].map((name) => phones.start(second, name, 440, { registrar: proxied })),
    );
    carol!.phone.dial(`sip:${dave!.username}@${proxied}`);
    await Promise.all([carol!.phone.established(), dave!.phone.established()]);
    carol!.phone.hangUp();
    await dave!.phone.closed();
    await edge.saw(`node down: ${firstAddress}`, from);
    // No request waits for the dead node from now on. A busy machine may start sipp late, but not five times.
    const times: number[] = [];
    while (times.length < 5 && !times.some((ms) => ms < nodeTimeoutMs)) {
      const begun = performance.now();
      await run('register', { user: username });
      times.push(performance.now() - begun);
    }
    assert.ok(
      times.some((ms) => ms < nodeTimeoutMs),
      `${times.join(', ')} ms`,
    );
    await first.startAgain();
    await edge.saw(`node up: ${firstAddress}`, from);
    const { username: known } = await first.createEndpoint('back', password);
    await run('register', { user: known });
  });

  it('a node that drains gets no new phone, and without a node the answer is 503 with Retry-After', async () => {
    const from = edge.log.all.length;
    const { username } = await second.createEndpoint('last', password);
    // The drain lasts as long as a call does.
    const { username: talking } = await first.createEndpoint('talking', password);
    const call = await start('call-waiting-for-the-end', {
      user: talking,
      remote: first.sipAddress,
      keys: { callee: '+12025550100' },
    });
    await first.until('the call', 'Call/?status=live', (body) => body.calls?.length > 0);
    first.signal('SIGTERM');
    await edge.saw(`node down: ${firstAddress}`, from);
    assert.ok((await first.api('GET', 'Call/?status=live')).body.calls.length > 0, 'the node drains still');
    await run('register', { user: username });
    await call.stop();
    await first.kill();
    await second.kill();
    await edge.saw(`node down: ${secondAddress}`, from);
    const lost = await start('register', { user: username, timeoutSeconds: 8 });
    assert.match((await lost.finished()).errors, /SIP\/2\.0 503[\s\S]*Retry-After: 5/);
    await Promise.all([first.startAgain(), second.startAgain()]);
    await edge.saw(`node up: ${secondAddress}`, from);
    await edge.saw(`node up: ${firstAddress}`, from);
  });
});
