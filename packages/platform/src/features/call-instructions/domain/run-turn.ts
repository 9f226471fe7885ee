import type { CallEnd, Instant } from '@jackfield/ports';
import { type DialEffect, type DialInput, type DialState, isDialOver } from './dial/dial.ts';
import { stepDial } from './dial/dial-machine.ts';
import type { DocumentRun, Medium, RunEffect } from './document-run.ts';
import type { ElementEffect, StartedRecording } from './elements/element.ts';
import { fieldsOfBegunRecording } from './elements/record.ts';

/** A step in progress: the run so far, and the orders so far. */
export interface Turn {
  run: DocumentRun;
  readonly effects: RunEffect[];
  readonly now: Instant;
}

export function change(turn: Turn, changes: Partial<DocumentRun>) {
  turn.run = { ...turn.run, ...changes };
}

/** Keeps an element's timers apart from the run's own. */
const elementTimers = 'element/';

export function elementKeyOf(timer: string): string | undefined {
  return timer.startsWith(elementTimers) ? timer.slice(elementTimers.length) : undefined;
}

/** Carries out an element's order, and remembers what must be undone at its end. */
export function obeyElement(turn: Turn, effect: ElementEffect) {
  switch (effect.do) {
    case 'play': {
      const { leg, run } = turn.run.call;
      const play = `${run}/${turn.run.playsBegun + 1}`;
      change(turn, { playsBegun: turn.run.playsBegun + 1, plays: { ...turn.run.plays, [effect.key]: play } });
      turn.effects.push({ do: 'play', play, to: [leg], items: effect.items, loop: effect.loop });
      return;
    }
    case 'stop-play':
      return stopPlay(turn, effect.key);
    case 'watch-voice':
      return watchVoice(turn, true);
    case 'start-recognition': {
      const begun = turn.run.recognitionsBegun + 1;
      const { leg, run } = turn.run.call;
      // Begins with the leg, whose session gets the results.
      const recognition = `${leg}/${run}/${begun}`;
      change(turn, { recognition, recognitionsBegun: begun });
      turn.effects.push({ do: 'start-recognition', recognition, request: effect.request });
      return;
    }
    case 'finish-recognition': {
      const { recognition } = turn.run;
      if (recognition !== null) turn.effects.push({ do: 'finish-recognition', recognition });
      return;
    }
    case 'cancel-recognition':
      return cancelRecognition(turn);
    case 'start-timer': {
      const key = elementTimers + effect.key;
      addTimer(turn, key);
      turn.effects.push({ do: 'start-timer', key, at: effect.at });
      return;
    }
    case 'cancel-timer':
      return cancelTimer(turn, elementTimers + effect.key);
    case 'start-recording':
      return startRecording(turn, effect.recording, true);
    case 'warn':
      return warn(turn, effect.sentence);
    case 'join': {
      const join = turn.run.joins + 1;
      change(turn, { joins: join });
      turn.effects.push({ ...effect, join });
      return;
    }
    default:
      turn.effects.push(effect);
  }
}

export function warn(turn: Turn, sentence: string) {
  const event = { type: 'document-warning', url: turn.run.url, sentence } as const;
  turn.effects.push({ do: 'emit', event });
}

export function startRecording(turn: Turn, recording: StartedRecording, isAwaited: boolean) {
  change(turn, { recordings: [...turn.run.recordings, { recording, isAwaited }] });
  turn.effects.push({ do: 'start-recording', recording });
}

function addTimer(turn: Turn, key: string) {
  if (!turn.run.timers.includes(key)) change(turn, { timers: [...turn.run.timers, key] });
}

function cancelTimer(turn: Turn, key: string) {
  if (!turn.run.timers.includes(key)) return;
  change(turn, { timers: turn.run.timers.filter((each) => each !== key) });
  turn.effects.push({ do: 'cancel-timer', key });
}

function stopPlay(turn: Turn, key: string) {
  const { [key]: play, ...plays } = turn.run.plays;
  if (play === undefined) return;
  change(turn, { plays });
  turn.effects.push({ do: 'stop-play', play });
}

