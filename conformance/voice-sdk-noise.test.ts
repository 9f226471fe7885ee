import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import { missingBrowser } from './support/browser/browser.ts';
import { phoneDomain, webSocketUrl } from './support/browser/browser-phones.ts';
import { browserSuite, webRtc } from './support/browser/browser-suite.ts';

/** 20 ms of what a page hears. */
const frame = 320;
const echo = '+12025550100';
const sdk = createRequire(join(import.meta.dirname, '../packages/voice-sdk/package.json'));

/** Of the frame that a tenth of all frames exceeds: the pauses of a voice do not count. */
function levelDb(samples: Int16Array): number {
  const powers = Array.from({ length: Math.floor(samples.length / frame) }, (_, at) =>
    samples
      .slice(at * frame, (at + 1) * frame)
      .reduce((sum, sample) => sum + (sample / 32768) ** 2 / frame, 0),
  ).sort((a, b) => a - b);
  return 10 * Math.log10(Math.max(powers[Math.floor(powers.length * 0.9)]!, 1e-10));
}

describe('the noise suppression of the voice SDK in Chromium', {
  skip: missingBrowser(),
  timeout: 300_000,
}, () => {
  const suite = browserSuite({ settings: webRtc });
  let suppression: { readonly worklet: string; readonly wasm: string };

  before(() => {
    const library = (file: string) =>
      suite.browser.serve(
        `/noise/${file}`,
        readFileSync(sdk.resolve(`@sapphi-red/web-noise-suppressor/${file}`)),
      );
    suppression = { worklet: library('rnnoiseWorklet.js'), wasm: library('rnnoise.wasm') };
  });

  /** The level that comes back from the echo phone, in dBFS. */
  async function echoed(name: string, source: string, files?: typeof suppression): Promise<number> {
    const password = `secret-of-${name}`;
    const { username } = await suite.platform.createEndpoint(name, password);
    const page = await suite.browser.open({ program: 'voice-phone' });
    const login = { url: webSocketUrl(suite.platform), domain: phoneDomain, username, password };
    await page.run('start', { ...login, source, ...(files === undefined ? {} : { suppression: files }) });
    await page.reports.until('the registration', ({ type }) => type === 'registered');
    await page.run('dial', echo);
    await page.reports.until('the answer', ({ type }) => type === 'accepted');
    await page.until('four seconds of audio', ({ received }) => received.packets > 210);
    const { samples } = await page.heard();
    await page.run('hangUp');
    await page.reports.until('the end', ({ type }) => type === 'ended');
    await page.close();
    return levelDb(samples);
  }

  /** A WAV at 48 kHz, made by sox from standard input and these arguments. */
  function sound(name: string, input: Uint8Array, ...args: readonly string[]): string {
    const { stdout, status, stderr } = spawnSync('sox', [...args], { input, maxBuffer: 2 ** 26 });
    assert.equal(status, 0, String(stderr));
    return suite.browser.serve(`/sounds/${name}.wav`, stdout);
  }

  // RNNoise knows the noise of fans and streets; white noise passes it.
  it('low noise comes back at least 15 dB softer than without it', async () => {
    const form = ['-n', '-r', '48000', '-c', '1', '-b', '16', '-t', 'wav', '-'];
    const noise = sound('noise', new Uint8Array(0), ...form, 'synth', '10', 'brownnoise', 'gain', '-10');
    const [plain, suppressed] = await Promise.all([
      echoed('noiseplain', noise),
      echoed('noisesoft', noise, suppression),
    ]);
    assert.ok(plain > -40, `${plain} dB`);
    assert.ok(suppressed < plain - 15, `${suppressed} dB of ${plain}`);
  });

  it('a voice comes back within 4 dB of its level without it', async () => {
    const speech = createEspeakSpeech({ timeoutMs: 60_000 });
    const text = 'The quick brown fox jumps over the lazy dog, and then it does the same again.';
    const clip = await speech
      .speak({ text, language: 'en-US', voice: 'woman' })
      .finally(() => speech.close());
    const raw = ['-t', 'raw', '-r', String(clip.sampleRate), '-e', 'signed', '-b', '16', '-c', '1', '-'];
    const bytes = new Uint8Array(clip.samples.buffer, clip.samples.byteOffset, clip.samples.byteLength);
    const voice = sound('voice', bytes, ...raw, '-r', '48000', '-t', 'wav', '-');
    const [plain, cleaned] = await Promise.all([
      echoed('voiceplain', voice),
      echoed('voiceclean', voice, suppression),
    ]);
    assert.ok(plain > -40, `${plain} dB`);
    assert.ok(Math.abs(cleaned - plain) < 4, `${cleaned} dB of ${plain}`);
  });

  it('a page without the files gets an error that names them, and no call', async () => {
    const { username } = await suite.platform.createEndpoint('noisefiles', 'secret-of-noisefiles');
    const page = await suite.browser.open({ program: 'voice-phone', toneHz: 440 });
    const login = {
      url: webSocketUrl(suite.platform),
      domain: phoneDomain,
      username,
      password: 'secret-of-noisefiles',
    };
    const missing = { ...suppression, wasm: suppression.wasm.replace('rnnoise.wasm', 'absent.wasm') };
    await page.run('start', { ...login, suppression: missing });
    await page.reports.until('the registration', ({ type }) => type === 'registered');
    await page.run('dial', echo);
    const { by, reason } = await page.reports.until('the end', ({ type }) => type === 'ended');
    assert.equal(by, 'media-failed');
    assert.match(String(reason), /absent\.wasm .*has no WebAssembly: serve rnnoise\.wasm/);
    await page.close();
  });
});
