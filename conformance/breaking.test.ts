import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { PlatformProcess } from './support/platform-process.ts';

const talks = '+12025550101';
const hangup = '<Response><Hangup/></Response>';

/** Faulty or malicious answers of a program, by path. */
const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/hangs': () => {},
  '/drips': (response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(' '), 200);
    response.once('close', () => clearInterval(drip));
  },
  '/cuts': (response) => response.destroy(),
  '/cuts-in-the-middle': (response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write('<Response>', () => response.destroy());
  },
  '/moved': (response) => response.writeHead(301, { location: '/fine' }).end(),
  '/moved-to-itself': (response) => response.writeHead(302, { location: '/moved-to-itself' }).end(),
  '/moved-nowhere': (response) => response.writeHead(302).end(),
  '/moved-to-ftp': (response) => response.writeHead(302, { location: 'ftp://127.0.0.1/' }).end(),
  '/missing': (response) => response.writeHead(404).end(hangup),
  '/broken': (response) => response.writeHead(500).end(hangup),
  '/nothing': (response) => response.writeHead(204).end(),
  '/fine': (response) => response.end(hangup),
  '/largest': (response) => response.end(hangup.padEnd(102_400)),
  '/too-large': (response) => response.end(hangup.padEnd(102_401)),
  '/packed': (response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50 << 20, ' '))),
  '/page': (response) => response.end('<!DOCTYPE html><html><body>Sign in</body></html>'),
  '/json': (response) => response.end('{"Hangup":true}'),
  '/entities': (response) =>
    response.end(
      '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><Response><Speak>&x;</Speak></Response>',
    ),
  '/nested': (response) => response.end('<Response><GetDigits><GetDigits/></GetDigits></Response>'),
  '/many-phones': (response) =>
    response.end(`<Response><Dial>${'<Number>+12025550102</Number>'.repeat(21)}</Dial></Response>`),
  '/circle': (response) =>
    response.end(`<Response><Redirect>${url(response, '/circle')}</Redirect></Response>`),
  '/into-garbage': (response) =>
    response.end(`<Response><Redirect>${url(response, '/json')}</Redirect></Response>`),
  '/into-a-hole': (response) =>
    response.end(`<Response><Redirect>${url(response, '/missing')}</Redirect></Response>`),
};

const causes: Readonly<Record<string, number>> = {
  '/hangs': 7011,
  '/drips': 7011,
  '/cuts': 7011,
  '/cuts-in-the-middle': 7011,
  '/moved': 4000,
  '/moved-to-itself': 7011,
  '/moved-nowhere': 7011,
  '/moved-to-ftp': 7011,
  '/missing': 7011,
  '/broken': 7011,
  '/nothing': 8011,
  '/fine': 4000,
  '/largest': 4000,
  '/too-large': 7011,
  '/packed': 8011,
  '/page': 8011,
  '/json': 8011,
  '/entities': 8011,
  '/nested': 8011,
  '/many-phones': 8011,
  '/circle': 2060,
  '/into-garbage': 8014,
  '/into-a-hole': 7014,
};

/** Files that cannot be played, with the reason in the event. */
const sounds: Readonly<Record<string, readonly [(response: ServerResponse) => void, RegExp]>> = {
  '/none.mp3': [(response) => response.writeHead(404).end(), /status 404/],
  '/cut.mp3': [answers['/cuts-in-the-middle']!, /closed/],
  '/endless.mp3': [
    (response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 0xff)));
      };
      response.on('drain', more);
      more();
    },
    /larger than 10 MB/,
  ],
  '/packed.mp3': [answers['/packed']!, /neither an MP3 nor a WAV/],
  '/page.mp3': [answers['/page']!, /neither an MP3 nor a WAV/],
  '/empty.mp3': [(response) => response.end(), /0 bytes/],
  '/header.wav': [(response) => response.end(Buffer.from('RIFF\0\0\0\0WAVE')), /WAV/],
};

function url(response: ServerResponse, path: string): string {
  return `http://${response.req.headers.host}${path}`;
}

