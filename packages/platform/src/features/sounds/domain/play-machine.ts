import type { Instant, Machine, Step, TimerFired } from '@jackfield/ports';
import { endsTooEarly } from './listeners.ts';
import type { Load, Play, PlayEffect, PlayInput, Round } from './play.ts';
import type { PlayItem, PlayOrder } from './play-order.ts';
import { itemAfter, positionAfter } from './play-position.ts';
import { builtInSound, durationOf, type PlayableSound } from './playable-sound.ts';

/** A failed file is not requested again sooner, however short the round. */
const failedAgainMs = 10_000;

export const playMachine: Machine<Play, PlayInput | TimerFired, PlayEffect> = { step };

function step(play: Play, input: PlayInput, now: Instant): Step<Play, PlayEffect> {
  if (play.phase === 'over') return { state: play, effects: [] };
  const effects: PlayEffect[] = [];
  return { state: next(play, input, now, effects), effects };
}

function next(play: Play, input: PlayInput, now: Instant, effects: PlayEffect[]): Play {
  switch (input.type) {
    case 'ordered':
      effects.push({ do: 'open-mix' });
      if (play.order.items.length === 0) return end(play, 'finished', effects);
      if (mayBeEndless(play.order)) effects.push({ do: 'watch-listeners' });
      return proceed({ ...play, round: freshRound(now) }, now, effects);
    case 'item-loaded':
      return settled(play, input.load, now, effects, () => ({
        is: 'loaded',
        load: input.load,
        playable: input.playable,
      }));
    case 'item-unfolded':
      return unfolded(play, input, now, effects);
    case 'item-failed':
      return settled(noteProblem(play, input, effects), input.load, now, effects, () => ({
        is: 'failed',
        at: now,
      }));
    case 'item-broke-off':
      return noteProblem(play, input, effects);
    case 'sound-ended':
      if (play.phase !== 'sounding' || input.sound !== play.sound) return play;
      return soundEnded(play, now, effects);
    case 'listeners-gone':
      return end(play, 'finished', effects);
    case 'stopped':
      return end(play, 'stopped', effects);
    case 'timer-fired':
      if (input.key === 'length') return end(play, 'finished', effects);
      return play.phase === 'silent' ? advance(play, now, effects) : play;
  }
}

function settled(play: Play, load: number, now: Instant, effects: PlayEffect[], to: () => Load): Play {
  const item = itemOfLoad(play, load);
  if (item === undefined) return play;
  const changed = { ...play, loads: new Map(play.loads).set(item, to()) };
  return play.phase === 'loading' && item === play.position.item ? proceed(changed, now, effects) : changed;
}

/** The prompts of a document replace the item that led to it. */
function unfolded(
  play: Play,
  { load, document, isReported }: Extract<PlayInput, { readonly type: 'item-unfolded' }>,
  now: Instant,
  effects: PlayEffect[],
): Play {
  if (itemOfLoad(play, load) === undefined) return play;
  const { order } = play;
  if (document.warnings.length > 0 && isReported !== true)
    report(order, 'sound.warning', { warnings: document.warnings }, effects);
  const items = order.loop === 0 ? document.items : document.items.map(withEnd);
  const next = { ...play, order: { ...order, items }, loads: new Map() };
  if (items.length === 0) return end(next, 'finished', effects);
  return proceed(next, now, effects);
}

/** Without an end the owner would wait for `play-over` for ever. */
function withEnd(item: PlayItem): PlayItem {
  return item.kind !== 'silence' && item.loop === 0 ? { ...item, loop: 1 } : item;
}

/** Reports the first problem of each item; later rounds would only repeat it. */
function noteProblem(
  play: Play,
  {
    type,
    load,
    code,
    sentence,
    isReported,
  }: Extract<PlayInput, { readonly type: 'item-failed' | 'item-broke-off' }>,
  effects: PlayEffect[],
): Play {
  const item = itemOfLoad(play, load);
  if (item === undefined || play.problems.some((problem) => problem.item === item)) return play;
  const event = type === 'item-failed' ? 'sound.failed' : 'sound.broken-off';
  if (isReported !== true)
    report(play.order, event, { item, problem: sentence, problem_code: code }, effects);
  return { ...play, problems: [...play.problems, { item, code, sentence }] };
}

function report(
  { account, mainAccount, partOf, ...own }: PlayOrder,
  type: 'sound.failed' | 'sound.broken-off' | 'sound.warning',
  what: Readonly<Record<string, unknown>>,
  effects: PlayEffect[],
): void {
  if (account === undefined || mainAccount === undefined) return;
  const { to, play } = partOf ?? own;
  const resource = to.length === 1 ? `call/${to[0]}` : `play/${play}`;
  const payload = { play, call_uuids: to, ...what };
  effects.push({ do: 'emit', event: { type, account, mainAccount, resource, payload } });
}

function itemOfLoad(play: Play, load: number): number | undefined {
  for (const [item, one] of play.loads) if (one.is !== 'failed' && one.load === load) return item;
  return undefined;
}

/** Goes on at the position and skips failed items, until a sound plays or the play waits. */
function proceed(from: Play, now: Instant, effects: PlayEffect[]): Play {
  let play = from;
  for (;;) {
    play = prepare(play, now, effects);
    const item = play.order.items[play.position.item]!;
    const isNothing = item.kind === 'silence' && item.durationMs <= 0;
    if (!isNothing) {
      if (item.kind === 'silence' && play.order.alone !== true) return beSilent(play, item, now, effects);
      const playable = builtInSound(item);
      if (playable !== undefined) return sound(play, playable, now, effects);
      const load = play.loads.get(play.position.item)!;
      if (load.is === 'loading') return { ...play, phase: 'loading' };
      if (load.is === 'loaded') return sound(play, load.playable, now, effects);
      play = { ...play, round: { ...play.round, hasFailed: true } };
    }
    const passed = pass(play, true, now);
    if (passed === undefined) return end(play, 'finished', effects);
    play = passed;
  }
}

