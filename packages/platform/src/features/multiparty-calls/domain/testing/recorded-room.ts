import type { CallSettings, MultipartyCall } from '../multiparty-call.ts';
import { newMultipartyCall } from '../multiparty-call.ts';
import { multipartyCallMachine } from '../multiparty-call-machine.ts';
import type { WantedParticipant } from '../participant.ts';
import type { WantedRecording } from '../room-recording.ts';
import { withRecordings } from '../room-recording-machine.ts';
import type { RoomEffect, RoomInput, RoomReply } from '../room-step.ts';
import { settings, start, wanted } from './room.ts';

const machine = withRecordings(multipartyCallMachine);

/** A call with what is recorded of it, fed one input after another; what it named itself is ordered at once. */
export class RecordedRoom {
  call: MultipartyCall;
  /** Of all steps so far; see `take`. */
  #effects: RoomEffect[] = [];
  now = start;
  #names = 0;

  constructor(changes: Partial<CallSettings> = {}, first: Partial<WantedParticipant> = {}) {
    const identity = { uuid: 'mpc', account: 'MA', mainAccount: 'MA', name: 'support', createdAt: start };
    this.call = newMultipartyCall(identity, { ...settings, stayAlone: true, ...changes });
    this.feed({ type: 'created', rivals: [wanted(1, first)] });
  }

  feed(input: RoomInput): readonly RoomEffect[] {
    const { state, effects } = machine.step(this.call, input, this.now);
    this.call = state;
    this.#effects.push(...effects);
    for (const effect of effects) {
      if (effect.do !== 'name-recordings') continue;
      const named = effect.wanted.map((each) => ({ ...each, uuid: `auto-${++this.#names}` }));
      this.feed({ type: 'record', wanted: named, byItself: true });
    }
    return effects;
  }

  /** Adds, if it is not the creator, and answers. */
  join(...members: number[]): this {
    for (const member of members) {
      if (member !== 1)
        this.feed({ type: 'add-participant', rivals: [wanted(member, this.#wishes[member])] });
      this.feed({ type: 'leg-answered', leg: `leg-${member}` });
    }
    return this;
  }

  #wishes: Record<number, Partial<WantedParticipant>> = {};

  /** What `join` adds this member with. */
  wish(member: number, changes: Partial<WantedParticipant>): this {
    this.#wishes[member] = changes;
    return this;
  }

  hangUp(member: number): this {
    this.feed({ type: 'leg-ended', leg: `leg-${member}` });
    return this;
  }

  record(uuid: string, changes: Partial<WantedRecording> = {}): RoomReply | undefined {
    const recording: WantedRecording = {
      uuid,
      of: 'call',
      track: 'mix',
      format: 'wav',
      callback: null,
      ...changes,
    };
    return replyOf(this.feed({ type: 'record', wanted: [recording], byItself: false }));
  }

  order(
    type: 'stop-recording' | 'pause-recording' | 'resume-recording',
    of: 'call' | 'all' | readonly number[] = 'call',
    tracks: 'participant' | 'all' | 'both' | null = null,
  ): RoomReply | undefined {
    return replyOf(this.feed({ type, which: of === 'call' ? { of } : { of, tracks } }));
  }

  over(recording: string): this {
    this.feed({ type: 'recording-over', recording });
    return this;
  }

  takeEffects(): readonly RoomEffect[] {
    return this.#effects.splice(0);
  }

  /** What was ordered of recordings since the last look, and whether the end was told, in order and shortened. */
  take(): readonly string[] {
    return this.takeEffects().flatMap((effect): readonly string[] => {
      switch (effect.do) {
        case 'start-recording':
          return [`start ${effect.recording.uuid} ${written(effect.tracks)}`];
        case 'retrack-recording':
          return [`retrack ${effect.recording} ${written(effect.tracks)}`];
        case 'tell-channels':
          return [
            `channels ${effect.recording} ${effect.members.map((each) => `${each.channel}:${each.memberId}`).join(' ')}`,
          ];
        case 'pause-recording':
        case 'resume-recording':
        case 'stop-recording':
        case 'stop-announcement':
          return [`${effect.do.replace('-recording', '')} ${effect.recording}`];
        case 'announce':
          return [
            `announce ${effect.recording} ${effect.isStart ? 'start' : 'stop'} to ${effect.to.join(' ')}`,
          ];
        case 'emit':
          return effect.event.type === 'ended' ? ['ended'] : [];
        default:
          return [];
      }
    });
  }
}

function written(tracks: readonly { readonly said: readonly string[] }[]): string {
  return tracks.map(({ said }) => said.map((leg) => leg.replace('leg-', '')).join('+') || '-').join(' ');
}

function replyOf(effects: readonly RoomEffect[]): RoomReply | undefined {
  const found = effects.find((effect) => effect.do === 'reply');
  return found?.do === 'reply' ? found.reply : undefined;
}
