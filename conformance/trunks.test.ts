import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { cleanUp } from './support/clean-up.ts';
import { missing } from './support/installed.ts';
import { Kamailio } from './support/kamailio.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { Sipp, type SippOptions } from './support/sipp.ts';

const skip = missing('kamailio', 'sipp');
const port = 25_070;
const [officeAddress, carrierAddress, circleAddress] = ['127.0.0.31', '127.0.0.32', '127.0.0.33'];
const [username, password] = ['office', 'the secret of the trunk'];
const [calledAs, calledWith, realm] = ['jackfield', 'the secret of the office', 'office.example'];
/** Leads to the telephone system; no number of the sandbox. */
const number = '+493012345678';
/** Served by the carrier. */
const outside = '+442079460300';

const plain = `
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (has_totag()) {
    if (loose_route()) { t_relay(); exit; }
    if (is_method("ACK") && t_check_trans()) { t_relay(); exit; }
    if (uri != myself) t_relay();
    exit;
  }
  record_route();
`;

/** A telephone system: calls of its phones go out through the trunk; it challenges calls of the platform and routes them to a phone. */
const office = (platform: number, domain: string, phone: number) => `${plain}
  if ($sp == ${platform}) {
    if (!pv_auth_check("${realm}", "${calledWith}", "0", "0")) {
      xlog("L_ALERT", "asked $fU for a password\\n");
      auth_challenge("${realm}", "0");
      exit;
    }
    consume_credentials();
    xlog("L_ALERT", "called at $rU as $au\\n");
    $ru = "sip:desk@127.0.0.1:${phone}";
    t_relay();
    exit;
  }
  xlog("L_ALERT", "calls $rU through the trunk\\n");
  $ru = "sip:" + $rU + "@${domain}";
  $du = "sip:127.0.0.1:${platform}";
  t_on_failure("CHALLENGED");
  t_relay();
`;

const answersTheChallenge = `
failure_route[CHALLENGED] {
  if (t_is_canceled()) exit;
  if (t_check_status("401|407")) {
    $avp(realm) = "sip.localhost";
    $avp(username) = "${username}";
    $avp(password) = "${password}";
    if (uac_auth()) {
      xlog("L_ALERT", "answers the challenge of $rd\\n");
      t_relay();
    }
  }
}
`;

/** Routes calls to the number to the platform, and calls of the platform to a phone. */
const carrier = (platform: number, phone: number) => `${plain}
  if ($rU == "${number}") {
    $du = "sip:127.0.0.1:${platform}";
    t_relay();
    exit;
  }
  xlog("L_ALERT", "carried $rU from $fU\\n");
  $ru = "sip:" + $rU + "@127.0.0.1:${phone}";
  t_relay();
`;

/** A telephone system that routes each call to the number back through its own trunk, as a wrong dial plan does. */
const circle = (platform: number, domain: string) => `
  if (!mf_process_maxfwd_header("70")) { sl_send_reply("483", "Too Many Hops"); exit; }
  ${plain}
  $ru = "sip:" + $rU + "@${domain}";
  $du = "sip:127.0.0.1:${platform}";
  t_relay();
`;

