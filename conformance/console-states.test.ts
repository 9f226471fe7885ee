import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingBrowser } from './support/browser/browser.ts';
import { consoleSuite } from './support/browser/console-suite.ts';

/** Each screen that reads something, with what it says in an account that has nothing. */
const screens: readonly (readonly [string, ...string[]])[] = [
  ['/', 'No multiparty call lives.', 'No call lives.'],
  ['/calls', 'No call fits.'],
  ['/callbacks', 'No callback fits.'],
  ['/recordings', 'There is no recording.'],
  ['/verify', 'No session was created in the last day.', 'There is no session.'],
  ['/usage', 'No call began in the last hour.', 'No carrier is configured', 'No source is banned.'],
  ['/rates', 'There is no rate table'],
  ['/sandbox', 'No sandbox phone has called.', 'The inbox is empty.'],
  ['/sessions', '(this one)'],
  // Every account has one.
  ['/setup/verify-apps', 'Default'],
  ...[
    'endpoints',
    'applications',
    'numbers',
    'trunks',
    'credentials',
    'address-lists',
    'uris',
    'subaccounts',
  ].map((kind) => [`/setup/${kind}`, 'There is none. Create one with the form below.'] as const),
];

const none = '00000000-0000-7000-8000-000000000000';
/** Screens of a record. */
const records = [`/multiparty/${none}`, `/calls/${none}`, `/callbacks/${none}`, `/recordings/${none}`];

type Fields = Readonly<Record<string, string>>;

interface Form {
  readonly kind: string;
  /** Of its list, below the account. */
  readonly path: string;
  readonly create: Fields;
  readonly change: Fields;
  /** Of another form, whose record this one names. */
  readonly reference?: readonly [field: string, kind: string, id: string];
}

/** The forms that the schemas of the contract make; each is created, changed and deleted. */
const forms: readonly Form[] = [
  {
    kind: 'endpoints',
    path: 'Endpoint/',
    create: { username: 'desk', password: 'a-good-password', alias: 'desk' },
    change: { alias: 'desk-two' },
  },
  {
    kind: 'numbers',
    path: 'Number/',
    create: { number: '+442079460199', alias: 'main' },
    change: { alias: 'reception' },
  },
  {
    kind: 'credentials',
    path: 'SipTrunk/Credential/',
    create: { name: 'pbx', username: 'pbxuser', password: 'a-good-password-1A' },
    change: { name: 'pbx-two' },
  },
  {
    kind: 'address-lists',
    path: 'SipTrunk/IPAccessControlList/',
    create: { name: 'office', ip_addresses: '192.0.2.1\n192.0.2.2' },
    change: { name: 'office-two' },
  },
  {
    kind: 'uris',
    path: 'SipTrunk/URI/',
    create: { name: 'inside', uri: '192.0.2.7:5080' },
    change: { uri: 'sip:desk@192.0.2.7' },
  },
  {
    kind: 'trunks',
    path: 'SipTrunk/Trunk/',
    create: { name: 'inward', trunk_direction: 'inbound' },
    change: { name: 'inward-two' },
    reference: ['primary_uri_uuid', 'SipTrunk/URI/', 'uri_uuid'],
  },
  {
    kind: 'verify-apps',
    path: 'Verify/App/',
    create: { alias: 'shop', brand_name: 'Shop' },
    change: { brand_name: 'Bazaar' },
  },
  {
    kind: 'subaccounts',
    path: 'Subaccount/',
    create: { name: 'branch' },
    change: { name: 'branch-two' },
  },
];

