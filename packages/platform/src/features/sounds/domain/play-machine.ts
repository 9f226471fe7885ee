import type { Instant, Machine, Sound, Step, TimerFired } from '@jackfield/ports';
import { builtInSound } from './built-in-sound.ts';
import type { Load, Play, PlayEffect, PlayInput, Round } from './play.ts';
import type { PlayItem, PlayOrder } from './play-order.ts';
import { itemAfter, type PlayPosition, positionAfter } from './play-position.ts';

/** A failed file is not requested again sooner, however short the round. */
const failedAgainMs = 10_000;

export const playMachine: Machine<Play, PlayInput | TimerFired, PlayEffect> = { step };

function step(play: Play, input: PlayInput, now: Instant): Step<Play, PlayEffect> {
  if (play.phase === 'over') return { state: play, effects: [] };
  const effects: PlayEffect[] = [];
  return { state: withNextSound(next(play, input, now, effects), effects), effects };
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
        sound: input.sound,
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
      return soundEnded(play, input, now, effects);
    case 'listeners-gone':
      return end(play, 'finished', effects);
    case 'stopped':
      return end(play, 'stopped', effects);
    case 'timer-fired':
      return input.key === 'length' ? end(play, 'finished', effects) : play;
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
    const ready = soundAt(play, play.position);
    if (ready !== undefined) return sound(play, ready, now, effects);
    const load = play.loads.get(play.position.item);
    if (load?.is === 'loading') return { ...play, phase: 'loading' };
    if (load?.is === 'failed') play = { ...play, round: { ...play.round, hasFailed: true } };
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

function sound(play: Play, sound: Sound, now: Instant, effects: PlayEffect[]): Play {
  const begun = begin(play, now, effects);
  const isThere = typeof begun.nextSound === 'number';
  const number = isThere ? begun.nextSound : begun.counter + 1;
  if (!isThere) effects.push({ do: 'sound', number, sound, loop: isEndless(play.order, play.position) });
  const isFirst = !begun.isHeard && play.order.items[play.position.item]!.kind !== 'silence';
  if (isFirst) effects.push({ do: 'notify', notice: { type: 'play-begun', play: play.order.play } });
  return {
    ...begun,
    phase: 'sounding',
    counter: Math.max(begun.counter, number),
    sound: number,
    nextSound: undefined,
    isHeard: begun.isHeard || isFirst,
  };
}

/** Gives the media engine the sound of the next position as soon as it is there. */
function withNextSound(play: Play, effects: PlayEffect[]): Play {
  const { phase, order, position, sound: behind } = play;
  if (phase !== 'sounding' || play.nextSound !== undefined || isEndless(order, position)) return play;
  const following = positionAfter(order, position, false);
  if (following === undefined) return play;
  // Whether a silence is followed by another round is decided at its end.
  if (following.round !== position.round && order.items[position.item]!.kind === 'silence') return play;
  const sound = soundAt(play, following);
  if (sound === undefined) return play;
  const number = play.counter + 1;
  effects.push({ do: 'sound', number, sound, loop: isEndless(order, following), behind });
  return { ...play, counter: number, nextSound: number };
}

/** Undefined for a silence of no length, and for a sound that is not loaded. */
function soundAt({ order, loads }: Play, { item }: PlayPosition): Sound | undefined {
  const content = order.items[item]!;
  if (content.kind === 'silence' && content.durationMs <= 0) return undefined;
  const load = loads.get(item);
  return builtInSound(content) ?? (load?.is === 'loaded' ? load.sound : undefined);
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
function isEndless(order: PlayOrder, position: PlayPosition): boolean {
  const item = order.items[position.item]!;
  if (item.kind === 'silence') return false;
  return item.loop === 0 || (order.items.length === 1 && order.loop === 0);
}

function soundEnded(
  play: Play,
  { sound, because }: Extract<PlayInput, { readonly type: 'sound-ended' }>,
  now: Instant,
  effects: PlayEffect[],
): Play {
  if (play.phase !== 'sounding') return play;
  if (sound === play.nextSound) return { ...play, nextSound: 'refused' };
  if (sound !== play.sound) return play;
  const after: Play = { ...play, phase: 'loading' };
  // Without listeners the next sound would have none either. A sound for ever that ends is empty.
  const goesOn = because === 'finished' && !isEndless(play.order, play.position);
  return goesOn ? advance(after, now, effects) : end(after, 'finished', effects);
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
  // The next sound is stopped with the sound that it waits for.
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
