import { levelDb, tone } from '../audio.ts';
import { type Observed, TestCall, type TestCallOptions } from './test-call.ts';

export interface CheckOptions {
  readonly url: string;
  readonly authToken?: string;
  /** The server must refuse upgrades that the platform did not sign. */
  readonly expectsSignatures?: boolean;
  readonly encoding?: TestCallOptions['encoding'];
  readonly sampleRate?: TestCallOptions['sampleRate'];
  readonly extraHeaders?: string;
  /** The caller's speech, at the rate of the stream; a tone with pauses when left out. */
  readonly speech?: Int16Array;
  /** Duration of each part of the check. */
  readonly seconds?: number;
  readonly progress?: (what: string) => void;
}

/** The result for one rule; `held` is undefined where the check saw no case of it. */
export interface RuleFinding {
  readonly rule: string;
  readonly held: boolean | undefined;
  readonly seen: string;
}

/** Bytes waiting in a socket whose reader is too slow. */
const mostWaitingBytes = 128 * 1024;
/** Delay after which a caller notices that the server goes on talking. */
const bargeInMs = 1_000;
/** Time in which an agent that speaks first begins. */
const greetingMs = 600;
/** How long the caller waits for an answer. */
const patienceMs = 4_000;

/** Calls a server like the platform, in all courses of a call, and reports which rules it keeps. */
export async function checkServer(options: CheckOptions): Promise<readonly RuleFinding[]> {
  const check = new Check(options);
  if (!(await checkCall(check))) return check.findings;
  await checkConcurrentCalls(check);
  await checkSlowNetwork(check);
  await checkResumption(check);
  await checkAbruptEnds(check);
  await checkBargeIn(check);
  if (options.expectsSignatures === true) await checkSignatures(check);
  const wrong = check.calls.flatMap(({ observed }) => observed.wrong);
  const frames = check.calls.reduce((sum, { observed }) => sum + observed.frames.length, 0);
  const seen = wrong.length === 0 ? `${frames} frames` : String(wrong[0]);
  check.found('sends nothing but frames of the protocol', wrong.length === 0, seen);
  return check.findings;
}

/** The calls and findings of one check. */
class Check {
  readonly findings: RuleFinding[] = [];
  /** Calls whose frames are judged at the end. */
  readonly calls: TestCall[] = [];
  readonly call: TestCallOptions;
  readonly speech: Int16Array;
  readonly progress: (what: string) => void;

  constructor(options: CheckOptions) {
    const { url, authToken, encoding = 'audio/x-l16', sampleRate = 8000 } = options;
    const { extraHeaders, seconds = 3, progress = () => {} } = options;
    this.speech = options.speech ?? sentences(seconds, sampleRate);
    this.progress = progress;
    this.call = {
      url,
      encoding,
      sampleRate,
      ...(authToken === undefined ? {} : { authToken }),
      ...(extraHeaders === undefined ? {} : { extraHeaders }),
    };
  }

  newCall(): TestCall {
    const call = new TestCall(this.call);
    this.calls.push(call);
    return call;
  }

  found(rule: string, held: boolean | undefined, seen: string): void {
    this.findings.push({ rule, held, seen });
  }

  silence(milliseconds: number): Int16Array {
    return silence(milliseconds, this.call.sampleRate);
  }

  /** The first and the second half of the speech. */
  get halves(): readonly [Int16Array, Int16Array] {
    const { speech } = this;
    return [speech.subarray(0, speech.length >> 1), speech.subarray(speech.length >> 1)];
  }
}

/** False when the server refuses the upgrade: then no other rule can be checked. */
async function checkCall(check: Check): Promise<boolean> {
  check.progress('a call');
  const call = check.newCall();
  try {
    await call.connect();
  } catch (error) {
    check.found('accepts the upgrade', false, error instanceof Error ? error.message : String(error));
    return false;
  }
  check.found('accepts the upgrade', true, 'open');
  call.ping();
  await call.speak(check.speech);
  for (const digit of '0123456789*#') call.press(digit);
  await call.speak(check.silence(500));
  const { pongs, mostWaiting } = call.observed;
  check.found('answers pings', pongs > 0, `${pongs} pongs`);
  const state = call.isOpen ? 'open to the end' : `closed with ${call.observed.closeCode}`;
  check.found('stays while the call lasts', call.isOpen, state);
  const isFast = mostWaiting < mostWaitingBytes;
  check.found('reads as fast as audio arrives', isFast, `${mostWaiting} bytes waited at most`);
  check.found('closes when the stream stops', await call.end(), 'after stop and 1000');
  return true;
}

