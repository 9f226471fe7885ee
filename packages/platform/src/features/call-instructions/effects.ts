import type { Logger, Media } from '@jackfield/ports';
import type { Result } from '../../kernel/result.ts';
import { withoutSecrets } from '../../kernel/shown-url.ts';
import { type CallEnd, type Calls, callEnds } from '../calls/index.ts';
import type { Recordings } from '../recordings/index.ts';
import type { Sounds } from '../sounds/index.ts';
import { type Streams, tracksOfLeg } from '../streams/index.ts';
import type { DocumentRun, RunCall, RunEffect, RunInput } from './domain/document-run.ts';
import type { StartedRecording } from './domain/elements/element.ts';
import type { MultiPartyCall } from './domain/instruction.ts';
import { readDocument } from './parse/read-document.ts';
import { type FetchDeps, fetchDocument } from './runs/fetch-document.ts';
import { planDocument } from './runs/plan.ts';
import { streamOf } from './runs/stream-of.ts';

/** Where documents send callers: the door of the multiparty calls feature, as far as it is needed here. */
export interface MultipartyJoin {
  /**
   * Has the leg lent to the multiparty call of that name, which is created where none is. A refusal is told in its sentence; after
   * success `leg-returned` comes when the participant has left, with what `onExitAction` is told.
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
  readonly newUuid: () => string;
}

/** Legs of documents are owned under this name; the owner's id is the leg that the documents run on. */
export const ownerKind = 'document';

/** The only function that gives orders to calls, sounds, recordings and media for documents. */
export function createPerform(deps: EffectDeps, runs: { send(leg: string, input: RunInput): void }) {
  const { calls, sounds, recordings, media, log } = deps;
  const fetches = new Map<string, AbortController>();

  function fetch({ call, parameters }: DocumentRun, order: Extract<RunEffect, { do: 'fetch' }>) {
    const { fetch: fetchId, request, fields } = order;
    const { leg, account, mainAccount } = call;
    const key = `${leg}/${fetchId}`;
    const stop = new AbortController();
    fetches.set(key, stop);
    const wanted = {
      request,
      fields: { ...parameters, ...fields },
      account,
      mainAccount,
      signal: stop.signal,
    };
    const askedAt = deps.clock.now();
    fetchDocument(deps, wanted)
      .then((fetched) => {
        const outcome = fetched.ok ? { status: 200 } : { problem: fetched.sentence };
        const durationMs = deps.clock.now() - askedAt;
        const { method, url } = request;
        log.debug({ leg, method, url: withoutSecrets(url), ...outcome, durationMs }, 'document requested');
        return fetched;
      })
      .then((fetched): RunInput => {
        if (!fetched.ok) {
          const { fault, sentence } = fetched;
          return { type: 'document-failed', fetch: fetchId, fault, sentence };
        }
        const read = readDocument(fetched.body);
        if (!read.ok) {
          return { type: 'document-failed', fetch: fetchId, fault: read.fault, sentence: read.sentence };
        }
        const elements = planDocument(read.instructions, account, deps);
        return { type: 'document-fetched', fetch: fetchId, elements, remarks: read.remarks };
      })
      .catch((error: unknown): RunInput => {
        log.error({ leg, err: error }, 'A document could not be fetched.');
        const sentence = 'the platform failed to fetch the document';
        return { type: 'document-failed', fetch: fetchId, fault: 'unreachable', sentence };
      })
      .then((input) => {
        fetches.delete(key);
        if (!stop.signal.aborted) runs.send(leg, input);
      });
  }

  function giveUp(key: string) {
    fetches.get(key)?.abort();
    fetches.delete(key);
  }

  /** Nobody waits for the answer; that it did not arrive is worth a remark. */
  function tell({ call, parameters }: DocumentRun, { request, fields }: Extract<RunEffect, { do: 'tell' }>) {
    const { leg, account, mainAccount } = call;
    const { signal } = new AbortController();
    const wanted = {
      request,
      fields: { ...parameters, ...fields },
      account,
      mainAccount,
      signal,
    };
    fetchDocument(deps, wanted).then(
      (told) => {
        if (!told.ok) runs.send(leg, { type: 'remark', sentence: told.sentence });
      },
      (error: unknown) => log.error({ leg, err: error }, 'An action could not be told.'),
    );
  }

  function dialLeg(call: RunCall, order: Extract<RunEffect, { do: 'dial-leg' }>) {
    const { do: _, sendDigits, sendOnPreanswer, ...leg } = order;
    calls
      .dial({
        ...leg,
        ...(sendDigits === '' ? {} : { sendDigits, sendOnPreanswer }),
        account: call.account,
        mainAccount: call.mainAccount,
        owner: { kind: ownerKind, id: call.leg },
        parentLeg: call.leg,
      })
      .catch((error: unknown) => {
        log.error({ leg: order.leg, err: error }, 'A leg that a document dials could not be recorded.');
        const end: CallEnd = callEnds(5010, 'Error');
        runs.send(call.leg, { type: 'leg-ended', leg: order.leg, end, durationSeconds: 0 });
      });
  }

  function startRecording({ call, parameters }: DocumentRun, started: StartedRecording) {
    const { uuid, url, format, tracks, maxSeconds, callback } = started;
    const { leg, account, mainAccount, from, to } = call;
    recordings
      .start({
        recording: uuid,
        account,
        mainAccount,
        owner: { kind: ownerKind, id: leg },
        type: 'normal',
        callUuid: leg,
        from,
        to,
        format,
        tracks,
        maxSeconds,
        ...(callback === null
          ? {}
          : { callback: { ...callback, fields: parameters, resource: `call/${leg}` } }),
      })
      .catch((error: unknown) => {
        log.error({ leg, recording: uuid, err: error }, 'A recording could not be started.');
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
        });
      });
  }

  function join(call: RunCall, { join: id, instruction }: Extract<RunEffect, { do: 'join' }>) {
    const { leg, account, mainAccount, from, to, callerName } = call;
    deps.multiparty
      .join({ leg, account, mainAccount, from, to, callerName, instruction })
      .then(
        (joined) => (joined.ok ? undefined : joined.problem.sentence),
        (error: unknown) => {
          log.error({ leg, err: error }, 'A caller could not join a multiparty call.');
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

  function startStream(call: RunCall, { stream, instruction }: Extract<RunEffect, { do: 'start-stream' }>) {
    const { leg, account, mainAccount, from, to } = call;
    const refuse = (sentence: string) => {
      runs.send(leg, { type: 'remark', sentence: `Stream: ${sentence}` });
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
        fields: { Direction: calls.peek(leg)?.direction ?? 'inbound' },
      })
      .then(
        (started) => {
          if (!started.ok) refuse(started.problem.sentence);
        },
        (error: unknown) => {
          log.error({ leg, stream, err: error }, 'A stream of a document could not be recorded.');
          refuse('the platform failed to start it');
        },
      );
  }

  function reclaim(leg: string) {
    calls.take(leg, { kind: ownerKind, id: leg }).catch((error: unknown) => {
      log.error({ leg, err: error }, 'A leg could not be called back from a multiparty call.');
    });
  }

  function bridge(mix: string, leg: string, other: string, isHeard: boolean) {
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

  return function perform(run: DocumentRun, effect: Exclude<RunEffect, { do: 'emit' }>) {
    const { call } = run;
    const { leg } = call;
    // The run's own, and not that of a direct call which had the leg before.
    const mix = `document/${call.run}`;
    switch (effect.do) {
      case 'fetch':
        return fetch(run, effect);
      case 'give-up-fetch':
        return giveUp(`${leg}/${effect.fetch}`);
      case 'tell':
        return tell(run, effect);
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
      case 'start-recording':
        return startRecording(run, effect.recording);
      case 'stop-recording':
        return recordings.stop(effect.uuid);
      case 'send-digits':
        return media.send({ do: 'send-digits', leg, digits: effect.digits });
      case 'dial-leg':
        return dialLeg(call, effect);
      case 'bridge':
        return bridge(mix, leg, effect.leg, true);
      case 'overhear':
        return bridge(mix, leg, effect.leg, false);
      case 'unbridge':
        return media.send({ do: 'close-mix', mix });
      case 'join':
        return join(call, effect);
      case 'start-stream':
        return startStream(call, effect);
      case 'stop-stream':
        return deps.streams.stop(effect.stream, effect.reason);
      case 'reclaim':
        return reclaim(leg);
    }
  };
}
