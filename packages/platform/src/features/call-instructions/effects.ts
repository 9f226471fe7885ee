import { type CallEnd, callEnds, type Logger, type Media, type SpeechRecognition } from '@jackfield/ports';
import type { Result } from '../../kernel/result.ts';
import type { Calls } from '../calls/index.ts';
import type { MachineDetections } from '../machine-detection/index.ts';
import { type Recordings, recordingOfLeg } from '../recordings/index.ts';
import type { Sounds } from '../sounds/index.ts';
import { type Streams, tracksOfLeg } from '../streams/index.ts';
import type { DocumentRun, RunCall, RunEffect, RunInput } from './domain/document-run.ts';
import type { StartedRecording } from './domain/elements/element.ts';
import type { MultiPartyCall } from './domain/instruction.ts';
import { createDocumentRequests } from './runs/document-requests.ts';
import type { FetchDeps } from './runs/fetch-document.ts';
import { streamOf } from './runs/stream-of.ts';

/** The part of the multiparty calls feature that documents need. */
export interface MultipartyJoin {
  /**
   * Lends the leg to the multiparty call of that name, which is created if needed. After a success, `leg-returned` comes when
   * the participant has left, with the fields for `onExitAction`.
   */
  join(order: {
    readonly leg: string;
    readonly account: string;
    readonly mainAccount: string;
    readonly from: string;
    readonly to: string;
    readonly callerName: string;
    readonly instruction: MultiPartyCall;
  }): Promise<Result<unknown>>;
}

export interface EffectDeps extends FetchDeps {
  readonly log: Logger;
  readonly media: Media;
  readonly calls: Calls;
  readonly sounds: Sounds;
  readonly recordings: Recordings;
  readonly multiparty: MultipartyJoin;
  readonly streams: Pick<Streams, 'ownedBy' | 'start' | 'stop'>;
  readonly machines: Pick<MachineDetections, 'listen'>;
  /** Absent without an engine. */
  readonly recognition?: SpeechRecognition;
  readonly newUuid: () => string;
}

/** The kind of owner of documents' legs; the owner's id is the leg that the documents run on. */
export const ownerKind = 'document';

/** The parts that carry effects out, and the runs that get the outcomes. */
interface Carrying {
  readonly deps: EffectDeps;
  readonly runs: { send(leg: string, input: RunInput): void };
}

/** The only function that gives orders to calls, sounds, recordings and media for documents. */
export function createPerform(deps: EffectDeps, runs: Carrying['runs']) {
  const { calls, sounds, recordings, media } = deps;
  const carrying: Carrying = { deps, runs };
  const requests = createDocumentRequests(deps, runs);

  return function perform(run: DocumentRun, effect: Exclude<RunEffect, { do: 'emit' }>) {
    const { call } = run;
    const { leg } = call;
    // A mix of this run, and not of a direct call that had the leg before.
    const mix = `document/${call.run}`;
    switch (effect.do) {
      case 'fetch':
        return requests.fetch(run, effect);
      case 'give-up-fetch':
        return requests.giveUp(leg, effect.fetch);
      case 'report':
        return requests.report(run, effect);
      case 'answer':
        return calls.answer(leg);
      case 'open-early':
        return calls.openEarly(leg);
      case 'ring':
        return calls.ring(leg);
      case 'hang-up':
        return calls.hangUp(effect.leg, effect.end);
      case 'play': {
        const { play, to, items, loop } = effect;
        const { account, mainAccount } = call;
        const owner = { kind: ownerKind, id: leg };
        return sounds.play({ play, owner, account, mainAccount, to, items, loop });
      }
      case 'stop-play':
        return sounds.stop(effect.play);
      case 'watch-voice':
        return media.send({ do: 'watch-voice', leg, watched: effect.watched });
      case 'start-recognition': {
        const { recognition, request } = effect;
        return deps.recognition?.start({ ...request, recognition, track: { said: [leg], heard: [] } });
      }
      case 'finish-recognition':
        return deps.recognition?.finish(effect.recognition);
      case 'cancel-recognition':
        return deps.recognition?.cancel(effect.recognition);
      case 'start-recording':
        return startRecording(carrying, run, effect.recording);
      case 'stop-recording':
        return recordings.stop(effect.uuid);
      case 'send-digits':
        return media.send({ do: 'send-digits', leg, digits: effect.digits });
      case 'dial-leg':
        return dialLeg(carrying, run, effect);
      case 'bridge':
        return bridge(media, mix, leg, effect.leg, true);
      case 'overhear':
        return bridge(media, mix, leg, effect.leg, false);
      case 'unbridge':
        return media.send({ do: 'close-mix', mix });
      case 'join':
        return join(carrying, call, effect);
      case 'start-stream':
        return startStream(carrying, call, effect);
      case 'stop-stream':
        return deps.streams.stop(effect.stream, effect.reason);
      case 'reclaim':
        return reclaim(carrying, leg);
    }
  };
}

