import type { Instant, StreamTrack } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { notFound, problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { type Calls, type LiveLeg, liveCallOf } from '../calls/index.ts';
import type { NewStream } from './domain/new-stream.ts';
import type { StreamSpec } from './parameters.ts';
import type { Streams } from './public-api.ts';
import type { Streamed, StreamQueries, Viewer } from './queries.ts';
import type { StreamRow } from './tables.ts';

export interface CallStreamDeps {
  readonly calls: Pick<Calls, 'peek'> & {
    /** True for a live or recorded call that the viewer may see. */
    isKnown(viewer: RequestAccount, call: string): Promise<boolean>;
  };
  readonly start: Streams['start'];
  readonly stop: Streams['stop'];
  /** See `Sessions.nowOf`. */
  readonly nowOf: (stream: string) => Instant;
  readonly queries: StreamQueries;
  readonly newUuid: () => string;
  /** Kind of owner of streams that the API starts. */
  readonly owner: string;
}

export type StreamCommands = ReturnType<typeof createCommands>;

export function createCommands({ calls, start, stop, nowOf, queries, newUuid, owner }: CallStreamDeps) {
  async function stopOne(viewer: Viewer, streamed: Streamed, stream: string): Promise<Result<undefined>> {
    const row = await queries.find(viewer, streamed, stream);
    if (row === undefined || row.ended_at !== null) return refused(notFound('live stream', stream));
    stop(row.stream_id, 'API request');
    return accepted(undefined);
  }

  async function stopAll(viewer: Viewer, streamed: Streamed): Promise<void> {
    for (const { stream_id } of await queries.live(viewer, streamed)) stop(stream_id, 'API request');
  }

  return {
    stopOne,
    stopAll,
    nowOf,

    /** The same refusal for unknown calls and for calls of other accounts. */
    async known(viewer: RequestAccount, callUuid: string): Promise<Result<Streamed>> {
      const call = callUuid.toLowerCase();
      if (liveCallOf(calls, viewer, call).ok || (await calls.isKnown(viewer, call)))
        return accepted({ call });
      return refused(notFound('call', callUuid));
    },

    async startOnCall(
      viewer: RequestAccount,
      callUuid: string,
      spec: StreamSpec,
    ): Promise<Result<StreamRow>> {
      const found = liveCallOf(calls, viewer, callUuid);
      if (!found.ok) return found;
      const call = found.value;
      if (call.phase !== 'answered') {
        return refused(problem('conflict', `call ${call.leg} has not been answered yet`));
      }
      const stream = newUuid();
      const started = await start({
        ...spec,
        stream,
        ...streamOfLeg(call, spec),
        owner: { kind: owner, id: call.leg },
      });
      if (!started.ok) return started;
      const row = await queries.find(viewer, { call: call.leg }, stream);
      return row === undefined ? refused(notFound('stream', stream)) : accepted(row);
    },
  };
}

/** The settings that come from the leg. */
function streamOfLeg(
  { leg, account, mainAccount, from, to, direction }: LiveLeg,
  { audioTrack, bidirectional }: Pick<NewStream, 'audioTrack' | 'bidirectional'>,
): Pick<NewStream, 'account' | 'mainAccount' | 'callUuid' | 'from' | 'to' | 'tracks' | 'hearers' | 'fields'> {
  return {
    account,
    mainAccount,
    callUuid: leg,
    from,
    to,
    tracks: tracksOfLeg(leg, audioTrack),
    hearers: bidirectional ? [leg] : [],
    fields: { Direction: direction },
  };
}

/** Inbound is the audio from the phone, for calls of both directions. */
export function tracksOfLeg(leg: string, audioTrack: NewStream['audioTrack']): readonly StreamTrack[] {
  const inbound = { name: 'inbound', said: [leg], heard: [], keysOf: [leg] };
  const outbound = { name: 'outbound', said: [], heard: [leg] };
  switch (audioTrack) {
    case 'inbound':
      return [inbound];
    case 'outbound':
      return [outbound];
    case 'both':
      return [inbound, outbound];
  }
}
