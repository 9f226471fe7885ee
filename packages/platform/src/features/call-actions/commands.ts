import { notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { liveCallOf } from '../calls/index.ts';
import type { PlayKind } from './domain/leg-actions.ts';
import { type CommandDeps, type Legs, requestedLegs, type Viewer } from './legs/requested-legs.ts';
import type { SoundSpec } from './parameters.ts';

/** Begins a play on each requested leg. */
export async function beginPlay(
  deps: CommandDeps,
  viewer: Viewer,
  callUuid: string,
  legs: Legs,
  kind: PlayKind,
  spec: SoundSpec,
): Promise<Result<undefined>> {
  const { sessions, newUuid } = deps;
  const listeners = requestedLegs(deps, viewer, callUuid, legs, 'legs');
  if (!listeners.ok) return listeners;
  const through = callUuid.toLowerCase();
  const replies = await Promise.all(
    listeners.value.map(({ leg, account, mainAccount }) =>
      sessions.ask(leg, {
        type: 'begin-play',
        kind,
        play: { play: newUuid(), through },
        order: { ...spec, account, mainAccount },
      }),
    ),
  );
  return replies.includes('done') ? accepted(undefined) : refused(notFound('live call', callUuid));
}

/** A play that has just ended by itself is no mistake of the client that stops it. */
export async function endPlay(
  { sessions, calls }: CommandDeps,
  viewer: Viewer,
  callUuid: string,
  kind: PlayKind,
): Promise<Result<undefined>> {
  const call = liveCallOf(calls, viewer, callUuid);
  if (!call.ok) return call;
  const { leg } = call.value;
  const partner = calls.partnerOf(leg);
  const input = { type: 'end-play', kind, through: leg } as const;
  const legs = [leg, ...(partner === undefined ? [] : [partner])];
  await Promise.all(legs.filter(sessions.peek).map((each) => sessions.ask(each, input)));
  return accepted(undefined);
}

export function sendDigits(
  deps: CommandDeps,
  viewer: Viewer,
  callUuid: string,
  legs: Legs,
  digits: string,
): Result<undefined> {
  const receivers = requestedLegs(deps, viewer, callUuid, legs, 'leg');
  if (!receivers.ok) return receivers;
  for (const { leg } of receivers.value) deps.media.send({ do: 'send-digits', leg, digits });
  return accepted(undefined);
}
