import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '@jackfield/adapters/logger';
import { createSecrets } from '@jackfield/adapters/secrets';
import {
  createRecordingLog,
  createVirtualClock,
  eachDatabase,
  type OpenDatabase,
  openSimulatedWorld,
  type SimulatedWorld,
} from '@jackfield/testkit';
import { createAccounts } from '../accounts/index.ts';
import { createConsoleSessions } from './create-console-sessions.ts';

const hourMs = 60 * 60_000;
const origin = 'http://localhost';

type Headers = Readonly<Record<string, string>>;

/** A browser at the console: keeps its cookie, and sends what browsers send. */
function browserAt(world: SimulatedWorld, page: Headers = { origin, 'sec-fetch-site': 'same-origin' }) {
  const browser = {
    cookie: '',
    async send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, headers: Headers = page) {
      const answer = await world.node.platform.http.inject({
        method,
        url: path.startsWith('/') ? path : `/v1/Account/${world.main.authId}/${path}`,
        headers: { host: 'localhost', 'user-agent': 'a browser', cookie: browser.cookie, ...headers },
        ...(body === undefined ? {} : { payload: body }),
      });
      const set = answer.headers['set-cookie'];
      if (typeof set === 'string') browser.cookie = set.slice(0, set.indexOf(';'));
      return {
        status: answer.statusCode,
        body: answer.body === '' ? undefined : JSON.parse(answer.body),
        headers: answer.headers,
      };
    },
    logIn: (role?: string) =>
      browser.send('POST', '/console/session', {
        auth_id: world.main.authId,
        auth_token: world.main.authToken,
        ...(role === undefined ? {} : { role }),
      }),
  };
  return browser;
}

const worldOn = (open: OpenDatabase) => openSimulatedWorld({ database: open, phones: 'none' });

