import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fromMulaw, tone } from '@jackfield/stream-kit';
import { cleanUp } from './support/clean-up.ts';
import { toneLevelDb } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { frameMs, nextHeard, openSpokenCall, type SpokenCall } from './support/spoken-call.ts';

const bytesOf = (hz: number, ms: number) => {
  const sound = tone(hz, ms, 8_000);
  return Buffer.from(sound.buffer, sound.byteOffset, sound.byteLength);
};

/** Listens on a port of its own. */
async function served(
  answer: (text: string, response: ServerResponse) => void,
): Promise<Server & { url: string }> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    answer(body === '' ? '' : JSON.parse(body).input, response);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return Object.assign(server, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
}

const closed = (server: Server) => {
  server.closeAllConnections();
  server.close();
};

describe('a speech engine that misbehaves', { skip: missing('sipp'), timeout: 180_000 }, () => {
  let directory: string;
  let engine: Server & { url: string };
  let forbidden: Server & { url: string };
  let opened: SpokenCall;
  let forbiddenRequests = 0;
  /** Of the engine that never ends. */
  let sent = 0;
  const endlessOver = Promise.withResolvers<void>();

  /** By the first word of the text; the others are the secret of the caller. */
  const behaviours: Readonly<Record<string, (response: ServerResponse) => void>> = {
    good: (response) => void response.end(bytesOf(1_300, 1_000)),
    cut(response) {
      response.write(bytesOf(600, 600));
      setTimeout(() => response.destroy(), 300);
    },
    slow(response) {
      let pieces = 0;
      const more = setInterval(() => {
        response.write(bytesOf(900, 200));
        if (++pieces < 5) return;
        clearInterval(more);
        response.end();
      }, 300);
    },
    redirect: (response) => void response.writeHead(307, { location: forbidden.url }).end(),
    page: (response) => void response.setHeader('content-type', 'text/html').end('<p>busy</p>'.repeat(999)),
    status: (response) => void response.writeHead(503).end(),
    nothing: (response) => void response.end(),
    never: () => {},
    endless(response) {
      response.setHeader('content-type', 'audio/pcm;rate=48000');
      const block = Buffer.alloc(64_000, 1);
      const more = () => {
        do sent += block.length;
        while (!response.destroyed && response.write(block));
      };
      response.on('drain', more);
      response.on('close', endlessOver.resolve);
      more();
    },
  };
  // No identifier and no time holds this word by chance.
  const secret = 'the name of your account is kingfisher';
  const speak = (behaviour: string) => `<Speak>${behaviour} ${secret}</Speak>`;

  before(async () => {
    forbidden = await served((_, response) => {
      forbiddenRequests++;
      response.end(bytesOf(2_000, 1_000));
    });
    engine = await served((text, response) => {
      response.setHeader('content-type', 'audio/pcm;rate=8000');
      behaviours[text.split(' ')[0]!]!(response);
    });
    directory = await mkdtemp(join(tmpdir(), 'speaking-'));
    const voices = join(directory, 'voices.json');
    await writeFile(voices, JSON.stringify({ engines: { studio: { url: engine.url } }, default: 'studio' }));
    opened = await openSpokenCall({ JACKFIELD_VOICES: voices }, 2);
  });

  after(() =>
    cleanUp(
      () => opened.close(),
      () => closed(engine),
      () => closed(forbidden),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  const msOf = (hz: number) =>
    opened.phone.audio.heard.filter(
      ({ payloadType, payload }) =>
        payloadType === 0 && toneLevelDb({ sampleRate: 8_000, samples: fromMulaw(payload) }, hz) > -15,
    ).length * frameMs;

  it('has an event for each text, and the call goes on with the next element', async () => {
    const bad = ['redirect', 'page', 'status', 'nothing', 'never'];
    const all = ['cut', 'slow', ...bad, 'good'];
    await opened.call('/bad', `${all.map(speak).join('')}<Hangup/>`);
    const over = await opened.customer.asked('/bad-over');
    assert.equal(over.fields.get('HangupCauseCode'), '4000', 'the document has ended the call');
    const [broken, slow, good] = [600, 900, 1_300].map(msOf);
    assert.ok(broken! >= 540 && broken! <= 640, `${broken} ms of the text that broke off`);
    assert.ok(slow! >= 940 && slow! <= 1_040, `${slow} ms of the slow text`);
    assert.ok(good! >= 960 && good! <= 1_020, `${good} ms of the good text`);
    assert.deepEqual([msOf(2_000), forbiddenRequests], [0, 0], 'no redirect is followed');
    const codes = async (type: string) => (await opened.events(type)).map(({ data }) => data.problem_code);
    assert.deepEqual(await codes('sound.broken-off'), ['speech-broke-off']);
    assert.deepEqual(
      await codes('sound.failed'),
      bad.map(() => 'speech-failed'),
    );
    const warnings = await opened.events('call.document-warning');
    assert.equal(warnings.length, bad.length + 1);
  });

  it('that never ends is read up to its limit, and the call has its next text', async () => {
    const call = await opened.silentCall();
    const { platform, phone } = opened;
    const path = `Call/${call}/Speak/`;
    assert.equal((await platform.api('POST', path, { text: `endless ${secret}` })).status, 202);
    await endlessOver.promise;
    // 10 minutes of 16 bits at 48 kHz, and what lies in buffers of sockets.
    assert.ok(sent < 600 * 96_000 + (20 << 20), `${sent} bytes`);
    await platform.until('the event', 'Event/?type=sound.broken-off', ({ objects }) => objects.length === 2);
    const [before, from] = [msOf(1_300), phone.audio.heard.length];
    assert.equal((await platform.api('POST', path, { text: `good ${secret}` })).status, 202);
    await nextHeard(phone, from);
    assert.ok(msOf(1_300) - before >= 960, `${msOf(1_300) - before} ms`);
    assert.equal((await platform.api('DELETE', `Call/${call}/`)).status, 204);
  });

  it('leaves no text in a line of the log or in an event', async () => {
    const events = JSON.stringify((await opened.platform.api('GET', 'Event/?limit=20')).body);
    assert.ok(!events.includes('kingfisher'), 'events');
    for (const line of opened.platform.log.all) {
      const text = JSON.stringify(line);
      // The document and the bodies of this test's requests are the customer's own.
      assert.ok(!text.includes('kingfisher') || text.includes('<Speak>'), text);
    }
  });
});
