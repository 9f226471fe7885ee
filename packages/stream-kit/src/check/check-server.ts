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
  const { url, authToken, encoding = 'audio/x-l16', sampleRate = 8000 } = options;
  const { extraHeaders, seconds = 3, progress = () => {} } = options;
  const speech = options.speech ?? sentences(seconds, sampleRate);
  const findings: RuleFinding[] = [];
  const found = (rule: string, held: boolean | undefined, seen: string) =>
    void findings.push({ rule, held, seen });
  const callOptions: TestCallOptions = {
    url,
    encoding,
    sampleRate,
    ...(authToken === undefined ? {} : { authToken }),
    ...(extraHeaders === undefined ? {} : { extraHeaders }),
  };
  const newCall = (over: Partial<TestCallOptions> = {}) => new TestCall({ ...callOptions, ...over });

  progress('a call');
  const first = newCall();
  try {
    await first.connect();
  } catch (error) {
    found('accepts the upgrade', false, error instanceof Error ? error.message : String(error));
    return findings;
  }
  found('accepts the upgrade', true, 'open');
  first.ping();
  await first.speak(speech);
  for (const digit of '0123456789*#') first.press(digit);
  await first.speak(silence(500, sampleRate));
  found('answers pings', first.observed.pongs > 0, `${first.observed.pongs} pongs`);
  found(
    'stays while the call lasts',
    first.isOpen,
    first.isOpen ? 'open to the end' : `closed with ${first.observed.closeCode}`,
  );
  found(
    'reads as fast as audio arrives',
    first.observed.mostWaiting < mostWaitingBytes,
    `${first.observed.mostWaiting} bytes waited at most`,
  );
  found('closes when the stream stops', await first.end(), 'after stop and 1000');

  progress('two calls at once');
  const pair = [newCall(), newCall()];
  await Promise.all(pair.map((call) => call.connect()));
  await Promise.all(pair.map((call) => call.speak(speech)));
  const both = pair.every((call) => call.isOpen);
  await Promise.all(pair.map((call) => call.end()));
  found(
    'keeps two streams apart',
    both && pair.every(isClean),
    wrongOf(...pair.map((call) => call.observed)),
  );

  progress('a slow network');
  const slow = newCall();
  await slow.connect();
  await slow.speak(speech.subarray(0, speech.length >> 1), 400);
  slow.lose(25);
  await slow.speak(speech.subarray(speech.length >> 1), 400);
  found(
    'tolerates bursts and gaps',
    slow.isOpen && isClean(slow),
    slow.isOpen ? wrongOf(slow.observed) : 'closed',
  );
  await slow.end();

  progress('a lost connection');
  const resumed = newCall();
  await resumed.connect();
  await resumed.speak(speech.subarray(0, speech.length >> 1));
  resumed.cut();
  let isBack = true;
  try {
    await resumed.connect();
    resumed.catchUp(silence(1_000, sampleRate));
    await resumed.speak(speech.subarray(speech.length >> 1));
  } catch {
    isBack = false;
  }
  found(
    'resumes a stream (start with resumed)',
    isBack && resumed.isOpen && isClean(resumed),
    isBack ? wrongOf(resumed.observed) : 'refused',
  );
  await resumed.end();

  progress('abrupt ends');
  for (const code of [1000, 1001, 1011]) {
    const call = newCall();
    await call.connect();
    await call.speak(silence(100, sampleRate));
    await call.close(code);
  }
  const last = newCall();
  const serves = await last.connect().then(
    () => true,
    () => false,
  );
  await last.speak(silence(200, sampleRate));
  found('serves the next call after each kind of end', serves && last.isOpen, serves ? 'open' : 'refused');
  await last.end();

  progress('barge-in');
  const barging = newCall();
  await barging.connect();
  // Interrupt a greeting while it plays: after earlier speech, the agent would have cleared it before the check.
  await barging.speak(silence(greetingMs, sampleRate));
  if (!barging.isPlaying) await barging.speak(speech);
  // The caller is silent, for servers that wait for a pause.
  for (let waited = 0; !barging.isPlaying && waited < patienceMs; waited += 200) {
    await barging.speak(silence(200, sampleRate));
  }
  const answers = barging.observed.playedMs > 0;
  if (answers) {
    const clears = barging.sees('clearAudio', bargeInMs + speechMs(speech, sampleRate));
    await barging.speak(speech);
    const cleared = await clears;
    found(
      'falls silent when the caller speaks (clearAudio)',
      cleared ? true : undefined,
      cleared ? 'clearAudio came' : 'none came: correct unless the server is an agent',
    );
  } else found('falls silent when the caller speaks (clearAudio)', undefined, 'it played nothing');
  await barging.end();

  if (options.expectsSignatures === true) {
    const stranger = new TestCall({ url, encoding, sampleRate, authToken: 'not the token' });
    const refused = await stranger.connect().then(
      () => false,
      () => true,
    );
    if (!refused) await stranger.close(1000);
    found('refuses upgrades that the platform did not sign', refused, refused ? 'refused' : 'accepted');
  }
  const all = [first, ...pair, slow, resumed, last, barging];
  const wrong = all.flatMap(({ observed }) => observed.wrong);
  found(
    'sends nothing but frames of the protocol',
    wrong.length === 0,
    wrong.length === 0
      ? `${all.reduce((sum, { observed }) => sum + observed.frames.length, 0)} frames`
      : String(wrong[0]),
  );
  return findings;
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
