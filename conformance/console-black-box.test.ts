import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { missingBrowser } from './support/browser/browser.ts';
import { consoleSuite } from './support/browser/console-suite.ts';
import { missing } from './support/installed.ts';
import type { Answer } from './support/platform-process.ts';
import { StreamServer } from './support/stream-server.ts';

const tone = '+12025550109';

describe('the black box of a call in the console', {
  skip: missingBrowser() || missing('python3', 'openssl'),
  timeout: 300_000,
}, () => {
  let streams: StreamServer;
  const suite = consoleSuite({ stop: () => streams?.stop() });
  let uuid = '';
  let samples: readonly Answer['body'][] = [];
  /** The call is over, and its recording and its messages are written. */
  let ended: Promise<void> | undefined;

  /** One call for all tests: streamed, recorded in two channels, and long enough for two samples of its quality, each of ten seconds. */
  before(async () => {
    streams = await StreamServer.start();
    const { status, body } = await suite.platform.api('POST', 'Call/', {
      from: '+12025550000',
      to: tone,
      answer_url: suite.server.serve(
        '/answer',
        `<Response>
          <Record recordSession="true" fileFormat="wav" recordChannelType="stereo"/>
          <Stream keepCallAlive="true">${streams.url('/streamed')}</Stream>
        </Response>`,
      ),
      hangup_url: `${suite.server.serve('/ended', '')}?order=7&item=b`,
    });
    assert.equal(status, 201, JSON.stringify(body));
    await streams.connected('/streamed');
    uuid = (await suite.server.asked('/answer')).fields.get('CallUUID') ?? '';
    ended = measuredAndEnded();
    // Each test that needs it waits for it, and fails with its fault.
    ended.catch(() => {});
  });

  async function measuredAndEnded(): Promise<void> {
    for (const count of [1, 2]) {
      const found = await suite.platform.until(
        `sample ${count}`,
        `Call/${uuid}/Quality/`,
        ({ objects }) => objects.length >= count,
      );
      samples = found.objects;
    }
    assert.equal((await suite.platform.api('DELETE', `Call/${uuid}/`)).status, 204);
    await suite.server.asked('/ended');
    await suite.platform.until('the recording', `Recording/?call_uuid=${uuid}`, ({ objects }) =>
      objects.some(({ recording_duration_ms: ms }: { recording_duration_ms: string }) => Number(ms) > 0),
    );
    await suite.platform.until('the messages', `Call/${uuid}/Signalling/`, ({ objects }) => {
      const lines: readonly string[] = objects.map(({ start_line: line }: { start_line: string }) => line);
      const bye = lines.findIndex((line) => line.startsWith('BYE'));
      return bye !== -1 && lines.slice(bye).some((line) => line.startsWith('SIP/2.0 200'));
    });
  }

  it('a page of a live call counts its length, ends it, and shows the messages of the end, which are written after it', async (t) => {
    const { body } = await suite.platform.api('POST', 'Call/', {
      from: '+12025550000',
      to: tone,
      answer_url: suite.server.serve('/watched', '<Response><Wait length="60"/></Response>'),
    });
    await suite.server.asked('/watched');
    const console = await suite.open(t, `/calls/${body.request_uuid}`);
    await console.page.locator('dd', { hasText: /^(?!0:00$)\d+:\d\d$/ }).waitFor();
    await console.button('Hang up').click();
    await console.page.locator('main li.sip').filter({ hasText: 'BYE sip:' }).waitFor();
    await console.assertSound();
    // Also where this test runs alone no call is left at the end.
    await ended;
  });

  it('the ladder has each SIP message in its order with its direction and its text, and so has the capture file', async (t) => {
    await ended;
    const console = await suite.open(t, `/calls/${uuid}`);
    const rows = console.page.locator('main li.sip');
    await rows.filter({ hasText: 'BYE sip:' }).waitFor();
    const ladder = (await rows.allInnerTexts()).map((text) =>
      /(→ us|us →)\s+(SIP\/2\.0 \d+|[A-Z]+)/.exec(text)?.slice(1).join(' '),
    );
    // A machine under load sends a message again before its answer comes.
    const known = ladder
      .filter((step) => !/SIP\/2\.0 (100|18\d)/.test(step ?? ''))
      .filter((step, index, all) => step !== all[index - 1]);
    assert.deepEqual(known.slice(0, 3), ['us → INVITE', '→ us SIP/2.0 200', 'us → ACK']);
    assert.deepEqual(known.slice(-2), ['us → BYE', '→ us SIP/2.0 200']);
    await rows.first().locator('summary').click();
    await rows.first().locator('pre').getByText(`To: <sip:`).waitFor();
    const link = await console.page.getByRole('link', { name: 'capture file' }).getAttribute('href');
    const magic = await console.page.evaluate<number>(
      `fetch('${link}').then((answer) => answer.arrayBuffer()).then((bytes) => new DataView(bytes).getUint32(0, true))`,
    );
    assert.equal(magic, 0xa1b2c3d4);
    await console.assertSound();
  });

  it('documents, callbacks and streams are on the axis of the messages, in the order in which they happened', async (t) => {
    await ended;
    const console = await suite.open(t, `/calls/${uuid}`);
    const lines = console.page.locator('main li');
    await lines.filter({ hasText: 'stream.stopped' }).waitFor();
    const steps = [
      'INVITE sip:',
      'GET|POST .*/answer → 200',
      'stream\\.started',
      'BYE sip:',
      'call\\.ended → .*/ended',
    ];
    // Messages, documents and callbacks are read one beside another.
    for (const step of steps)
      await lines
        .filter({ hasText: new RegExp(step) })
        .first()
        .waitFor();
    const order = await lines.allInnerTexts();
    const positions = steps.map((step) => order.findIndex((line) => new RegExp(step).test(line)));
    assert.deepEqual(
      positions,
      [...positions].sort((one, other) => one - other),
    );
    assert.ok(!positions.includes(-1), `${steps} are at ${positions} of ${order.join('\n')}`);
    await console.page.locator('li.document summary').click();
    await console.page.locator('li.document pre').getByText('<Record recordSession="true"').waitFor();
    await console.page.getByRole('row', { name: new RegExp(streams.url('/streamed')) }).waitFor();
    await console.page.getByText('Ended by').or(console.page.locator('#end')).first().waitFor();
  });

  it('the graph of the quality has a line for each measure, and its table the samples', async (t) => {
    await ended;
    const console = await suite.open(t, `/calls/${uuid}`);
    const graph = console.page.getByRole('img', { name: `${samples.length} samples` });
    await graph.locator('canvas').waitFor();
    // The page draws anew when it learns of the end of the call: each look takes the canvas of that moment.
    await console.until(`document.querySelector('[role=img] canvas')?.toDataURL().length > 5_000`);
    await console.page.getByText('As a table').click();
    const table = console.page.locator('details[open] table');
    const rows = await table.locator('tbody tr').allInnerTexts();
    assert.deepEqual(
      rows.map((row) => row.split('\t').slice(1)),
      samples.map(({ mos, loss_percent: lossIn, remote_loss_percent: lossOut, jitter_ms: jitter, codec }) =>
        [mos, lossIn, lossOut, jitter, codec].map((value) => String(value ?? '–')),
      ),
    );
    await console.assertSound();
  });

  it('the player draws a wave for each channel, names who is on it, plays and seeks', async (t) => {
    await ended;
    const console = await suite.open(t, `/calls/${uuid}`);
    const waves = console.page.locator('.card .canvases > div');
    await waves.nth(1).waitFor();
    assert.equal(await waves.count(), 2);
    const audio = console.page.locator('audio');
    await audio.scrollIntoViewIfNeeded();
    await console.page.evaluate(`document.querySelector('audio').play()`);
    await console.until(`document.querySelector('audio').currentTime > 0.3`);
    // The part that was played lies over the wave.
    const box = (await waves.first().boundingBox()) ?? assert.fail('the wave is not in sight');
    await console.page.mouse.click(box.x + box.width / 2, box.y + 10);
    await console.until(`document.querySelector('audio').currentTime > 4`);
    await console.assertSound();
  });

  it('the signed string is shown step by step, and the command of the page gives the signature that was sent', async (t) => {
    await ended;
    const console = await suite.open(t, `/callbacks?resource=call/${uuid}`);
    await console.page.getByRole('link', { name: 'call.ended' }).click();
    await console.page.getByText('This page computed the same text as the server signed.').waitFor();
    const shown = await console.page.locator('main pre').allInnerTexts();
    const received = suite.server.received.all.find(({ target }) => target.startsWith('/ended'));
    const base = `http://127.0.0.1:${suite.server.port}/ended`;
    const fields = [...(received?.fields ?? [])].sort(([one], [other]) => (one < other ? -1 : 1));
    const nonce = received?.headers['x-service-signature-v3-nonce'];
    const steps = [base, '?item=b&order=7', fields.map((pair) => pair.join('')).join(''), `.${nonce}`];
    const from = shown.indexOf(base);
    assert.deepEqual(shown.slice(from, from + 4), steps);
    assert.equal(shown[from + 4], `${base}?item=b&order=7.${steps[2]}.${nonce}`);
    const command = shown.find((text) => text.includes('openssl')) ?? '';
    const env = { PATH: process.env.PATH, TOKEN: suite.platform.authToken };
    const signature = execFileSync('sh', ['-c', command], { env, encoding: 'utf8' }).trim();
    assert.equal(signature, received?.headers['x-service-signature-v3']);
    await console.page.getByText(`: ${signature}`).filter({ visible: true }).waitFor();
    await console.assertSound();
  });
});
