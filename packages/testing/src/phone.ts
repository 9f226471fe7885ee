import { type PhoneBehaviour, type PhoneCall, spokenText } from '@jackfield/testkit/phones';
import type { App, CallEnd, Phone, PhoneAnswer, ReceivedText, Within } from './api.ts';
import { type Duration, msOf, shownMs } from './duration.ts';
import type { Faults } from './faults.ts';
import type { Ground, Line } from './ground.ts';
import { checkExpected, checkText, limitOf } from './options.ts';
import { TestingError } from './testing-error.ts';
import { patternOf, Transcript } from './transcript.ts';

export interface PhoneDeps {
  readonly ground: Ground;
  readonly faults: Faults;
  readonly name: string;
  open(): Promise<Line>;
  appAt(path: string): Promise<App>;
  /** Why the program failed, for messages. */
  problems(): string;
  /** Throws when the world is closed. */
  checkOpen(): void;
}

const busyHere = 486; // RFC 3261 §21.4.24
const serviceUnavailable = 503; // RFC 3261 §21.5.4
/** GSM (RFC 3551 §6), which the platform does not speak. */
const unknownCodec = { name: 'GSM', clockRate: 8000, payloadType: 3 };
const usual: Duration = '60 s';

/** A phone over a ground. */
export class TestPhone implements Phone {
  readonly name: string;
  readonly #deps: PhoneDeps;
  #line: Promise<Line> | undefined;
  #opened: Line | undefined;
  #answer: PhoneAnswer = 'answers';
  #transcripts = new Map<PhoneCall, Transcript>();
  #textsSeen = 0;

  constructor(deps: PhoneDeps) {
    this.#deps = deps;
    this.name = deps.name;
  }

  get to(): string {
    return this.#line0().to;
  }

  get transcript(): string {
    const call = this.#opened?.phone.call;
    return call === undefined ? '' : this.#transcriptOf(call).text;
  }

  get keysHeard(): string {
    return this.#opened?.phone.call?.audio.keysHeard.join('') ?? '';
  }

  get isInCall(): boolean {
    return this.#opened?.phone.call?.isUp === true;
  }

  async ready(): Promise<this> {
    const line = await this.#open();
    await line.reachable();
    return this;
  }

