import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { missing } from './support/installed.ts';
import { minted } from './support/minted-token.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { Sipp } from './support/sipp.ts';
import { WebSocketPhone } from './support/web-socket-phone.ts';

const domain = 'sip.localhost';
const both = { voice: { incoming_allow: true, outgoing_allow: true } };

describe('client tokens over SIP in WebSockets', { timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let iss: string;
  const phones: WebSocketPhone[] = [];

  before(async () => {
    platform = await PlatformProcess.start();
    iss = platform.authId;
  });

  after(async () => {
    try {
      await platform?.untilQuiet();
    } finally {
      await platform?.stop();
    }
  });

  afterEach(() => {
    for (const each of phones.splice(0)) each.vanish();
  });

  const now = () => Math.floor(Date.now() / 1000);

  async function issued(body: object): Promise<string> {
    const answer = await platform.api('POST', 'JWT/Token/', body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.token;
  }

  async function phone(
    username: string,
    token: string,
    more: { instance?: string } = {},
  ): Promise<WebSocketPhone> {
    const url = `${platform.httpUrl.replace(/^http/, 'ws')}/sip`;
    // docs/interface/client-tokens.md#on-sip: the password of such a client is a space.
    const connected = await WebSocketPhone.connect({ url, username, password: ' ', domain, token, ...more });
    phones.push(connected);
    return connected;
  }

  async function endpoint(name: string) {
    const { username, endpointId } = await platform.createEndpoint(name, `secret-${name}`);
    return { sub: username, id: endpointId, name: `${username}_${iss}` };
  }

  const isRegistered = async (id: string) =>
    (await platform.api('GET', `Endpoint/${id}/`)).body.sip_registered;

  /** The answer to REGISTER: the status, and the code of a refusal. */
  async function registering(username: string, token: string): Promise<string> {
    const outcome = await (await phone(username, token)).registration();
    if (outcome.type !== 'response') return outcome.failure;
    const { status, headers } = outcome.response;
    assert.equal(headers.get('WWW-Authenticate'), undefined, 'no password would help');
    return [status, headers.get('X-Plivo-Jwt-Error-Code')].filter(Boolean).join(' ');
  }

  it('a client registers under the name that its token gives it, for no longer than the token lasts', async () => {
    const alice = await endpoint('alice');
    const exp = now() + 200;
    const client = await phone(alice.name, await issued({ sub: alice.sub, exp }));
    const outcome = await client.registration(3600);
    assert.ok(outcome.type === 'response' && outcome.response.status === 200);
    const { headers } = outcome.response;
    assert.equal(headers.get('X-Plivo-Jwt'), `exp=${exp};`);
    const granted = Number(/;expires=(\d+)/.exec(headers.get('Contact') ?? '')?.[1]);
    assert.ok(granted > 100 && granted <= 200, `${granted}`);
    assert.equal(await isRegistered(alice.id), 'true');
  });

  it('its public GRUU is the name that it registered with its instance, and reaches it by an offer without a=fmtp of events', async () => {
    const [bob, carol] = [await endpoint('bob'), await endpoint('carol')];
    const instance = '<urn:uuid:00000000-0000-4000-8000-000000000001>';
    const one = await phone(bob.name, await issued({ sub: bob.sub }), { instance });
    const other = await phone(carol.name, await issued({ sub: carol.sub }));
    const outcome = await one.registration();
    assert.ok(outcome.type === 'response');
    const contact = outcome.response.headers.get('Contact') ?? '';
    assert.match(contact, new RegExp(`;pub-gruu="sip:${bob.name}@${domain};gr=urn:uuid:00000000-`));
    assert.equal(await other.register(), 200);
    for (const kind of ['pub', 'temp']) {
      const uri = new RegExp(`${kind}-gruu="([^"]+)"`).exec(contact)?.[1] ?? '';
      const from = one.events.all.length;
      const call = other.dialUri(uri, await freePort());
      const { offer } = await one.events.until('a call', ({ type }) => type === 'invited', { from });
      assert.match(offer ?? '', /a=rtpmap:\d+ telephone-event\/8000/);
      assert.doesNotMatch(offer ?? '', /a=fmtp:\d+ 0-15/);
      call.hangUp();
      await one.events.until('the end', ({ type }) => type === 'ended', { from });
    }
  });

  it('OPTIONS to another user gets 404, whether or not that user exists; OPTIONS without a user gets 200', async () => {
    const [bob, carol] = [await endpoint('bob'), await endpoint('carol')];
    const one = await phone(bob.name, await issued({ sub: bob.sub }));
    const asked = async (user: string) => (await one.ask('OPTIONS', user)).status;
    assert.deepEqual([await asked(''), await asked(bob.sub), await asked('admin')], [200, 404, 404]);
    assert.equal(await one.register(), 200);
    assert.deepEqual([await asked(bob.name), await asked(bob.sub)], [200, 200]);
    assert.deepEqual([await asked('admin'), await asked(carol.sub), await asked('nobody')], [404, 404, 404]);
  });

  it('MESSAGE sip:admin with the body ipAddress is answered with the client’s address, any other with 405', async () => {
    const { sub, name } = await endpoint('bob');
    const one = await phone(name, await issued({ sub }));
    const answer = await one.ask('MESSAGE', 'admin', 'ipAddress');
    assert.deepEqual(
      [answer.status, answer.headers.get('Content-Type'), answer.body],
      [200, 'text/plain', '127.0.0.1'],
    );
    for (const [user, body] of [
      ['admin', 'anything'],
      [sub, 'ipAddress'],
      ['', 'ipAddress'],
      ['admin', ''],
    ] as const) {
      const other = await one.ask('MESSAGE', user, body);
      assert.deepEqual([other.status, other.body], [405, ''], `${user} ${body}`);
      assert.match(other.headers.get('Allow') ?? '', /INVITE/);
    }
  });

  it('it is called under both of its names, and calls', async () => {
    const [bob, carol] = [await endpoint('bob'), await endpoint('carol')];
    const [one, other] = [
      await phone(bob.name, await issued({ sub: bob.sub })),
      // Made by a program, in the form of client libraries.
      await phone(
        carol.sub,
        minted(
          { jti: 'carol-1', iss, sub: carol.sub, nbf: now(), exp: now() + 300, grants: both },
          platform.authToken,
        ),
      ),
    ];
    assert.deepEqual([await one.register(), await other.register()], [200, 200]);
    other.answersAt(await freePort());
    for (const [at, to] of [carol.sub, carol.name].entries()) {
      const [ended, called] = [one.events.all.length, other.events.all.length];
      const call = one.dial(to, await freePort());
      await one.events.until('an answer', ({ type }) => type === 'answered', { from: ended });
      assert.match(other.events.all[called]?.from ?? '', new RegExp(bob.sub), `call ${at}`);
      call.hangUp();
      await one.events.until('the end', ({ type }) => type === 'ended', { from: ended });
      await other.events.until('the end', ({ type }) => type === 'ended', { from: called });
    }
  });

  it('each refusal has its code', async () => {
    const dave = await endpoint('dave');
    const claims = () => ({ app: '', exp: now() + 300, iss, nbf: now(), per: both, sub: dave.sub });
    const token = (changes: object = {}, key = platform.authToken) =>
      minted({ ...claims(), ...changes }, key);
    const header = { alg: 'HS512', typ: 'JWT' };
    for (const [what, name, given, expected] of [
      ['its own', dave.name, token(), '200'],
      ['no token', dave.name, 'no.token', '401 10001'],
      ['claims of a wrong form', dave.name, token({ exp: 'soon' }), '401 10001'],
      ['another algorithm', dave.name, minted(claims(), platform.authToken, header), '401 10002'],
      ['an issuer that is none', dave.name, token({ iss: 'nobody' }), '401 10003'],
      ['the name of another issuer', `${dave.sub}_MAXXXXXXXXXXXXXXXXXX`, token(), '401 10003'],
      ['the subject of another client', `mallory_${iss}`, token(), '401 10004'],
      ['a subject that is no endpoint', `nobody_${iss}`, token({ sub: 'nobody' }), '401 10004'],
      ['not valid yet', dave.name, token({ nbf: now() + 100, exp: now() + 400 }), '401 10005'],
      ['expired', dave.name, token({ nbf: now() - 400, exp: now() - 1 }), '401 10006'],
      ['another key', dave.name, token({}, 'guessed'), '401 10007'],
      [
        'an account that does not exist',
        `${dave.sub}_MAXXXXXXXXXXXXXXXXXX`,
        token({ iss: 'MAXXXXXXXXXXXXXXXXXX' }),
        '401 10007',
      ],
      ['permissions of no form', dave.name, token({ per: { voice: 'all' } }), '401 10008'],
      ['valid for more than a day', dave.name, token({ exp: now() + 90_000 }), '401 10009'],
    ] as const) {
      assert.equal(await registering(name, given), expected, what);
    }
    // The first device leaves; ten other contacts fill the limit.
    for (const each of phones.splice(0)) each.vanish();
    await platform.until(
      'no client is registered',
      `Endpoint/${dave.id}/`,
      (body) => body.sip_registered === 'false',
    );
    for (let device = 0; device < 10; device++) assert.equal(await registering(dave.name, token()), '200');
    assert.equal(await registering(dave.name, token()), '401 10010');
  });

  it('a token without outgoing calls is refused a call; one without incoming calls is answered and not bound', async () => {
    const [erin, frank] = [await endpoint('erin'), await endpoint('frank')];
    const per = (incoming_allow: boolean, outgoing_allow: boolean) => ({
      voice: { incoming_allow, outgoing_allow },
    });
    const listener = await phone(erin.name, await issued({ sub: erin.sub, per: per(true, false) }));
    assert.equal(await listener.register(), 200);
    listener.dial('+12025550100', await freePort());
    const refused = await listener.events.until('the end', ({ type }) => type === 'ended');
    assert.deepEqual([refused.status, refused.tokenRefusal], [401, '10008']);

    const caller = await phone(frank.name, await issued({ sub: frank.sub, per: per(false, true) }));
    assert.equal(await caller.register(), 200);
    assert.equal(await isRegistered(frank.id), 'false');
    const call = caller.dial('+12025550100', await freePort());
    await caller.events.until('an answer', ({ type }) => type === 'answered');
    call.hangUp();
    await caller.events.until('the end', ({ type }) => type === 'ended');

    // Without a subject the client has a name of its own, and cannot be called.
    const guest = await phone(`puser${Date.now()}jt_${iss}`, await issued({}));
    assert.equal(await guest.register(), 200);
    guest.dial('+12025550102', await freePort());
    const busy = await guest.events.until('the end', ({ type }) => type === 'ended');
    assert.equal(busy.status, 486);
  });

  it('a phone that may receive calls but not make them cannot make one by REFER either, and its call goes on', {
    skip: missing('sipp'),
  }, async () => {
    const [heather, ivan] = [await endpoint('heather'), await endpoint('ivan')];
    const per = { voice: { incoming_allow: true, outgoing_allow: false } };
    const options = { remote: platform.sipAddress, user: heather.sub, password: ' ' };
    const keys = { token: await issued({ sub: heather.sub, per }), target: '+12025550100' };
    const registered = await Sipp.start({ ...options, scenario: 'register-token', keys });
    assert.deepEqual(await registered.finished(), { code: 0, errors: '' });
    const { port } = registered;
    const called = await Sipp.start({ ...options, scenario: 'answer-refer-forbidden', keys, port });
    try {
      const caller = await phone(ivan.name, await issued({ sub: ivan.sub }));
      assert.equal(await caller.register(), 200);
      const call = caller.dial(heather.sub, await freePort());
      await called.logged(/refused X-Plivo-Jwt-Error-Code: 10008/);
      assert.equal((await platform.api('GET', 'Call/?status=live')).body.calls.length, 2);
      call.hangUp();
      await caller.events.until('the end', ({ type }) => type === 'ended');
      assert.deepEqual(await called.finished(), { code: 0, errors: '' });
    } finally {
      await Promise.all([registered.stop(), called.stop()]);
    }
  });

  it('a token of a deleted endpoint or account stops working, also for calls', async () => {
    const grace = await endpoint('grace');
    const client = await phone(grace.name, await issued({ sub: grace.sub }));
    assert.equal(await client.register(), 200);
    assert.equal((await platform.api('DELETE', `Endpoint/${grace.id}/`)).status, 204);
    client.dial('+12025550100', await freePort());
    const gone = await client.events.until('the end', ({ type }) => type === 'ended');
    assert.deepEqual([gone.status, gone.tokenRefusal], [401, '10004']);
    const again = await client.registration();
    assert.equal(again.type === 'response' && again.response.headers.get('X-Plivo-Jwt-Error-Code'), '10004');

    const branch = (await platform.api('POST', 'Subaccount/', { name: 'Branch', enabled: true })).body;
    const token = () =>
      minted(
        {
          iss: branch.auth_id,
          sub: '',
          nbf: now(),
          exp: now() + 300,
          per: { voice: { outgoing_allow: true } },
        },
        branch.auth_token,
      );
    const name = `puser${Date.now()}jt_${branch.auth_id}`;
    assert.equal(await registering(name, token()), '200');
    const one = `Subaccount/${branch.auth_id}/`;
    assert.equal((await platform.api('POST', one, { name: 'Branch', enabled: false })).status, 202);
    assert.equal(await registering(name, token()), '401 10003');
    assert.equal((await platform.api('DELETE', one)).status, 204);
    assert.equal(await registering(name, token()), '401 10007');
  });

  it('the application of a token takes the calls, and not that of its endpoint', async () => {
    const customer = await CallbackReceiver.start();
    try {
      const hello = '<Response><Speak>Hello.</Speak></Response>';
      const application = async (name: string) => {
        const answer_url = customer.serve(`/${name}`, hello);
        const { status, body } = await platform.api('POST', 'Application/', { app_name: name, answer_url });
        assert.equal(status, 201, JSON.stringify(body));
        return body.app_id as string;
      };
      const [attached, named] = [await application('attached'), await application('named')];
      const heidi = await endpoint('heidi');
      assert.equal((await platform.api('POST', `Endpoint/${heidi.id}/`, { app_id: attached })).status, 202);
      for (const [token, path] of [
        [await issued({ sub: heidi.sub, app: named }), '/named'],
        [await issued({ sub: heidi.sub }), '/attached'],
      ] as const) {
        const client = await phone(heidi.name, token);
        client.dial('+12025550100', await freePort());
        const asked = await customer.asked(path);
        assert.equal(asked.fields.get('To'), '+12025550100');
        await client.events.until('the end', ({ type }) => type === 'ended');
      }
    } finally {
      await customer.stop();
    }
  });
});
