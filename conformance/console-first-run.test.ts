import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { Browser, missingBrowser } from './support/browser/browser.ts';
import { webRtc } from './support/browser/browser-suite.ts';
import { ConsolePage } from './support/browser/console-page.ts';
import { consoleSuite } from './support/browser/console-suite.ts';
import { cleanUp } from './support/clean-up.ts';
import { compileCache } from './support/compile-cache.ts';
import { missing } from './support/installed.ts';
import { eachLine, Happenings } from './support/lines.ts';
import { freePort, rtpRange } from './support/ports.ts';

const root = join(import.meta.dirname, '..');

describe('a newcomer who opens the link that npm start prints', {
  skip: missingBrowser() || missing('script'),
  timeout: 300_000,
}, () => {
  const log = new Happenings<string>();
  let directory: string;
  let terminal: ChildProcess;
  let browser: Browser;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jackfield-'));
    terminal = await npmStart(directory, log);
    browser = await Browser.start();
  });

  after(() =>
    cleanUp(
      () => browser?.stop(),
      () => ended(terminal),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  it('presses what stands out, and so calls a sandbox phone, coaches the call from a second tab and sees the callback', async (t) => {
    const line = await log.until('the link', (each) => each.includes('/console/#login='), {
      limitMs: 90_000,
    });
    const [, httpUrl = '', path = ''] = /(http:\/\/[^/]+)\/console(\/#login=\S+)/.exec(line) ?? [];
    const api = await fetch(`${httpUrl}/healthz`);
    assert.equal(api.status, 200, 'the API is ready, whether or not the console is built');
    await api.text();
    const agent = await ConsolePage.open(browser, { httpUrl }, path);
    t.after(() => agent.close());
    await agent.heading('First steps').waitFor();

    assert.equal(await pressNext(agent.page), 'Make this page a phone');
    assert.equal(await pressNext(agent.page), 'Call the customer');
    await agent.page.getByText('You talk with the customer.').waitFor();
    const opened = agent.page.context().waitForEvent('page');
    assert.equal(await pressNext(agent.page), 'Open the call in a second tab');
    const second = await opened;
    t.after(() => second.close());
    assert.equal(await pressNext(second), 'Coach from this page');
    await agent.page.getByText('A supervisor coaches').waitFor();
    const cell = (name: RegExp) => second.getByRole('button', { name }).waitFor();
    await cell(/customer \d+ does not hear supervisor \d+: a coach is heard by agents alone/);
    await cell(/agent \d+ hears supervisor \d+/);
    await agent.page.getByText('delivered').first().waitFor();
    await agent.assertSound();

    // From outside the page: the API says the same about who hears the coach.
    const mpc = new URL(second.url()).pathname.split('/').at(-1);
    const hearing = await agent.page.evaluate<
      { readonly role: string; readonly heard_by: readonly string[] }[]
    >(
      `fetch('/console/session').then((answer) => answer.json())
        .then(({ auth_id }) => fetch('/v1/Account/' + auth_id + '/MultiPartyCall/uuid_${mpc}/Hearing/'))
        .then((answer) => answer.json()).then(({ participants }) => participants)`,
    );
    const supervisor = hearing.find(({ role }) => role === 'supervisor');
    assert.equal(supervisor?.heard_by.length, 1);

    assert.equal(await pressNext(agent.page), 'See a callback and its signature');
    await agent.page.getByText('This page computed the same text as the server signed.').waitFor();
    await agent.assertSound();
    await second.getByRole('button', { name: 'End for all' }).click();
    await second.getByText('Ended', { exact: true }).waitFor();
  });
});

describe('a newcomer whose customer does not answer', { skip: missingBrowser(), timeout: 300_000 }, () => {
  const suite = consoleSuite({ settings: webRtc });

  it('does not read that they talk, and ends the call for the customer too by hanging up', async (t) => {
    const console = await suite.open(t, '/start');
    const { page } = console;
    await page.route('**/Participant/', (route) => {
      const body = route.request().postData() ?? '';
      // Rings and never answers, instead of the phone that talks.
      return route.continue({ postData: body.replace('+12025550101', '+12025550103') });
    });
    await console.button('Make this page a phone').click();
    await console.button('Call the customer').click();
    await page.getByText('in the call', { exact: true }).waitFor();
    await suite.platform.until('two calls', 'Call/?status=live', ({ calls }) => calls?.length === 2);
    assert.equal(await page.getByText('You talk with the customer.').count(), 0);
    await console.button('Hang up').click();
    await page.getByText('The call is over').waitFor();
    await suite.platform.untilQuiet();
  });
});

/** Presses the only control that stands out, and resolves with its text. */
async function pressNext(page: Page): Promise<string> {
  const next = page
    .locator('main .main:not(:disabled, [aria-disabled="true"])')
    .and(page.locator(':visible'));
  await next.first().waitFor();
  assert.equal(await next.count(), 1, 'one control stands out');
  const text = await next.innerText();
  await next.click();
  return text;
}

/** `npm start` in a terminal: the link is for the eyes of its reader, and not printed into a log. */
async function npmStart(directory: string, log: Happenings<string>): Promise<ChildProcess> {
  const rtpPorts = rtpRange();
  const child = spawn('script', ['-qfec', 'npm start', '/dev/null'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...compileCache,
      JACKFIELD_HTTP_PORT: '0',
      JACKFIELD_SIP_PORT: '0',
      JACKFIELD_RTP_PORTS: `${rtpPorts.first}-${rtpPorts.last}`,
      JACKFIELD_WEBRTC_PORT: String(await freePort()),
      JACKFIELD_DATA_DIR: directory,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  eachLine(child.stdout, (line) => log.add(line));
  child.once('exit', () => log.close('the terminal has ended'));
  return child;
}

/** Ctrl-C, as its reader ends it. */
async function ended(terminal: ChildProcess | undefined): Promise<void> {
  if (terminal === undefined || terminal.exitCode !== null) return;
  const exit = once(terminal, 'exit');
  terminal.stdin?.write('\x03');
  await exit;
}
