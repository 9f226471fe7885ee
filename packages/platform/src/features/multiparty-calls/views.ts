import type { HearingBody, MpcBody, MpcItem, ParticipantItem, ParticipantRecord } from '@jackfield/contract';
import { type LiveRoomItem, maxLiveMembers } from '@jackfield/contract/console';
import { subaccountUri } from '../../kernel/subaccount-uri.ts';
import { timestampOrNull, timestampWithOffset } from '../../kernel/timestamps.ts';
import { amountText } from '../usage/index.ts';
import { hears } from './domain/hearing.ts';
import { terminationCauses } from './domain/termination.ts';
import { participantOf } from './store.ts';
import type { MultipartyCallRow, ParticipantRow } from './tables.ts';

const statusNames = { initialized: 'Initialized', active: 'Active', ended: 'Ended' } as const;

/** A live call is addressed by its name, an ended one by its UUID. */
export function resourceUri(call: MultipartyCallRow): string {
  const reference =
    call.ended_at === null ? `name_${encodeURIComponent(call.friendly_name)}` : `uuid_${call.mpc_uuid}`;
  return `/v1/Account/${call.account}/MultiPartyCall/${reference}/`;
}

export function mpcItemOf(call: MultipartyCallRow): MpcItem {
  const { ended_at: endedAt, started_at: startedAt, termination_code: code } = call;
  return {
    mpc_uuid: call.mpc_uuid,
    friendly_name: call.friendly_name,
    status: statusNames[call.status],
    creation_time: timestampWithOffset(call.created_at),
    end_time: timestampOrNull(endedAt),
    duration: endedAt === null ? null : secondsBetween(startedAt, endedAt),
    billed_duration: endedAt === null ? null : call.billed_seconds,
    billed_amount: endedAt === null ? null : amountText(Number(call.billed_units)),
    termination_cause: code === null ? null : terminationCauses[code],
    termination_cause_code: code,
  };
}

export function mpcBodyOf(call: MultipartyCallRow): Omit<MpcBody, 'api_id'> {
  const uri = resourceUri(call);
  return {
    ...mpcItemOf(call),
    start_time: timestampOrNull(call.started_at),
    max_participants: call.max_participants,
    max_duration: call.max_duration_seconds,
    stay_alone: call.stay_alone === 1,
    recording: call.recording,
    participants: `${uri}Participant/`,
    sub_account: subaccountUri(call.account, call.main_account),
    resource_uri: uri,
  };
}

export function participantItemOf(row: ParticipantRow): ParticipantItem {
  return {
    member_id: String(row.member_id),
    mpc_uuid: row.mpc_uuid,
    call_uuid: row.call_uuid,
    role: row.role,
    coach_mode: row.coach_mode === 1,
    mute: row.mute === 1,
    hold: row.hold === 1,
    member_address: row.to_address,
    status: row.phase,
  };
}

export function participantRecordOf(call: MultipartyCallRow, row: ParticipantRow): ParticipantRecord {
  const { joined_at: joinedAt, exited_at: exitedAt } = row;
  return {
    ...participantItemOf(row),
    join_time: timestampOrNull(joinedAt),
    exit_time: timestampOrNull(exitedAt),
    duration: exitedAt === null ? null : secondsBetween(joinedAt, exitedAt),
    billed_duration: exitedAt === null ? null : (row.billed_seconds ?? 0),
    billed_amount: exitedAt === null ? null : amountText(Number(row.billed_units ?? 0)),
    start_mpc_on_enter: row.has_started === 1,
    end_mpc_on_exit: row.ends_on_exit === 1,
    participant_exit_cause: row.exit_cause,
    exit_cause: row.exit_cause,
    resource_uri: `${resourceUri(call)}Participant/${row.member_id}/`,
  };
}

/** The table that the mix of the call follows, by the same function, with member ids instead of legs. */
export function hearingBodyOf(
  call: MultipartyCallRow,
  rows: readonly ParticipantRow[],
): Omit<HearingBody, 'api_id'> {
  const present = rows.map(participantOf);
  const hearing = (listener: (typeof present)[number], speaker: (typeof present)[number]) =>
    call.status === 'active' && hears(listener, speaker);
  return {
    mpc_uuid: call.mpc_uuid,
    friendly_name: call.friendly_name,
    status: statusNames[call.status],
    participants: present.map((each) => ({
      member_id: String(each.memberId),
      call_uuid: each.leg,
      role: each.role,
      coach_mode: each.coachMode,
      mute: each.mute,
      hold: each.hold,
      hears: present.filter((other) => hearing(each, other)).map(({ memberId }) => String(memberId)),
      heard_by: present.filter((other) => hearing(other, each)).map(({ memberId }) => String(memberId)),
    })),
  };
}

/** Members beyond those that are shown hear and are heard as well, and are left out on both sides. */
export function liveRoomOf(call: MultipartyCallRow, rows: readonly ParticipantRow[]): LiveRoomItem {
  const shown = rows.slice(0, maxLiveMembers);
  const present = shown.filter(({ phase }) => phase === 'joined').map(participantOf);
  const byId = new Map(present.map((each) => [each.memberId, each]));
  const heardBy = (memberId: number): string[] => {
    const listener = byId.get(memberId);
    if (listener === undefined || call.status !== 'active') return [];
    return present.filter((other) => hears(listener, other)).map((other) => String(other.memberId));
  };
  return {
    mpc_uuid: call.mpc_uuid,
    friendly_name: call.friendly_name,
    status: statusNames[call.status],
    account: call.account,
    created_at: new Date(call.created_at).toISOString(),
    started_at: isoOrNull(call.started_at),
    recording: call.recording,
    members: shown.map((row) => ({
      member_id: String(row.member_id),
      call_uuid: row.call_uuid,
      role: row.role,
      status: row.phase,
      coach_mode: row.coach_mode === 1,
      mute: row.mute === 1,
      hold: row.hold === 1,
      member_address: row.to_address,
      caller_name: row.caller_name,
      joined_at: isoOrNull(row.joined_at),
      hears: heardBy(row.member_id),
    })),
    are_members_cut: rows.length > shown.length,
  };
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

function secondsBetween(from: number | null, to: number): number {
  return from === null ? 0 : Math.max(0, Math.round((to - from) / 1000));
}