describe('screens of the console without data, and the forms that make the first', {
  skip: missingBrowser(),
  timeout: 300_000,
}, () => {
  const suite = consoleSuite();

  it('each screen says what failed and what to do, and “Try again” brings what it shows of an empty account', async (t) => {
    const console = await suite.open(t, '/phone');
    const { page } = console;
    let isAway = true;
    // The event stream stays away: when it comes back, screens read again without a press.
    await page.route('**/v1/Account/**', (route) =>
      isAway || route.request().url().includes('/Event/')
        ? route.fulfill({ status: 503, json: { error: 'the database is away', error_code: 'unavailable' } })
        : route.continue(),
    );
    for (const [path, ...texts] of screens) {
      isAway = true;
      await console.show(path);
      const alert = page.getByRole('alert').first();
      await alert
        .getByText('The database is away. Try again; the log of the server has the reason.')
        .waitFor();
      await console.assertAccessible();
      isAway = false;
      // A screen of several lists has the button at each, until its list is there.
      await console.button('Try again').evaluateAll((buttons) => {
        for (const button of buttons as unknown as { click(): void }[]) button.click();
      });
      for (const text of texts) await page.getByText(text).first().waitFor();
      await alert.waitFor({ state: 'detached' });
      await console.assertAccessible();
    }
    assert.deepEqual(console.faults, []);
  });

  it('an address without a record or a screen says so, and what to do', async (t) => {
    const console = await suite.open(t, '/phone');
    for (const path of [...records, '/setup/endpoints/1']) {
      await console.show(path);
      await console.page.getByRole('alert').getByText('look for it with the search above').waitFor();
      await console.button('Try again').waitFor();
      await console.assertAccessible();
    }
    for (const path of ['/nowhere', '/setup/nothing', '/setup/nothing/1']) {
      await console.show(path);
      await console.page.getByText('There is no screen at this address.').waitFor();
    }
    await console.assertSound();
  });

  it('a subaccount reads that the rates are the first account’s, and no hint to look for them', async (t) => {
    const { body } = await suite.platform.api('POST', 'Subaccount/', { name: 'branch', enabled: true });
    const console = await suite.open(t, '/phone');
    await console.button('Log out').click();
    await console.logIn(body.auth_id, body.auth_token);
    await console.show('/rates');
    const alert = console.page.getByRole('alert');
    await alert.waitFor();
    const sentence = 'Only the first account of an installation sees what its operator runs.';
    assert.equal(await alert.locator('span').innerText(), sentence);
    await console.assertSound();
    await console.button('Log out').click();
    await console.logIn(suite.platform.authId, suite.platform.authToken);
    await suite.platform.api('DELETE', `Subaccount/${body.auth_id}/`);
  });

  it('a server that is away is named as the reason, whether data or the code of a screen is missing, and the page goes on by itself', async (t) => {
    const console = await suite.open(t, '/phone');
    const { page } = console;
    const away = 'The server cannot be reached. Check that it runs, then try again.';
    await page.route('**/v1/Account/**', (route) => route.abort());
    await console.button('Make this page a phone').click();
    await page.getByRole('alert').getByText(away).waitFor();
    await page.unroute('**/v1/Account/**');
    await page.route('**/openapi.json', (route) => route.abort());
    await console.show('/explorer');
    // The screen before has such a sentence as well.
    await console.heading('Explorer').waitFor();
    await page.getByRole('alert').getByText(away).waitFor();
    await page.unroute('**/openapi.json');
    await page.getByLabel('Operation').waitFor();
    await page.route('**/console/assets/**', (route) => route.abort());
    await console.show('/usage');
    await page.getByRole('alert').getByText(away).waitFor();
    await page.unroute('**/console/assets/**');
    await console.heading('Usage').waitFor();
    await page.route('**/console/session', (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').getByText(away).waitFor();
    await page.unroute('**/console/session');
    await console.heading('Usage').waitFor();
    await console.assertSound();
  });

  it('a page that is older than its server says so, and its button loads the new page at the same address', async (t) => {
    const console = await suite.open(t, '/phone');
    const { page } = console;
    await page.route('**/console/assets/**', (route) => route.fulfill({ status: 404 }));
    await page.route(/\/console\/$/, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<script src="/console/assets/index-other.js">' }),
    );
    await console.show('/usage');
    await page.getByRole('alert').getByText('The server has a newer version of this page.').waitFor();
    await console.assertAccessible();
    await page.unroute('**/console/assets/**');
    await console.button('Load').click();
    await console.heading('Usage').waitFor();
    await console.assertSound();
  });

  it('an answer that takes long is announced by a moving bar', async (t) => {
    const console = await suite.open(t, '/phone');
    const held = Promise.withResolvers<void>();
    await console.page.route(/\/Call\/\?/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await console.show('/calls');
    const bar = console.page.getByRole('progressbar', { name: 'Loading …' });
    await bar.waitFor();
    await console.assertAccessible();
    held.resolve();
    await bar.waitFor({ state: 'detached' });
    await console.page.getByText('No call fits.').waitFor();
  });

  it('a request without an answer is given up, the server named as the reason, and the page goes on by itself', async (t) => {
    const console = await suite.open(t, '/phone');
    const { page } = console;
    await page.clock.install();
    const asked = console.leaveUnanswered('**/Call/?*');
    await console.show('/calls');
    await asked;
    await page.clock.fastForward(31_000);
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await page.getByText('No call fits.').waitFor();
    await console.assertSound();
  });

  async function listOf({ path }: Form): Promise<readonly Fields[]> {
    const { body } = await suite.platform.api('GET', path);
    return body.objects ?? body.apps;
  }

  it('create, change and delete each kind of record that the account sets up', async (t) => {
    const console = await suite.open(t, '/setup/endpoints');
    const { page } = console;
    const fill = async (fields: Fields) => {
      for (const [name, text] of Object.entries(fields)) {
        const control = page.getByLabel(new RegExp(`^${name}( \\(required\\))?$`));
        if ((await control.and(page.locator('select')).count()) > 0) await control.selectOption(text);
        else await control.fill(text);
      }
    };
    const left: { readonly form: Form; readonly name: string }[] = [];
    for (const form of forms) {
      const before = (await listOf(form)).length;
      await console.show(`/setup/${form.kind}`);
      await page.locator('summary', { hasText: 'Create' }).click();
      const { reference } = form;
      const referred: Fields =
        reference === undefined
          ? {}
          : {
              [reference[0]]: (await suite.platform.api('GET', reference[1])).body.objects[0][reference[2]],
            };
      await fill({ ...form.create, ...referred });
      await console.button('Create').click();
      await page.getByText('Saved.').waitFor();
      assert.equal((await listOf(form)).length, before + 1, form.kind);

      const name = Object.values(form.create)[0]!.replace('+', '');
      await page.locator('main table').getByRole('link', { name }).first().click();
      await page.locator('main h1', { hasText: name }).waitFor();
      await console.assertAccessible();
      await fill(form.change);
      await console.button('Change').click();
      const [[field, value] = ['', '']] = Object.entries(form.change);
      await page.locator('main dd', { hasText: value }).first().waitFor();
      assert.ok(
        (await listOf(form)).some((record) => record[field] === value),
        form.kind,
      );
      left.push({ form, name: new URL(page.url()).pathname.replace('/console', '') });
    }
    // A record that another one names is deleted after it.
    for (const { form, name } of left.reverse()) {
      const before = (await listOf(form)).length;
      await console.show(name);
      await console.button('Delete').click();
      await console.button('Keep').waitFor();
      await console.button('Delete').click();
      await console.heading('Setup').waitFor();
      assert.equal((await listOf(form)).length, before - 1, form.kind);
    }
    assert.deepEqual(console.faults, []);
  });
});
