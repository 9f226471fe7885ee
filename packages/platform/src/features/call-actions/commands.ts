import type { Media } from '@jackfield/ports';
import { notFound, problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { type LiveLeg, liveCallOf } from '../calls/index.ts';
import type { Recordings } from '../recordings/index.ts';
import { maxRecordingsOfLeg, type PlayKind } from './domain/leg-actions.ts';
import type { RecordingWish, SoundWish } from './parameters.ts';
import { type LegSessions, ownerKind, type SessionDeps } from './sessions.ts';

export interface CommandDeps {
  readonly sessions: LegSessions;
  readonly calls: SessionDeps['calls'];
  readonly recordings: Recordings;
  readonly media: Pick<Media, 'send'>;
  readonly newUuid: () => string;
}

/** On whose path the request came: sees its own calls, and a main account those of its subaccounts. */
export interface Viewer {
  readonly authId: string;
}

export type Legs = 'aleg' | 'bleg' | 'both';

export interface StartedRecording {
  readonly recording: string;
  readonly url: string;
}

export type CallActionCommands = ReturnType<typeof createCommands>;

export function createCommands({ sessions, calls, recordings, media, newUuid }: CommandDeps) {
  /** The answered legs that are meant; `both` means those that there are. */
  function meant(
    viewer: Viewer,
    callUuid: string,
    legs: Legs,
    parameter: string,
  ): Result<readonly LiveLeg[]> {
    const call = liveCallOf(calls, viewer, callUuid);
    if (!call.ok) return call;
    const partner = partnerOf(call.value);
    if (legs === 'bleg' && partner === undefined) {
      const sentence = `${parameter} must be aleg: call ${call.value.leg} has no other leg at this moment`;
      return refused({ ...problem('invalid-parameter', sentence), parameter });
    }
    const all = [...(legs === 'bleg' ? [] : [call.value]), ...(legs === 'aleg' || !partner ? [] : [partner])];
    // With both, a leg that still rings is passed over as long as the other one hears it.
    const answered = all.filter(({ phase }) => phase === 'answered');
    const silent = all[0];
    return answered.length === 0 && silent !== undefined ? refused(notAnswered(silent)) : accepted(answered);
  }

  function partnerOf(call: LiveLeg): LiveLeg | undefined {
    const partner = calls.partnerOf(call.leg);
    return partner === undefined ? undefined : calls.peek(partner);
  }

  async function begin(
    viewer: Viewer,
    callUuid: string,
    legs: Legs,
    kind: PlayKind,
    wish: SoundWish,
  ): Promise<Result<undefined>> {
    const hearers = meant(viewer, callUuid, legs, 'legs');
    if (!hearers.ok) return hearers;
    const through = callUuid.toLowerCase();
    const replies = await Promise.all(
      hearers.value.map(({ leg, account, mainAccount }) =>
        sessions.ask(leg, {
          type: 'begin-play',
          kind,
          play: { play: newUuid(), through },
          order: { ...wish, account, mainAccount },
        }),
      ),
    );
    return replies.includes('done') ? accepted(undefined) : refused(notFound('live call', callUuid));
  }

  /** What has ended by itself a moment ago is no mistake of whoever stops it. */
  async function end(viewer: Viewer, callUuid: string, kind: PlayKind): Promise<Result<undefined>> {
    const call = liveCallOf(calls, viewer, callUuid);
    if (!call.ok) return call;
    const { leg } = call.value;
    const partner = calls.partnerOf(leg);
    const input = { type: 'end-play', kind, through: leg } as const;
    const legs = [leg, ...(partner === undefined ? [] : [partner])];
    await Promise.all(legs.filter(sessions.peek).map((each) => sessions.ask(each, input)));
    return accepted(undefined);
  }

  async function record(
    viewer: Viewer,
    callUuid: string,
    wish: RecordingWish,
  ): Promise<Result<StartedRecording>> {
    const found = meant(viewer, callUuid, 'aleg', 'call_uuid');
    if (!found.ok) return found;
    const call = found.value[0] as LiveLeg;
    const { leg, account } = call;
    const recording = newUuid();
    const url = recordings.urlOf({ recording, account, format: wish.format });
    const reply = await sessions.ask(leg, { type: 'begin-recording', recording: { recording, url } });
    if (reply === 'full') {
      const sentence = `call ${leg} is being recorded ${maxRecordingsOfLeg} times already: stop one of the recordings first`;
      return refused(problem('limit-reached', sentence));
    }
    if (reply !== 'done') return refused(notFound('live call', callUuid));
    try {
      await recordings.start(orderOf(call, recording, wish));
    } catch (error) {
      sessions.send(leg, { type: 'recording-over', recording });
      throw error;
    }
    // It may have been stopped, or the call may have ended, before there was anything to stop.
    const isWanted = sessions.peek(leg)?.recordings.some((each) => each.recording === recording) ?? false;
    if (!isWanted) recordings.stop(recording);
    return accepted({ recording, url });
  }

  function orderOf(
    call: LiveLeg,
    recording: string,
    wish: RecordingWish,
  ): Parameters<Recordings['start']>[0] {
    const { leg, account, mainAccount, from, to } = call;
    const said = [leg];
    return {
      recording,
      account,
      mainAccount,
      owner: { kind: ownerKind, id: leg },
      type: 'normal',
      callUuid: leg,
      from,
      to,
      format: wish.format,
      tracks:
        wish.channels === 'mono'
          ? [{ said, heard: said }]
          : [
              { said, heard: [] },
              { said: [], heard: said },
            ],
      maxSeconds: wish.maxSeconds,
      ...(wish.callback === null
        ? {}
        : {
            callback: {
              ...wish.callback,
              fields: calls.parametersOf(call),
              resource: `call/${leg}`,
            },
          }),
    };
  }

  async function endRecordings(
    viewer: Viewer,
    callUuid: string,
    which: string | null,
  ): Promise<Result<undefined>> {
    const call = liveCallOf(calls, viewer, callUuid);
    if (!call.ok) return call;
    const { leg } = call.value;
    const input = { type: 'end-recordings', which } as const;
    const reply = sessions.peek(leg) === undefined ? 'none' : await sessions.ask(leg, input);
    if (reply === 'done') return accepted(undefined);
    return refused(
      which === null
        ? problem('not-found', `call ${leg} is not being recorded by this API`)
        : notFound(`running recording of call ${leg}`, which),
    );
  }

  return {
    begin,
    end,
    record,
    endRecordings,
    sendDigits(viewer: Viewer, callUuid: string, legs: Legs, digits: string): Result<undefined> {
      const receivers = meant(viewer, callUuid, legs, 'leg');
      if (!receivers.ok) return receivers;
      for (const { leg } of receivers.value) media.send({ do: 'send-digits', leg, digits });
      return accepted(undefined);
    },
  };
}

function notAnswered({ leg }: LiveLeg) {
  return problem('conflict', `call ${leg} has not been answered yet`);
}
