import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { missingBrowser } from './support/browser/browser.ts';
import { ConsolePage } from './support/browser/console-page.ts';
import { consoleSuite } from './support/browser/console-suite.ts';
import { TestIdentityProvider } from './support/identity-provider.ts';

const people = {
  ann: { email: 'ann@example.com', email_verified: true, groups: ['admins'] },
  guest: { email: 'guest@example.com', email_verified: true, groups: ['visitors'] },
};

describe('the login of the console through an identity provider, in Chromium', {
  skip: missingBrowser(),
  timeout: 300_000,
}, () => {
  let provider: TestIdentityProvider;
  const suite = consoleSuite({
    isLoggedOut: true,
    async settings() {
      // Another site than that of the console: Chromium sends it no cookie that is SameSite=Strict.
      provider = await TestIdentityProvider.create({
        host: 'localhost',
        people,
        groups: { owners: 'admins' },
      });
      await provider.listen();
      return provider.settings;
    },
    stop: () => provider?.close(),
  });

  /** The login page of a browser that is known neither to the console nor to the provider. */
  async function loginPage(t: TestContext): Promise<ConsolePage> {
    const opened = await ConsolePage.open(suite.browser, suite.platform);
    await opened.page.context().clearCookies();
    await opened.go('/');
    t.after(() => opened.close());
    return opened;
  }

  const providerLink = (console: ConsolePage) => console.page.getByRole('link', { name: provider.host });

  it('the button leads to the provider and back into the console, which names the person', async (t) => {
    const console = await loginPage(t);
    await providerLink(console).waitFor();
    await console.assertAccessible();
    provider.person = 'ann';
    await providerLink(console).click();
    await console.button('Log out').waitFor();
    assert.equal(new URL(console.page.url()).origin, suite.platform.httpUrl);
    const kept = await console.page.context().cookies(suite.platform.httpUrl);
    assert.deepEqual(
      kept.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]),
      [['jackfield_session', true, 'Strict']],
    );
    await console.go('/sessions');
    await console.page.getByRole('cell', { name: /ann@example\.com/ }).waitFor();
    await console.assertAccessible();
    assert.deepEqual(console.faults, []);
    assert.ok(console.outside.length > 0, 'the provider is another host');
    for (const url of console.outside) assert.ok(url.startsWith(provider.issuer), url);
  });

  it('a person without a role comes back to the login page, which says so', async (t) => {
    const console = await loginPage(t);
    provider.person = 'guest';
    await providerLink(console).click();
    await console.page.getByRole('alert').getByText('none of your groups may use this console').waitFor();
    assert.equal(new URL(console.page.url()).hash, '');
    await console.assertAccessible();
    assert.deepEqual(console.faults, []);
  });
});
