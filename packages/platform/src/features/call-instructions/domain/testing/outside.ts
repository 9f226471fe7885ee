import assert from 'node:assert/strict';
import type { RunEffect, RunInput } from '../document-run.ts';
import type { Instruction } from '../instruction.ts';
import type { PlannedElement } from '../planned-element.ts';
import { leg, type ScriptedRun } from './scripted-run.ts';

/** The world around a run after its orders: plays, recordings, dialled legs. */
export class Outside {
  readonly plays = new Set<string>();
  readonly recordings = new Set<string>();
  /** Streams that an element waits for. */
  readonly streams = new Set<string>();
  readonly stopped = new Set<string>();
  readonly timers = new Set<string>();
  readonly fetches = new Set<number>();
  /** Legs that were dialled → whether they are live. */
  readonly legs = new Map<string, boolean>();
  readonly #everPlayed = new Set<string>();
  #named = 0;
  bridged: string | null = null;
  overheard: string | null = null;
  isWatched = false;
  isLent = false;
  hangUps = 0;
  answers = 0;
  earlies = 0;

  obey(effects: readonly RunEffect[]): void {
    for (const effect of effects) this.#obey(effect);
  }

  #obey(effect: RunEffect): void {
    switch (effect.do) {
      case 'play':
        assert.ok(!this.#everPlayed.has(effect.play), 'no two plays have the same name');
        this.#everPlayed.add(effect.play);
        this.plays.add(effect.play);
        return;
      case 'stop-play':
        assert.ok(this.plays.delete(effect.play), 'only what plays is stopped');
        return;
      case 'start-recording':
        assert.ok(!this.recordings.has(effect.recording.uuid), 'a recording is started once');
        this.recordings.add(effect.recording.uuid);
        return;
      case 'stop-recording':
        this.stopped.add(effect.uuid);
        return;
      case 'start-timer':
        this.timers.add(effect.key);
        return;
      case 'cancel-timer':
        this.timers.delete(effect.key);
        return;
      case 'fetch':
        assert.equal(this.fetches.size, 0, 'one document is fetched at a time');
        this.fetches.add(effect.fetch);
        return;
      case 'give-up-fetch':
        assert.ok(this.fetches.delete(effect.fetch), 'only what is under way is given up');
        return;
      case 'watch-voice':
        assert.notEqual(this.isWatched, effect.watched);
        this.isWatched = effect.watched;
        return;
      case 'dial-leg':
        assert.ok(!this.legs.has(effect.leg), 'a leg is dialled once');
        this.legs.set(effect.leg, true);
        return;
      case 'bridge':
        assert.equal(this.bridged ?? this.overheard, null, 'one partner at a time');
        assert.ok(this.legs.get(effect.leg), 'only a live leg is connected');
        this.bridged = effect.leg;
        return;
      case 'overhear':
        assert.equal(this.bridged ?? this.overheard, null, 'one partner at a time');
        assert.ok(this.legs.get(effect.leg), 'only a live leg is heard');
        this.overheard = effect.leg;
        return;
      case 'unbridge':
        assert.notEqual(this.bridged ?? this.overheard, null);
        this.bridged = null;
        this.overheard = null;
        return;
      case 'answer':
        assert.equal(++this.answers, 1, 'a call is answered once');
        return;
      case 'open-early':
        assert.equal(++this.earlies, 1, 'early media is opened once');
        assert.equal(this.answers, 0);
        return;
      case 'start-stream':
        assert.ok(!this.#everPlayed.has(effect.stream), 'no two streams have the same name');
        this.#everPlayed.add(effect.stream);
        // Other streams last as long as the call: no order ends them.
        if (effect.instruction.keepCallAlive) this.streams.add(effect.stream);
        return;
      case 'stop-stream':
        assert.ok(this.streams.delete(effect.stream), 'only an element that waits for its stream stops it');
        return;
      case 'join':
        this.isLent = true;
        return;
      case 'reclaim':
        this.isLent = false;
        return;
      case 'hang-up':
        if (effect.leg === leg) this.hangUps++;
        else if (this.legs.get(effect.leg)) this.legs.set(effect.leg, false);
    }
  }

  /** Names that were never used before. */
  plan(instructions: readonly Instruction[]): readonly PlannedElement[] {
    return instructions.map((instruction) => {
      const name = ++this.#named;
      return {
        instruction,
        recording:
          instruction.element === 'Record' ? { uuid: `r-${name}`, url: `https://files/r-${name}` } : null,
        legs:
          instruction.element === 'Dial' ? instruction.destinations.map((_, at) => `b-${name}-${at}`) : [],
        ...(instruction.element === 'Stream' ? { stream: `s-${name}` } : {}),
      };
    });
  }

  feed(run: ScriptedRun, input: RunInput): void {
    // The world changes before the run gets the input.
    if (input.type === 'play-over') this.plays.delete(input.play);
    if (input.type === 'recording-over') this.recordings.delete(input.recording);
    if (input.type === 'stream-ended') this.streams.delete(input.stream);
    if (input.type === 'timer-fired') this.timers.delete(input.key);
    if (input.type === 'document-fetched' || input.type === 'document-failed')
      this.fetches.delete(input.fetch);
    if (input.type === 'leg-returned' || input.type === 'join-refused') this.isLent = false;
    if ((input.type === 'leg-ended' || input.type === 'leg-taken') && input.leg !== leg) {
      this.legs.set(input.leg, false);
    }
    run.feed(input);
    this.obey(run.effects);
  }

  /** A run that is over leaves no play, recording, stream, leg or timer. */
  assertQuiet(): void {
    assert.deepEqual([...this.plays], []);
    assert.deepEqual([...this.fetches], []);
    assert.deepEqual([...this.streams], []);
    assert.deepEqual(
      [...this.legs].filter(([, isLive]) => isLive),
      [],
    );
    assert.deepEqual(
      [...this.recordings].filter((each) => !this.stopped.has(each)),
      [],
    );
    assert.deepEqual(
      [...this.timers].filter((key) => key !== 'closing'),
      [],
    );
    assert.equal(this.bridged, null);
    assert.equal(this.isWatched, false);
  }
}