describe('trunks', { skip, timeout: 180_000 }, () => {
  let directory: string;
  let platform: PlatformProcess;
  let carries: Kamailio;
  let carried: number;
  let credential: string;
  let trunk: string;
  let domain: string;
  const running: Sipp[] = [];

  before(async () => {
    carried = await freePort();
    directory = await mkdtemp(join(tmpdir(), 'trunks-'));
    const file = join(directory, 'carriers.json');
    const prefixes = [{ prefix: '44' }];
    const carriers = [
      { name: 'outside', host: carrierAddress, port, prefixes, caps: { concurrent_calls: 5 } },
    ];
    await writeFile(file, JSON.stringify({ carriers }));
    platform = await PlatformProcess.start({
      JACKFIELD_CARRIERS: file,
    });
    const routes = carrier(platform.sipPort, carried);
    carries = await Kamailio.start({ address: carrierAddress, port, routes });
    credential = await create('SipTrunk/Credential/', { name: 'Office', username, password });
    trunk = await create('SipTrunk/Trunk/', { trunk_direction: 'outbound', credential_uuid: credential });
    domain = (await platform.api('GET', `SipTrunk/Trunk/${trunk}/`)).body.trunk_domain;
  });

  after(async () => {
    try {
      await platform?.untilQuiet();
      const log = JSON.stringify(platform?.log.all);
      for (const secret of [password, calledWith]) assert.ok(!log.includes(secret), 'a password was logged');
    } finally {
      await platform?.stop();
      await carries?.stop();
      if (directory !== undefined) await rm(directory, { recursive: true, force: true });
    }
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((sipp) => sipp.stop()));
  });

  async function create(path: string, body: object): Promise<string> {
    const answer = await platform.api('POST', path, body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const [id] = Object.entries(answer.body).filter(
      ([name]) => /_(?:uu)?id$/.test(name) && name !== 'api_id',
    );
    return String(id?.[1]);
  }

  async function start(scenario: string, options: Partial<SippOptions> = {}): Promise<Sipp> {
    const remote = platform.sipAddress;
    const sipp = await Sipp.start({ remote, scenario, user: username, password, ...options });
    running.push(sipp);
    return sipp;
  }

  async function run(scenario: string, options: Partial<SippOptions> = {}): Promise<void> {
    assert.deepEqual(await (await start(scenario, options)).finished(), { code: 0, errors: '' });
  }

  /** A telephone system calls this callee through this trunk. */
  function through(callee: string, scenario = 'trunk-call', options: Partial<SippOptions> = {}, at = domain) {
    return run(scenario, { authUri: `${callee}@${at}`, keys: { callee, trunk: at }, ...options });
  }

  const change = async (path: string, body: object) =>
    assert.equal((await platform.api('POST', path, body)).status, 202);

  /** The next event of this type, from now on, with the fields of `expected`. */
  async function reported(type: string, expected: Record<string, unknown>) {
    await platform.until(`${type} ${JSON.stringify(expected)}`, `Event/?type=${type}`, ({ objects }) =>
      objects.some(({ data }: { data: Record<string, unknown> }) =>
        Object.entries(expected).every(([name, value]) => data[name] === value),
      ),
    );
  }

  const recordsOf = async (query: string) =>
    (await platform.api('GET', `SipTrunk/Call/?${query}`)).body.objects as Record<string, unknown>[];

  describe('sipp as a telephone system behind an outbound trunk', () => {
    it('is challenged, and its call reaches a sandbox phone; the call has its record', async () => {
      await through('+12025550100');
      await platform.until(
        'the record',
        `Zentrunk/Call/?trunk_id=${trunk}`,
        (body) => body.objects.length === 1 && body.objects[0].hangup_cause_code !== null,
      );
      const [record] = await recordsOf(`trunk_id=${trunk}&from_number=%2B12025559999`);
      assert.equal(record?.to_number, '+12025550100');
      assert.equal(record?.trunk_direction, 'outbound');
      assert.equal(record?.hangup_cause_code, 4000);
      assert.equal(record?.source_ip, '127.0.0.1');
    });

    it('reaches an endpoint, and a carrier', async () => {
      const { username: user } = await platform.createEndpoint('desk', 'desk-secret');
      const registered = await start('register', { user, password: 'desk-secret' });
      assert.deepEqual(await registered.finished(), { code: 0, errors: '' });
      const desk = await start('answer-hung-up-by-us', { port: registered.port });
      await through(user);
      assert.deepEqual(await desk.finished(), { code: 0, errors: '' });

      const phone = await start('trunk-phone', { port: carried });
      await through(outside);
      assert.deepEqual(await phone.finished(), { code: 0, errors: '' });
      await carries.saw(`carried ${outside} from +12025559999`);
    });

    it('hears that who it calls is busy', () => through('+12025550102', 'trunk-call-unanswered'));

    it('is refused with a wrong password, and an event says so', async () => {
      await through('+12025550100', 'trunk-wrong-password', { password: 'guessed' });
      await reported('trunk.call-refused', { trunk_id: trunk, reason: 'wrong-password', username });
    });

    it('is let in with the password before a rotation for as long as its overlap lasts, and not without one', async () => {
      const one = `SipTrunk/Credential/${credential}/`;
      await change(one, { password: 'another secret', password_overlap: 60 });
      await through('+12025550100');
      await through('+12025550100', 'trunk-call', { password: 'another secret' });
      await change(one, { password });
      await through('+12025550100', 'trunk-wrong-password', { password: 'another secret' });
      await through('+12025550100');
    });

    it('goes on under a new username that was changed alone', async () => {
      await change(`SipTrunk/Credential/${credential}/`, { username: 'branch' });
      await through('+12025550100', 'trunk-call', { user: 'branch' });
      await through('+12025550100', 'trunk-wrong-password');
      await change(`SipTrunk/Credential/${credential}/`, { username });
    });

    it('needs no password from a listed address, and none helps from another', async () => {
      const ipacl_uuid = await create('SipTrunk/IPAccessControlList/', { ip_addresses: ['127.0.0.1'] });
      const listed = await create('SipTrunk/Trunk/', { trunk_direction: 'outbound', ipacl_uuid });
      const at = (await platform.api('GET', `SipTrunk/Trunk/${listed}/`)).body.trunk_domain;
      await through('+12025550100', 'trunk-call-listed', {}, at);
      await change(`SipTrunk/IPAccessControlList/${ipacl_uuid}/`, { ip_addresses: ['192.0.2.0/24'] });
      await through('+12025550100', 'trunk-forbidden', {}, at);
      await reported('trunk.call-refused', { trunk_id: listed, reason: 'address-not-listed' });
    });

    it('is refused at once by a disabled trunk, a detached or deleted credential and a deleted trunk', async () => {
      const credential_uuid = await create('SipTrunk/Credential/', { username, password });
      const closed = await create('SipTrunk/Trunk/', { trunk_direction: 'outbound', credential_uuid });
      const at = (await platform.api('GET', `SipTrunk/Trunk/${closed}/`)).body.trunk_domain;
      const one = `SipTrunk/Trunk/${closed}/`;
      await through('+12025550100', 'trunk-call', {}, at);

      await change(one, { trunk_status: 'disabled' });
      await through('+12025550100', 'trunk-forbidden', {}, at);
      await reported('trunk.call-refused', { trunk_id: closed, reason: 'trunk-disabled' });
      await change(one, { trunk_status: 'enabled' });

      const ipacl_uuid = await create('SipTrunk/IPAccessControlList/', { ip_addresses: ['192.0.2.1'] });
      await change(one, { credential_uuid: null, ipacl_uuid });
      await through('+12025550100', 'trunk-forbidden', {}, at);
      await reported('trunk.call-refused', { trunk_id: closed, reason: 'address-not-listed' });

      await change(one, { credential_uuid, ipacl_uuid: null });
      await through('+12025550100', 'trunk-call', {}, at);
      assert.equal((await platform.api('DELETE', `SipTrunk/Credential/${credential_uuid}/`)).status, 204);
      await reported('trunk.credential-deleted', { credential_uuid, trunks: 1 });
      await through('+12025550100', 'trunk-forbidden', {}, at);
      await reported('trunk.call-refused', { trunk_id: closed, reason: 'credential-deleted' });
      const lost = await platform.api('GET', `SipTrunk/Trunk/?lost_credential_uuid=${credential_uuid}`);
      assert.deepEqual(
        lost.body.objects.map(({ trunk_id }: { trunk_id: string }) => trunk_id),
        [closed],
      );

      assert.equal((await platform.api('DELETE', one)).status, 204);
      await reported('trunk.deleted', { trunk_id: closed });
      // An unknown trunk gets the answer of a wrong password: a stranger cannot learn which trunks exist.
      await through('+12025550100', 'trunk-wrong-password', {}, at);
    });
  });

  describe('Kamailio as a telephone system', () => {
    let system: Kamailio;
    let phone: number;
    let silent: Socket;
    let uri: string;
    let inbound: string;

    before(async () => {
      phone = await freePort();
      system = await Kamailio.start({
        address: officeAddress,
        port,
        routes: office(platform.sipPort, domain, phone),
        furtherRoutes: answersTheChallenge,
      });
      silent = createSocket('udp4').bind(0, '127.0.0.1');
      await once(silent, 'listening');
      uri = await create('SipTrunk/URI/', {
        uri: `sip:desk@${officeAddress}:${port}`,
        authentication_needed: true,
        username: calledAs,
        password: calledWith,
      });
      inbound = await create('SipTrunk/Trunk/', { trunk_direction: 'inbound', primary_uri_uuid: uri });
      const added = await platform.api('POST', 'Number/', { number, trunk_id: inbound });
      assert.equal(added.status, 201, JSON.stringify(added.body));
    });

    after(() =>
      cleanUp(
        () => silent?.close(),
        () => system?.stop(),
      ),
    );

    /** Calls the number through the API; returns the call. */
    async function call(room: string): Promise<string> {
      const { status, body } = await platform.api('POST', `MultiPartyCall/name_${room}/Participant/`, {
        role: 'agent',
        from: '+12025550000',
        to: number,
        enter_sound: 'none',
        exit_sound: 'none',
      });
      assert.equal(status, 201, JSON.stringify(body));
      return body.calls[0].call_uuid as string;
    }

    const over = (uuid: string) =>
      platform.until('the end', `SipTrunk/Call/${uuid}/`, (body) => typeof body.end_time === 'string');

    it('behind an outbound trunk answers our challenge for a phone of its own', async () => {
      const keys = { callee: '+12025550100', trunk: `${officeAddress}:${port}` };
      const remote = `${officeAddress}:${port}`;
      await run('trunk-call-listed', { remote, keys });
      await system.saw('calls +12025550100 through the trunk');
      await system.saw('answers the challenge of');
      await platform.until(
        'the record',
        `SipTrunk/Call/?trunk_id=${trunk}&to_number=%2B12025550100`,
        (body) => body.objects[0]?.hangup_cause_code === 4000,
      );
    });

    it('behind an inbound trunk asks us for a password, and its phone takes the call for the number', async () => {
      const answers = await start('trunk-phone-hangs-up', { port: phone });
      const uuid = await call('inbound');
      await system.saw('asked +12025550000 for a password');
      await system.saw(`called at desk as ${calledAs}`);
      assert.deepEqual(await answers.finished(), { code: 0, errors: '' });
      const record = await over(uuid);
      assert.equal(record.trunk_id, inbound);
      assert.equal(record.trunk_direction, 'inbound');
      assert.equal(record.to_number, number);
      assert.equal(record.hangup_cause_code, 4000);
    });

    it('is called by another telephone system’s calls to the number as well', async () => {
      const answers = await start('trunk-phone', { port: phone });
      await through(number);
      assert.deepEqual(await answers.finished(), { code: 0, errors: '' });
      // The phone may have ended before the record of its call is written.
      const { objects } = await platform.until(
        'the record',
        `SipTrunk/Call/?to_number=${encodeURIComponent(number)}&call_direction=inbound`,
        (body) => body.objects.length > 0,
      );
      assert.equal(objects.length, 1);
    });

    it('is called when a carrier hands a call to the number over', async () => {
      const answers = await start('trunk-phone', { port: phone });
      const remote = `${carrierAddress}:${port}`;
      await run('trunk-call-listed', { remote, keys: { callee: number, trunk: remote } });
      assert.deepEqual(await answers.finished(), { code: 0, errors: '' });
    });

    it('that does not take our password is a failed primary URI, and without a fallback the call is refused', async () => {
      await change(`SipTrunk/URI/${uri}/`, { password: 'another one' });
      const record = await over(await call('refused'));
      assert.equal(record.answer_time, null);
      assert.equal(record.hangup_cause_code, 3020);
      await reported('trunk.uri-failed', {
        trunk_id: inbound,
        role: 'primary',
        reason: 'rejected',
        sip_status: 407,
      });
      await change(`SipTrunk/URI/${uri}/`, { password: calledWith });
    });

    it('that sends the calls of its number back through its own trunk: RFC 3261 §16.3, 483 ends the circle', async () => {
      const ipacl_uuid = await create('SipTrunk/IPAccessControlList/', {
        ip_addresses: ['127.0.0.1', circleAddress],
      });
      const listed = await create('SipTrunk/Trunk/', { trunk_direction: 'outbound', ipacl_uuid });
      const at = (await platform.api('GET', `SipTrunk/Trunk/${listed}/`)).body.trunk_domain;
      const routes = circle(platform.sipPort, at);
      const sendsBack = await Kamailio.start({ address: circleAddress, port, routes });
      try {
        const primary = await create('SipTrunk/URI/', { uri: `${circleAddress}:${port}` });
        await change(`SipTrunk/Trunk/${inbound}/`, { primary_uri_uuid: primary });
        await through(number, 'trunk-too-many-hops', {}, at);
      } finally {
        await sendsBack.stop();
        await change(`SipTrunk/Trunk/${inbound}/`, { primary_uri_uuid: uri });
      }
      // The INVITE had 9 left. Kamailio subtracts one as we do, so the call goes round four times, and the fifth is refused.
      const calls = await platform.until(
        'the records',
        `SipTrunk/Call/?trunk_id=${listed}`,
        ({ objects }) =>
          objects.length >= 5 &&
          objects.every((each: Record<string, unknown>) => typeof each.end_time === 'string'),
      );
      assert.equal(calls.objects.length, 5);
      for (const { hangup_cause_code, hangup_cause_name } of calls.objects) {
        assert.deepEqual([hangup_cause_code, hangup_cause_name], [2060, 'Loop Detected']);
      }
    });

    it('is the fallback of an URI that answers 503', async () => {
      const first = await freePort();
      const unavailable = await start('trunk-unavailable', { port: first });
      const primary = await create('SipTrunk/URI/', { uri: `127.0.0.1:${first}` });
      await change(`SipTrunk/Trunk/${inbound}/`, { primary_uri_uuid: primary, fallback_uri_uuid: uri });
      const answers = await start('trunk-phone-hangs-up', { port: phone });
      const uuid = await call('unavailable');
      assert.deepEqual(await unavailable.finished(), { code: 0, errors: '' });
      assert.deepEqual(await answers.finished(), { code: 0, errors: '' });
      assert.equal((await over(uuid)).hangup_cause_code, 4000);
      await reported('trunk.uri-failed', {
        trunk_id: inbound,
        role: 'primary',
        reason: 'rejected',
        sip_status: 503,
      });
    });

    it('is the fallback of an URI that is silent', async () => {
      const invited = once(silent, 'message');
      const primary = await create('SipTrunk/URI/', { uri: `127.0.0.1:${silent.address().port}` });
      await change(`SipTrunk/Trunk/${inbound}/`, { primary_uri_uuid: primary, fallback_uri_uuid: uri });
      const answers = await start('trunk-phone-hangs-up', { port: phone });
      const uuid = await call('silent');
      assert.match(String((await invited)[0]), /^INVITE sip:\+493012345678@127\.0\.0\.1:\d+ SIP\/2\.0\r\n/);
      assert.deepEqual(await answers.finished(), { code: 0, errors: '' });
      assert.equal((await over(uuid)).hangup_cause_code, 4000);
      await reported('trunk.uri-failed', { trunk_id: inbound, role: 'primary', reason: 'silent' });
    });
  });
});
