import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import type { MessagePort } from 'node:worker_threads';
import type {
  MixCommand,
  RecognitionNotice,
  RecognitionOrder,
  SpeechEngine,
  SpeechReport,
  SpeechRequestOptions,
} from '@jackfield/ports';
import { createLegRecognition, type RecognitionLimits } from './leg-recognition.ts';

const order: RecognitionOrder = {
  recognition: 'leg/1',
  track: { said: ['leg'], heard: [] },
  language: 'en-US',
  hints: [],
  model: null,
  profanityFilter: false,
  interim: false,
};
const words = { isFinal: true, text: 'four two', confidence: 0.9, fromMs: 0, toMs: 500 };

interface Opened {
  readonly request: SpeechRequestOptions;
  readonly report: SpeechReport;
  samples: number;
  isFinished: boolean;
  isCancelled: boolean;
}

interface Rig {
  readonly languages?: readonly string[];
  readonly limits?: Partial<RecognitionLimits>;
}

/** A recogniser between a media engine and a speech engine that the test plays. */
function rig(context: TestContext, options: Rig = {}) {
  const waiting: (() => void)[] = [];
  const happening = () => new Promise<void>((resolve) => void waiting.push(resolve));
  const happened = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const sessions: Opened[] = [];
  const engine: SpeechEngine = {
    open(request, report) {
      const opened: Opened = { request, report, samples: 0, isFinished: false, isCancelled: false };
      sessions.push(opened);
      return {
        write(samples) {
          opened.samples += samples.length;
          happened();
        },
        finish() {
          opened.isFinished = true;
          happened();
        },
        cancel() {
          opened.isCancelled = true;
        },
      };
    },
    close() {},
  };
  const commands: MixCommand[] = [];
  const ports: MessagePort[] = [];
  const logged: unknown[] = [];
  const counted: string[] = [];
  const observed: string[] = [];
  const recognition = createLegRecognition({
    engine,
    media: {
      send: (command) => void commands.push(command),
      sendCapturesTo: (openPort) => void ports.push(openPort()),
    },
    metrics: {
      count: (name, labels) => void counted.push(`${name} ${labels?.['outcome']}`),
      observe: (name) => void observed.push(name),
    },
    log: { warn: (fields, sentence) => void logged.push(fields, sentence) },
    ...options,
  });
  context.after(() => recognition.close());
  const notices: RecognitionNotice[] = [];
  recognition.subscribe((notice) => {
    notices.push(notice);
    happened();
  });
  const [port] = ports as [MessagePort];
  /** Resolves when the engine has got what follows from the message. */
  const sent = (message: object) => {
    const followed = happening();
    port.postMessage({ capture: 'recognition/leg/1', ...message });
    return followed;
  };
  return {
    recognition,
    sessions,
    commands,
    notices,
    logged,
    counted,
    observed,
    port,
    /** Half a second of audio of the call. */
    chunk: () => sent({ type: 'audio', tracks: 1, sampleRate: 8_000, samples: new Int16Array(4_000) }),
    captureEnded: () => sent({ type: 'ended' }),
    async noticed(count: number) {
      while (notices.length < count) await happening();
    },
  };
}

test('audio of a leg reaches the engine at its rate, and words come back, then one end', async (context) => {
  const { recognition, sessions, commands, notices, observed, counted, chunk, captureEnded } = rig(context);
  recognition.start(order);
  assert.deepEqual(commands, [{ do: 'capture', capture: 'recognition/leg/1', tracks: [order.track] }]);
  await chunk();
  const [session] = sessions as [Opened];
  assert.equal(session.samples, 8_000);
  recognition.finish('leg/1');
  assert.equal(commands.at(-1)?.do, 'end-capture');
  await chunk();
  await captureEnded();
  assert.deepEqual([session.samples, session.isFinished], [16_000, true]);
  session.report.result(words);
  session.report.over(null);
  assert.deepEqual(notices, [
    { type: 'recognised', recognition: 'leg/1', result: words },
    { type: 'recognition-over', recognition: 'leg/1', problem: null },
  ]);
  assert.deepEqual(observed, ['jackfield_recognition_answer_seconds']);
  assert.deepEqual(counted, ['jackfield_recognitions_ended_total complete']);
  assert.equal(recognition.running, 0);
});