async function checkConcurrentCalls(check: Check): Promise<void> {
  check.progress('two calls at once');
  const pair = [check.newCall(), check.newCall()];
  await Promise.all(pair.map((call) => call.connect()));
  await Promise.all(pair.map((call) => call.speak(check.speech)));
  const both = pair.every((call) => call.isOpen);
  await Promise.all(pair.map((call) => call.end()));
  const seen = wrongOf(...pair.map((call) => call.observed));
  check.found('keeps two streams apart', both && pair.every(isClean), seen);
}

async function checkSlowNetwork(check: Check): Promise<void> {
  check.progress('a slow network');
  const call = check.newCall();
  const [first, second] = check.halves;
  await call.connect();
  await call.speak(first, 400);
  call.lose(25);
  await call.speak(second, 400);
  const seen = call.isOpen ? wrongOf(call.observed) : 'closed';
  check.found('tolerates bursts and gaps', call.isOpen && isClean(call), seen);
  await call.end();
}

async function checkResumption(check: Check): Promise<void> {
  check.progress('a lost connection');
  const call = check.newCall();
  const [first, second] = check.halves;
  await call.connect();
  await call.speak(first);
  call.cut();
  let isBack = true;
  try {
    await call.connect();
    call.catchUp(check.silence(1_000));
    await call.speak(second);
  } catch {
    isBack = false;
  }
  const isResumed = isBack && call.isOpen && isClean(call);
  check.found(
    'resumes a stream (start with resumed)',
    isResumed,
    isBack ? wrongOf(call.observed) : 'refused',
  );
  await call.end();
}

async function checkAbruptEnds(check: Check): Promise<void> {
  check.progress('abrupt ends');
  for (const code of [1000, 1001, 1011]) {
    const call = new TestCall(check.call);
    await call.connect();
    await call.speak(check.silence(100));
    await call.close(code);
  }
  const last = check.newCall();
  const serves = await connects(last);
  await last.speak(check.silence(200));
  const rule = 'serves the next call after each kind of end';
  check.found(rule, serves && last.isOpen, serves ? 'open' : 'refused');
  await last.end();
}

async function checkBargeIn(check: Check): Promise<void> {
  check.progress('barge-in');
  const rule = 'falls silent when the caller speaks (clearAudio)';
  const call = check.newCall();
  await call.connect();
  // Interrupt a greeting while it plays: after earlier speech, the agent would have cleared it before the check.
  await call.speak(check.silence(greetingMs));
  if (!call.isPlaying) await call.speak(check.speech);
  // The caller is silent, for servers that wait for a pause.
  for (let waited = 0; !call.isPlaying && waited < patienceMs; waited += 200) {
    await call.speak(check.silence(200));
  }
  if (call.observed.playedMs > 0) {
    const clears = call.sees('clearAudio', bargeInMs + speechMs(check.speech, check.call.sampleRate));
    await call.speak(check.speech);
    const cleared = await clears;
    const seen = cleared ? 'clearAudio came' : 'none came: correct unless the server is an agent';
    check.found(rule, cleared ? true : undefined, seen);
  } else check.found(rule, undefined, 'it played nothing');
  await call.end();
}

async function checkSignatures(check: Check): Promise<void> {
  const { url, encoding, sampleRate } = check.call;
  const stranger = new TestCall({ url, encoding, sampleRate, authToken: 'not the token' });
  const refused = !(await connects(stranger));
  if (!refused) await stranger.close(1000);
  check.found('refuses upgrades that the platform did not sign', refused, refused ? 'refused' : 'accepted');
}

function connects(call: TestCall): Promise<boolean> {
  return call.connect().then(
    () => true,
    () => false,
  );
}

function isClean({ observed }: TestCall): boolean {
  return observed.wrong.length === 0;
}

function wrongOf(...observed: readonly Observed[]): string {
  const wrong = observed.flatMap((each) => each.wrong);
  return wrong.length === 0 ? 'nothing wrong' : String(wrong[0]);
}

function silence(milliseconds: number, sampleRate: number): Int16Array {
  return new Int16Array((sampleRate * milliseconds) / 1000);
}

/** Half a second of sound and a quarter of pause, repeated. */
function sentences(seconds: number, sampleRate: number): Int16Array {
  const samples = new Int16Array(seconds * sampleRate);
  const sentence = tone(440, 500, sampleRate);
  for (let at = 0; at + sentence.length <= samples.length; at += sampleRate * 0.75) samples.set(sentence, at);
  return levelDb(samples) === Number.NEGATIVE_INFINITY ? tone(440, seconds * 1000, sampleRate) : samples;
}

function speechMs(speech: Int16Array, sampleRate: number): number {
  return (speech.length / sampleRate) * 1000;
}
