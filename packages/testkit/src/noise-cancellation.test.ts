import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import { resample } from '@jackfield/media';
import { loadNoiseCancellation, type OpenNoiseCancellation } from '@jackfield/media/io';
import { seededRandom } from './seeded-random.ts';

const rate = 48_000;
const frame = 960;
/** RNNoise delays by 10 ms: 480 samples at 48 kHz. */
const delay = 480;
/** Noise alone, before the sentence and after it. */
const leadSeconds = 1;

const espeak = createEspeakSpeech();
after(() => espeak.close());

let open: OpenNoiseCancellation;
let voice: Float64Array;
const noises = new Map<string, Float64Array>();

/** A sentence with the bandwidth of a telephone at any rate: nothing above 3.4 kHz. */
async function say(text: string, who: 'woman' | 'man' = 'woman'): Promise<Float64Array> {
  const { samples, sampleRate } = await espeak.speak({ text, language: 'en-US', voice: who });
  return Float64Array.from(resample(resample(samples, sampleRate, 8000), 8000, rate));
}

before(async () => {
  open = await loadNoiseCancellation();
  const sentence = await say(
    'I would like to change my booking for next Tuesday, please. It is for two people, at half past seven.',
  );
  voice = new Float64Array(sentence.length + (leadSeconds + 1) * rate);
  voice.set(sentence, leadSeconds * rate);
  const random = seededRandom(7);
  const white = voice.map(() => random() * 2 - 1);
  const band = Float64Array.from(
    resample(
      resample(
        Int16Array.from(white, (x) => 9000 * x),
        rate,
        8000,
      ),
      8000,
      rate,
    ),
  );
  noises.set('white', band.slice(0, voice.length));
  noises.set('pink', pinkOf(white));
  const talk = await Promise.all(
    [
      'The train leaves from platform nine in a quarter of an hour.',
      'We have sold out of the green ones since yesterday.',
      'Nobody told me that the office would be closed today.',
    ].flatMap((text) => [say(text), say(text, 'man')]),
  );
  noises.set('babble', babbleOf(talk, voice.length));
});

/** Voss and McCartney: white noises that change half as often each. */
function pinkOf(white: Float64Array): Float64Array {
  const rows = new Float64Array(12);
  let sum = 0;
  return white.map((value, n) => {
    const row = n === 0 ? 0 : Math.min(11, 31 - Math.clz32(n & -n));
    sum += value - rows[row]!;
    rows[row] = value;
    return sum;
  });
}

/** Six speakers at once, in a loop, each starting at another point of the sentence. */
function babbleOf(talk: readonly Float64Array[], length: number): Float64Array {
  return Float64Array.from({ length }, (_, n) =>
    talk.reduce((sum, one, k) => sum + one[(n + k * 17_001) % one.length]!, 0),
  );
}

function power(signal: Float64Array, from = 0, to = signal.length): number {
  let sum = 0;
  for (let n = from; n < to; n++) sum += signal[n]! ** 2;
  return sum / (to - from);
}

function clean(signal: Float64Array, level: number): Float64Array {
  const cancellation = open(level);
  const out = new Float64Array(signal.length);
  const samples = new Int16Array(frame);
  for (let at = 0; at + frame <= signal.length; at += frame) {
    for (let i = 0; i < frame; i++) samples[i] = Math.round(signal[at + i]!);
    cancellation.process(samples);
    out.set(samples, at);
  }
  cancellation.close();
  cancellation.close();
  out.copyWithin(0, delay);
  out.fill(0, out.length - delay);
  return out;
}

/** The voice, scaled to its measured level, over everything else: residual noise and distortion. */
function snr(heard: Float64Array, said: Float64Array): number {
  let common = 0;
  for (let n = 0; n < said.length; n++) common += heard[n]! * said[n]!;
  const gain = common / (power(said) * said.length);
  let rest = 0;
  for (let n = 0; n < said.length; n++) rest += (heard[n]! - gain * said[n]!) ** 2;
  return 10 * Math.log10((gain ** 2 * power(said) * said.length) / rest);
}

