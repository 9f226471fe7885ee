import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import { createAnswerSounds } from '@jackfield/media';
import { type DetectionReason, detectionMachine, newDetection } from '@jackfield/platform/machine-detection';
import { type AnsweredCall, createCorpus } from '../greetings/corpus.ts';
import { servePart } from '../part.ts';

/** What became of one call of the corpus. */
export interface JudgedCall extends Omit<AnsweredCall, 'frames'> {
  readonly isMachine: boolean | null;
  readonly reason: DetectionReason | null;
  readonly decidedMs: number;
  readonly beepMs: number | null;
  readonly lengthMs: number;
  readonly cpuMs: number;
}

const frameMs = 20;

servePart({
  /** Makes the corpus and judges every call of it, as the engine and the feature do. */
  async run(): Promise<readonly JudgedCall[]> {
    const speech = createEspeakSpeech();
    try {
      return (await createCorpus(speech)).map(judge);
    } finally {
      speech.close();
    }
  },
});

function judge({ frames, ...call }: AnsweredCall): JudgedCall {
  const leg = { leg: call.name, account: '', mainAccount: '', parameters: {} };
  let detection = newDetection(leg, { hangsUp: false, timeMs: 5000, callback: null }, 0);
  const timers = new Map<string, number>();
  const found = {
    isMachine: null as boolean | null,
    reason: null as DetectionReason | null,
    decidedMs: 0,
    beepMs: null as number | null,
  };

  const send = (input: Parameters<typeof detectionMachine.step>[1], now: number) => {
    const { state, effects } = detectionMachine.step(detection, input, now);
    detection = state;
    for (const effect of effects) {
      if (effect.do === 'start-timer') timers.set(effect.key, effect.at);
      if (effect.do === 'cancel-timer') timers.delete(effect.key);
      if (effect.do !== 'emit') continue;
      if (effect.event.type === 'beeped') found.beepMs = now;
      else {
        const { isMachine, reason } = effect.event.verdict;
        Object.assign(found, { isMachine, reason, decidedMs: now });
      }
    }
  };

  const sounds = createAnswerSounds();
  const before = process.cpuUsage();
  send({ type: 'begin' }, 0);
  frames.forEach((frame, index) => {
    const now = (index + 1) * frameMs;
    const sound = sounds.hear(frame);
    if (sound !== undefined) send({ type: 'sound', sound }, now);
    for (const [key, at] of [...timers]) {
      if (at > now || timers.get(key) !== at) continue;
      timers.delete(key);
      send({ type: 'timer-fired', key }, at);
    }
  });
  const { user, system } = process.cpuUsage(before);
  return { ...call, ...found, lengthMs: frames.length * frameMs, cpuMs: (user + system) / 1000 };
}
