import type { PlayItem } from '../../sounds/index.ts';
import { hears } from './hearing.ts';
import type { Members, MultipartyCall, MultipartyCallEffect, Refusal } from './multiparty-call.ts';
import { type Callback, isPresent, type Participant } from './participant.ts';
import type { RequestedPlay, RoomPlay } from './room-play.ts';

/** Limit of entry sounds, exit sounds and announcements: a file of an hour would disturb the call. */
export const longestEdgeSoundMs = 60_000;

/** Plays at the same time in one call; each requested set of members has one. */
const maxPlays = 20;

/** Members present at the request hear it; members who join later do not. */
export function playedTo(
  call: MultipartyCall,
  requested: RequestedPlay,
  members: Members,
): MultipartyCall | Refusal {
  const isReplaced = isPlayTo(members, requested.of);
  const others = call.plays.filter((each) => !isReplaced(each));
  const chosen = listenersFor(call, members, others.length < call.plays.length);
  if ('because' in chosen) return chosen;
  if (others.filter(({ of }) => of !== 'edge').length >= maxPlays) {
    return { because: 'too-many-plays', maxPlays };
  }
  const play: RoomPlay = {
    ...requested,
    form: formOf(members),
    listeners: chosen.map(({ leg }) => leg),
    memberIds: chosen.map(({ memberId }) => memberId),
    reachesHeld: members !== 'all',
    hasFailed: false,
  };
  return { ...call, plays: [...others, play] };
}

/** `isRunning`: a play to these members runs, so that all were present once; a member who has left since is no mistake. */
function listenersFor(
  call: MultipartyCall,
  members: Members,
  isRunning: boolean,
): readonly Participant[] | Refusal {
  if (members === 'all') {
    const all = call.participants.filter((each) => isPresent(each) && !each.hold);
    return all.length === 0 ? { because: 'none-present' } : all;
  }
  for (const memberId of isRunning ? [] : members) {
    const participant = call.participants.find((each) => each.memberId === memberId);
    if (participant === undefined) return { because: 'no-such-member', memberId };
    if (!isPresent(participant)) return { because: 'not-present', memberId };
  }
  return call.participants.filter(({ memberId }) => members.includes(memberId));
}

/** docs/interface/multiparty-calls.md#operations: stops only the play that was requested with the same members. */
export function playStopped(
  call: MultipartyCall,
  of: 'play' | 'speak',
  members: Members,
): MultipartyCall | Refusal {
  const isStopped = isPlayTo(members, of);
  const plays = call.plays.filter((each) => !isStopped(each));
  if (plays.length < call.plays.length) return { ...call, plays };
  const unknown =
    members === 'all'
      ? undefined
      : members.find((id) => !call.participants.some(({ memberId }) => memberId === id));
  return unknown === undefined ? call : { because: 'no-such-member', memberId: unknown };
}

/** The play of one listener ended by itself. */
export function soundOver(call: MultipartyCall, key: string, hasFailed: boolean): MultipartyCall {
  const isIt = (play: RoomPlay) => play.listeners.some((leg) => keyFor(play, leg) === key);
  if (!call.plays.some(isIt)) return call;
  const plays = call.plays.map((play) =>
    isIt(play)
      ? {
          ...play,
          listeners: play.listeners.filter((leg) => keyFor(play, leg) !== key),
          hasFailed: play.hasFailed || hasFailed,
        }
      : play,
  );
  return { ...call, plays };
}

/** Plays the entry or exit sound of a participant if it is a URL. */
export function withEdgeSound(
  call: MultipartyCall,
  edge: 'enter' | 'exit',
  whose: Participant,
): MultipartyCall {
  const sound = edge === 'enter' ? whose.enterSound : whose.exitSound;
  const audience = audienceOf(call, whose);
  if (typeof sound === 'string' || call.status !== 'active' || audience.length === 0) return call;
  const play: RoomPlay = {
    key: `${edge}-${whose.memberId}`,
    of: 'edge',
    form: '',
    items: [sourceItem(sound)],
    loop: 1,
    alone: false,
    lengthMs: longestEdgeSoundMs,
    callback: null,
    listeners: audience.map(({ leg }) => leg),
    memberIds: audience.map(({ memberId }) => memberId),
    reachesHeld: false,
    hasFailed: false,
  };
  return { ...call, plays: [...call.plays, play] };
}