/** Loads the current item and the next one; frees all others. */
function prepare(play: Play, now: Instant, effects: PlayEffect[]): Play {
  const needed = [play.position.item, itemAfter(play.order, play.position)];
  const loads = new Map<number, Load>();
  let { counter } = play;
  for (const item of needed) {
    if (item === undefined || loads.has(item)) continue;
    const content = play.order.items[item]!;
    if (content.kind === 'built-in' || content.kind === 'silence') continue;
    const known = play.loads.get(item);
    if (known !== undefined && !(known.is === 'failed' && now - known.at >= failedAgainMs)) {
      loads.set(item, known);
      continue;
    }
    const load = ++counter;
    loads.set(item, { is: 'loading', load });
    effects.push({ do: 'load', load, index: item, item: content });
  }
  for (const [item, one] of play.loads) {
    if (loads.get(item) === one) continue;
    if (one.is !== 'failed') effects.push({ do: 'unload', load: one.load });
    else if (!loads.has(item) && now - one.at < failedAgainMs) loads.set(item, one);
  }
  return { ...play, loads, counter };
}

function sound(play: Play, { sound }: PlayableSound, now: Instant, effects: PlayEffect[]): Play {
  const begun = begin(play, now, effects);
  const number = begun.counter + 1;
  effects.push({ do: 'sound', number, sound, loop: isEndless(play) });
  if (!begun.isHeard && play.order.items[play.position.item]!.kind !== 'silence') {
    effects.push({ do: 'notify', notice: { type: 'play-begun', play: play.order.play } });
    return { ...begun, phase: 'sounding', counter: number, sound: number, soundBeganAt: now, isHeard: true };
  }
  return { ...begun, phase: 'sounding', counter: number, sound: number, soundBeganAt: now };
}

function beSilent(
  play: Play,
  { durationMs }: { readonly durationMs: number },
  now: Instant,
  effects: PlayEffect[],
): Play {
  const begun = begin(play, now, effects);
  effects.push({ do: 'start-timer', key: 'silence', at: now + durationMs });
  return { ...begun, phase: 'silent' };
}

function begin(play: Play, now: Instant, effects: PlayEffect[]): Play {
  const { lengthMs } = play.order;
  if (!play.hasBegun && lengthMs !== undefined) {
    effects.push({ do: 'start-timer', key: 'length', at: now + lengthMs });
  }
  return play.hasBegun ? play : { ...play, hasBegun: true };
}

function mayBeEndless({ items, loop }: PlayOrder): boolean {
  return loop === 0 || items.some((item) => item.kind !== 'silence' && item.loop === 0);
}

/** Repeated by the media engine itself, which leaves no gap. */
function isEndless({ order, position }: Play): boolean {
  const item = order.items[position.item]!;
  if (item.kind === 'silence') return false;
  return item.loop === 0 || (order.items.length === 1 && order.loop === 0);
}

function soundEnded(play: Play, now: Instant, effects: PlayEffect[]): Play {
  const item = play.order.items[play.position.item]!;
  const load = play.loads.get(play.position.item);
  const playable = builtInSound(item) ?? (load?.is === 'loaded' ? load.playable : undefined);
  const isGone = isEndless(play) || endsTooEarly(now - play.soundBeganAt, durationOf(playable));
  if (isGone) return end({ ...play, phase: 'loading' }, 'finished', effects);
  return advance({ ...play, phase: 'loading' }, now, effects);
}

function advance(play: Play, now: Instant, effects: PlayEffect[]): Play {
  const isSound = play.order.items[play.position.item]!.kind !== 'silence';
  const round = isSound ? { ...play.round, hasPlayed: true } : play.round;
  const passed = pass({ ...play, round }, false, now);
  return passed === undefined ? end(play, 'finished', effects) : proceed(passed, now, effects);
}

/** To the next position; undefined at the end, and after a round in which no sound was heard and no time passed. */
function pass(play: Play, wholeItem: boolean, now: Instant): Play | undefined {
  const position = positionAfter(play.order, play.position, wholeItem);
  if (position === undefined) return undefined;
  if (position.round === play.position.round) return { ...play, position };
  const { beganAt, hasPlayed, hasFailed } = play.round;
  if (!hasPlayed && (hasFailed || now === beganAt)) return undefined;
  return { ...play, position, round: freshRound(now) };
}

function freshRound(now: Instant): Round {
  return { beganAt: now, hasPlayed: false, hasFailed: false };
}

function end(play: Play, because: 'finished' | 'stopped', effects: PlayEffect[]): Play {
  if (play.phase === 'sounding') effects.push({ do: 'stop-sound', number: play.sound });
  effects.push({ do: 'close-mix' });
  for (const load of play.loads.values()) {
    if (load.is !== 'failed') effects.push({ do: 'unload', load: load.load });
  }
  const problems = play.problems.toSorted((one, other) => one.item - other.item);
  const notice = { type: 'play-over', play: play.order.play, because, problems } as const;
  effects.push({ do: 'notify', notice });
  return { ...play, phase: 'over', loads: new Map() };
}
