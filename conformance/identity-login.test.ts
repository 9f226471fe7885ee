import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { cleanUp } from './support/clean-up.ts';
import { TestIdentityProvider } from './support/identity-provider.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { WanderingBrowser } from './support/wandering-browser.ts';

const people = {
  ann: { email: 'ann@example.com', email_verified: true, groups: ['staff', 'desk'] },
  olga: { preferred_username: 'olga', groups: 'admins' },
  guest: { email: 'guest@example.com', email_verified: true, groups: ['visitors'] },
};

describe('Logins to the console through an identity provider', { timeout: 120_000 }, () => {
  let provider: TestIdentityProvider;
  let platform: PlatformProcess;

  before(async () => {
    const groups = { owners: 'admins', operators: 'desk', viewers: 'staff' };
    provider = await TestIdentityProvider.create({ people, groups });
    await provider.listen();
    platform = await PlatformProcess.start(provider.settings);
  });

  after(() =>
    cleanUp(
      () => platform?.stop(),
      () => provider?.close(),
    ),
  );

  const begin = () => `${platform.httpUrl}/console/login/begin`;
  const isCallback = (url: string) => url.startsWith(`${platform.httpUrl}/console/login/callback`);
  const sessionOf = async (browser: WanderingBrowser) => {
    const { status, text } = await browser.visit(`${platform.httpUrl}/console/session`);
    return { status, ...(JSON.parse(text) as { readonly role?: string; readonly name?: string }) };
  };

  /** From the button to the answer of the provider, which is not delivered yet. */
  async function answerFor(person: string, browser: WanderingBrowser): Promise<string> {
    provider.person = person;
    return browser.follow(begin(), isCallback);
  }

  async function logIn(person: string): Promise<{ browser: WanderingBrowser; end: string | undefined }> {
    const browser = new WanderingBrowser();
    const { location } = await browser.visit(await answerFor(person, browser), 'cross-site');
    return { browser, end: location };
  }

  it('the page learns which provider there is', async () => {
    const { text } = await new WanderingBrowser().visit(`${platform.httpUrl}/console/login`);
    assert.equal(JSON.parse(text).identity_provider, new URL(provider.issuer).host);
  });

  for (const [person, role, name] of [
    ['ann', 'operator', 'ann@example.com'],
    ['olga', 'owner', 'olga'],
  ] as const) {
    it(`a person of a group with a role gets a session with that role and the own name: ${person}`, async () => {
      const { browser, end } = await logIn(person);
      assert.equal(end, `${platform.httpUrl}/console/`);
      const session = await sessionOf(browser);
      assert.deepEqual([session.status, session.role, session.name], [200, role, name]);
      assert.ok(!browser.cookiesOf(platform.httpUrl).has('jackfield_login'));
    });
  }

  it('a person without such a group gets no session, and the page says why', async () => {
    const { browser, end } = await logIn('guest');
    assert.equal(end, `${platform.httpUrl}/console/#login-refused=no-role`);
    assert.equal((await sessionOf(browser)).status, 401);
  });

  it('the callback of another browser opens no session', async () => {
    const attacker = new WanderingBrowser();
    const answer = await answerFor('ann', attacker);
    const victim = new WanderingBrowser();
    // Without a login of its own, and within one.
    assert.match((await victim.visit(answer, 'cross-site')).location ?? '', /login-refused$/);
    await answerFor('olga', victim);
    assert.match((await victim.visit(answer, 'cross-site')).location ?? '', /login-refused$/);
    assert.equal((await sessionOf(victim)).status, 401);
  });

  it('a changed state opens no session', async () => {
    const browser = new WanderingBrowser();
    const answer = new URL(await answerFor('ann', browser));
    answer.searchParams.set('state', '0'.repeat(64));
    // The code is not even redeemed.
    const before = provider.tokenRequests;
    assert.match((await browser.visit(answer.href, 'cross-site')).location ?? '', /login-refused$/);
    assert.equal(provider.tokenRequests, before);
  });

  it('an answer that was used opens no second session', async () => {
    const browser = new WanderingBrowser();
    const answer = await answerFor('ann', browser);
    const login = browser.cookiesOf(platform.httpUrl).get('jackfield_login') ?? '';
    assert.equal((await browser.visit(answer, 'cross-site')).location, `${platform.httpUrl}/console/`);
    const thief = new WanderingBrowser();
    thief.plant(platform.httpUrl, 'jackfield_login', login);
    assert.match((await thief.visit(answer, 'cross-site')).location ?? '', /login-refused$/);
  });

  it('another page cannot make a person log in', async () => {
    const { status } = await new WanderingBrowser().visit(begin(), 'cross-site');
    assert.equal(status, 403);
  });

  it('a provider that does not answer is reported by the page, and found again when it is back', async () => {
    const late = await TestIdentityProvider.create({ people, groups: { owners: 'admins' } });
    const other = await PlatformProcess.start(late.settings);
    const url = other.httpUrl;
    try {
      const browser = new WanderingBrowser();
      const first = await browser.visit(`${url}/console/login/begin`);
      assert.equal(first.location, `${url}/console/#login-refused=provider-unreachable`);
      await late.listen();
      const second = await browser.visit(`${url}/console/login/begin`);
      assert.equal(new URL(second.location ?? '').host, late.host);
    } finally {
      await cleanUp(
        () => other.stop(),
        () => late.close(),
      );
    }
  });
});
