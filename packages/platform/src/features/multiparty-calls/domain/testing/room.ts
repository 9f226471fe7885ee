import { legSpec } from '@jackfield/ports';
import {
  builtInMusic,
  type CallSettings,
  type MultipartyCall,
  type MultipartyCallEffect,
  type MultipartyCallInput,
  type MultipartyCallReply,
  newMultipartyCall,
} from '../multiparty-call.ts';
import { multipartyCallMachine } from '../multiparty-call-machine.ts';
import type { RequestedParticipant } from '../participant.ts';
import { notRecorded } from '../room-recording.ts';

export const start = 1_000_000;

export const settings: CallSettings = {
  maxParticipants: 4,
  maxDurationSeconds: 14_400,
  stayAlone: false,
  waitsForAgent: false,
  waitSeconds: null,
  recordMinMemberCount: 1,
  statusCallback: null,
  recordingCallback: null,
  recording: notRecorded,
  music: builtInMusic,
};

/** A participant whose leg is named after its number: 1 → `leg-1`. */
export function requested(
  memberId: number,
  changes: Partial<RequestedParticipant> = {},
): RequestedParticipant {
  return {
    memberId,
    leg: `leg-${memberId}`,
    requestUuid: `request-${memberId}`,
    origin: 'dialled',
    role: 'agent',
    spec: legSpec({ from: '+12025550199', callerName: 'Desk', to: '+12025550100' }),
    coachMode: true,
    mute: false,
    hold: false,
    startsOnEnter: true,
    endsOnExit: false,
    enterSound: 'none',
    exitSound: 'none',
    delaySeconds: 0,
    confirmation: null,
    dialMusic: 'none',
    relaysDigits: false,
    joinsOthersOnly: false,
    callStatusCallback: null,
    statusCallback: null,
    onExitAction: null,
    rate: { perMinute: 0, initialSeconds: 60, incrementSeconds: 60 },
    ...changes,
  };
}

/** A call that accepts one input after another, and keeps the effects of the last step. */
export class Room {
  call: MultipartyCall;
  effects: readonly MultipartyCallEffect[] = [];
  now = start;

  constructor(changes: Partial<CallSettings> = {}) {
    this.call = newMultipartyCall(
      { uuid: 'mpc', account: 'MA', mainAccount: 'MA', name: 'support', createdAt: start },
      { ...settings, ...changes },
    );
  }

  /** Created by participant 1, active or waiting. */
  static created(
    status: 'active' | 'initialized' = 'active',
    first: Partial<RequestedParticipant> = {},
    changes: Partial<CallSettings> = {},
  ): Room {
    const room = new Room(changes);
    const startsAtOnce = status === 'active';
    const participant = requested(1, { startsOnEnter: startsAtOnce, ...first });
    return room.send({ type: 'created', rivals: [participant] });
  }

  send(...inputs: readonly MultipartyCallInput[]): this {
    for (const input of inputs) {
      const step = multipartyCallMachine.step(this.call, input, this.now);
      this.call = step.state;
      this.effects = step.effects;
    }
    return this;
  }

  add(memberId: number, changes: Partial<RequestedParticipant> = {}): this {
    return this.send({ type: 'add-participant', rivals: [requested(memberId, changes)] });
  }

  /** Phones for one slot, named after the first. */
  race(memberIds: readonly [number, ...number[]], changes: Partial<RequestedParticipant> = {}): this {
    const [first, ...others] = memberIds;
    const requestUuid = `request-${first}`;
    const rival = (memberId: number) => requested(memberId, { requestUuid, ...changes });
    return this.send({ type: 'add-participant', rivals: [rival(first), ...others.map(rival)] });
  }

  press(memberId: number, digit: string): this {
    return this.send({ type: 'leg-digit', leg: `leg-${memberId}`, digit });
  }

  /** Adds and answers. */
  join(memberId: number, changes: Partial<RequestedParticipant> = {}): this {
    return this.add(memberId, changes).answer(memberId);
  }

  answer(memberId: number): this {
    return this.send({ type: 'leg-answered', leg: `leg-${memberId}` });
  }

  hangUp(memberId: number): this {
    return this.send({ type: 'leg-ended', leg: `leg-${memberId}` });
  }

  after(seconds: number): this {
    this.now += seconds * 1000;
    return this;
  }

  /** Member → phase, of all participants in the state. */
  get phases(): Record<number, string> {
    return Object.fromEntries(this.call.participants.map((each) => [each.memberId, each.phase]));
  }

  get reply(): MultipartyCallReply | undefined {
    const found = this.effects.find((effect) => effect.do === 'reply');
    return found?.do === 'reply' ? found.reply : undefined;
  }

  get events(): readonly string[] {
    return this.effects.flatMap((effect) => (effect.do === 'emit' ? [effect.event.type] : []));
  }

  get orders(): readonly string[] {
    return this.effects.map((effect) => effect.do).filter((order) => order !== 'emit' && order !== 'reply');
  }

  get hangUps(): readonly string[] {
    return this.effects.flatMap((effect) =>
      effect.do === 'hang-up' ? [`${effect.leg} ${effect.because}`] : [],
    );
  }

  /** The table of the last step: leg → the legs that it hears; undefined when the step sent no table. */
  get table(): Record<string, readonly string[]> | undefined {
    const found = this.effects.find((effect) => effect.do === 'set-hearing');
    return found?.do === 'set-hearing'
      ? Object.fromEntries(found.members.map(({ leg, hears }) => [leg, hears]))
      : undefined;
  }
}
