import type { CallEnd } from '@jackfield/ports';
import { dialResultOf, isDialOver } from './dial/dial.ts';
import { advanceDial, change, endElement, type Turn } from './run-turn.ts';

/** Ends the call by the document: everything stops, and the leg is hung up. */
export function leave(turn: Turn, end: CallEnd) {
  giveUpDial(turn, end.source);
  stop(turn, end.source);
  change(turn, { phase: 'leaving' });
  turn.effects.push({ do: 'hang-up', leg: turn.run.call.leg, end });
}

/** The call ends during a Dial: its action is requested, and the answer is not read. */
export function giveUpDial(turn: Turn, source: CallEnd['source']) {
  const { current } = turn.run;
  if (current?.state.kind !== 'dial' || isDialOver(current.state.dial)) return;
  const dial = advanceDial(turn, current.state.dial, { type: 'give-up', source });
  change(turn, { current: { ...current, state: { kind: 'dial', dial } } });
  const request = dial.dial.action;
  if (request === null) return;
  const event = { type: 'action', request, fields: dialResultOf(dial) } as const;
  turn.effects.push({ do: 'emit', event });
}

/** The leg has ended, or has another owner: everything stops, and recordings with an action are completed. */
export function gone(turn: Turn, source: CallEnd['source']) {
  if (turn.run.phase !== 'leaving') stop(turn, source);
  const isAwaited = turn.run.recordings.length > 0;
  change(turn, { phase: isAwaited ? 'closing' : 'over' });
  if (isAwaited) {
    const at = turn.now + turn.run.limits.closingMs;
    turn.effects.push({ do: 'start-timer', key: 'closing', at });
  }
}

function stop(turn: Turn, source: CallEnd['source']) {
  giveUpFetch(turn);
  endElement(turn, source);
  for (const { recording } of turn.run.recordings) {
    if (recording.isOfSession) turn.effects.push({ do: 'stop-recording', uuid: recording.uuid });
  }
  turn.effects.push({ do: 'cancel-timer', key: 'schedule' });
  turn.effects.push({ do: 'cancel-timer', key: 'hangup-on-ring' });
  change(turn, {
    rest: [],
    onDialAnswer: [],
    // Recordings without an action report to their own callback.
    recordings: turn.run.recordings.filter(({ recording }) => recording.action !== null),
  });
}

export function giveUpFetch(turn: Turn) {
  const { fetch } = turn.run;
  if (fetch === null) return;
  change(turn, { fetch: null });
  turn.effects.push({ do: 'give-up-fetch', fetch: fetch.id });
}