eachDatabase('Sessions of the console', (open) => {
  test('a login sets a cookie that scripts cannot read, and the API accepts it beside Basic', async () => {
    const world = await worldOn(open);
    const browser = browserAt(world);
    assert.equal((await browser.send('GET', '')).status, 401);
    const login = await browser.logIn();
    assert.equal(login.status, 201);
    assert.match(
      String(login.headers['set-cookie']),
      /^jackfield_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    assert.deepEqual(
      [login.body.role, login.body.is_current, login.body.user_agent],
      ['owner', true, 'a browser'],
    );
    assert.ok(!JSON.stringify(login.body).includes(browser.cookie.slice(20)));
    const read = await browser.send('GET', '');
    assert.deepEqual([read.status, read.body.auth_id], [200, world.main.authId]);
    const created = await browser.send('POST', 'Endpoint/', {
      username: 'a',
      password: 'a-password',
      alias: 'a',
    });
    assert.equal(created.status, 201);
    assert.equal((await browser.send('GET', '/console/session')).body.session_id, login.body.session_id);
  });

  test('a new login makes a new session and ends that of the browser, so that a planted cookie is worth nothing', async () => {
    const world = await worldOn(open);
    const browser = browserAt(world);
    await browser.logIn();
    const first = browser.cookie;
    await browser.logIn();
    assert.notEqual(browser.cookie, first);
    browser.cookie = first;
    assert.equal((await browser.send('GET', '')).status, 401);
    browser.cookie = `jackfield_session=${'A'.repeat(43)}`;
    await browser.logIn();
    assert.notEqual(browser.cookie, `jackfield_session=${'A'.repeat(43)}`);
  });

  test('on HTTPS the cookie is Secure and of this host alone', async () => {
    const settings = { trustedSources: ['127.0.0.1/32'] };
    const world = await openSimulatedWorld({ database: open, phones: 'none', settings });
    const browser = browserAt(world, { origin: 'https://localhost', 'x-forwarded-proto': 'https' });
    const login = await browser.logIn();
    assert.match(
      String(login.headers['set-cookie']),
      /^__Host-jackfield_session=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    assert.equal((await browser.send('GET', '')).status, 200);
  });

  test('a request that another page makes with the cookie is refused with 403', async () => {
    const world = await worldOn(open);
    const browser = browserAt(world);
    await browser.logIn();
    const foreign: readonly Headers[] = [
      { origin: 'http://localhost:3000' },
      { origin: 'https://localhost' },
      { origin: 'null' },
      {},
      { origin, 'sec-fetch-site': 'same-site' },
      { origin, 'sec-fetch-site': 'cross-site' },
      { origin, 'sec-fetch-site': 'none' },
    ];
    for (const headers of foreign) {
      const { status, body } = await browser.send('POST', '', { name: 'x' }, headers);
      assert.deepEqual([status, body.error_code], [403, 'forbidden'], JSON.stringify(headers));
      assert.equal((await browser.send('DELETE', 'Call/', undefined, headers)).status, 403);
      assert.equal((await browser.send('DELETE', '/console/session', undefined, headers)).status, 403);
    }
    assert.equal((await browser.send('GET', '', undefined, { 'sec-fetch-site': 'same-site' })).status, 403);
    assert.equal((await browser.send('GET', '', undefined, { 'sec-fetch-site': 'none' })).status, 200);
    const login = await browserAt(world, { origin: 'http://evil.example' }).logIn();
    assert.equal(login.status, 403);
    assert.equal(login.headers['set-cookie'], undefined);
  });

  test('a session ends twelve hours after its last use', async () => {
    const database = await open();
    const secrets = createSecrets(new Uint8Array(32).fill(7));
    const clock = createVirtualClock();
    const accounts = createAccounts({ database, clock, secrets, log: createRecordingLog(), resources: [] });
    const {
      access,
      migrations = [],
      retained,
    } = createConsoleSessions({ database, clock, secrets, accounts });
    await database.migrate([...accounts.migrations, ...migrations]);
    const credentials = await accounts.ensureFirstAccount();
    const { secret } = (await access.logIn({ credentials, userAgent: '', address: '' }))!;
    await clock.advance(11 * hourMs);
    assert.equal((await access.find(secret))?.role, 'owner');
    await clock.advance(11 * hourMs);
    assert.ok(await access.find(secret));
    assert.equal(await retained!.removeEnded(clock.wallNow(), 10), 0);
    await clock.advance(12 * hourMs);
    assert.equal(await access.find(secret), undefined);
    assert.equal(await retained!.removeEnded(clock.wallNow() + 1, 10), 1);
  });

  test('a session of the identity provider ends twelve hours after its login, however busy', async () => {
    const database = await open();
    const secrets = createSecrets(new Uint8Array(32).fill(7));
    const clock = createVirtualClock();
    const accounts = createAccounts({ database, clock, secrets, log: createRecordingLog(), resources: [] });
    const person = { name: 'ann@example.com', groups: ['desk'] };
    const provider = {
      host: 'login.example.com',
      loginUrl: async () => 'https://login.example.com/',
      identify: async () => person,
    };
    const { authId } = await migratedFirstAccount();
    const identity = {
      ...{ provider, groups: { owner: [], operator: ['desk'], viewer: [] } },
      ...{ log: createLogger({ level: 'silent' }), operator: () => authId },
    };
    const { access } = createConsoleSessions({ database, clock, secrets, accounts, identity });
    const begun = await access.identity!.begin();
    assert.ok(typeof begun !== 'string');
    const opened = await access.identity!.complete('', begun.secret, { userAgent: '', address: '' });
    assert.ok(typeof opened !== 'string');
    assert.deepEqual([opened.session.name, opened.session.role], ['ann@example.com', 'operator']);
    for (let hour = 0; hour < 11; hour++) {
      await clock.advance(hourMs);
      assert.ok(await access.find(opened.secret));
    }
    await clock.advance(hourMs);
    assert.equal(await access.find(opened.secret), undefined);

    async function migratedFirstAccount() {
      const { migrations = [] } = createConsoleSessions({ database, clock, secrets, accounts });
      await database.migrate([...accounts.migrations, ...migrations]);
      return accounts.ensureFirstAccount();
    }
  });

  test('a changed auth_token ends the sessions that began before', async () => {
    const database = await open();
    const secrets = createSecrets(new Uint8Array(32).fill(7));
    const clock = createVirtualClock();
    const accounts = createAccounts({ database, clock, secrets, log: createRecordingLog(), resources: [] });
    const { access, migrations = [] } = createConsoleSessions({ database, clock, secrets, accounts });
    await database.migrate([...accounts.migrations, ...migrations]);
    const credentials = await accounts.ensureFirstAccount();
    const { secret } = (await access.logIn({ credentials, userAgent: '', address: '' }))!;
    await accounts.ensureFirstAccount({ authId: credentials.authId, authToken: 'another one' });
    assert.equal(await access.find(secret), undefined);
  });

  test('a logout ends the session, not the cookie alone', async () => {
    const world = await worldOn(open);
    const browser = browserAt(world);
    await browser.logIn();
    const { cookie } = browser;
    const logout = await browser.send('DELETE', '/console/session');
    assert.equal(logout.status, 204);
    assert.match(String(logout.headers['set-cookie']), /^jackfield_session=; Max-Age=0; /);
    browser.cookie = cookie;
    assert.equal((await browser.send('GET', '/console/session')).status, 401);
  });

  test('the owner lists the sessions of the account and ends one or all; other accounts see none', async () => {
    const world = await worldOn(open);
    const [one, two] = [browserAt(world), browserAt(world)];
    await one.logIn();
    await world.advance(1000);
    const second = (await two.logIn('viewer')).body.session_id;
    const { objects } = (await one.send('GET', 'ConsoleSession/')).body;
    assert.deepEqual(
      objects.map((each: { role: string; is_current: boolean }) => [each.role, each.is_current]),
      [
        ['viewer', false],
        ['owner', true],
      ],
    );
    const other = await world.subaccount();
    assert.deepEqual((await world.call('GET', 'ConsoleSession/', { as: other })).body.objects, []);
    assert.equal((await world.call('DELETE', `ConsoleSession/${second}/`, { as: other })).status, 404);
    assert.equal((await two.send('GET', 'ConsoleSession/')).status, 403);
    assert.equal((await one.send('DELETE', `ConsoleSession/${second}/`)).status, 204);
    assert.equal((await two.send('GET', '')).status, 401);
    assert.equal((await one.send('DELETE', `ConsoleSession/${second}/`)).status, 404);
    assert.equal((await world.call('DELETE', 'ConsoleSession/')).status, 204);
    assert.equal((await one.send('GET', '')).status, 401);
  });
});

eachDatabase('Logins to the console', (open) => {
  test('a link logs in once, with its role or less', async () => {
    const world = await worldOn(open);
    const link = await world.call('POST', 'ConsoleSession/Link/', { body: { role: 'operator' } });
    assert.match(link.body.path, /^\/console\/#login=[A-Za-z0-9_-]{43}$/);
    const body = { login_token: link.body.login_token, role: 'owner' };
    const [one, two] = [browserAt(world), browserAt(world)];
    const answers = await Promise.all([one, two].map((each) => each.send('POST', '/console/session', body)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 401]);
    assert.equal(answers.find(({ status }) => status === 201)?.body.role, 'operator');
    const late = await world.call('POST', 'ConsoleSession/Link/');
    await world.advance(15 * 60_000);
    const token = { login_token: late.body.login_token };
    assert.equal((await one.send('POST', '/console/session', token)).status, 401);
    const first = { login_token: await world.node.platform.createConsoleLink() };
    assert.equal((await one.send('POST', '/console/session', first)).body.role, 'owner');
  });

  test('a viewer reads, an operator acts on live things, an owner does everything', async () => {
    const world = await worldOn(open);
    const calls = [
      ['GET', 'Call/', 'viewer'],
      ['DELETE', 'Call/', 'operator'],
      ['POST', 'MultiPartyCall/name_demo/Participant/', 'operator'],
      ['POST', 'Verify/Session/', 'operator'],
      ['POST', 'Endpoint/', 'owner'],
      ['POST', 'Verify/App/', 'owner'],
      ['POST', 'Subaccount/', 'owner'],
      ['POST', 'ConsoleSession/Link/', 'owner'],
    ] as const;
    const roles = ['viewer', 'operator', 'owner'];
    for (const role of roles) {
      const browser = browserAt(world);
      await browser.logIn(role);
      for (const [method, path, least] of calls) {
        const { status } = await browser.send(method, path, method === 'POST' ? {} : undefined);
        const isAllowed = roles.indexOf(role) >= roles.indexOf(least);
        assert.equal(status !== 403, isAllowed, `${role}: ${method} ${path} gave ${status}`);
      }
    }
  });

  test('a session of a main account acts for its subaccounts, never shows their tokens, and reaches no other account', async () => {
    const world = await worldOn(open);
    const sub = await world.subaccount();
    const browser = browserAt(world);
    await browser.logIn();
    assert.equal((await browser.send('GET', `/v1/Account/${sub.authId}/`)).status, 200);
    const list = await browser.send('GET', 'Subaccount/');
    assert.deepEqual([list.status, list.body.objects[0].auth_token], [200, null]);
    assert.ok(!JSON.stringify(list.body).includes(sub.authToken));
    const own = browserAt(world);
    const logIn = () =>
      own.send('POST', '/console/session', { auth_id: sub.authId, auth_token: sub.authToken });
    await logIn();
    assert.equal((await own.send('GET', `/v1/Account/${sub.authId}/`)).status, 200);
    assert.equal((await own.send('GET', '')).status, 401);
    await world.api('POST', `Subaccount/${sub.authId}/`, { enabled: false });
    assert.equal((await own.send('GET', `/v1/Account/${sub.authId}/`)).status, 401);
    await world.api('POST', `Subaccount/${sub.authId}/`, { enabled: true });
    assert.equal((await own.send('GET', `/v1/Account/${sub.authId}/`)).status, 401);
    await logIn();
    assert.equal((await own.send('GET', `/v1/Account/${sub.authId}/`)).status, 200);
    await world.api('DELETE', `Subaccount/${sub.authId}/`);
    assert.equal((await own.send('GET', `/v1/Account/${sub.authId}/`)).status, 401);
  });

  test('the links of a subaccount end when it is disabled, and its sessions go on when it is changed otherwise', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const sub = await world.subaccount();
    const path = `/v1/Account/${sub.authId}/`;
    const own = browserAt(world);
    const login = { auth_id: sub.authId, auth_token: sub.authToken };
    assert.equal((await own.send('POST', '/console/session', login)).status, 201);
    for (const body of [{ name: 'Other' }, { enabled: true }]) {
      assert.equal((await world.api('POST', `Subaccount/${sub.authId}/`, body)).status, 202);
      assert.equal((await own.send('GET', path)).status, 200);
    }
    const { login_token } = (await own.send('POST', `${path}ConsoleSession/Link/`, {})).body;
    for (const enabled of [false, true]) {
      await world.api('POST', `Subaccount/${sub.authId}/`, { enabled });
    }
    assert.equal((await browserAt(world).send('POST', '/console/session', { login_token })).status, 401);
  });

  test('wrong credentials and wrong links are limited like all failed authentications', async () => {
    const settings = { httpLimits: { failedAuthentications: 3, failedAuthenticationsWindowMs: 60_000 } };
    const world = await openSimulatedWorld({ database: open, phones: 'none', settings });
    const browser = browserAt(world);
    const wrong = { auth_id: world.main.authId, auth_token: 'guess' };
    const bodies = [wrong, { login_token: 'A'.repeat(43) }, wrong];
    for (const body of bodies)
      assert.equal((await browser.send('POST', '/console/session', body)).status, 401);
    const refused = await browser.logIn();
    assert.deepEqual([refused.status, refused.body.error_code], [429, 'too-many-requests']);
    await world.advance(60_000);
    assert.equal((await browser.logIn()).status, 201);
    const { status, headers } = await browser.send('POST', '/console/session', {});
    assert.deepEqual([status, headers['www-authenticate']], [400, 'Cookie realm="jackfield"']);
  });
});