  async #open(): Promise<Line> {
    this.#deps.checkOpen();
    this.#line ??= this.#deps.open();
    this.#opened = await this.#line;
    this.#behave(this.#opened);
    return this.#opened;
  }

  behaves(answer: PhoneAnswer): this {
    checkAnswer(answer);
    this.#answer = answer;
    return this;
  }

  async dial(callee: App | string, options: Within = {}): Promise<void> {
    const within = limitOf(options, '2 min');
    const line = await this.#open();
    const isPath = typeof callee === 'string' && callee.startsWith('/');
    const app = isPath ? await this.#deps.appAt(callee) : callee;
    const user = typeof app === 'string' ? app : app.number;
    const call = line.dial(user);
    const isOver = () => call.isUp || call.end !== undefined;
    if (!(await this.#deps.ground.until(isOver, msOf(within, 'within')))) {
      call.hangUp();
      throw this.#failure('not-within', `${this.name} called ${user}, and nothing answered within ${within}`);
    }
    if (call.end !== undefined) {
      throw this.#failure('call-failed', `The call of ${this.name} to ${user} failed: ${endOf(call)}`);
    }
  }

  async answered(options: Within = {}): Promise<void> {
    await this.#until(`${this.name} was in no call`, limitOf(options, usual), () => this.isInCall);
  }

  async rings(options: Within = {}): Promise<void> {
    const within = limitOf(options, usual);
    const isRinging = () => this.#opened?.phone.call?.isRinging === true;
    await this.#until(`${this.name} did not ring`, within, isRinging);
  }

  async hears(what: string | RegExp, options: Within = {}): Promise<RegExpExecArray> {
    checkExpected(what);
    const within = limitOf(options, usual);
    let found: RegExpExecArray | undefined;
    await this.#until(
      () => `${this.name} did not hear ${shown(what)}; it heard ${this.#heardText()}`,
      within,
      () => {
        const call = this.#opened?.phone.call;
        found =
          call === undefined
            ? undefined
            : this.#transcriptOf(call).match(what, this.#deps.ground.clock.now());
        return found !== undefined;
      },
    );
    return found!;
  }

  async hearsKeys(keys: string, options: Within = {}): Promise<void> {
    checkKeys(keys);
    const within = limitOf(options, usual);
    const what = () => `${this.name} did not hear the keys ${keys}; it heard "${this.keysHeard}"`;
    await this.#until(what, within, () => this.keysHeard.includes(keys));
  }

  async says(text: string): Promise<void> {
    checkText(text);
    const call = this.#callNow('say anything');
    call.audio.say(spokenText(text));
    await this.#sent(call);
  }

  async plays(samples: Int16Array): Promise<void> {
    const call = this.#callNow('play anything');
    call.audio.say(samples);
    await this.#sent(call);
  }

  async press(keys: string): Promise<void> {
    checkKeys(keys);
    const call = this.#callNow('press a key');
    call.press(keys);
    await this.#sent(call);
  }

  async hangUp(): Promise<void> {
    const call = this.#opened?.phone.call;
    if (call === undefined || call.end !== undefined) return;
    call.hangUp();
    await this.ended();
  }

  async ended(options: Within = {}): Promise<CallEnd> {
    const within = limitOf(options, usual);
    const { call } = (await this.#open()).phone;
    if (call === undefined) throw this.#failure('no-call', `${this.name} has had no call that could end`);
    await this.#until(`The call of ${this.name} did not end`, within, () => call.end !== undefined);
    const { end, endedAt = 0, answeredAt = endedAt } = call;
    const status = end?.by === 'rejected' ? end.status : undefined;
    return { by: end?.by ?? '', status, afterMs: endedAt - answeredAt };
  }

  async receivesText(what: string | RegExp, options: Within = {}): Promise<ReceivedText> {
    checkExpected(what);
    const within = limitOf(options, usual);
    const { ground, checkOpen } = this.#deps;
    checkOpen();
    const limit = ground.clock.now() + msOf(within, 'within');
    for (;;) {
      const messages = await ground.messages(this.name);
      for (const [index, message] of messages.entries()) {
        if (index < this.#textsSeen) continue;
        const match = patternOf(what).exec(message.text);
        if (match === null) continue;
        this.#textsSeen = index + 1;
        return { ...message, match };
      }
      if (ground.clock.now() >= limit) {
        const texts = messages.map(({ text }) => JSON.stringify(text)).join(', ');
        const got = texts === '' ? 'no message' : texts;
        throw this.#failure(
          'not-within',
          `${this.name} did not receive ${shown(what)} within ${within}; it received ${got}`,
        );
      }
      await ground.wait(100);
    }
  }

  #behave({ phone, isCarried }: Line): void {
    const { faults } = this.#deps;
    phone.behaviour = () => {
      if (isCarried && faults.isOn('carrier-silent')) return { does: 'nothing' };
      if (isCarried && faults.isOn('carrier-busy')) return { does: 'reject', status: serviceUnavailable };
      return behaviourOf(this.#answer);
    };
    phone.codecs = () => (faults.isOn('codec-loss') ? [unknownCodec] : undefined);
  }

  #line0(): Line {
    if (this.#opened !== undefined) return this.#opened;
    throw new TestingError('no-phone', `${this.name} is not switched on: await phone.ready() first.`);
  }

  #callNow(to: string): PhoneCall {
    const call = this.#opened?.phone.call;
    if (call?.isUp === true) return call;
    throw this.#failure(
      'no-call',
      `${this.name} is in no call and cannot ${to}: dial(), or await answered(), first`,
    );
  }

  /** Sound takes its time; keys as well. */
  async #sent(call: PhoneCall): Promise<void> {
    await this.#until(
      `${this.name} could not send its sound`,
      '10 min',
      () => !call.audio.isSaying || call.end !== undefined,
    );
  }

  async #until(what: string | (() => string), within: Duration, condition: () => boolean): Promise<void> {
    await this.#open();
    const limitMs = msOf(within, 'within');
    if (await this.#deps.ground.until(condition, limitMs)) return;
    const sentence = typeof what === 'string' ? what : what();
    throw this.#failure('not-within', `${sentence} (limit: ${shownMs(limitMs)})`);
  }

  #failure(code: TestingError['code'], sentence: string): TestingError {
    return new TestingError(code, `${sentence}.${this.#deps.problems()}`);
  }

  #transcriptOf(call: PhoneCall): Transcript {
    const known = this.#transcripts.get(call) ?? new Transcript(call);
    this.#transcripts.set(call, known);
    return known;
  }

  #heardText(): string {
    const { transcript } = this;
    return transcript === '' ? 'nothing' : transcript.split('\n').map(shown).join(', ');
  }
}

function shown(what: string | RegExp): string {
  return typeof what === 'string' ? JSON.stringify(what) : String(what);
}

function endOf({ end }: PhoneCall): string {
  if (end === undefined) return 'it goes on';
  return end.by === 'rejected' ? `${end.status} ${end.reason}` : end.by;
}

function behaviourOf(answer: PhoneAnswer): PhoneBehaviour {
  if (answer === 'answers') return { does: 'answer' };
  if (answer === 'busy') return { does: 'reject', status: busyHere };
  if (answer === 'rings') return { does: 'ring' };
  if (answer === 'off') return { does: 'nothing' };
  if ('rejects' in answer) return { does: 'reject', status: answer.rejects };
  return { does: 'answer', ringMs: msOf(answer.answersAfter, 'answersAfter') };
}

function checkKeys(keys: string): void {
  if (typeof keys === 'string' && /^[0-9*#A-D]+$/.test(keys)) return;
  throw new TestingError('bad-option', `keys is ${JSON.stringify(keys)}: use 0 to 9, *, # and A to D.`);
}

function checkAnswer(answer: PhoneAnswer): void {
  if (typeof answer === 'string' && ['answers', 'busy', 'rings', 'off'].includes(answer)) return;
  if (typeof answer === 'object' && answer !== null) {
    if ('answersAfter' in answer) return void msOf(answer.answersAfter, 'answersAfter');
    if ('rejects' in answer && answer.rejects >= 400 && answer.rejects <= 699) return;
  }
  throw new TestingError(
    'bad-option',
    `A phone cannot behave as ${JSON.stringify(answer)}: use "answers", "busy", "rings", "off", { answersAfter } or { rejects } with a status from 400 to 699.`,
  );
}
