import type { Machine } from '@jackfield/ports';
import type { HearingEdge } from './hearing-change.ts';
import type { MultipartyCall } from './multiparty-call.ts';
import { isPresent } from './participant.ts';
import { hearingOf } from './room-audio.ts';

type Room = Pick<MultipartyCall, 'status' | 'participants'>;

/** Notes each change of the hearing table of the mix; hearing.ts is its only source. */
export function withHearingHistory<Input, Effect>(
  machine: Machine<MultipartyCall, Input, Effect>,
): Machine<MultipartyCall, Input, Effect> {
  return {
    step(call, input, now) {
      const step = machine.step(call, input, now);
      const { state } = step;
      if (state.participants === call.participants && state.status === call.status) return step;
      const [before, after] = [edgesOf(call), edgesOf(state)];
      const opened = [...after].flatMap(([key, edge]) => (before.has(key) ? [] : [edge]));
      const closed = [...before].flatMap(([key, edge]) => (after.has(key) ? [] : [edge]));
      if (opened.length + closed.length === 0) return step;
      // After a restart the call has ended when its process died.
      const at = state.endedAt ?? now;
      return { ...step, state: { ...state, hearingChange: { at, opened, closed } } };
    },
  };
}

function edgesOf(room: Room): ReadonlyMap<string, HearingEdge> {
  const edges = new Map<string, HearingEdge>();
  if (room.status !== 'active') return edges;
  const byLeg = new Map(room.participants.filter(isPresent).map((each) => [each.leg, each]));
  for (const { leg, hears } of hearingOf(room)) {
    const listener = byLeg.get(leg);
    if (listener === undefined) continue;
    for (const heard of hears) {
      const speaker = byLeg.get(heard);
      if (speaker === undefined) continue;
      const isCoach = speaker.role === 'supervisor' && speaker.coachMode;
      const edge = { listener: listener.memberId, speaker: speaker.memberId, isCoach };
      edges.set(`${edge.listener}/${edge.speaker}/${isCoach}`, edge);
    }
  }
  return edges;
}