test('an engine that answers twice, or after the end, changes nothing', (context) => {
  const { recognition, sessions, notices } = rig(context);
  recognition.start(order);
  const [{ report }] = sessions as [Opened];
  report.over({ code: 'engine-failed', sentence: 'the speech engine failed' });
  report.result(words);
  report.over(null);
  recognition.start(order);
  report.result(words);
  report.over(null);
  assert.equal(recognition.running, 1);
  assert.deepEqual(
    notices.map(({ type }) => type),
    ['recognition-over'],
  );
});

test('the log and the metrics of a failure have its code and no words of a caller', (context) => {
  const { recognition, sessions, logged, counted } = rig(context);
  recognition.start(order);
  const [{ report }] = sessions as [Opened];
  report.result({ ...words, isFinal: false });
  report.result(words);
  report.over({ code: 'engine-failed', sentence: 'the speech engine failed' });
  assert.match(JSON.stringify(logged), /engine-failed.*speech recognition failed/);
  assert.doesNotMatch(JSON.stringify(logged), /four/);
  assert.deepEqual(counted, ['jackfield_recognitions_ended_total engine-failed']);
});

test('a cancelled recognition ends its capture and its session without further words', async (context) => {
  const { recognition, sessions, commands, notices, noticed } = rig(context);
  recognition.start(order);
  recognition.cancel('leg/1');
  const [session] = sessions as [Opened];
  session.report.result(words);
  await noticed(1);
  assert.deepEqual(notices, [{ type: 'recognition-over', recognition: 'leg/1', problem: null }]);
  assert.equal(session.isCancelled, true);
  assert.equal(commands.at(-1)?.do, 'end-capture');
});

for (const [title, options, code] of [
  ['a language that the operator does not list', { languages: ['fr'] }, 'unknown-language'],
  ['one recognition too many', { limits: { recognitions: 0 } }, 'too-many-recognitions'],
  ['a call without audio', { limits: { silenceOfMediaMs: 20 } }, 'no-audio'],
] as const) {
  test(`${title} ends with ${code}`, async (context) => {
    const { recognition, notices, noticed } = rig(context, options);
    recognition.start(order);
    await noticed(1);
    assert.deepEqual(
      notices.map((notice) => notice.type === 'recognition-over' && notice.problem?.code),
      [code],
    );
    assert.equal(recognition.running, 0);
  });
}

test('a language is known by its name without a region', (context) => {
  const { recognition, sessions } = rig(context, { languages: ['EN', 'fr-ca'] });
  recognition.start(order);
  recognition.start({ ...order, recognition: 'leg/2', language: 'fr-CA' });
  assert.equal(sessions.length, 2);
});

test('audio that never ends is finished at its limit, and an engine that does not end then is slow', async (context) => {
  const limits = { audioMs: 1_000, answerMs: 20 };
  const { recognition, sessions, commands, notices, noticed, chunk, captureEnded } = rig(context, { limits });
  recognition.start(order);
  await chunk();
  assert.equal(commands.length, 1);
  await chunk();
  assert.equal(commands.at(-1)?.do, 'end-capture');
  await captureEnded();
  await noticed(1);
  assert.deepEqual(
    notices.map((notice) => notice.type === 'recognition-over' && notice.problem?.code),
    ['engine-slow'],
  );
  assert.equal(sessions[0]?.isCancelled, true);
});

test('closing ends running recognitions, and closes the port of the media engine', async (context) => {
  const { recognition, notices, port } = rig(context);
  recognition.start(order);
  recognition.close();
  recognition.close();
  assert.deepEqual(
    notices.map((notice) => notice.type === 'recognition-over' && notice.problem?.code),
    ['closed'],
  );
  await once(port, 'close');
  recognition.start({ ...order, recognition: 'leg/2' });
  assert.equal(recognition.running, 0);
});
