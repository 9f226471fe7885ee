import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import {
  createFileTranscription,
  createHttpSpeechEngine,
  createLegRecognition,
  createProcessSpeechEngine,
  createWebSocketSpeechEngine,
} from '@jackfield/adapters/speech-recognition';
import { createHttpVoice } from '@jackfield/adapters/voice-engines';
import { FrameResampler, resample, wavHeader } from '@jackfield/media';
import { engineSampleRate, type SpeechEngine } from '@jackfield/ports';
import { WebSocket } from 'ws';
import { cpuOfChildren } from '../measure.ts';
import { servePart } from '../part.ts';

/** CPU in ms for a minute of audio, and of the least that carries the same bytes. */
export interface Cost {
  readonly cpuMs: number;
  readonly floorMs: number;
}

export type EngineKind = 'http' | 'websocket' | 'program';

const lineRate = 8000;
const minutes = 5;
/** Of the media thread. */
const chunk = lineRate / 2;
const text =
  'I would like to change my appointment, please. It was on Monday at ten, and I cannot come before Wednesday afternoon.';

const speech = createEspeakSpeech();

servePart({
  async recognition({ kind, at }: { kind: EngineKind; at: string }): Promise<Cost> {
    const caller = await minuteOfSpeech(lineRate);
    const wide = Buffer.from(resample(caller, lineRate, engineSampleRate).buffer);
    await recognise(engineOf(kind, at), caller);
    await carry(kind, at, wide);
    const cpuMs = await cpuOf(() => recognise(engineOf(kind, at), caller));
    return { cpuMs, floorMs: await cpuOf(() => carry(kind, at, wide)) };
  },

  /** A minute of one channel of a file, without the engine. */
  async transcript(): Promise<Cost> {
    const caller = await minuteOfSpeech(lineRate);
    const samples = Buffer.from(caller.buffer);
    const file = Buffer.concat([wavHeader({ sampleRate: lineRate, channels: 1 }, samples.length), samples]);
    const directory = mkdtempSync(join(tmpdir(), 'speech-cost-'));
    writeFileSync(join(directory, 'a.wav'), file);
    try {
      const read = () => transcribed(directory, file.length);
      await read();
      const cpuMs = await cpuOf(read);
      return { cpuMs, floorMs: await cpuOf(async () => converted(caller)) };
    } finally {
      rmSync(directory, { recursive: true });
    }
  },

  async httpVoice(at: string): Promise<Cost> {
    const voice = createHttpVoice({ url: `http://${at}/speak` });
    const speak = async () => void (await voice.speak({ text, language: 'en-US' }));
    const carried = async () => {
      const response = await fetch(`http://${at}/speak`, { method: 'POST', body: text });
      await response.arrayBuffer();
    };
    await speak();
    await carried();
    const cpuMs = await cpuOf(speak);
    return { cpuMs, floorMs: await cpuOf(carried) };
  },

  /** CPU of the embedded engine for a minute of speech, in ms; without its start. */
  async embeddedVoice(): Promise<number> {
    const spoken = async (count: number) => {
      const engine = createEspeakSpeech();
      const before = cpuOfChildren();
      let ms = 0;
      for (let n = 0; n < count; n++) {
        const clip = await engine.speak({ text: `${text} ${n}`, language: 'en-US' });
        ms += (1000 * clip.samples.length) / clip.sampleRate;
      }
      await engine.close();
      await wait(500);
      return { ms, cpuMs: cpuOfChildren() - before };
    };
    const [start, all] = [await spoken(1), await spoken(41)];
    return (60_000 * (all.cpuMs - start.cpuMs)) / (all.ms - start.ms);
  },

  /** CPU of pocketsphinx with its model of all English for a minute of speech, in ms. */
  async pocketsphinx(): Promise<number> {
    const caller = await minuteOfSpeech(lineRate);
    const before = cpuOfChildren();
    const command = ['pocketsphinx_continuous', '-infile', '/dev/stdin', '-time', 'yes'] as const;
    await recognise(
      createProcessSpeechEngine({ command, limits: { answerMs: 120_000, waiting: 100 } }),
      caller,
    );
    return cpuOfChildren() - before;
  },
});