/** Mistakes, attacks and failures against the real program: each call ends once, with one callback, and nothing is left. */
describe('Programs that misbehave, phones that go, and kill -9', { timeout: 240_000 }, () => {
  let platform: PlatformProcess;
  let receiver: CallbackReceiver;
  let server: Server;
  let base: string;

  before(async () => {
    platform = await PlatformProcess.start();
    receiver = await CallbackReceiver.start();
    server = createServer((request, response) => {
      request.resume();
      response.on('error', () => {});
      const path = (request.url ?? '').split('?')[0] ?? '';
      (answers[path] ?? sounds[path]?.[0] ?? answers['/missing']!)(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  after(async () => {
    server.closeAllConnections();
    server.close();
    const complaints = platform.log.all.filter(({ level }) => level === 'error' || level === 'fatal');
    assert.equal(await platform.stop(), 0);
    await receiver.stop();
    assert.deepEqual(complaints, []);
  });

  async function call(answerUrl: string, extra: object = {}): Promise<string> {
    const { status, body } = await platform.api('POST', 'Call/', {
      from: '+12025550000',
      to: talks,
      answer_url: answerUrl,
      hangup_url: `${receiver.url}/over`,
      ...extra,
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body.request_uuid;
  }

  // biome-ignore lint/suspicious/noExplicitAny: a black box test knows none of our types
  function ended(uuid: string): Promise<any> {
    return platform.until(`the end of ${uuid}`, `Call/${uuid}/`, async ({ end_time }) => {
      await milliseconds(200);
      return end_time !== null && end_time !== undefined;
    });
  }

  const overs = (uuid: string) =>
    receiver.received.all.filter(
      ({ target, fields }) => target.startsWith('/events/over') && fields.get('CallUUID') === uuid,
    );

  it('an answer that cannot be run ends the call with its cause, and with a sentence in the event stream', async () => {
    const paths = Object.keys(causes);
    const calls = await Promise.all(paths.map((path) => call(base + path)));
    const found = await Promise.all(calls.map(async (uuid) => (await ended(uuid)).hangup_cause_code));
    assert.deepEqual(Object.fromEntries(paths.map((path, at) => [path, found[at]])), causes);
    const expected = calls.filter((_, at) => causes[paths[at]!] !== 4000);
    const failedIn = (body: { objects: readonly { data: { CallUUID: string } }[] }) =>
      new Set(body.objects.map(({ data }) => data.CallUUID));
    const events = await platform.until(
      'the event of each failure',
      'Event/?type=call.document-failed&limit=100',
      (body) => failedIn(body).size >= expected.length,
    );
    assert.deepEqual([...failedIn(events)].sort(), expected.sort());
    await platform.untilQuiet();
  });

  it('a sound that cannot be played is skipped, and the event stream says why', async () => {
    const plays = Object.keys(sounds).map((path) => `<Play>${base}${path}</Play>`);
    const document = receiver.serve('/plays', `<Response>${plays.join('')}<Hangup/></Response>`);
    const uuid = await call(document);
    assert.equal((await ended(uuid)).hangup_cause_code, 4000);
    const sentencesIn = (body: {
      objects: readonly { data: { CallUUID: string; Sentence: string } }[];
    }): readonly string[] =>
      body.objects.filter(({ data }) => data.CallUUID === uuid).map(({ data }) => data.Sentence);
    const reported = sentencesIn(
      await platform.until(
        'a sentence about each sound',
        'Event/?type=call.document-warning&limit=100',
        (body) => sentencesIn(body).length >= Object.keys(sounds).length,
      ),
    );
    for (const [path, [, why]] of Object.entries(sounds)) {
      const sentence = reported.find((each) => each.includes(path));
      assert.match(sentence ?? `nothing of ${path} in ${reported}`, why);
    }
    await platform.untilQuiet();
  });

  it('transfers, actions and hang-ups that cross in every state leave one end and one hang-up request for each call', async () => {
    const serve = (path: string, elements: string) =>
      receiver.serve(path, `<Response>${elements}</Response>`);
    const other = serve('/other', '<Speak>Other.</Speak><Hangup/>');
    const action = serve('/action', '<Hangup/>');
    const documents = [
      serve('/waits', '<Wait length="60"/>'),
      serve('/speaks', '<Speak loop="0">Again and again.</Speak>'),
      serve('/records', `<Record maxLength="60" action="${action}"/>`),
      serve('/asks', `<GetDigits action="${action}" timeout="60"><Speak loop="0">Press.</Speak></GetDigits>`),
      serve('/rings', `<Dial action="${action}"><Number>+12025550103</Number></Dial>`),
      serve('/dials', `<Dial action="${action}"><Number>${talks}</Number></Dial>`),
      serve('/joins', `<MultiPartyCall role="Agent" onExitActionUrl="${action}">breaking</MultiPartyCall>`),
      `${base}/hangs`,
    ];
    const crossings: readonly ((uuid: string) => Promise<unknown>)[] = [
      (uuid) => platform.api('DELETE', `Call/${uuid}/`),
      (uuid) => platform.api('POST', `Call/${uuid}/`, { legs: 'aleg', aleg_url: other }),
      (uuid) =>
        Promise.all([
          platform.api('POST', `Call/${uuid}/`, { legs: 'both', aleg_url: other, bleg_url: other }),
          platform.api('POST', `Call/${uuid}/Record/`, {}),
          platform.api('POST', `Call/${uuid}/Speak/`, { text: 'One, two.', legs: 'both' }),
          platform.api('DELETE', `Call/${uuid}/`),
        ]),
    ];
    const all: string[] = [];
    for (const moment of [0, 40, 700]) {
      await Promise.all(
        documents.flatMap((document, at) =>
          crossings.map(async (cross) => {
            await milliseconds(at * 30);
            const uuid = await call(document);
            all.push(uuid);
            await milliseconds(moment);
            await cross(uuid);
          }),
        ),
      );
      await milliseconds(1500);
      assert.equal((await platform.api('DELETE', 'Call/')).status, 204);
      await platform.untilQuiet();
    }
    for (const uuid of all) {
      await ended(uuid);
      await receiver.received.until('the hang-up request', () => overs(uuid).length > 0);
    }
    assert.deepEqual(
      all.filter((uuid) => overs(uuid).length !== 1),
      [],
    );
  });

  it('kill -9 while callers are recorded: each call is over, with one recording that plays and one event of its end', async () => {
    const recorded = `${receiver.url}/recorded`;
    const record = (format: string, rest: string) =>
      receiver.serve(
        `/${format}${rest.length}`,
        `<Response><Record fileFormat="${format}" callbackUrl="${recorded}" ${rest}/><Wait length="60"/></Response>`,
      );
    const documents = ['mp3', 'wav'].flatMap((format) => [
      record(format, 'playBeep="false" maxLength="60"'),
      record(format, 'recordSession="true"'),
    ]);
    const early = await Promise.all(documents.map((document) => call(document)));
    // The time runs when all are being written.
    const written = async () =>
      (await platform.metrics('jackfield_recorder_files')).jackfield_recorder_files ?? 0;
    while ((await written()) < early.length) await milliseconds(20);
    await milliseconds(2500);
    const late = await Promise.all(documents.map((document) => call(document)));
    const all = [...early, ...late];
    await receiver.received.until('every document', () =>
      all.every((uuid) => receiver.received.all.some(({ fields }) => fields.get('CallUUID') === uuid)),
    );
    await platform.killAndRestart();
    for (const uuid of all) {
      assert.equal((await ended(uuid)).hangup_cause_code, 5010);
      const { body } = await platform.api('GET', `Recording/?call_uuid=${uuid}`);
      // The last calls may have been killed before their recording began.
      assert.ok(body.objects.length === 1 || (late.includes(uuid) && body.objects.length === 0));
      for (const recording of body.objects) {
        const reported = await receiver.received.until(
          'the end of the recording',
          ({ fields, target }) =>
            target.startsWith('/events/recorded') && fields.get('RecordingID') === recording.recording_id,
        );
        const events = receiver.received.all
          .filter(({ fields }) => fields.get('RecordingID') === recording.recording_id)
          .map(({ eventId }) => eventId);
        assert.deepEqual(new Set(events), new Set([reported.eventId]), 'a repetition has the same event');
        if (reported.fields.get('RecordingError') !== undefined) {
          assert.ok(late.includes(uuid), reported.fields.get('RecordingError'));
          continue;
        }
        const bytes = await platform.download(recording.recording_url);
        assert.ok(bytes.length >= 44, 'players refuse an empty file');
        if (early.includes(uuid)) assert.ok(Number(recording.recording_duration_ms) >= 500);
      }
    }
    await platform.untilQuiet();
  });
});

function milliseconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count));
}
