import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fromMulaw, levelDb, tone } from '@jackfield/stream-kit';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { startTrunkPhone, type TrunkPhone } from './support/trunk-phone.ts';

const rate = 8000;
const number = '+493012345679';
/** Louder than the comfort noise of a silent call. */
const audibleDb = -40;

/** A phone that others wrote, the server, and an engine over HTTP that speaks in two parts. */
describe('a speech engine of the operator', { skip: missing('sipp'), timeout: 120_000 }, () => {
  let directory: string;
  let platform: PlatformProcess;
  let customer: CallbackReceiver;
  let engine: Server;
  let phone: TrunkPhone;
  const texts: string[] = [];
  /** On the clock of the arrival of packets. */
  let firstBytesAt = 0;
  let restAt = 0;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'speech-engines-'));
    engine = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      texts.push(JSON.parse(body).input);
      const sound = tone(600, 3_000, rate);
      const bytes = Buffer.from(sound.buffer, sound.byteOffset, sound.byteLength);
      response.setHeader('content-type', 'audio/pcm;rate=8000');
      firstBytesAt = Date.now();
      // The first second; the rest comes while it is heard.
      response.write(bytes.subarray(0, 16_000));
      setTimeout(() => {
        restAt = Date.now();
        response.end(bytes.subarray(16_000));
      }, 800);
    }).listen(0, '127.0.0.1');
    await once(engine, 'listening');
    const url = `http://127.0.0.1:${(engine.address() as AddressInfo).port}/v1/audio/speech`;
    const voices = join(directory, 'voices.json');
    await writeFile(voices, JSON.stringify({ engines: { studio: { url, key: 'k' } }, default: 'studio' }));
    platform = await PlatformProcess.start({ JACKFIELD_VOICES: voices, JACKFIELD_LOG_LEVEL: 'debug' });
    customer = await CallbackReceiver.start();
    phone = await startTrunkPhone(platform, number);
  });

  after(() =>
    cleanUp(
      () => phone.sipp.stop(),
      () => phone.audio.close(),
      () => platform.untilQuiet(),
      () => customer.stop(),
      () => engine.close(),
      () => platform.stop(),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  it('is heard within 300 ms of its first bytes, before it has made the rest, and no log line has the text', async () => {
    const text = 'Good morning from the studio.';
    const { status, body } = await platform.api('POST', 'Call/', {
      from: '+12025550100',
      to: number,
      answer_url: customer.serve('/answer', `<Response><Speak>${text}</Speak><Hangup/></Response>`),
      hangup_url: `http://127.0.0.1:${customer.port}/hangup`,
    });
    assert.equal(status, 201, JSON.stringify(body));
    await customer.asked('/hangup');
    assert.deepEqual(texts, [text]);
    const audible = phone.audio.heard.filter(
      ({ payloadType, payload }) => payloadType === 0 && levelDb(fromMulaw(payload)) > audibleDb,
    );
    const first = audible[0]!.at - firstBytesAt;
    assert.ok(first < 300, `${first} ms`);
    assert.ok(audible[0]!.at < restAt, 'the engine still speaks');
    assert.ok(audible.length > 140 && audible.length < 155, `${audible.length} packets of 20 ms for 3 s`);
    for (const line of platform.log.all)
      assert.ok(!JSON.stringify(line).includes(text), JSON.stringify(line));
  });
});
