import type { DialState } from './dial.ts';

/** Limits the ringing. Runs while a phone is being dialled. */
export const ringTimer = 'dial/ring';

/** Runs while two legs are connected. */
export const timeLimitTimer = 'dial/time-limit';

/** Runs while this leg has to confirm. */
export function confirmTimer(leg: string): string {
  return `dial/confirm/${leg}`;
}

/** Names of plays are unique in the platform: each holds the UUID of a leg that is dialled once. */
export function musicPlay(state: DialState): string {
  return `dial/${state.legs[0]?.leg}/music`;
}

export function ringbackPlay(state: DialState): string {
  const awaited = state.legs.find(({ leg, phase }) => leg === state.winner && phase === 'succeeding');
  const again = state.ringbacks > 1 ? `-${state.ringbacks}` : '';
  return `dial/${(awaited ?? state.legs[0])?.leg}/ringback${again}`;
}

export function soundPlay(leg: string): string {
  return `dial/${leg}/confirm`;
}