/**
 * Who hears that a participant enters or leaves: the participant, and the members in the conversation who could hear it. So
 * no customer learns of a coach.
 */
export function audienceOf(
  { participants }: Pick<MultipartyCall, 'participants'>,
  whose: Participant,
): readonly Participant[] {
  const heard = { ...whose, mute: false, hold: false };
  return participants.filter(
    (each) => isPresent(each) && !each.hold && (each.leg === whose.leg || hears(each, heard)),
  );
}

/** Removes listeners who left or are on hold now; they do not hear the rest later. A play without listeners is over. */
export function withoutGone(call: MultipartyCall): MultipartyCall {
  if (call.plays.length === 0) return call;
  if (call.status === 'ended') return { ...call, plays: [] };
  const present = new Map(call.participants.filter(isPresent).map((each) => [each.leg, each]));
  const plays = call.plays.flatMap((play): readonly RoomPlay[] => {
    const listeners = play.listeners.filter((leg) => {
      const listener = present.get(leg);
      return listener !== undefined && (play.reachesHeld || !listener.hold);
    });
    if (listeners.length === 0) return [];
    return [listeners.length === play.listeners.length ? play : { ...play, listeners }];
  });
  const isSame = plays.length === call.plays.length && plays.every((each, at) => each === call.plays[at]);
  return isSame ? call : { ...call, plays };
}

/**
 * Stops come first, so that a removed listener does not hear the next sound. `ended`: the sound of one listener that ended by
 * itself.
 */
export function playChanges(
  before: MultipartyCall,
  after: MultipartyCall,
  ended: { readonly key: string; readonly hasFailed: boolean } | null,
): { readonly first: readonly MultipartyCallEffect[]; readonly last: readonly MultipartyCallEffect[] } {
  if (before.plays === after.plays) return { first: [], last: [] };
  const first: MultipartyCallEffect[] = [];
  const last: MultipartyCallEffect[] = [];
  const known = new Map(before.plays.map((play) => [play.key, play]));
  const kept = new Map(after.plays.map((play) => [play.key, play]));
  for (const play of before.plays) {
    const now = kept.get(play.key);
    for (const leg of play.listeners) {
      const key = keyFor(play, leg);
      if (!now?.listeners.includes(leg) && key !== ended?.key) first.push({ do: 'stop-sound', key });
    }
    if (now !== undefined || play.callback === null) continue;
    const hasFailed = play.hasFailed || ended?.hasFailed === true;
    const outcome = hasFailed ? 'failed' : ended === null ? 'stopped' : 'completed';
    const { callback: request, memberIds } = play;
    last.push({ do: 'emit', event: { type: 'speak-over', memberIds, outcome, request } });
  }
  const { account, mainAccount } = after;
  for (const play of after.plays) {
    if (known.has(play.key)) continue;
    const { items, loop, alone, lengthMs, listeners } = play;
    const partOf = { play: play.key, to: listeners };
    for (const leg of listeners) {
      const key = keyFor(play, leg);
      last.push({
        do: 'start-sound',
        key,
        account,
        mainAccount,
        to: [leg],
        items,
        loop,
        alone,
        ...(lengthMs === null ? {} : { lengthMs }),
        ...(listeners.length === 1 ? {} : { partOf }),
      });
    }
  }
  return { first, last };
}

/** The content of a URL: audio, or a document of sounds. */
export function sourceItem({ url, method }: Callback): PlayItem {
  return { kind: 'source', url, method };
}

const prefix = 'play:';

/** Whether a key belongs to a play; other keys belong to sounds that follow from the state. */
export function isKeyOfPlay(key: string): boolean {
  return key.startsWith(prefix);
}

function keyFor({ key }: RoomPlay, leg: string): string {
  return `${prefix}${key}:${leg}`;
}

function isPlayTo(members: Members, of: RoomPlay['of']): (play: RoomPlay) => boolean {
  const form = formOf(members);
  return (play) => play.of === of && play.form === form;
}

/** The order of the members does not matter. */
function formOf(members: Members): string {
  return members === 'all' ? members : [...new Set(members)].sort((one, other) => one - other).join();
}
