import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { freePort } from './support/baresip-phone.ts';
import { missing } from './support/installed.ts';
import { Kamailio } from './support/kamailio.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { Sipp } from './support/sipp.ts';

const skip = missing('kamailio', 'sipp');
const port = 25_060;
const [firstAddress, secondAddress] = ['127.0.0.21', '127.0.0.22'];
const [username, password, realm] = ['jackfield', 'the carriers secret', 'carrier.example'];

/** No number of the sandbox. */
const number = '+442079460100';

const answersOptions = `
  if (is_method("OPTIONS")) { sl_send_reply("200", "OK"); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (has_totag()) { if (is_method("ACK") && t_check_trans()) t_relay(); exit; }
`;

const unavailable = `${answersOptions}
  if (is_method("INVITE")) {
    xlog("L_ALERT", "refused $rU\\n");
    sl_send_reply("503", "Service Unavailable");
  }
`;

/** Challenges everybody, registers us, and hands calls to a phone that is not ours. */
const carrying = (phone: number) => `${answersOptions}
  if (!pv_auth_check("${realm}", "${password}", "0", "0")) {
    xlog("L_ALERT", "challenged $rm\\n");
    auth_challenge("${realm}", "0");
    exit;
  }
  consume_credentials();
  if (is_method("REGISTER")) {
    if (save("location")) xlog("L_ALERT", "saved $tU for $hdr(Expires) at $ct\\n");
    exit;
  }
  xlog("L_ALERT", "carried $rU from $fU\\n");
  $ru = "sip:" + $rU + "@127.0.0.1:${phone}";
  t_relay();
`;

describe('Kamailio as a carrier', { skip, timeout: 120_000 }, () => {
  let directory: string;
  let phone: number;
  let first: Kamailio;
  let second: Kamailio;
  let platform: PlatformProcess;
  const running: Sipp[] = [];

  before(async () => {
    phone = await freePort();
    first = await Kamailio.start({ address: firstAddress, port, routes: unavailable });
    second = await Kamailio.start({ address: secondAddress, port, routes: carrying(phone) });
    directory = await mkdtemp(join(tmpdir(), 'carriers-'));
    const file = join(directory, 'carriers.json');
    const login = { username, password, realm };
    const carriers = [
      {
        name: 'first',
        host: firstAddress,
        port,
        prefixes: [{ prefix: '44' }],
        caps: { concurrent_calls: 5 },
      },
      {
        name: 'second',
        host: secondAddress,
        port,
        ...login,
        registration: { aor: `sip:${username}@${realm}`, expires: 60 },
        prefixes: [{ prefix: '44', priority: 2 }],
        caller_id: { rule: 'replace', number: '+442079460999' },
        caps: { concurrent_calls: 1 },
      },
    ];
    await writeFile(file, JSON.stringify({ carriers }));
    platform = await PlatformProcess.start({
      JACKFIELD_RTP_PORTS: '22600-22699',
      JACKFIELD_CARRIERS: file,
    });
  });

  after(async () => {
    await platform.untilQuiet();
    await platform.stop();
    await first.stop();
    // The platform goes with a word: its registration is taken away.
    await second.saw(`saved ${username} for 0`);
    await second.stop();
    await rm(directory, { recursive: true, force: true });
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((sipp) => sipp.stop()));
  });

  async function waiting(scenario: string): Promise<Sipp> {
    const sipp = await Sipp.start({
      remote: `${secondAddress}:${port}`,
      scenario,
      user: '',
      password,
      port: phone,
    });
    running.push(sipp);
    return sipp;
  }

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

  it('is registered with after its challenge, and that is told in metrics', async () => {
    await second.saw('challenged REGISTER');
    await second.saw(`saved ${username} for 60`);
    const metric = 'jackfield_carrier_second_registered';
    for (;;) if ((await platform.metrics(metric))[metric] === 1) break;
  });

  it('that answers 503 loses the call to the next one, which challenges it and hands it to its phone', async () => {
    const answers = await waiting('answer-hung-up-by-us');
    const uuid = await call('failover');
    await first.saw(`refused ${number}`);
    await second.saw('challenged INVITE');
    await second.saw(`carried ${number} from +442079460999`);
    await platform.until(
      'the answer',
      `Call/${uuid}/?status=live`,
      (body) => body.call_status === 'in-progress',
    );
    assert.equal(
      (await platform.metrics('jackfield_carrier_second_calls')).jackfield_carrier_second_calls,
      1,
    );
    assert.equal((await platform.metrics('jackfield_carrier_first_calls')).jackfield_carrier_first_calls, 0);

    // The second one takes a single call: another one is refused by its cap, after the 503 of the first one.
    const another = await call('capped');
    const capped = await platform.until('the end', `Call/${another}/`, (body) => body.end_time !== null);
    assert.equal(capped.hangup_cause_code, 3090);
    assert.equal(capped.hangup_source, 'Carrier');

    assert.equal((await platform.api('DELETE', 'MultiPartyCall/name_failover/')).status, 204);
    assert.deepEqual(await answers.finished(), { code: 0, errors: '' });
    const ended = await platform.until('the end', `Call/${uuid}/`, (body) => body.end_time !== null);
    assert.equal(ended.hangup_cause_code, 4020);
  });

  it('whose phone is busy decides: its answer is the end, and nobody else is asked', async () => {
    const busy = await waiting('busy');
    const asked = first.count('refused');
    const uuid = await call('busy');
    assert.deepEqual(await busy.finished(), { code: 0, errors: '' });
    const ended = await platform.until('the end', `Call/${uuid}/`, (body) => body.end_time !== null);
    assert.equal(ended.hangup_cause_code, 3010);
    assert.equal(first.count('refused'), asked + 1);
  });
});