function dialLeg(
  { deps, runs }: Carrying,
  { call, current }: DocumentRun,
  order: Extract<RunEffect, { do: 'dial-leg' }>,
) {
  const { leg, spec } = order;
  const dial = current?.state.kind === 'dial' ? current.state.dial.dial.callback : null;
  deps.calls
    .dial({
      leg,
      spec,
      account: call.account,
      mainAccount: call.mainAccount,
      owner: { kind: ownerKind, id: call.leg },
      parentLeg: call.leg,
      ...(dial === null ? {} : { callbacks: { dial } }),
    })
    .catch((error: unknown) => {
      deps.log.error({ leg, err: error }, 'leg of a Dial not recorded');
      const end: CallEnd = callEnds(5010, 'Error');
      runs.send(call.leg, { type: 'leg-ended', leg, end, durationSeconds: 0 });
    });
}

function startRecording(
  { deps, runs }: Carrying,
  { call, parameters }: DocumentRun,
  started: StartedRecording,
) {
  const { uuid, url, format, tracks, maxSeconds, callback, transcript } = started;
  const { leg } = call;
  const spec = { recording: uuid, ownerKind, format, tracks, maxSeconds, callback, transcript };
  deps.recordings.start(recordingOfLeg(call, spec, parameters)).catch((error: unknown) => {
    deps.log.error({ leg, recording: uuid, err: error }, 'recording not started');
    const now = deps.clock.wallNow();
    runs.send(leg, {
      type: 'recording-over',
      recording: uuid,
      url,
      outcome: 'failed',
      because: 'failed',
      durationMs: 0,
      startedAt: now,
      endedAt: now,
      fault: { code: 'internal', sentence: 'the platform failed to start the recording' },
    });
  });
}

function join(
  { deps, runs }: Carrying,
  call: RunCall,
  { join: id, instruction }: Extract<RunEffect, { do: 'join' }>,
) {
  const { leg, account, mainAccount, from, to, callerName } = call;
  deps.multiparty
    .join({ leg, account, mainAccount, from, to, callerName, instruction })
    .then(
      (joined) => (joined.ok ? undefined : joined.problem.sentence),
      (error: unknown) => {
        deps.log.error({ leg, err: error }, 'caller did not join a multiparty call');
        return 'the platform failed to let the caller join';
      },
    )
    .then((refusal) => {
      const joined = instruction.agent === undefined ? 'joined' : 'agent-joined';
      if (refusal === undefined) return runs.send(leg, { type: joined, join: id });
      const sentence = `MultiPartyCall "${instruction.name}": ${refusal}`;
      runs.send(leg, { type: 'join-refused', join: id, sentence });
    });
}

function startStream(
  { deps, runs }: Carrying,
  call: RunCall,
  { stream, instruction }: Extract<RunEffect, { do: 'start-stream' }>,
) {
  const { leg, account, mainAccount, from, to } = call;
  const refuse = (sentence: string) => {
    runs.send(leg, { type: 'warning', sentence: `Stream: ${sentence}` });
    runs.send(leg, { type: 'stream-ended', stream });
  };
  deps.streams
    .start({
      ...streamOf(instruction),
      stream,
      account,
      mainAccount,
      owner: { kind: ownerKind, id: leg },
      callUuid: leg,
      from,
      to,
      tracks: tracksOfLeg(leg, instruction.audioTrack),
      hearers: instruction.bidirectional ? [leg] : [],
      fields: { Direction: deps.calls.peek(leg)?.direction ?? 'inbound' },
    })
    .then(
      (started) => {
        if (!started.ok) refuse(started.problem.sentence);
      },
      (error: unknown) => {
        deps.log.error({ leg, stream, err: error }, 'stream of a document not recorded');
        refuse('the platform failed to start it');
      },
    );
}

function reclaim({ deps }: Carrying, leg: string) {
  deps.calls.take(leg, { kind: ownerKind, id: leg }).catch((error: unknown) => {
    deps.log.error({ leg, err: error }, 'leg not reclaimed from a multiparty call');
  });
}

function bridge(media: Media, mix: string, leg: string, other: string, isHeard: boolean) {
  media.send({ do: 'open-mix', mix });
  media.send({
    do: 'set-hearing',
    mix,
    members: [
      { leg, hears: [other] },
      { leg: other, hears: isHeard ? [leg] : [] },
    ],
  });
}
