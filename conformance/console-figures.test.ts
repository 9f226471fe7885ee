import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { missingBrowser } from './support/browser/browser.ts';
import { consoleSuite } from './support/browser/console-suite.ts';
import { missing } from './support/installed.ts';
import { Sipp } from './support/sipp.ts';
import { startVerification } from './support/verification.ts';

const [echo, busy] = ['+12025550100', '+12025550102'];

const rateTable = {
  currency: 'EUR',
  rates: [
    { prefix: '', direction: 'both', per_minute: '0.5' },
    { prefix: '44', direction: 'outbound', per_minute: '0.04' },
    { prefix: '1202', direction: 'outbound', per_minute: '0.01234' },
  ],
};

describe('figures and the operator in the console', { skip: missingBrowser(), timeout: 300_000 }, () => {
  let directory = '';
  const suite = consoleSuite({
    async settings() {
      directory = await mkdtemp(join(tmpdir(), 'operator-'));
      const file = join(directory, 'carriers.json');
      const carrier = {
        name: 'alpha',
        host: '127.0.0.1',
        port: 9,
        probe_seconds: 0,
        prefixes: [{ prefix: '44' }],
        caps: { calls_per_second: 5, concurrent_calls: 30 },
        caller_id: { rule: 'replace', number: '+442079460999' },
      };
      await writeFile(file, JSON.stringify({ carriers: [carrier] }));
      const rates = join(directory, 'rates.json');
      await writeFile(rates, JSON.stringify(rateTable));
      return {
        JACKFIELD_CARRIERS: file,
        JACKFIELD_RATES: rates,
        JACKFIELD_CALLS: '10',
        // Loopback has 16 million addresses: this one reads the console, others are strangers.
        JACKFIELD_TRUSTED_SOURCES: '127.0.0.1/32',
        JACKFIELD_SIP_BAN_AFTER: '2',
      };
    },
    stop: () => rm(directory, { recursive: true, force: true }),
  });

  it('the funnel shows how many sessions went on from step to step, by prefix and by channel', async (t) => {
    const verified = await startVerification(suite.platform, { recipient: '+14155552671' });
    await verified.confirm();
    const other = await startVerification(suite.platform, { recipient: '+14155552672' });
    await suite.platform.until(
      'both deliveries',
      'Event/?type=verify.delivered',
      ({ objects }) => objects.length === 2,
    );
    const console = await suite.open(t, '/verify');
    const funnel = console.page.getByRole('table', { name: /how many went on/ });
    const row = funnel.getByRole('row').nth(1);
    await row.getByText('1 (50 %)').waitFor();
    const cells = await row.locator('td').allInnerTexts();
    assert.deepEqual(
      cells.map((text) => text.trim()),
      ['2 (100 %)', '2 (100 %)', '2 (100 %)', '1 (50 %)'],
    );
    assert.match(await row.locator('th').innerText(), /^1/);
    await console.page.locator('main .head select').selectOption('channel');
    await funnel.getByRole('rowheader', { name: 'sms' }).waitFor();
    await console.page.reload();
    await funnel.getByRole('rowheader', { name: 'sms' }).waitFor();
    await console.page.getByRole('row', { name: /14155552671.*verified/ }).waitFor();
    await console.assertSound();
    await other.confirm();
  });

  it('usage lists the node, which refuses new calls from one press to the next', async (t) => {
    const console = await suite.open(t, '/usage');
    const row = console.page.getByRole('table', { name: 'Nodes' }).getByRole('row', { name: /this server/ });
    const isReady = async () => (await fetch(`${suite.platform.httpUrl}/readyz`)).status === 200;
    await row.getByRole('button', { name: 'Refuse new calls' }).click();
    await row.getByText('draining').waitFor();
    assert.equal(await isReady(), false);
    await row.getByRole('button', { name: 'Take new calls again' }).click();
    await row.getByText('serving').waitFor();
    assert.equal(await isReady(), true);
    await console.assertSound();
  });

  it('usage shows the calls of the last hour with their causes and a graph, and the carriers and gateways with their state', async (t) => {
    for (const to of [echo, busy]) {
      const path = `/ended-${to.slice(-1)}`;
      const { status, body } = await suite.platform.api('POST', 'Call/', {
        from: '+12025550000',
        to,
        answer_url: suite.server.serve('/answer', '<Response><Wait length="1"/><Hangup/></Response>'),
        hangup_url: suite.server.serve(path, ''),
      });
      assert.equal(status, 201, JSON.stringify(body));
      await suite.server.asked(path);
    }
    const console = await suite.open(t, '/usage');
    await console.page.getByText('2 began, 1 were answered, 2 ended.').waitFor();
    await console.page
      .getByRole('img', { name: /Graph of attempts/ })
      .locator('canvas')
      .waitFor();
    const causes = await console.page
      .getByRole('table', { name: 'Why calls ended' })
      .getByRole('row')
      .count();
    assert.equal(causes, 3);
    const carrier = console.page.locator('main p', { hasText: 'alpha' });
    const { body } = await suite.platform.api('GET', 'Operator/Carrier/');
    const [{ state, direction }] = body.objects;
    assert.match(await carrier.innerText(), new RegExp(`alpha ${direction}\\s+${state}\\s+0 live calls`));
    await console.page.locator('main p', { hasText: 'sandbox-inbox' }).getByText('connected').waitFor();
    await console.assertSound();
  });

  it('usage shows the source that guessed passwords, with the reason and the end of its ban', {
    skip: missing('sipp'),
  }, async (t) => {
    const address = '127.0.0.62';
    // Another user each time: for a repeated user each refusal takes longer.
    for (const user of ['guessed1', 'guessed2', 'guessed3']) {
      const guess = await Sipp.start({
        remote: suite.platform.sipAddress,
        scenario: 'register-refused',
        address,
        user,
        password: 'a guess',
      });
      t.after(() => guess.stop());
      assert.deepEqual(await guess.finished(), { code: 0, errors: '' });
    }
    const { objects } = await suite.platform.until(
      'the ban',
      'Operator/Ban/',
      (body) => body.objects.length > 0,
    );
    const console = await suite.open(t, '/usage');
    const ban = console.page.locator('main p', { hasText: address });
    assert.match(
      await ban.innerText(),
      /^127\.0\.0\.62 failed-logins, until \d{4}-\d\d-\d\d [\d:]{8} in \d+ minutes$/,
    );
    const [{ source_address: source, until }] = objects;
    assert.equal(source, address);
    assert.equal(await ban.locator('time').getAttribute('datetime'), until);
    assert.equal(await console.page.getByText('No source is banned.').count(), 0);
    await console.assertSound();
  });

  it('the rates screen names the rate that the next call to a number is billed with', async (t) => {
    const console = await suite.open(t, '/rates');
    await console.page.getByRole('row', { name: /^44 outbound EUR 0\.04000/ }).waitFor();
    await console.page.getByLabel('Number', { exact: true }).fill(echo);
    await console.page.keyboard.press('Enter');
    await console.page.getByRole('row', { name: /^44 / }).waitFor({ state: 'detached' });
    const first = await console.page.getByRole('row').nth(1).innerText();
    assert.match(first, /^1202\s+outbound\s+EUR 0\.01234/);
    await console.page.reload();
    await console.page.getByRole('row', { name: /^1202 / }).waitFor();
    await console.assertSound();

    const { status, body } = await suite.platform.api('POST', 'Call/', {
      from: '+12025550000',
      to: echo,
      answer_url: suite.server.serve('/billed', '<Response><Wait length="1"/><Hangup/></Response>'),
      hangup_url: suite.server.serve('/ended', ''),
    });
    assert.equal(status, 201, JSON.stringify(body));
    await suite.server.asked('/ended');
    const call = await suite.platform.api('GET', `Call/${body.request_uuid}/`);
    assert.deepEqual([call.body.total_rate, call.body.total_amount], ['0.01234', '0.01234']);
  });

  it('usage lists the node with its load: one leg of the ten that JACKFIELD_CALLS allows', async (t) => {
    const answer_url = suite.server.serve('/waits', '<Response><Wait length="60"/></Response>');
    await suite.platform.api('POST', 'Call/', { from: '+12025550000', to: echo, answer_url });
    await suite.server.asked('/waits');
    const console = await suite.open(t, '/usage');
    const table = console.page.getByRole('table', { name: 'Nodes' });
    const row = table.getByRole('row', { name: /this server/ });
    // Texts of a table that has not loaded are none.
    await row.waitFor();
    const headings = await table.getByRole('columnheader').allInnerTexts();
    const cells = row.getByRole('cell');
    // The first heading is that of the name, which is no cell.
    assert.equal(await cells.nth(headings.indexOf('Load') - 1).innerText(), '10 %');
    await suite.platform.api('DELETE', 'Call/');
    await suite.platform.untilQuiet();
    await console.assertSound();
  });

  it('the sessions screen makes a link that logs in once with its role, and ends that session', async (t) => {
    const { httpUrl } = suite.platform;
    const url = `${httpUrl}/console/session`;
    const console = await suite.open(t, '/sessions');
    await console.button('Make a link that logs in once').click();
    const link = await console.page.locator('main .code').innerText();
    const headers = { 'content-type': 'application/json', origin: httpUrl, 'user-agent': 'a colleague' };
    const body = JSON.stringify({ login_token: link.split('#login=')[1] });
    const opened = await fetch(url, { method: 'POST', headers, body });
    assert.equal(opened.status, 201);
    assert.equal(((await opened.json()) as { readonly role: string }).role, 'viewer');
    const again = await fetch(url, { method: 'POST', headers, body });
    assert.equal(again.status, 401);
    await again.text();
    const [cookie = ''] = opened.headers.getSetCookie()[0]?.split(';') ?? [];
    const asColleague = async () => {
      const answer = await fetch(url, { headers: { cookie } });
      await answer.text();
      return answer.status;
    };
    assert.equal(await asColleague(), 200);

    await console.page.reload();
    const row = console.page.getByRole('row', { name: /a colleague/ });
    await row.getByRole('button', { name: 'End' }).click();
    await row.waitFor({ state: 'detached' });
    assert.equal(await asColleague(), 401);
    await console.assertSound();
  });
});