/** Sentences with pauses of a second, as a caller says them. */
async function minuteOfSpeech(rate: number): Promise<Int16Array> {
  const { samples, sampleRate } = await speech.speak({ text, language: 'en-US' });
  const sentence = resample(samples, sampleRate, rate);
  const all = new Int16Array(60 * rate);
  for (let at = 0; at < all.length; at += sentence.length + rate)
    all.set(sentence.subarray(0, all.length - at), at);
  return all;
}

/** What every engine at 16 kHz needs. */
function converted(caller: Int16Array): void {
  const [given, wide] = [lineRate / 50, new Int16Array(engineSampleRate / 50)];
  const resampler = new FrameResampler(given, wide.length);
  for (let at = 0; at < caller.length; at += given) resampler.convert(caller.subarray(at, at + given), wide);
}

/** CPU of this process, per minute of audio. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < minutes; n++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / minutes;
}

function engineOf(kind: EngineKind, at: string): SpeechEngine {
  if (kind === 'http') return createHttpSpeechEngine({ url: `http://${at}/hear` });
  if (kind === 'websocket') return createWebSocketSpeechEngine({ url: `ws://${at}/` });
  return createProcessSpeechEngine({ command: ['cat'] });
}

/** The way of a caller's audio from the port of a media thread to the last result. */
async function recognise(engine: SpeechEngine, caller: Int16Array): Promise<void> {
  let port: MessagePort | undefined;
  const media = {
    send() {},
    sendCapturesTo(openPort: () => MessagePort) {
      port = openPort();
    },
  };
  const recognition = createLegRecognition({ engine, media, limits: { answerMs: 120_000 } });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  recognition.subscribe((notice) => {
    if (notice.type !== 'recognition-over') return;
    if (notice.problem === null) resolve();
    else reject(new Error(notice.problem.sentence));
  });
  const request = { language: 'en-US', hints: [], model: null, profanityFilter: false, interim: false };
  recognition.start({ recognition: 'a', track: { said: ['leg'], heard: [] }, ...request });
  const capture = 'recognition/a';
  for (let at = 0; at < caller.length; at += chunk) {
    port!.postMessage({
      type: 'chunk',
      capture,
      samples: caller.slice(at, at + chunk),
      sampleRate: lineRate,
    });
    // An engine accepts few utterances at a time.
    await wait(10);
  }
  port!.postMessage({ type: 'ended', capture });
  await promise.finally(() => recognition.close());
}

/** The same bytes to the same engine, in pieces of half a second or one for each sentence. */
async function carry(kind: EngineKind, at: string, wide: Buffer): Promise<void> {
  const sentence = 8 * 2 * engineSampleRate;
  if (kind === 'websocket') {
    const socket = new WebSocket(`ws://${at}/`, { perMessageDeflate: false });
    await new Promise((resolve) => socket.once('open', resolve));
    for (let from = 0; from < wide.length; from += engineSampleRate)
      socket.send(wide.subarray(from, from + engineSampleRate));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.close();
    await closed;
    return;
  }
  for (let from = 0; from < wide.length; from += sentence) {
    const body = wide.subarray(from, from + sentence);
    if (kind === 'http') {
      const response = await fetch(`http://${at}/hear`, { method: 'POST', body: Uint8Array.from(body) });
      await response.text();
    } else {
      const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
      child.stdin!.end(body);
      await new Promise((resolve) => child.once('close', resolve));
    }
  }
}

async function transcribed(directory: string, bytes: number): Promise<void> {
  const engine: SpeechEngine = {
    open: (_, report) => ({ write() {}, finish: () => report.over(null), cancel() {} }),
    close() {},
  };
  const files = {
    size: async () => bytes,
    async *read(_: string, from: number, to: number) {
      yield await readPart(directory, from, to + 1);
    },
  };
  const transcription = createFileTranscription({ engine, files: files as never });
  const order = { recording: 'a', format: 'wav', isComplete: true, language: 'en-US' } as const;
  let positions: readonly number[] = [];
  for (let isOver = false; !isOver; ) {
    const part = await transcription.next({ ...order, positions }, new AbortController().signal);
    ({ positions, isOver } = part);
  }
}

async function readPart(directory: string, from: number, to: number): Promise<Buffer> {
  const file = await open(join(directory, 'a.wav'));
  try {
    const { buffer } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
    return buffer;
  } finally {
    await file.close();
  }
}
