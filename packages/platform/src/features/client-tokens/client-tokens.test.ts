import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import { type Caller, eachDatabase, type OpenDatabase, openSimulatedWorld } from '@jackfield/testkit';
import fc from 'fast-check';
import { createClientTokens } from './index.ts';

const path = 'JWT/Token/';
// Start of the clock of a simulated world: 2026-01-01 00:00:00.
const start = 1_767_225_600;

/** A simulated world, with a word for each part of a token. */
async function openWorld(open: OpenDatabase) {
  const world = await openSimulatedWorld({ database: open });
  const { clientTokens: tokens, registrations } = world.node.ports;

  return {
    world,
    tokens,
    registrations,
    async issue(body: object = {}, as: Caller = world.main): Promise<string> {
      const answer = await world.call('POST', path, { body, as });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.deepEqual(Object.keys(answer.body), ['api_id', 'token']);
      return answer.body.token;
    },
    async endpoint(as: Caller = world.main) {
      const body = { username: 'alice', password: 'secret', alias: 'a' };
      const created = (await world.call('POST', 'Endpoint/', { body, as })).body;
      return { id: created.endpoint_id as string, username: created.username as string };
    },
    /** The code of the refusal, or `admitted`. */
    async outcome(token: string, user: string) {
      return (await tokens.admit(token, user)).refusedWith ?? 'admitted';
    },
  };
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** A token in the form of a client library. */
function minted(
  payload: object,
  key: string,
  header: object = { alg: 'HS256', typ: 'JWT', cty: 'plivo;v=1' },
) {
  const text = `${part(header)}.${part(payload)}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}
const read = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((each) => Buffer.from(each, 'base64url').toString());

eachDatabase('Client tokens over HTTP', (open) => {
  test('a token has the header and the payload of the interface, and is signed with the auth_token', async () => {
    const { world, issue } = await openWorld(open);
    const { authId, authToken } = world.main;
    const token = await issue({
      iss: authId,
      sub: 'alice',
      nbf: start,
      exp: String(start + 300),
      per: { voice: { incoming_allow: 'true', outgoing_allow: false } },
    });
    assert.deepEqual(read(token), [
      '{"alg":"HS256","cty":"plivo;v=1","typ":"JWT"}',
      `{"app":"","exp":${start + 300},"iss":"${authId}","nbf":${start},"per":{"voice":{"incoming_allow":true,"outgoing_allow":false}},"sub":"alice"}`,
    ]);
    const [header, payload, signature] = token.split('.');
    const expected = createHmac('sha256', authToken).update(`${header}.${payload}`).digest('base64url');
    assert.equal(signature, expected);
  });

  test('a token without parameters is valid from now for 24 hours, and allows to call and not to be called', async () => {
    const { world, issue } = await openWorld(open);
    const claims = JSON.parse(read(await issue())[1]!);
    assert.deepEqual(claims, {
      app: '',
      exp: start + 86_400,
      iss: world.main.authId,
      nbf: start,
      per: { voice: { incoming_allow: false, outgoing_allow: true } },
      sub: '',
    });
    const { per } = JSON.parse(read(await issue({ sub: 'alice' }))[1]!);
    assert.deepEqual(per.voice, { incoming_allow: true, outgoing_allow: true });
    const closed = JSON.parse(read(await issue({ sub: 'alice', per: {} }))[1]!).per;
    assert.deepEqual(closed.voice, { incoming_allow: false, outgoing_allow: false });
  });

  test('exp is 3 minutes to 24 hours from now and from nbf', async () => {
    const { world } = await openWorld(open);
    const status = async (body: object) => (await world.call('POST', path, { body })).status;
    for (const exp of [start + 180, start + 86_400]) assert.equal(await status({ exp }), 200, String(exp));
    assert.equal(await status({ nbf: start + 3600, exp: start + 3780 }), 200);
    assert.equal(await status({ nbf: start - 60 }), 200);
    for (const body of [
      { exp: start + 120 },
      { exp: start + 90_000 },
      { exp: start - 1 },
      { exp: 'x' },
      { exp: 1.5 },
      { exp: null },
      { exp: -1 },
      { nbf: start + 3600, exp: start + 3700 },
      { nbf: start - 3600, exp: start + 86_000 },
      { nbf: start + 86_400 },
      { nbf: start - 200_000 },
      { nbf: start + 600, exp: start },
    ]) {
      const answer = await world.call('POST', path, { body });
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.match(answer.body.error, /^(?:exp|nbf) must be /);
    }
  });

  test('an exact limit in exp on a clock within ten seconds gives a token that is admitted at once', async () => {
    const { world, issue, outcome } = await openWorld(open);
    const user = `puser1767225600000jt_${world.main.authId}`;
    for (const late of [-10, -1, 0, 1, 10]) {
      const longest = await issue({ exp: start + late + 86_400 });
      assert.equal(await outcome(longest, user), 'admitted', `${late} s`);
      const { nbf, exp } = JSON.parse(read(longest)[1]!);
      assert.deepEqual([nbf, exp], [start + Math.max(0, late), start + late + 86_400]);
      const shortest = await issue({ exp: start + late + 180 });
      assert.equal(await outcome(shortest, user), 'admitted', `${late} s`);
    }
    for (const exp of [start + 86_411, start + 169]) {
      assert.equal((await world.call('POST', path, { body: { exp } })).status, 400, String(exp));
    }
  });

  test('the subject, the permissions and the application of a token are checked', async () => {
    const { world, issue } = await openWorld(open);
    const branch = await world.subaccount();
    const refusals: readonly [object, RegExp][] = [
      [{ iss: branch.authId }, /^iss must be the auth_id of the path/],
      [{ per: { voice: { incoming_allow: true } } }, /^sub parameter is missing/],
      [{ per: { voice: { incoming_allow: 'yes' } }, sub: 'a' }, /^per must be an object/],
      [{ per: 'voice' }, /^per must be an object/],
      [{ app: '12345678901234567' }, /^app must be the identifier of one of your applications/],
      [{ app: 'x' }, /^app must be/],
      [{ sub: 5 }, /^sub must be/],
      [{ sub: 'a\0' }, /^sub must be/],
    ];
    for (const [body, error] of refusals) {
      const answer = await world.call('POST', path, { body });
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.match(answer.body.error, error);
    }
    const body = { app_name: 'ivr', answer_url: 'https://example.com/' };
    const { app_id } = (await world.call('POST', 'Application/', { body })).body;
    assert.equal(JSON.parse(read(await issue({ app: app_id }))[1]!).app, app_id);
    assert.equal(JSON.parse(read(await issue({}, branch))[1]!).iss, branch.authId);
    assert.equal((await world.call('GET', path)).status, 405);
  });
});

eachDatabase('Who presents a client token', (open) => {
  test('a client is its endpoint, by both of its names, with what the token allows', async () => {
    const { world, tokens, issue, endpoint } = await openWorld(open);
    const { id, username } = await endpoint();
    const { authId } = world.main;
    const token = await issue({ sub: username, exp: start + 300, per: { voice: { incoming_allow: true } } });
    const client = {
      account: authId,
      endpoint: id,
      user: username,
      expiresAt: (start + 300) * 1000,
      mayReceive: true,
      mayCall: false,
      application: undefined,
    };
    assert.deepEqual(await tokens.admit(token, `${username}_${authId}`), client);
    assert.deepEqual(await tokens.admit(token, username), client);
    const own = `puser1767225600000jt_${authId}`;
    const nameless = { ...client, endpoint: '', user: own, mayReceive: false, mayCall: true };
    assert.deepEqual(await tokens.admit(await issue({ exp: start + 300 }), own), nameless);
  });

  test('a token of a client library is accepted like ours', async () => {
    const { world, tokens, endpoint } = await openWorld(open);
    const { username } = await endpoint();
    const { authId, authToken } = world.main;
    const grants = { voice: { incoming_allow: true, outgoing_allow: true } };
    const payload = {
      jti: `${username}-1`,
      iss: authId,
      sub: username,
      nbf: start,
      exp: start + 300,
      grants,
    };
    const client = await tokens.admit(minted(payload, authToken), `${username}_${authId}`);
    assert.ok(client.refusedWith === undefined);
    assert.deepEqual([client.mayReceive, client.mayCall], [true, true]);
  });

  test('every fault has its code', async () => {
    const { world, outcome, endpoint } = await openWorld(open);
    const { username } = await endpoint();
    const { authId: iss, authToken } = world.main;
    const branch = await world.subaccount();
    const user = `${username}_${iss}`;
    const good = {
      iss,
      sub: username,
      nbf: start,
      exp: start + 300,
      per: { voice: { outgoing_allow: true } },
    };
    const token = (changes: object = {}, header?: object) =>
      minted({ ...good, ...changes }, authToken, header);
    const [head, payload, signature] = token().split('.');
    const other = `MA${'A'.repeat(18)}`;
    assert.equal(await outcome(token(), user), 'admitted');
    const faults: readonly (readonly [what: string, token: string, code: string, user?: string])[] = [
      ['nothing', '', 'token'],
      ['no token', 'hello', 'token'],
      ['two parts', `${head}.${payload}`, 'token'],
      ['a long text', 'a'.repeat(100_000), 'token'],
      ['a payload that is no object', minted([], authToken), 'token'],
      ['no exp', token({ exp: undefined }), 'token'],
      ['an nbf that is no number', token({ nbf: '1' }), 'token'],
      ['an unsigned token', `${part({ alg: 'none' })}.${payload}.`, 'header'],
      ['another algorithm', token({}, { alg: 'HS512', typ: 'JWT' }), 'header'],
      ['another type', token({}, { alg: 'HS256', typ: 'at+jwt' }), 'header'],
      ['no issuer', token({ iss: undefined }), 'issuer'],
      ['an issuer that is none', token({ iss: 'me' }), 'issuer'],
      ['the name of another account', token(), 'issuer', `${username}_${other}`],
      ['another key', minted(good, 'another key'), 'signature'],
      ['an account that does not exist', token({ iss: other }), 'signature', `${username}_${other}`],
      ['another payload', `${head}.${part({ ...good, exp: start + 600 })}.${signature}`, 'signature'],
      ['the key of a subaccount', minted(good, branch.authToken), 'signature'],
      ['a token of tomorrow', token({ nbf: start + 60, exp: start + 600 }), 'not-valid-yet'],
      ['a token of yesterday', token({ nbf: start - 600, exp: start - 300 }), 'expired'],
      ['a token that ends now', token({ nbf: start - 300, exp: start }), 'expired'],
      ['more than a day', token({ exp: start + 86_401 }), 'valid-too-long'],
      ['a subject that is no endpoint', token({ sub: 'nobody' }), 'subject', `nobody_${iss}`],
      ['a subject that is no text', token({ sub: 5 }), 'subject'],
      ['somebody else', token(), 'subject', `bob_${iss}`],
      ['a name of its own with a subject', token(), 'subject', `puser1jt_${iss}`],
      ['a subject that it does not have', token({ sub: '' }), 'subject'],
      ['permissions that are none', token({ per: { voice: { outgoing_allow: 'yes' } } }), 'grants'],
      ['permissions of no form', token({ per: 'voice' }), 'grants'],
    ];
    for (const [what, faulty, code, as = user] of faults) assert.equal(await outcome(faulty, as), code, what);
  });

  test('a token ends at its expiry, and with its endpoint, its account and the permission of its account', async () => {
    const { world, outcome, issue, endpoint } = await openWorld(open);
    const main = await endpoint();
    const branch = await world.subaccount();
    const theirs = await endpoint(branch);
    const token = await issue({ sub: main.username, exp: start + 300 });
    const branches = await issue({ sub: theirs.username }, branch);
    const [user, branchUser] = [
      `${main.username}_${world.main.authId}`,
      `${theirs.username}_${branch.authId}`,
    ];
    // A main account speaks for its subaccounts, not the other way round.
    const above = await issue({ sub: theirs.username });
    assert.equal(await outcome(above, `${theirs.username}_${world.main.authId}`), 'admitted');
    const below = await issue({ sub: main.username }, branch);
    assert.equal(await outcome(below, `${main.username}_${branch.authId}`), 'subject');
    assert.equal(await outcome(branches, branchUser), 'admitted');

    const path = `Subaccount/${branch.authId}/`;
    await world.call('POST', path, { body: { name: 'Branch', enabled: false } });
    assert.equal(await outcome(branches, branchUser), 'issuer');
    await world.call('POST', path, { body: { name: 'Branch', enabled: true } });
    assert.equal(await outcome(branches, branchUser), 'admitted');
    await world.call('DELETE', path);
    assert.equal(await outcome(branches, branchUser), 'signature');

    assert.equal(await outcome(token, user), 'admitted');
    await world.advance(299_999);
    assert.equal(await outcome(token, user), 'admitted');
    await world.advance(1);
    assert.equal(await outcome(token, user), 'expired');
    const fresh = await issue({ sub: main.username });
    await world.call('DELETE', `Endpoint/${main.id}/`);
    assert.equal(await outcome(fresh, user), 'subject');
  });

  test('callers reach a client by its SIP user, within its account', async () => {
    const { world, registrations, endpoint } = await openWorld(open);
    const { id, username } = await endpoint();
    const found = async (user: string) => (await registrations.credentialOf(user))?.endpoint;
    assert.equal(await found(username), id);
    assert.equal(await found(`${username}_${world.main.authId}`), id);
    assert.equal(await found(`${username}_MA${'A'.repeat(18)}`), undefined);
    assert.equal(await found(`nobody_${world.main.authId}`), undefined);
    assert.deepEqual(await registrations.bindingsOf(id), []);
  });
});

test('no text is admitted that differs from a token in a single character, and none makes us throw', async () => {
  const authId = `MA${'B'.repeat(18)}`;
  const account = { authId, isSubaccount: false, parent: null, main: authId };
  const { tokens } = createClientTokens({
    clock: { now: () => 0, wallNow: () => 1_100_000, startTimer: () => () => {} },
    secrets: createSecrets(new Uint8Array(32).fill(7)),
    accounts: {
      authTokenOf: async (of) => (of === authId ? 'the token of the account' : undefined),
      authenticate: async () => ({ outcome: 'accepted', account }),
      isWithin: async (one, other) => one === other,
    },
    registrations: {
      credentialOf: async (username) => ({
        account: authId,
        endpoint: '1',
        username,
        ha1: { md5: '', sha256: '' },
      }),
    },
    isApplication: async () => false,
  });
  const token = minted({ iss: authId, sub: 'alice', nbf: 1000, exp: 1300 }, 'the token of the account');
  assert.equal((await tokens.admit(token, 'alice')).refusedWith, undefined);
  const character = fc.constantFrom(...'ABab01_-.=~ é{'.split(''));
  await fc.assert(
    // The last character of a signature of 32 bytes holds two unused bits.
    fc.asyncProperty(fc.nat({ max: token.length - 2 }), character, async (at, other) => {
      const changed = token.slice(0, at) + other + token.slice(at + 1);
      const { refusedWith } = await tokens.admit(changed, 'alice');
      assert.equal(refusedWith === undefined, changed === token);
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.base64String()), fc.string(), async (text, user) => {
      assert.ok((await tokens.admit(`${text}.${text}.${text}`, user)).refusedWith !== undefined);
    }),
  );
});

test('the vector of a published client library is verified with its key', async () => {
  const token =
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImN0eSI6InBsaXZvO3Y9MSJ9.eyJqdGkiOiJ1c2VybmFtZS0xMjM0NSIsImlzcyI6Ik1BREFEQURBREFEQURBREFEQURBIiwic3ViIjoidXNlcm5hbWUiLCJuYmYiOjEyMTIxMjEyLCJleHAiOjEyMTIxNTEyLCJncmFudHMiOnsidm9pY2UiOnsiaW5jb21pbmdfYWxsb3ciOnRydWUsIm91dGdvaW5nX2FsbG93Ijp0cnVlfX19.ilC13HrMls4w3UHWZsZNudAALgWaSBkkXmZZ-VnT6GU';
  const authId = 'MADADADADADADADADADA';
  const account = { authId, isSubaccount: false, parent: null, main: authId };
  const { tokens } = createClientTokens({
    clock: { now: () => 0, wallNow: () => 12_121_212_000, startTimer: () => () => {} },
    secrets: createSecrets(new Uint8Array(32).fill(7)),
    accounts: {
      authTokenOf: async () => 'qwerty',
      authenticate: async () => ({ outcome: 'accepted', account }),
      isWithin: async (one, other) => one === other,
    },
    registrations: {
      credentialOf: async (username) => ({
        account: authId,
        endpoint: '1',
        username,
        ha1: { md5: '', sha256: '' },
      }),
    },
    isApplication: async () => false,
  });
  assert.deepEqual(await tokens.admit(token, `username_${authId}`), {
    account: authId,
    endpoint: '1',
    user: 'username',
    expiresAt: 12_121_512_000,
    mayReceive: true,
    mayCall: true,
    application: undefined,
  });
});
