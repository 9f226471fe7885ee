import type { CallSettings, MultipartyCall } from '../multiparty-call.ts';
import { newMultipartyCall } from '../multiparty-call.ts';
import { multipartyCallMachine } from '../multiparty-call-machine.ts';
import type { RequestedParticipant } from '../participant.ts';
import type { RequestedRecording } from '../room-recording.ts';
import { withRecordings } from '../room-recording-machine.ts';
import type { RoomEffect, RoomInput, RoomReply } from '../room-step.ts';
import { requested, settings, start } from './room.ts';

const machine = withRecordings(multipartyCallMachine);

/** A call with its recordings, which accepts one input after another; recordings that it names begin at once. */
export class RecordedRoom {
  call: MultipartyCall;
  /** Of all steps so far; see `take`. */
  #effects: RoomEffect[] = [];
  now = start;
  #names = 0;

  constructor(changes: Partial<CallSettings> = {}, first: Partial<RequestedParticipant> = {}) {
    const identity = { uuid: 'mpc', account: 'MA', mainAccount: 'MA', name: 'support', createdAt: start };
    this.call = newMultipartyCall(identity, { ...settings, stayAlone: true, ...changes });
    this.send({ type: 'created', rivals: [requested(1, first)] });
  }

  send(input: RoomInput): readonly RoomEffect[] {
    const { state, effects } = machine.step(this.call, input, this.now);
    this.call = state;
    this.#effects.push(...effects);
    for (const effect of effects) {
      if (effect.do !== 'name-recordings') continue;
      const named = effect.requested.map((each) => ({ ...each, uuid: `auto-${++this.#names}` }));
      this.send({ type: 'record', requested: named, byItself: true });
    }
    return effects;
  }

  /** Adds, if it is not the creator, and answers. */
  join(...members: number[]): this {
    for (const member of members) {
      if (member !== 1)
        this.send({ type: 'add-participant', rivals: [requested(member, this.#specs[member])] });
      this.send({ type: 'leg-answered', leg: `leg-${member}` });
    }
    return this;
  }

  #specs: Record<number, Partial<RequestedParticipant>> = {};

  /** The properties with which `join` adds this member. */
  specify(member: number, changes: Partial<RequestedParticipant>): this {
    this.#specs[member] = changes;
    return this;
  }

  hangUp(member: number): this {
    this.send({ type: 'leg-ended', leg: `leg-${member}` });
    return this;
  }

  record(uuid: string, changes: Partial<RequestedRecording> = {}): RoomReply | undefined {
    const recording: RequestedRecording = {
      uuid,
      of: 'call',
      track: 'mix',
      format: 'wav',
      callback: null,
      ...changes,
    };
    return replyOf(this.send({ type: 'record', requested: [recording], byItself: false }));
  }

  order(
    type: 'stop-recording' | 'pause-recording' | 'resume-recording',
    of: 'call' | 'all' | readonly number[] = 'call',
    tracks: 'participant' | 'all' | 'both' | null = null,
  ): RoomReply | undefined {
    return replyOf(this.send({ type, which: of === 'call' ? { of } : { of, tracks } }));
  }

  over(recording: string): this {
    this.send({ type: 'recording-over', recording });
    return this;
  }

  takeEffects(): readonly RoomEffect[] {
    return this.#effects.splice(0);
  }

  /** The orders to recordings since the last call, and the reported end, in order and shortened. */
  take(): readonly string[] {
    return this.takeEffects().flatMap((effect): readonly string[] => {
      switch (effect.do) {
        case 'start-recording':
          return [`start ${effect.recording.uuid} ${written(effect.tracks)}`];
        case 'retrack-recording':
          return [`retrack ${effect.recording} ${written(effect.tracks)}`];
        case 'report-channels':
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
