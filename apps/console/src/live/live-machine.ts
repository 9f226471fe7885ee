import type { LiveCallItem, LiveMember, LiveRoomItem } from '@jackfield/contract/console';
import type { AccountEvent } from '../api/event-stream.ts';
import type { LiveState } from './live-snapshot.ts';

/** The live calls after these events. Rows that did not change stay the same objects, so that only the others are drawn again. */
export function withEvents({ calls, rooms }: LiveState, events: readonly AccountEvent[]): LiveState {
  const next = { calls: new Map(calls), rooms: new Map(rooms) };
  for (const event of events) apply(next, event);
  return next;
}

interface Draft {
  readonly calls: Map<string, LiveCallItem>;
  readonly rooms: Map<string, LiveRoomItem>;
}

function apply(draft: Draft, event: AccountEvent): void {
  const [family, what = ''] = event.type.split('.');
  if (family === 'call') applyToCall(draft.calls, event, what);
  if (family === 'multiparty-call') applyToRoom(draft.rooms, event, what);
}

const textOf = ({ data }: AccountEvent, name: string): string => String(data[name] ?? '');

function applyToCall(calls: Map<string, LiveCallItem>, event: AccountEvent, what: string): void {
  const uuid = textOf(event, 'CallUUID');
  const known = calls.get(uuid);
  if (what === 'ended') calls.delete(uuid);
  else if (what === 'quality' && known !== undefined)
    calls.set(uuid, { ...known, quality: qualityAfter(known, event) });
  else if (what === 'ringing' || what === 'answered') {
    const isAnswered = what === 'answered';
    calls.set(uuid, {
      ...(known ?? newCall(event, uuid)),
      status: isAnswered ? 'in-progress' : 'ringing',
      ...(isAnswered ? { answered_at: event.created_at } : {}),
    });
  }
}

/** The event has what the list shows; the counts of the sample are of the black box alone. */
function qualityAfter({ quality }: LiveCallItem, event: AccountEvent): NonNullable<LiveCallItem['quality']> {
  const counts = { packets_received: 0, packets_lost: 0, packets_sent: 0, frames_concealed: 0 };
  const unknown = { round_trip_ms: null, remote_loss_percent: null };
  const { Class, Mos, LossPercent, JitterMs } = event.data as {
    Class: NonNullable<LiveCallItem['quality']>['class'];
    Mos: number | null;
    LossPercent: number | null;
    JitterMs: number;
  };
  return {
    ...(quality ?? { codec: '', seconds: 0, ...counts, ...unknown }),
    at: event.created_at,
    class: Class,
    mos: Mos,
    loss_percent: LossPercent,
    jitter_ms: JitterMs,
  };
}

function newCall(event: AccountEvent, uuid: string): LiveCallItem {
  return {
    call_uuid: uuid,
    parent_call_uuid: null,
    account: '',
    direction: textOf(event, 'Direction') === 'inbound' ? 'inbound' : 'outbound',
    from: textOf(event, 'From'),
    to: textOf(event, 'To'),
    caller_name: textOf(event, 'CallerName'),
    status: 'ringing',
    initiated_at: event.created_at,
    answered_at: null,
    quality: null,
  };
}

function applyToRoom(rooms: Map<string, LiveRoomItem>, event: AccountEvent, what: string): void {
  const uuid = textOf(event, 'MPCUUID');
  const known = rooms.get(uuid);
  if (what === 'ended') {
    rooms.delete(uuid);
    return;
  }
  if (known === undefined && what !== 'initialized' && what !== 'started') return;
  const room = known ?? newRoom(event, uuid);
  if (what === 'started') rooms.set(uuid, { ...room, status: 'Active', started_at: event.created_at });
  else rooms.set(uuid, { ...room, members: membersAfter(room.members, event, what) });
}

function newRoom(event: AccountEvent, uuid: string): LiveRoomItem {
  return {
    mpc_uuid: uuid,
    friendly_name: textOf(event, 'MPCName'),
    status: 'Initialized',
    account: '',
    created_at: event.created_at,
    started_at: null,
    recording: 'not-recording',
    members: [],
    are_members_cut: false,
  };
}

const changes: Readonly<Record<string, Partial<LiveMember>>> = {
  'participant-joined': { status: 'joined' },
  'participant-muted': { mute: true },
  'participant-unmuted': { mute: false },
  'participant-held': { hold: true },
  'participant-unheld': { hold: false },
  'coaching-started': { coach_mode: true },
  'coaching-stopped': { coach_mode: false },
};

function membersAfter(members: readonly LiveMember[], event: AccountEvent, what: string): LiveMember[] {
  const id = textOf(event, 'MemberID');
  if (what === 'participant-exited') return members.filter(({ member_id }) => member_id !== id);
  const change = changes[what];
  if (change === undefined) return [...members];
  if (members.some(({ member_id }) => member_id === id)) {
    return members.map((member) => (member.member_id === id ? { ...member, ...change } : member));
  }
  return [...members, { ...newMember(event, id), ...change }];
}

function newMember(event: AccountEvent, id: string): LiveMember {
  return {
    member_id: id,
    call_uuid: textOf(event, 'ParticipantCallUUID'),
    role: textOf(event, 'ParticipantRole') as LiveMember['role'],
    status: 'joined',
    coach_mode: textOf(event, 'ParticipantCoachMode') === 'true',
    mute: false,
    hold: false,
    member_address: '',
    caller_name: '',
    joined_at: event.created_at,
    hears: [],
  };
}
