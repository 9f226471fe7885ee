import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { missing } from './support/installed.ts';
import { Kamailio } from './support/kamailio.ts';
import { addToRoom } from './support/multiparty-rooms.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { Sipp } from './support/sipp.ts';

const skip = missing('kamailio', 'sipp');
const port = 25_060;
const [firstAddress, secondAddress] = ['127.0.0.21', '127.0.0.22'];
const [username, password, realm] = ['jackfield', 'the carriers secret', 'carrier.example'];

/** The caller through the carrier. */
const subscriber = 'subscriber';
/** No number of the sandbox. */
const number = '+442079460100';
const busyNumber = '+442079460102';

const answersOptions = `
  if (is_method("OPTIONS")) { sl_send_reply("200", "OK"); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (has_totag()) {
    if (is_method("ACK") && t_check_trans()) t_relay();
    else if (uri != myself) t_relay();
    exit;
  }
`;

const unavailable = `${answersOptions}
  # A transaction: an INVITE that is repeated, because its answer came late, is no further refusal.
  if (is_method("INVITE") && t_newtran()) {
    xlog("L_ALERT", "refused $rU\\n");
    t_reply("503", "Service Unavailable");
  }
`;

/** Challenges every sender, registers us, routes our calls to a foreign phone, and the calls of its subscriber to us. */
const carrying = (phone: number, busyPhone: number) => `${answersOptions}
  if (is_method("INVITE") && $fU == "${subscriber}") {
    if (!pv_www_authenticate("${realm}", "${password}", "0")) { www_challenge("${realm}", "0"); exit; }
    $ru = "sip:${username}@${realm}";
    if (!lookup("location")) { sl_send_reply("480", "Not Here"); exit; }
    xlog("L_ALERT", "handed $tU over to $ru\\n");
    t_relay();
    exit;
  }
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
  if ($rU == "${busyNumber}") $ru = "sip:" + $rU + "@127.0.0.1:${busyPhone}";
  else $ru = "sip:" + $rU + "@127.0.0.1:${phone}";
  t_relay();
`;

/** A live call has no record yet: its path is answered with an error, which has no end either. */
const hasEnded = (body: { readonly end_time?: string | null }) => typeof body.end_time === 'string';

describe('Kamailio as a carrier', { skip, timeout: 180_000 }, () => {
  let directory: string;
  /** A port each: retransmissions of one call must not reach the phone of another. */
  let phone: number;
  let busyPhone: number;
  let first: Kamailio;
  let second: Kamailio;
  let platform: PlatformProcess;
  const running: Sipp[] = [];

  before(async () => {
    [phone, busyPhone] = [await freePort(), await freePort()];
    first = await Kamailio.start({ address: firstAddress, port, routes: unavailable });
    second = await Kamailio.start({ address: secondAddress, port, routes: carrying(phone, busyPhone) });
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
      JACKFIELD_CARRIERS: file,
    });
  });

  after(async () => {
    // Ends what was started, also when another part could not be started.
    try {
      await platform?.untilQuiet();
      assert.ok(!JSON.stringify(platform?.log.all).includes(password), 'a password was logged');
    } finally {
      await platform?.stop();
      await first?.stop();
      // The platform removes its registration when it stops.
      const goodbye = platform === undefined ? undefined : second?.saw(`saved ${username} for 0`);
      await Promise.resolve(goodbye).finally(() => second?.stop());
      if (directory !== undefined) await rm(directory, { recursive: true, force: true });
    }
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((sipp) => sipp.stop()));
  });

  async function waiting(scenario: string, at: number): Promise<Sipp> {
    const sipp = await Sipp.start({
      remote: `${secondAddress}:${port}`,
      scenario,
      user: '',
      password,
      port: at,
    });
    running.push(sipp);
    return sipp;
  }

  async function call(room: string, to = number): Promise<string> {
    const [uuid] = await addToRoom(platform, room, to, { stay_alone: false });
    return uuid!;
  }

  it('is registered with after its challenge, and metrics show it', async () => {
    await second.saw('challenged REGISTER');
    await second.saw(`saved ${username} for 60`);
    const metric = 'jackfield_carrier_registered{carrier="second"}';
    for (;;) if ((await platform.metrics(metric))[metric] === 1) break;
  });

  it('that answers 503 loses the call to the next one, which challenges it and hands it to its phone', async () => {
    const answers = await waiting('answer-hung-up-by-us', phone);
    const uuid = await call('failover');
    await first.saw(`refused ${number}`);
    await second.saw('challenged INVITE');
    await second.saw(`carried ${number} from +442079460999`);
    await platform.until(
      'the answer',
      `Call/${uuid}/?status=live`,
      (body) => body.call_status === 'in-progress',
    );
    assert.deepEqual(await platform.metrics('jackfield_carrier_calls{'), {
      'jackfield_carrier_calls{carrier="first"}': 0,
      'jackfield_carrier_calls{carrier="second"}': 1,
    });

    // The second carrier has a cap of one call: it refuses another call, after the 503 of the first carrier.
    const another = await call('capped');
    const capped = await platform.until('the end', `Call/${another}/`, hasEnded);
    assert.equal(capped.hangup_cause_code, 3090);
    assert.equal(capped.hangup_source, 'Carrier');

    assert.equal((await platform.api('DELETE', 'MultiPartyCall/name_failover/')).status, 204);
    assert.deepEqual(await answers.finished(), { code: 0, errors: '' });
    const ended = await platform.until('the end', `Call/${uuid}/`, hasEnded);
    assert.equal(ended.hangup_cause_code, 4020);
  });

  it('whose phone is busy decides: its answer ends the call, and no other carrier is called', async () => {
    const busy = await waiting('busy', busyPhone);
    const asked = first.count('refused');
    const from = first.log.all.length;
    const uuid = await call('busy', busyNumber);
    assert.deepEqual(await busy.finished(), { code: 0, errors: '' });
    const ended = await platform.until('the end', `Call/${uuid}/`, hasEnded);
    assert.equal(ended.hangup_cause_code, 3010);
    await first.saw('refused', from);
    assert.equal(first.count('refused'), asked + 1);
  });

  describe('that hands a call over for a number of an account', () => {
    const ours = '+442079460200';
    const dial = async () => {
      const remote = `${secondAddress}:${port}`;
      const keys = { callee: ours };
      const sipp = await Sipp.start({ remote, scenario: 'call-hang-up', user: subscriber, password, keys });
      running.push(sipp);
      return sipp.finished();
    };

    it('gets 404 while no application serves it, and the call goes out through no carrier', async () => {
      const carried = second.count('carried') + first.count('refused');
      const { code, errors } = await dial();
      assert.notEqual(code, 0);
      assert.match(errors, /SIP\/2\.0 404 /);
      await second.saw(`handed ${ours} over to sip:${username}@127.0.0.1`);
      assert.equal(second.count('carried') + first.count('refused'), carried);
    });

    it('reaches the application for numbers', async () => {
      const customer = await CallbackReceiver.start();
      try {
        const answer_url = customer.serve(
          '/answer',
          '<Response><Speak>Hello.</Speak><Wait length="30"/></Response>',
        );
        const application = { app_name: 'numbers', answer_url, default_number_app: true };
        assert.equal((await platform.api('POST', 'Application/', application)).status, 201);
        assert.deepEqual(await dial(), { code: 0, errors: '' });
        const asked = await customer.asked('/answer');
        assert.equal(asked.fields.get('To'), ours);
        assert.equal(asked.fields.get('From'), subscriber);
        assert.equal(asked.fields.get('Direction'), 'inbound');
      } finally {
        await customer.stop();
      }
    });
  });
});
