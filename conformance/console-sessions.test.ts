import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { after, before, describe, it } from 'node:test';
import { createCertificate } from './support/certificates.ts';
import { cleanUp } from './support/clean-up.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { codeTo } from './support/verification.ts';

interface Answered {
  readonly status: number;
  readonly cookies: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: a black box test knows none of our types
  readonly body: any;
}

type Headers = Readonly<Record<string, string>>;

/** A browser, as far as sessions concern it: it keeps its cookies, and says which page a request comes from. */
class SessionBrowser {
  readonly #base: string;
  cookie = '';

  constructor(base: string) {
    this.#base = base;
  }

  /** Its own page, or another one with these headers. */
  send(method: string, path: string, body?: object, headers?: Headers): Promise<Answered> {
    const url = new URL(path, this.#base);
    const from = headers ?? { origin: url.origin, 'sec-fetch-site': 'same-origin' };
    const cookie: Headers = this.cookie === '' ? {} : { cookie: this.cookie };
    const type: Headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const options = { method, headers: { ...from, ...cookie, ...type }, rejectUnauthorized: false };
    return new Promise((resolve, reject) => {
      const sent = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        answer.on('end', () => {
          const cookies = answer.headers['set-cookie'] ?? [];
          if (cookies[0] !== undefined) this.cookie = cookies[0].slice(0, cookies[0].indexOf(';'));
          const isJson = answer.headers['content-type']?.includes('json') === true;
          resolve({ status: answer.statusCode ?? 0, cookies, body: isJson ? JSON.parse(text) : text });
        });
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  logIn(authId: string, authToken: string, role?: string): Promise<Answered> {
    const credentials = { auth_id: authId, auth_token: authToken };
    return this.send('POST', '/console/session', { ...credentials, ...(role === undefined ? {} : { role }) });
  }
}

const roles = ['viewer', 'operator', 'owner'] as const;

/** Operations of each screen that changes something, with the least role. */
const acts: readonly (readonly [string, string, (typeof roles)[number]])[] = [
  ['DELETE', 'Call/', 'operator'],
  ['POST', 'MultiPartyCall/name_none/Participant/', 'operator'],
  ['DELETE', 'MultiPartyCall/name_none/', 'operator'],
  ['POST', 'Verify/Session/', 'operator'],
  ['POST', 'Sandbox/Call/', 'operator'],
  ['POST', 'Sandbox/Fault/', 'operator'],
  ['POST', 'JWT/Token/', 'operator'],
  ['POST', 'Callback/none/Replay/', 'operator'],
  ['GET', 'Operator/Ban/', 'operator'],
  ['POST', 'Endpoint/', 'owner'],
  ['POST', 'Application/', 'owner'],
  ['POST', 'Number/', 'owner'],
  ['POST', 'Verify/App/', 'owner'],
  ['POST', 'Subaccount/', 'owner'],
  ['DELETE', 'Recording/none/', 'owner'],
  ['GET', 'ConsoleSession/', 'owner'],
  ['POST', 'ConsoleSession/Link/', 'owner'],
];

/** Each screen with the lists that it reads. */
const screens: readonly (readonly [string, readonly string[]])[] = [
  ['live', ['Live/', 'Event/?after=0-0']],
  [
    'multiparty call',
    [
      'MultiPartyCall/',
      'MultiPartyCall/uuid_$ROOM/',
      'MultiPartyCall/uuid_$ROOM/Hearing/',
      'MultiPartyCall/uuid_$ROOM/Hearing/History/',
      'MultiPartyCall/uuid_$ROOM/Participant/',
    ],
  ],
  ['calls', ['Call/', 'Call/?status=live']],
  ['call', ['', 'Quality/', 'Signalling/', 'Document/', 'Stream/'].map((part) => `Call/$CALL/${part}`)],
  ['callbacks', ['Callback/', 'Callback/?resource=call/$CALL', 'Callback/?resource=multiparty-call/$ROOM']],
  ['callback', ['Callback/$CALLBACK/']],
  ['recordings', ['Recording/', 'Recording/?call_uuid=$CALL']],
  ['recording', ['Recording/$RECORDING/', 'Recording/$RECORDING/Peaks/']],
  ['phone and first steps', ['Endpoint/', 'Callback/?resource=multiparty-call/$ROOM']],
  ['verify', ['Verify/Session/', 'Verify/Statistics/', 'Verify/Session/$VERIFY/']],
  [
    'setup',
    [
      ...[
        'Endpoint/',
        'Endpoint/$ENDPOINT/',
        'Application/',
        'Number/',
        'SipTrunk/Trunk/',
        'SipTrunk/Credential/',
      ],
      ...['SipTrunk/IPAccessControlList/', 'SipTrunk/URI/', 'Verify/App/', 'Subaccount/'],
    ],
  ],
  ['usage', ['Statistics/', 'Operator/Carrier/', 'Operator/Gateway/', 'Operator/Ban/']],
  ['rates', ['Operator/Rate/', 'Operator/Rate/?number=%2B12025550101']],
  ['sandbox', ['Sandbox/Message/?to=%2B14155552671', 'Sandbox/Call/', 'Sandbox/Fault/']],
  ['search', ['Search/?q=$CALL', 'Search/?q=%2B12025550101', 'Search/?q=secretdesk']],
  ['sessions', ['ConsoleSession/']],
];

/** What only the account itself has; the search box and paths name some of it, so answers are looked through for the rest. */
const marks = ['secretdesk', '+12025550101', '14155552671', '1415555'];

describe('sessions of the console, over the real server', { timeout: 300_000 }, () => {
  let platform: PlatformProcess;

  before(async () => {
    platform = await PlatformProcess.start();
  });

  after(() =>
    cleanUp(
      () => platform?.untilQuiet(),
      () => platform?.stop(),
    ),
  );

  const ownPath = (path: string, authId = platform.authId) => `/v1/Account/${authId}/${path}`;

  async function loggedIn(role?: string): Promise<SessionBrowser> {
    const browser = new SessionBrowser(platform.httpUrl);
    const { status, body } = await browser.logIn(platform.authId, platform.authToken, role);
    assert.equal(status, 201, JSON.stringify(body));
    return browser;
  }

  it('a one-time link logs in once, as owner at most', async () => {
    const { body: link } = await platform.api('POST', 'ConsoleSession/Link/', { role: 'operator' });
    const [first, second] = [new SessionBrowser(platform.httpUrl), new SessionBrowser(platform.httpUrl)];
    const token = { login_token: link.login_token, role: 'owner' };
    const opened = await first.send('POST', '/console/session', token);
    assert.deepEqual([opened.status, opened.body.role], [201, 'operator']);
    assert.equal((await second.send('POST', '/console/session', token)).status, 401);
    assert.equal(second.cookie, '');
  });

  it('the cookie is out of reach of scripts and of other sites, and no answer to the page holds a token', async () => {
    const browser = new SessionBrowser(platform.httpUrl);
    const login = await browser.logIn(platform.authId, platform.authToken);
    assert.match(
      login.cookies[0] ?? '',
      /^jackfield_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const answers = await Promise.all(
      ['', 'Subaccount/', 'ConsoleSession/'].map((path) => browser.send('GET', ownPath(path))),
    );
    const page = await browser.send('GET', '/console/');
    for (const { body } of [login, page, ...answers]) {
      const text = JSON.stringify(body);
      assert.ok(!text.includes(platform.authToken), 'an answer holds the auth_token');
      assert.ok(!text.includes(browser.cookie.split('=')[1]!), 'an answer holds the secret of the session');
    }
  });

  it('a cookie that was planted before the login is worth nothing after it', async () => {
    const attacker = await loggedIn();
    const victim = new SessionBrowser(platform.httpUrl);
    victim.cookie = attacker.cookie;
    await victim.logIn(platform.authId, platform.authToken);
    assert.notEqual(victim.cookie, attacker.cookie);
    assert.equal((await attacker.send('GET', ownPath(''))).status, 401);
    assert.equal((await victim.send('GET', ownPath(''))).status, 200);
  });

  it('a request that another page makes is refused, whatever its method', async () => {
    const browser = await loggedIn();
    const foreign: readonly Headers[] = [
      {},
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: 'http://127.0.0.1:1' },
      { origin: platform.httpUrl, 'sec-fetch-site': 'same-site' },
      { origin: platform.httpUrl, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) {
      for (const [method, path] of acts.filter(([name]) => name !== 'GET')) {
        const { status, body } = await browser.send(method, ownPath(path), undefined, headers);
        assert.deepEqual([status, body.error_code], [403, 'forbidden'], `${method} ${path}`);
      }
    }
    const crossSite = { 'sec-fetch-site': 'cross-site' };
    assert.equal((await browser.send('GET', ownPath('Call/'), undefined, crossSite)).status, 403);
    const login = await new SessionBrowser(platform.httpUrl).send(
      'POST',
      '/console/session',
      { auth_id: platform.authId, auth_token: platform.authToken },
      { origin: 'https://evil.example' },
    );
    assert.deepEqual([login.status, login.cookies], [403, []]);
  });

  it('a viewer reads, an operator acts on live things, an owner does everything', async () => {
    for (const role of roles) {
      const browser = await loggedIn(role);
      assert.equal((await browser.send('GET', ownPath('Call/'))).status, 200);
      for (const [method, path, least] of acts) {
        const { status } = await browser.send(method, ownPath(path), method === 'POST' ? {} : undefined);
        const isAllowed = roles.indexOf(role) >= roles.indexOf(least);
        assert.equal(status !== 403, isAllowed, `${role}: ${method} ${path} gave ${status}`);
      }
    }
  });

  it('a session that its owner ends is refused from then on', async () => {
    const [owner, other] = [await loggedIn(), await loggedIn('viewer')];
    const { session_id: id } = (await other.send('GET', '/console/session')).body;
    assert.equal((await owner.send('DELETE', ownPath(`ConsoleSession/${id}/`))).status, 204);
    assert.equal((await other.send('GET', ownPath('Call/'))).status, 401);
    assert.equal((await owner.send('DELETE', '/console/session')).status, 204);
  });

  describe('of another account', () => {
    const filled = new Map<string, string>();
    let foreign: SessionBrowser;
    let foreignId = '';

    before(async () => {
      const made = await platform.api('POST', 'Subaccount/', { name: 'other', enabled: true });
      foreignId = made.body.auth_id;
      foreign = new SessionBrowser(platform.httpUrl);
      assert.equal((await foreign.logIn(foreignId, made.body.auth_token)).status, 201);
      const endpoint = await platform.createEndpoint('secretdesk', 'a-good-password');
      const added = await platform.api('POST', 'MultiPartyCall/name_secretdesk/Participant/', {
        ...{ role: 'agent', from: '+12025550000', to: '+12025550101', stay_alone: true },
        ...{
          record: true,
          status_callback_url: `${platform.httpUrl}/healthz`,
          status_callback_method: 'GET',
        },
      });
      const verify = await platform.api('POST', 'Verify/Session/', { recipient: '+14155552671' });
      const room = await platform.api('GET', 'MultiPartyCall/name_secretdesk/');
      const resource = `multiparty-call/${room.body.mpc_uuid}`;
      const sent = await platform.until(
        'a callback',
        `Callback/?resource=${resource}`,
        ({ objects }) => objects.length > 0,
      );
      const recorded = await platform.until('a recording', 'Recording/', ({ objects }) => objects.length > 0);
      filled.set('$CALLBACK', sent.objects[0].callback_id);
      filled.set('$RECORDING', recorded.objects[0].recording_id);
      filled.set('$CALL', added.body.calls[0].call_uuid);
      filled.set('$ROOM', room.body.mpc_uuid);
      filled.set('$VERIFY', verify.body.session_uuid);
      filled.set('$ENDPOINT', endpoint.endpointId);
    });

    after(async () => {
      const otp = await codeTo(platform, '+14155552671');
      await platform.api('POST', `Verify/Session/${filled.get('$VERIFY')}/`, { otp });
      await platform.api('DELETE', 'MultiPartyCall/name_secretdesk/');
    });

    const named = (path: string) => path.replace(/\$[A-Z]+/, (name) => filled.get(name) ?? name);

    it('the account itself sees all that is hidden from others', async () => {
      const owner = await loggedIn();
      const seen = new Set<string>();
      for (const path of screens.flatMap(([, paths]) => paths).map(named)) {
        const text = JSON.stringify((await owner.send('GET', ownPath(path))).body);
        for (const mark of [...marks, ...filled.values()]) {
          if (!path.includes(mark) && text.includes(mark)) seen.add(mark);
        }
      }
      assert.deepEqual([...seen].sort(), [...new Set([...marks, ...filled.values()])].sort());
    });

    for (const [screen, paths] of screens) {
      it(`the screen ${screen} shows nothing of this one`, async () => {
        for (const path of paths.map(named)) {
          const own = await foreign.send('GET', ownPath(path, foreignId));
          assert.ok([200, 404].includes(own.status), `${path} gave ${own.status}`);
          const text = JSON.stringify(own.body);
          const hidden = [...marks, ...filled.values(), platform.authId].filter(
            (mark) => !path.includes(mark),
          );
          for (const mark of hidden) assert.ok(!text.includes(mark), `${path} shows ${mark}: ${text}`);
          const theirs = await foreign.send('GET', ownPath(path));
          assert.equal(theirs.status, 401, `${path} of the other account gave ${theirs.status}`);
        }
      });
    }
  });
});

describe('sessions of the console, each on a server of its own', { timeout: 300_000 }, () => {
  it('failed guesses are limited for their source, and then the right token waits as well', async () => {
    // In the sandbox this machine is trusted, and no limit applies to it.
    const platform = await PlatformProcess.start({
      JACKFIELD_TRUSTED_SOURCES: '192.0.2.1',
      JACKFIELD_HTTP_BAN_AFTER: '6',
    });
    try {
      const browser = new SessionBrowser(platform.httpUrl);
      const statuses: number[] = [];
      for (let guess = 0; guess < 8; guess++) {
        statuses.push((await browser.logIn(platform.authId, `guess-${guess}`)).status);
      }
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 401, 429, 429]);
      assert.equal((await browser.logIn(platform.authId, platform.authToken)).status, 429);
    } finally {
      await platform.stop();
    }
  });

  it('on HTTPS the cookie is Secure and of this host alone, and no other name of it is accepted', async () => {
    const certificate = createCertificate('DNS:localhost,IP:127.0.0.1');
    const platform = await PlatformProcess.start({
      JACKFIELD_TLS_CERT: certificate.certFile,
      JACKFIELD_TLS_KEY: certificate.keyFile,
    });
    try {
      const browser = new SessionBrowser(platform.httpUrl.replace('http:', 'https:'));
      const login = await browser.logIn(platform.authId, platform.authToken);
      assert.match(
        login.cookies[0] ?? '',
        /^__Host-jackfield_session=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      );
      const path = `/v1/Account/${platform.authId}/Call/`;
      assert.equal((await browser.send('GET', path)).status, 200);
      browser.cookie = browser.cookie.replace('__Host-', '');
      assert.equal((await browser.send('GET', path)).status, 401);
    } finally {
      await platform.stop();
      certificate.remove();
    }
  });
});