/** Without the noise before and after the sentence. */
function spoken(signal: Float64Array): Float64Array {
  return signal.subarray(leadSeconds * rate, signal.length - rate);
}

interface Gain {
  /** Improvement of the voice over the rest, in dB. */
  readonly snr: number;
  /** Reduction of the noise in the pause after the sentence, in dB. */
  readonly quiet: number;
}

function gainOf(kind: string, level: number): Gain {
  const noise = noises.get(kind)!;
  // 5 dB is a call from a street.
  const scale = Math.sqrt(power(spoken(voice)) / power(noise) / 10 ** 0.5);
  const mixed = voice.map((sample, n) => sample + scale * noise[n]!);
  const heard = clean(mixed, level);
  const from = voice.length - rate * 0.8;
  const to = voice.length - rate * 0.1;
  return {
    snr: snr(spoken(heard), spoken(voice)) - snr(spoken(mixed), spoken(voice)),
    quiet: 10 * Math.log10(power(mixed, from, to) / power(heard, from, to)),
  };
}

test('noise is taken out of what is said: at 5 dB by so much, and more with the level', (context) => {
  for (const [kind, least] of [
    ['white', { snr: 3, quiet: 20 }],
    ['pink', { snr: 4, quiet: 20 }],
    ['babble', { snr: 1, quiet: 3 }],
  ] as const) {
    const gains = [60, 85, 100].map((level) => gainOf(kind, level));
    const [some, most, all] = gains as [Gain, Gain, Gain];
    context.diagnostic(
      `${kind}: ${gains.map(({ snr, quiet }) => `SNR +${snr.toFixed(1)} dB, noise −${quiet.toFixed(1)} dB`).join('; ')}`,
    );
    assert.ok(all.snr > least.snr && all.quiet > least.quiet, `${kind}: ${JSON.stringify(all)}`);
    assert.ok(some.quiet < most.quiet && most.quiet < all.quiet, `${kind}: ${JSON.stringify(gains)}`);
  }
});

test('at level 0 a voice is as it was, 10 ms later; a voice without noise stays what it is', () => {
  const same = clean(voice, 0);
  assert.ok(
    voice.every((sample, n) => n >= voice.length - frame || Math.abs(same[n]! - Math.round(sample)) < 1),
  );
  assert.ok(snr(clean(voice, 85), voice) > 8);
});

test('white noise falls by 15 dB and more within 0.5 s at level 85, however loud it is and whatever band it fills', () => {
  const random = seededRandom(11);
  for (const amplitude of [300, 1000, 3000, 9000]) {
    const wide = Int16Array.from({ length: 3 * rate }, () => Math.round(amplitude * (random() * 2 - 1)));
    const narrow = resample(resample(wide, rate, 8000), 8000, rate);
    for (const noise of [wide, narrow]) {
      const before = Float64Array.from(noise);
      const after = clean(before, 85);
      for (let at = rate / 2; at + rate / 10 <= before.length - frame; at += rate / 10) {
        const fall = 10 * Math.log10(power(before, at, at + rate / 10) / power(after, at, at + rate / 10));
        const where = `${noise === wide ? '48' : '8'} kHz, amplitude ${amplitude}, ${at / rate} s`;
        assert.ok(fall >= 15, `${where}: the noise fell by ${fall.toFixed(1)} dB`);
      }
    }
  }
});

test('a voice keeps its level within 3 dB at every level, from its first syllable on, also behind noise', () => {
  const said = spoken(voice);
  const noise = noises.get('white')!;
  const scale = Math.sqrt(power(said) / power(noise) / 10 ** 2);
  const noisy = voice.map((sample, n) => sample + scale * noise[n]!);
  for (const input of [voice, noisy]) {
    for (const level of [60, 85, 100]) {
      const heard = spoken(clean(input, level));
      for (const [from, to] of [
        [0, said.length],
        [0, rate],
        [rate, 2 * rate],
      ] as const) {
        const change = 10 * Math.log10(power(heard, from, to) / power(said, from, to));
        assert.ok(Math.abs(change) < 3, `level ${level}: ${change.toFixed(1)} dB from ${from} to ${to}`);
      }
    }
  }
});