function cancelRecognition(turn: Turn) {
  const { recognition } = turn.run;
  if (recognition === null) return;
  change(turn, { recognition: null });
  turn.effects.push({ do: 'cancel-recognition', recognition });
}

function watchVoice(turn: Turn, watched: boolean) {
  if (turn.run.isVoiceWatched === watched) return;
  change(turn, { isVoiceWatched: watched });
  turn.effects.push({ do: 'watch-voice', watched });
}

/** Orders early media or the answer, once. */
export function bringTo(turn: Turn, medium: Exclude<Medium, 'none'>) {
  const { asked } = turn.run;
  if (asked === 'answered' || asked === medium) return;
  change(turn, { asked: medium });
  turn.effects.push({ do: medium === 'answered' ? 'answer' : 'open-early' });
}

/** Steps a dial; its orders become those of the run. */
export function advanceDial(turn: Turn, before: DialState, input: DialInput): DialState {
  const { state, effects } = stepDial(before, input, turn.now);
  for (const effect of effects) obeyDial(turn, before, effect);
  return state;
}

function obeyDial(turn: Turn, { dial }: DialState, effect: DialEffect) {
  switch (effect.do) {
    case 'hang-up-leg':
      turn.effects.push({ do: 'hang-up', leg: effect.leg, end: effect.end });
      return;
    case 'ring-caller':
      turn.effects.push({ do: 'ring' });
      return;
    case 'early-caller':
      return bringTo(turn, 'early');
    case 'answer-caller':
      return bringTo(turn, 'answered');
    case 'report':
      if (dial.callback === null) return;
      turn.effects.push({
        do: 'emit',
        event: { type: 'dial', request: dial.callback, fields: effect.parameters },
      });
      return;
    case 'bridge':
      turn.effects.push({ do: 'bridge', leg: effect.leg });
      for (const recording of turn.run.onDialAnswer) beginSession(turn, recording);
      change(turn, { onDialAnswer: [] });
      return;
    default:
      turn.effects.push(effect);
  }
}

/** A recording beside everything else; its action is requested now, and again when it is complete. */
function beginSession(turn: Turn, recording: StartedRecording) {
  startRecording(turn, recording, false);
  if (recording.action === null) return;
  const fields = fieldsOfBegunRecording(recording);
  turn.effects.push({ do: 'emit', event: { type: 'action', request: recording.action, fields } });
}

/**
 * Undoes what the current element has begun; `source` is the source of its end. Its recording is completed, and reported when it
 * is complete.
 */
export function endElement(turn: Turn, source: CallEnd['source']) {
  const { current } = turn.run;
  if (current?.state.kind === 'dial' && !isDialOver(current.state.dial)) {
    advanceDial(turn, current.state.dial, { type: 'give-up', source });
  }
  if (current?.state.kind === 'stream' && !current.state.isOver) {
    // A transfer ends the stream by an API request, every other end by the hangup.
    const reason = source === 'API Request' ? 'API request' : 'Call hangup';
    turn.effects.push({ do: 'stop-stream', stream: current.state.stream, reason });
  }
  for (const key of Object.keys(turn.run.plays)) stopPlay(turn, key);
  for (const key of turn.run.timers) cancelTimer(turn, key);
  watchVoice(turn, false);
  cancelRecognition(turn);
  const interrupted = turn.run.recordings.filter(({ isAwaited }) => isAwaited);
  for (const { recording } of interrupted) turn.effects.push({ do: 'stop-recording', uuid: recording.uuid });
  change(turn, {
    current: null,
    recordings:
      interrupted.length === 0
        ? turn.run.recordings
        : turn.run.recordings.map((each) => ({ ...each, isAwaited: false })),
  });
}

/** Reclaims a lent leg from its borrower. */
export function reclaim(turn: Turn) {
  change(turn, { isReclaiming: true });
  turn.effects.push({ do: 'reclaim' });
}
