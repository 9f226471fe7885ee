import type { RecognitionProblem, SpeechResult } from '@jackfield/ports';
import { destination } from '../dial/testing/dialling.ts';
import {
  type DocumentRun,
  type FirstDocument,
  type Medium,
  newDocumentRun,
  type RunEffect,
  type RunEvent,
  type RunInput,
  type RunLimits,
  runLimits,
} from '../document-run.ts';
import { documentRunMachine } from '../document-run-machine.ts';
import type {
  Dial,
  GetDigits,
  GetInput,
  Instruction,
  MultiPartyCall,
  Record as RecordElement,
  SpokenInput,
  Stream,
} from '../instruction.ts';
import type { PlannedElement } from '../planned-element.ts';

const start = 1_000_000;
export const leg = 'a-leg';
export const answerUrl = { url: 'https://example.com/answer', method: 'POST' } as const;
export const actionUrl = { url: 'https://example.com/action', method: 'POST' } as const;
export const fallbackUrl = { url: 'https://example.com/fallback', method: 'GET' } as const;

export const speak: Instruction = {
  element: 'Speak',
  text: 'hello',
  language: 'en-US',
  voice: 'woman',
  loop: 1,
};
export const play: Instruction = { element: 'Play', url: 'https://example.com/a.mp3', loop: 1 };

export function wait(lengthMs: number, changes: object = {}): Instruction {
  return { element: 'Wait', lengthMs, silence: true, minSilenceMs: null, beep: false, ...changes };
}

export function getDigits(changes: Partial<GetDigits> = {}): GetDigits {
  return {
    element: 'GetDigits',
    action: actionUrl,
    redirect: true,
    timeoutMs: 5_000,
    digitTimeoutMs: 2_000,
    numDigits: 4,
    retries: 1,
    finishOnKey: '#',
    validDigits: '1234567890*#',
    playBeep: false,
    invalidDigitsSound: null,
    log: true,
    prompts: [{ element: 'Play', url: 'https://example.com/menu.mp3', loop: 1 }],
    ...changes,
  };
}

export function getInput(changes: Partial<GetInput> = {}): GetInput {
  return {
    element: 'GetInput',
    action: actionUrl,
    redirect: true,
    executionTimeoutMs: 15_000,
    digitEndTimeoutMs: null,
    numDigits: 32,
    finishOnKey: '#',
    log: true,
    prompts: [],
    ...changes,
  };
}

/** What a GetInput with speech has besides. */
export function spoken(changes: Partial<SpokenInput> = {}): SpokenInput {
  return {
    withKeys: true,
    language: 'en-US',
    hints: [],
    model: null,
    profanityFilter: false,
    endTimeoutMs: null,
    interimCallback: null,
    ...changes,
  };
}

export function record(changes: Partial<RecordElement> = {}): RecordElement {
  return {
    element: 'Record',
    action: actionUrl,
    redirect: true,
    format: 'mp3',
    timeoutMs: 15_000,
    maxLengthSeconds: 60,
    finishOnKey: '#',
    playBeep: false,
    recordSession: false,
    startOnDialAnswer: false,
    channels: 'stereo',
    callback: null,
    transcript: null,
    ...changes,
  };
}

export function dial(changes: Partial<Dial> = {}): Dial {
  return {
    element: 'Dial',
    action: actionUrl,
    redirect: true,
    timeoutSeconds: 30,
    timeLimitSeconds: 14_400,
    callerId: null,
    callerName: null,
    hangupOnStar: false,
    callback: null,
    confirmSound: null,
    confirmKey: null,
    confirmTimeoutSeconds: 10,
    dialMusic: null,
    digitsMatch: [],
    digitsMatchBLeg: [],
    sipHeaders: {},
    destinations: [destination('bob')],
    ...changes,
  };
}

export function multiparty(changes: Partial<MultiPartyCall> = {}): MultiPartyCall {
  return {
    element: 'MultiPartyCall',
    name: 'room',
    role: 'customer',
    coachMode: true,
    mute: false,
    hold: false,
    stayAlone: false,
    startMpcOnEnter: true,
    endMpcOnExit: false,
    maxDurationSeconds: 14_400,
    maxParticipants: 10,
    recordMinMemberCount: 1,
    waitForAgent: false,
    waitSeconds: null,
    relayDtmfInputs: false,
    music: { wait: null, agentHold: null, customerHold: null },
    enterSound: 'none',
    exitSound: 'none',
    statusCallback: null,
    recordingCallback: null,
    recording: {
      wholeCall: false,
      eachParticipant: false,
      format: 'mp3',
      coachVoice: true,
      startSound: null,
      stopSound: null,
      transcript: null,
    },
    onExitAction: null,
    ...changes,
  };
}

export function stream(changes: Partial<Stream> = {}): Stream {
  return {
    element: 'Stream',
    url: 'wss://bot.example/audio',
    bidirectional: true,
    audioTrack: 'inbound',
    timeoutSeconds: 86_400,
    contentType: 'audio/x-l16;rate=8000',
    keepCallAlive: false,
    extraHeaders: '',
    statusCallback: null,
    noiseCancellationLevel: null,
    middleEvents: null,
    resumable: false,
    fallbackUrl: null,
    dialect: 'plivo',
    binaryFrames: false,
    stopFrame: true,
    ...changes,
  };
}

/** Recordings are `recording-<position>`, streams `stream-<position>`, legs of a Dial `b-<position>-<destination>`, both within their document. */
function planned(instructions: readonly Instruction[]): readonly PlannedElement[] {
  return instructions.map((instruction, at) => ({
    instruction,
    recording:
      instruction.element === 'Record'
        ? { uuid: `recording-${at}`, url: `https://files/recording-${at}.mp3` }
        : null,
    legs:
      instruction.element === 'Dial' ? instruction.destinations.map((_, index) => `b-${at}-${index}`) : [],
    ...(instruction.element === 'Stream' ? { stream: `stream-${at}` } : {}),
  }));
}

/** A run that is fed one input after another; the effects of the last step are kept. */
export class ScriptedRun {
  run: DocumentRun;
  effects: readonly RunEffect[] = [];
  now = start;

  constructor(medium: Medium = 'none', first: Partial<FirstDocument> = {}, limits: Partial<RunLimits> = {}) {
    this.run = newDocumentRun(
      {
        leg,
        run: 'run',
        account: 'MA',
        mainAccount: 'MA',
        from: 'alice',
        to: '12345678901234567',
        callerName: 'Alice',
        requestUuid: 'request',
      },
      { request: answerUrl, reason: 'answer', fallback: null, hangupOnRingSeconds: null, ...first },
      medium,
      { ...runLimits, ...limits },
    );
  }

  /** On a call that was answered before, so that no element waits for the answer. */
  static running(...instructions: readonly Instruction[]): ScriptedRun {
    return new ScriptedRun('answered').feed({ type: 'begin' }).document(...instructions);
  }

  /** On an incoming call that was not answered. */
  static incoming(...instructions: readonly Instruction[]): ScriptedRun {
    return new ScriptedRun('none').feed({ type: 'begin' }).document(...instructions);
  }

  feed(...inputs: readonly RunInput[]): this {
    const effects: RunEffect[] = [];
    for (const input of inputs) {
      const step = documentRunMachine.step(this.run, input, this.now);
      this.run = step.state;
      effects.push(...step.effects);
    }
    this.effects = effects;
    return this;
  }

  /** The document that was requested last arrives. */
  document(...instructions: readonly Instruction[]): this {
    const elements = planned(instructions);
    return this.feed({ type: 'document-fetched', fetch: this.run.fetches, elements, warnings: [] });
  }

  fail(fault: 'unreachable' | 'url' | 'method' | 'xml', sentence = 'it is broken'): this {
    return this.feed({ type: 'document-failed', fetch: this.run.fetches, fault, sentence });
  }

  press(...digits: readonly string[]): this {
    return this.feed(...digits.map((digit) => ({ type: 'leg-digit', leg, digit }) as const));
  }

  voice(speaking: boolean): this {
    return this.feed({ type: 'leg-voice', leg, speaking });
  }

  /** The engine has understood this, of the running recognition or of another. */
  recognise(
    text: string,
    changes: Partial<SpeechResult> = {},
    recognition = this.run.recognition ?? 'none',
  ): this {
    const result = { isFinal: true, text, confidence: null, fromMs: 0, toMs: 500, ...changes };
    return this.feed({ type: 'recognised', recognition, result });
  }

  /** The recognition ends: complete, or with a problem. */
  recognitionOver(code?: RecognitionProblem['code']): this {
    const problem = code === undefined ? null : { code, sentence: 'the speech engine is away' };
    return this.feed({ type: 'recognition-over', recognition: this.run.recognition ?? 'none', problem });
  }

  /** The running play ends by itself. */
  playedOut(...sentences: readonly string[]): this {
    const [play] = Object.values(this.run.plays);
    return this.feed({ type: 'play-over', play: play ?? 'none', sentences });
  }

  fire(key: string): this {
    return this.feed({ type: 'timer-fired', key });
  }

  hangUp(): this {
    return this.feed({
      type: 'leg-ended',
      leg,
      end: { code: 4000, name: 'Normal Hangup', source: 'Caller' },
      durationSeconds: 3,
    });
  }

  recorded(recording: string, durationMs = 4_000): this {
    return this.feed({
      type: 'recording-over',
      recording,
      url: `https://files/${recording}.mp3`,
      outcome: 'completed',
      because: 'stopped',
      durationMs,
      startedAt: start,
      endedAt: start + durationMs,
      fault: null,
    });
  }

  after(ms: number): this {
    this.now += ms;
    return this;
  }

  find<Do extends RunEffect['do']>(order: Do): Extract<RunEffect, { do: Do }> | undefined {
    return this.effects.find((effect) => effect.do === order) as Extract<RunEffect, { do: Do }> | undefined;
  }

  get orders(): readonly string[] {
    return this.effects.map((effect) => effect.do).filter((order) => order !== 'cancel-timer');
  }

  get events(): readonly RunEvent[] {
    return this.effects.flatMap((effect) => (effect.do === 'emit' ? [effect.event] : []));
  }

  /** Code and source of the end that was ordered for the caller. */
  get end(): string | undefined {
    const found = this.effects.find((effect) => effect.do === 'hang-up' && effect.leg === leg);
    return found?.do === 'hang-up' ? `${found.end.code} ${found.end.source}` : undefined;
  }

  /** URL and fields of the last request for a document, without the standard parameters. */
  get asked(): (Readonly<Record<string, string>> & { readonly url: string }) | undefined {
    const found = this.find('fetch');
    return found && { url: found.request.url, ...found.fields };
  }
}
